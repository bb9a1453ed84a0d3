"""Record of a comparison: several experiments, measured by turns on one machine."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar, get_args

import msgspec

from labs.kinds.sweep.record import Recording
from labs.records.errors import Unusable, choice, instance
from labs.records.experiment import Experiment
from labs.records.results import Point, Result, Run

Over = Literal["users", "pool"]

# Lines that can still be followed in one figure; over the pool, parts are places on a line.
MOST_PARTS: dict[str, int] = {"users": 5, "pool": 8}


Part = TypeVar("Part", bound=str)


class Comparison(Result, tag="comparison", frozen=True, kw_only=True):
    """A recording for each part, in the order in which they are first visited."""

    over: Over  # what is on the x axis: the users, or the size of the pool
    parts: dict[str, Recording]

    @property
    def runs(self) -> tuple[dict[str, Run], ...]:
        """Whole rounds: one run of each part."""
        return rounds(self.parts)

    def part(self, label: str) -> Recording:
        """Find the recording of a part; KeyError says which there are."""
        if label not in self.parts:
            raise KeyError(f"{label!r}: no such part. There are {', '.join(self.parts)}.")
        return self.parts[label]


def rounds(parts: Mapping[Part, Recording]) -> tuple[dict[Part, Run], ...]:
    """Make rounds of one run of each of these recordings, as often as all of them have one."""
    runs = zip(*(part.runs for part in parts.values()), strict=False)
    return tuple(dict(zip(parts, each, strict=True)) for each in runs)


def merged(several: Sequence[Mapping[Part, Recording]]) -> dict[Part, Recording]:
    """Join the runs of all of these, recording by recording."""
    return {
        label: msgspec.structs.replace(
            part, runs=tuple(run for parts in several for run in parts[label].runs)
        )
        for label, part in several[0].items()
    }


def most_users(
    parts: Iterable[Recording], counts: Callable[[Point], bool] = lambda point: True
) -> int | None:
    """Find the most users at which each of these has a point that counts; None without any."""
    levels = [{point.users for point in part.points if counts(point)} for part in parts]
    return max(set.intersection(*levels), default=None)


def check_parts(parts: Mapping[str, Experiment], over: str) -> None:
    """Raise Unusable, with a remedy, for parts that do not fit in one figure."""
    choice("over", over, get_args(Over))
    remedy = "Give a dictionary of labels and experiments."
    instance("parts", parts, Mapping, remedy)
    for label, experiment in parts.items():
        instance("parts", label, str, remedy)
        instance(label, experiment, Experiment, remedy)
    if not 2 <= len(parts) <= MOST_PARTS[over]:
        raise Unusable(f"{len(parts)} parts: a comparison has 2 to {MOST_PARTS[over]}. {remedy}")
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
