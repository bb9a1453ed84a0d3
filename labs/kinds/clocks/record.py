"""Record of the clocks lab: wall time and CPU time of single requests. Frozen, SI units."""

import statistics
from dataclasses import dataclass

from labs.records.errors import BadRecording
from labs.records.experiment import Server, Workload
from labs.records.results import Result, middle, pick


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientClock:
    """The word of `time` on the *client* that fetched a page: not a word about the server."""

    program: str  # curl, or python, which stood in for it
    real_s: float
    user_s: float
    system_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PageClock:
    """One kind of page, fetched several times, one request at a time."""

    name: str  # burn, sleep, both
    workload: Workload
    wall_s: tuple[float, ...]  # of each request, as its client saw it
    cpu_s: tuple[float, ...]  # of each request: user and system time of the server's processes
    client: ClientClock

    def __post_init__(self) -> None:
        if not self.wall_s or len(self.wall_s) != len(self.cpu_s):
            raise BadRecording(f"page {self.name!r}: not one CPU time for each wall time.")

    @property
    def median_wall_s(self) -> float:
        return statistics.median(self.wall_s)

    @property
    def median_cpu_s(self) -> float:
        return statistics.median(self.cpu_s)

    @property
    def median_wait_s(self) -> float:
        """Wall time that no core worked for this request: the rest."""
        return max(0.0, self.median_wall_s - self.median_cpu_s)

    @property
    def cpu_fraction(self) -> float:
        """Part of the wall time that a core worked."""
        return self.median_cpu_s / self.median_wall_s


@dataclass(frozen=True, slots=True, kw_only=True)
class ClocksRun:
    """One round of the clocks lab."""

    recorded_at: str  # ISO 8601, UTC
    pages: tuple[PageClock, ...]


class Clocks(Result, tag="clocks", frozen=True, kw_only=True):
    """Rounds of the clocks lab on one machine."""

    holds = ("pages", "page")

    server: Server
    runs: tuple[ClocksRun, ...]

    @property
    def run(self) -> ClocksRun:
        """The middle run, by the wall time of its last page: the one that is drawn."""
        return middle(self.runs, lambda run: run.pages[-1].median_wall_s)

    def page(self, name: str) -> PageClock:
        """Find a page of the middle run; KeyError says which there are."""
        return pick(self.run.pages, name=name)
