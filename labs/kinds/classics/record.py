"""Record of the classic experiments, made again: a row for each of the source's. Frozen, SI
units."""

import contextlib
from dataclasses import dataclass

from labs.kinds.classics.published import TABLES
from labs.kinds.generators.record import Asked
from labs.records.amounts import NotNegative, Users
from labs.records.errors import BadRecording
from labs.records.results import Result, pick

AB, LOCUST = "ab", "Locust"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried(Asked):
    """One row of a source, tried by one load generator."""

    setup: str  # as the source's table has it
    users: Users
    by: str  # ab or Locust
    server: str  # Apache 2.4.66, PHP 8.2.29
    overflows: NotNegative = 0  # connections that found the listen queue full
    never_served: NotNegative = 0  # users, by Locust; ab waits for every answer
    backlog: NotNegative | None = None  # places in the listen queue, as asked for

    @property
    def ceiling_rps(self) -> float | None:
        """Requests per second that one full core of the generator makes; None: too little CPU."""
        return self.throughput_rps / self.generator_cpu if self.generator_cpu > 0.01 else None

    @property
    def littles_law(self) -> float:
        """Work out X R / N: 1, where everybody's requests were counted."""
        return self.throughput_rps * self.mean_response_time_s / self.users


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicationRun:
    """One round of a source's experiment."""

    recorded_at: str  # ISO 8601, UTC
    capacity: tuple[float, ...]  # cores' worth of work done with 1, 2, ... processes busy
    tries: tuple[Tried, ...]

    def tried(self, setup: str, users: int, by: str) -> Tried:
        """Find a row that was tried; KeyError says which there are."""
        return pick(self.tries, users=users, by=by, setup=setup)

    def by(self, generator: str) -> tuple[Tried, ...]:
        """List what a load generator measured."""
        return tuple(each for each in self.tries if each.by == generator and not each.missing)


class Replication(Result, tag="classics", frozen=True, kw_only=True):
    """A source's experiment, made again on one machine."""

    holds = ("tries", "row")

    classic: str  # s1
    runs: tuple[ReplicationRun, ...]

    def __post_init__(self) -> None:
        if self.classic not in TABLES:
            raise BadRecording(f"{self.classic!r}: no source of that name.")
        super().__post_init__()

    @property
    def run(self) -> ReplicationRun:
        """The newest run: a classic is tried once."""
        return self.runs[-1]

    def law_rps(self, tried: Tried) -> float | None:
        """Work out what the law allows here; None where the server is not the limit."""
        return TABLES[self.classic].law_rps(tried.setup, tried.users, self.machine.cores)

    def ratio(self, tried: Tried) -> float | None:
        """Divide a try's throughput by what the law allows; of S4, by that of one user."""
        base = self.law_rps(tried)
        if base is None:
            with contextlib.suppress(KeyError):
                base = self.run.tried(tried.setup, 1, tried.by).throughput_rps
        return tried.throughput_rps / base if base else None
