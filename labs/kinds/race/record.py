"""Record of the lab of the shared counter: additions asked for, and additions that arrived. Frozen,
SI units."""

from dataclasses import dataclass

from labs.records.amounts import Amount, NotNegative
from labs.records.errors import BadRecording
from labs.records.experiment import Workload
from labs.records.results import Result, middle, pick


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """One way to count, under load."""

    name: str  # without a lock, with a lock around all of it, ...
    workload: Workload  # of a request
    asked: NotNegative  # requests answered well: each added one
    counted: NotNegative  # what the counter said after the last of them
    throughput_rps: Amount
    mean_response_time_s: Amount

    def __post_init__(self) -> None:
        if self.asked < 1 or not 0 <= self.counted <= self.asked:
            raise BadRecording(
                f"{self.name}: {self.counted} of {self.asked} additions cannot have arrived."
            )

    @property
    def lost(self) -> int:
        """Additions that somebody else wrote over."""
        return self.asked - self.counted

    @property
    def lost_fraction(self) -> float:
        return self.lost / self.asked


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceRun:
    """One round of the lab: each way to count, on a fresh server."""

    recorded_at: str  # ISO 8601, UTC
    counts: tuple[Count, ...]


class Race(Result, tag="race", frozen=True, kw_only=True):
    """Rounds of the lab of the shared counter on one machine."""

    holds = ("counts", "count")

    racers: NotNegative  # users, and as many threads in the server's one process
    runs: tuple[RaceRun, ...]

    @property
    def run(self) -> RaceRun:
        """The middle run, by the part its first count lost: the one that is drawn."""
        return middle(self.runs, lambda run: run.counts[0].lost_fraction)

    def count(self, name: str = "without a lock") -> Count:
        """Find a way to count; KeyError says which there are."""
        return pick(self.run.counts, name=name)
