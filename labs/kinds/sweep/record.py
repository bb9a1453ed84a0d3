"""A sweep's result: an experiment with its machine and one or more runs of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from labs.records.errors import BadRecording
from labs.records.experiment import Experiment
from labs.records.results import SCHEMA, Machine, Point, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """An experiment with its machine and one or more runs of it."""

    experiment: Experiment
    machine: Machine
    runs: tuple[Run, ...]
    schema: int = SCHEMA

    def __post_init__(self) -> None:
        if not self.runs:
            raise BadRecording("The recording holds no run. Record it again.")

    @property
    def run(self) -> Run:
        """The middle run, by throughput at the last level: the one that is drawn."""
        return sorted(
            self.runs, key=lambda run: run.points[-1].throughput_rps if run.points else 0
        )[(len(self.runs) - 1) // 2]

    @property
    def points(self) -> tuple[Point, ...]:
        return self.run.points

    def at(self, users: int) -> Point:
        for point in self.points:
            if point.users == users:
                return point
        raise KeyError(f"users={users}: not a recorded level.")

    def spread_rps(self, users: int) -> tuple[float, float]:
        """Lowest and highest throughput of that level over the runs."""
        found = [p.throughput_rps for run in self.runs for p in run.points if p.users == users]
        return min(found), max(found)

    def with_run(self, run: Run) -> Recording:
        return replace(self, runs=(*self.runs, run))
