"""What a comparison finds: several experiments, measured one after the other on one machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from labs.kinds.sweep.record import Recording
from labs.records.errors import BadRecording, Unusable
from labs.records.experiment import Experiment
from labs.records.results import SCHEMA, Machine, Run

Over = Literal["users", "pool"]
OVERS: tuple[str, ...] = get_args(Over)

# Lines that can still be followed in one figure; over the pool, parts are places on a line.
MOST_PARTS: dict[str, int] = {"users": 5, "pool": 8}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A recording for each part, in the order of their measuring."""

    machine: Machine
    over: Over  # what is on the x axis: the users, or the size of the pool
    parts: dict[str, Recording]
    schema: int = SCHEMA

    def __post_init__(self) -> None:
        if not self.parts:
            raise BadRecording("The recording holds no part. Record it again.")

    @property
    def runs(self) -> tuple[dict[str, Run], ...]:
        """Whole rounds: one run of each part."""
        whole = min(len(part.runs) for part in self.parts.values())
        return tuple(
            {label: part.runs[at] for label, part in self.parts.items()} for at in range(whole)
        )

    @property
    def run(self) -> dict[str, Run]:
        """The middle run of each part: those that are drawn."""
        return {label: part.run for label, part in self.parts.items()}

    def part(self, label: str) -> Recording:
        """The recording of that part; KeyError if there is none."""
        if label not in self.parts:
            raise KeyError(f"part={label!r}: there are {', '.join(self.parts)}.")
        return self.parts[label]

    def joined(self, others: Sequence[Comparison]) -> Comparison:
        """With the runs of others of the same parts, part by part."""
        parts = {
            label: replace(
                part, runs=(*part.runs, *(run for each in others for run in each.part(label).runs))
            )
            for label, part in self.parts.items()
        }
        return replace(self, parts=parts)


def check_parts(parts: Mapping[str, Experiment], over: str) -> None:
    """Unusable, with a remedy, for parts that do not fit in one figure."""
    if over not in OVERS:
        raise Unusable(f"over={over!r}: choose one of {', '.join(OVERS)}.")
    if not 2 <= len(parts) <= MOST_PARTS[over]:
        raise Unusable(
            f"{len(parts)} parts: a comparison has 2 to {MOST_PARTS[over]}. Give a dictionary of "
            "labels and experiments."
        )
    for label in parts:
        if not label.strip() or ": " in label or "`" in label:
            raise Unusable(f"{label!r}: a label is a few words, without a colon or backtick.")
    if over == "users":
        return
    pools: dict[int, str] = {}
    for label, experiment in parts.items():
        pool = experiment.server.pool
        if pool is None:
            raise Unusable(
                f"{label!r}: an event loop has no pool to put on the axis. Compare over users."
            )
        if pool in pools:
            raise Unusable(f"{label!r}: the same pool of {pool} as {pools[pool]!r}. Change one.")
        pools[pool] = label
