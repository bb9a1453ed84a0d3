"""Numbers for prose from a mystery: what it was, and what its fixes brought."""

from __future__ import annotations

from dataclasses import dataclass

from labs.kinds.mystery.record import Mystery, Variant
from labs.kinds.mystery.scenarios import LIMITS, named
from labs.present.quantities import NoSuchNumber, Quantity, Said
from labs.records.format import digits, rate


@dataclass(frozen=True, slots=True)
class MysteryNumbers(Said):
    """Numbers of a mystery, throughputs at its last level."""

    result: Mystery

    def seed(self) -> Quantity:
        """Which server it was."""
        return Quantity(self.result.seed, str(self.result.seed))

    def limit(self) -> Quantity:
        """The hidden limit in words; its value is its place in the list of them."""
        limit = named(self.result.limit)
        return Quantity(LIMITS.index(limit) + 1, limit.called[0].lower() + limit.called[1:])

    def users(self) -> Quantity:
        """At the last level."""
        return Quantity(self.result.users or 0, str(self.result.users or 0))

    def before(self) -> Quantity:
        """Throughput of the server as it is."""
        return self._rate("before")

    def wrong(self) -> Quantity:
        """Throughput with the wrong fix."""
        return self._rate("wrong")

    def right(self) -> Quantity:
        """Throughput with the right fix."""
        return self._rate("right")

    def times(self, variant: Variant) -> Quantity:
        """How many times the throughput that fix brought: `times("right")`."""
        before = float(self._rate("before"))
        value = float(self._rate(variant)) / before if before else float("inf")
        return Quantity(value, f"{value:.2f}" if value < 2 else digits(value, 2))

    def _rate(self, variant: Variant) -> Quantity:
        try:
            value = self.result.throughput_rps(variant)
        except KeyError:
            names = ", ".join(self.result.variants)
            raise NoSuchNumber(f"{variant!r}: not measured. There are {names}.") from None
        return Quantity(value, rate(value))
