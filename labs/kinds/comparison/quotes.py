"""Numbers for prose from a comparison: of its parts, and of one part over another."""

from __future__ import annotations

from dataclasses import dataclass

from labs.kinds.comparison import verdict
from labs.kinds.comparison.record import Comparison
from labs.kinds.sweep.quotes import SweepNumbers
from labs.present.quantities import NoSuchNumber, Quantity, Said


@dataclass(frozen=True, slots=True)
class ComparisonNumbers(Said):
    """Numbers of a comparison as a whole."""

    result: Comparison

    def ratio(self, over: str, under: str, users: int) -> Quantity:
        """Throughput of one part over that of another, at that level."""
        for label in (over, under):
            part(self, label).throughput(users)  # says what is missing
        found = verdict.ratio(self.result, over, under, users)
        return Quantity(found.value, str(found))


def part(source: Said, label: str) -> SweepNumbers:
    """The numbers of one part. NoSuchNumber says which there are."""
    if not isinstance(source, ComparisonNumbers):
        raise NoSuchNumber(f"{label!r}: that lab has no parts.")
    try:
        return SweepNumbers(source.result.part(label))
    except KeyError:
        labels = ", ".join(source.result.parts)
        raise NoSuchNumber(f"{label!r}: no such part. There are {labels}.") from None
