"""Record of a memory lab: a server's memory over the requests that wait in it at once. Frozen, in
bytes."""

from dataclasses import dataclass
from statistics import linear_regression
from typing import Literal

from labs.records.errors import BadRecording
from labs.records.experiment import Server
from labs.records.results import Result, middle, pick

Waiting = Literal["process", "thread", "coroutine"]  # what it takes to wait for one request
SEVERAL = {"process": "processes", "thread": "threads", "coroutine": "coroutines"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCurve:
    """Curve of one kind of worker: the whole server's memory, with more and more of them waiting.

    PSS counts a page that several processes share once, divided among them; RSS counts it anew
    for each. Without PSS (macOS) everything here is told from RSS.
    """

    kind: Waiting
    sizes: tuple[int, ...]  # requests waiting at once
    pss_bytes: tuple[int, ...]  # of all its processes; empty where the system has none
    rss_bytes: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.sizes) < 2 or sorted(set(self.sizes)) != list(self.sizes):
            raise BadRecording(f"kind={self.kind!r}: give two rising sizes or more.")
        if len(self.rss_bytes) != len(self.sizes) or len(self.pss_bytes) not in (
            0,
            len(self.sizes),
        ):
            raise BadRecording(f"kind={self.kind!r}: not one memory for each size.")

    @property
    def told_bytes(self) -> tuple[int, ...]:
        """Take PSS, or RSS where there is none."""
        return self.pss_bytes or self.rss_bytes

    @property
    def each_bytes(self) -> float:
        """Memory that one more worker takes: the slope, by least squares."""
        return linear_regression(self.sizes, self.told_bytes).slope

    @property
    def base_bytes(self) -> float:
        """Memory that the server takes without any workers: where the line begins."""
        return linear_regression(self.sizes, self.told_bytes).intercept

    def line_bytes(self, waiting: int) -> float:
        """Find where the line lies with so many waiting."""
        return self.base_bytes + self.each_bytes * waiting

    @property
    def rss_each_bytes(self) -> float:
        """The slope that RSS would suggest."""
        return linear_regression(self.sizes, self.rss_bytes).slope

    @property
    def off_line(self) -> float:
        """Tell how far a size lies off the line at most, as a fraction of the whole growth."""
        grown = self.each_bytes * (self.sizes[-1] - self.sizes[0])
        told = zip(self.sizes, self.told_bytes, strict=True)
        return max(abs(self.line_bytes(size) - found) for size, found in told) / max(grown, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRun:
    """One round of the memory lab."""

    recorded_at: str  # ISO 8601, UTC
    growths: tuple[MemoryCurve, ...]

    def growth(self, kind: str) -> MemoryCurve:
        """Find the curve of a kind of worker; KeyError says which there are."""
        return pick(self.growths, kind=kind)


class Memory(Result, tag="memory", frozen=True, kw_only=True):
    """Rounds of the memory lab on one machine."""

    holds = ("growths", "growth")

    waiters: dict[Waiting, Server]  # who was measured, at its largest size
    runs: tuple[MemoryRun, ...]

    @property
    def run(self) -> MemoryRun:
        """The middle run, by what its first kind takes each: the one that is drawn."""
        return middle(self.runs, lambda run: run.growths[0].each_bytes)
