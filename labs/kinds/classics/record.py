"""What the classic experiments give when they are made again: a row for each of the source's.

The nouns beside `records`: frozen, SI units, checked on building and on reading.
"""

from __future__ import annotations

from dataclasses import dataclass

from labs.kinds.classics.published import NAMES
from labs.records.errors import BadRecording
from labs.records.processes import Process, Who
from labs.records.results import SCHEMA, Machine

AB, LOCUST = "ab", "Locust"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One row, by one load generator. CPU is in cores, a mean over the run."""

    setup: str  # as the source's table has it
    users: int
    by: str  # ab or Locust
    server: str  # Apache 2.4.66, PHP 8.2.29
    command: str = ""  # of ab, as a reader would type it
    missing: str = ""  # what was not here; then nothing below was measured
    requests: int = 0
    failed: int = 0
    seconds: float = 0.0
    throughput_rps: float = 0.0
    interval_rps: tuple[float, float] | None = None  # 95 %, where there is one
    mean_response_time_s: float = 0.0
    sd_s: float | None = None
    longest_s: float | None = None
    generator_cpu: float = 0.0
    server_cpu: float = 0.0
    overflows: int = 0  # connections that found the listen queue full
    backlog: int | None = None  # places in the listen queue, as asked for

    def __post_init__(self) -> None:
        if not self.missing and not self.throughput_rps > 0:
            raise BadRecording(f"{self.users} users by {self.by}: neither measured nor missing.")

    @property
    def ceiling_rps(self) -> float | None:
        """Requests per second that one full core of the generator makes; None: too little CPU."""
        return self.throughput_rps / self.generator_cpu if self.generator_cpu > 0.01 else None

    @property
    def server_s(self) -> float:
        """CPU seconds of the server for a request."""
        return self.server_cpu / self.throughput_rps

    @property
    def littles_law(self) -> float:
        """X R / N: 1, where everybody's requests were counted."""
        return self.throughput_rps * self.mean_response_time_s / self.users


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrialRun:
    """One round of a source's experiment."""

    recorded_at: str  # ISO 8601, UTC
    noise_fraction: float  # spread of repeated burns
    capacity: tuple[float, ...]  # cores' worth of work done with 1, 2, ... processes busy
    tries: tuple[Tried, ...]
    processes: tuple[Process, ...] = ()  # of S3: both trees
    workers: int | None = None  # of S3: at the end

    def tried(self, setup: str, users: int, by: str) -> Tried:
        for each in self.tries:
            if (each.setup, each.users, each.by) == (setup, users, by):
                return each
        raise KeyError(f"setup={setup!r}, users={users}, by={by!r}: not tried.")

    def tree(self, who: Who) -> tuple[Process, ...]:
        return tuple(process for process in self.processes if process.who == who)

    def cpu_s(self, who: Who) -> float:
        return sum(process.cpu_s for process in self.tree(who))

    def user_share(self, who: Who) -> float:
        """Of the tree's CPU time, the part outside the kernel."""
        whole = self.cpu_s(who)
        return sum(process.user_s for process in self.tree(who)) / whole if whole else 0.0

    def minor_faults(self, who: Who) -> int:
        return sum(process.minor_faults or 0 for process in self.tree(who))


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrial:
    """A source's experiment, made again on one machine."""

    classic: str  # s1
    machine: Machine
    runs: tuple[RetrialRun, ...]
    schema: int = SCHEMA

    def __post_init__(self) -> None:
        if self.classic not in NAMES:
            raise BadRecording(f"{self.classic!r}: no source of that name.")
        if not self.runs or not all(run.tries for run in self.runs):
            raise BadRecording("The recording holds no row. Record it again.")

    @property
    def run(self) -> RetrialRun:
        """The newest: a classic is tried once."""
        return self.runs[-1]

    def tried(self, setup: str, users: int, by: str) -> Tried:
        return self.run.tried(setup, users, by)
