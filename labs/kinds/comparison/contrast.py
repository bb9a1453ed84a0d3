"""Decision of a comparison, by a rule fixed before it runs: by how much its first and its last part
differ, at the most users at which both could be measured. Which pair differs most is seen only
afterwards, and of many pairs one looks different by chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from labs.analysis.causes import SYMPTOMS
from labs.analysis.checks import STARVED
from labs.analysis.contrast import CONFIDENCE, Difference, difference, spread_of_parts
from labs.kinds.comparison.record import most_users, rounds
from labs.kinds.sweep.record import Recording
from labs.records.results import Point, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A contrast: by how much two parts differ at one level, which were fixed before the run."""

    over: str  # the part
    under: str
    users: int
    ratio: float  # of the throughputs, the mean over the runs
    interval: tuple[float, float]  # of the ratio: none is seen where 1 lies in it
    confidence: float


def decided(parts: Mapping[str, Recording], confidence: float = CONFIDENCE) -> Contrast | None:
    """The last part against the first; None where no level of both can be believed."""
    labels = list(parts)
    under, over = labels[0], labels[-1]
    users = most_users([parts[under], parts[over]], believed)
    found = differ(parts, over, under, users, confidence) if users is not None else None
    if users is None or found is None:
        return None
    return Contrast(
        over=over,
        under=under,
        users=users,
        ratio=found.ratio,
        interval=found.interval,
        confidence=confidence,
    )


def differ(
    parts: Mapping[str, Recording],
    over: str,
    under: str,
    users: int,
    confidence: float = CONFIDENCE,
) -> Difference | None:
    """Divide throughput of one part by that of another at that level, over all runs in which both
    can be believed; None without such a run. Every part's visits tell how well visits repeat."""
    seen = []
    for run in rounds(parts):
        a, b = (_at(run[label], users) for label in (over, under))
        if a is not None and b is not None:
            seen.append((a, b, spread_of_parts([each.points for each in run.values()])))
    return difference(seen, anew=True, confidence=confidence)


def believed(point: Point) -> bool:
    """Whether a point is fit, or its fault is the listen queue's: users who starve then are the
    result, and no fault of the measurement."""
    faults = {check.name for check in point.checks if check.unfit}
    return not faults or (overflowed(point) and {STARVED} <= faults <= {STARVED} | SYMPTOMS)


def overflowed(point: Point) -> bool:
    """Whether connections found the listen queue full."""
    return point.listen_overflows > 0


def _at(run: Run, users: int) -> Point | None:
    return next((each for each in run.points if each.users == users and believed(each)), None)
