"""D, the CPU seconds that a request asks for, and the cores' time that is to be had for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from labs.records.results import between


@dataclass(frozen=True, slots=True, kw_only=True)
class Cores:
    """Logical cores' time that is to be had (`Calibration` has the rule for c and D)."""

    server: tuple[float, ...]  # by 1, 2, ... requests on those that the server may use
    most: float  # by any number of them
    all: float  # on the machine together, load generator included

    def busy(self, requests: float) -> float:
        """Cores' time that so many requests on the server's cores have."""
        return self.server[int(min(requests, len(self.server))) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """D, CPU seconds of a request, at one level of users."""

    least: float  # that any request needs
    expected: float  # with as many cores busy as are expected
    by_busy: tuple[float, ...]  # with 1, 2, ... logical cores busy; the last holds for more
    spread: float | None = None  # half-width of its interval, relative, where it has one

    @classmethod
    def measured(cls, D: float) -> Demand:
        """Take D as measured during the level itself, with whatever was busy then."""
        return cls(least=D, expected=D, by_busy=(D,))

    def of(self, busy: float) -> float:
        """D with so many logical cores busy (between whole numbers, a straight line)."""
        return between(self.by_busy, busy)

    def times(self, factor: float) -> Demand:
        """Multiply D, however many cores are busy."""
        return replace(
            self,
            least=self.least * factor,
            expected=self.expected * factor,
            by_busy=tuple(D * factor for D in self.by_busy),
        )

    def speeds(self, cores: Cores) -> tuple[float, ...]:
        """Tell how fast the server's cores work with 1, 2, ... requests on them, where a request
        has as much work as takes it `of(len(cores.server))` seconds."""
        full = self.of(len(cores.server))
        return tuple(busy * (full / self.of(busy) if full else 1.0) for busy in cores.server)
