"""Advice, with which a verdict begins: which points are not to be believed, and why.
Whom the averages do not know, what is drawn hollow, what cannot be. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from labs.analysis import causes
from labs.analysis.causes import UNSTEADY
from labs.analysis.checks import BOUND, ENOUGH, STARVED, starved_because
from labs.records.experiment import Experiment
from labs.records.format import crowd, listed, percent
from labs.records.results import Check, Point, Run

HOLLOW = "drawn hollow"
# The checks that make a point unfit only for what comes of an unsteady speed.
BY_SPEED = {"noise", "core speed", "unsteady cores", *causes.SYMPTOMS}


def starved(points: Sequence[Point], experiment: Experiment) -> list[str]:
    """Users who got no answer at all, and why: one sentence or none."""
    told = [point for point in points if point.never_served]
    if not told:
        return []
    counts = listed([f"{point.never_served} of {crowd(point.users)}" for point in told])
    why = starved_because(told[-1], experiment)
    return [f"{counts} were never served, and are not in the averages. {why}"]


def unsteady(runs: Sequence[Run]) -> list[str]:
    """Say that the cores' speed changed in these runs and spoilt points of them, what can be read
    off all the same, and how to go on: one sentence or none."""
    spoilt = [
        run
        for run in runs
        if causes.swing(run) > UNSTEADY and len(_steady(run)) < ENOUGH * len(run.points)
    ]
    if not spoilt:
        return []
    by = percent(max(map(causes.swing, spoilt)))
    return [
        f"This machine's speed changed by {by} in this run, as burns tell: waits can be read off "
        "all the same, and ratios within one visit; rates and CPU times can't, so go on with the "
        "recorded run, or run again when the machine is quiet."
    ]


def _steady(run: Run) -> list[Point]:
    """List the points but those that `BY_SPEED` alone makes unfit."""
    return [
        point
        for point in run.points
        if point.fit or not {check.name for check in point.checks if check.unfit} <= BY_SPEED
    ]


def unfit(points: Sequence[Point], said: Collection[str] = ()) -> str:
    """Say which points are drawn hollow, and the reason that comes first; "" where there is none.
    That users were never served has been said, and so have the checks with the names in `said`."""
    hollow, total = [point for point in points if not point.fit], len(points)
    if not hollow:
        return ""
    faults = [check for point in hollow for check in point.checks if check.unfit]
    why = [check for check in faults if check.name not in (STARVED, *said)]
    first = [min(why, key=lambda check: check.name in causes.SYMPTOMS).sentence] if why else []
    if len(hollow) == total:
        count = f"None of the {total} points can be believed, so all are {HOLLOW}."
        if total == 1:
            count = f"The point cannot be believed, so it is {HOLLOW}."
        return " ".join([count, *first])
    levels = listed([point.users for point in hollow])
    users = "user" if levels == "1" else "users"
    takes = "is drawn hollow and takes" if len(hollow) == 1 else "are drawn hollow and take"
    count = f"{len(hollow)} of {total} points, at {levels} {users}, {takes} no part in this."
    every = {
        check.sentence
        for point in hollow
        for check in point.checks
        if check.name not in (STARVED, *said)
    }
    others = ["The table has the other reasons."] if first and len(every) > len(first) else []
    return " ".join([count, *first, *others])


def exceeded(points: Sequence[Point]) -> list[str]:
    """Say which otherwise fit points lie above their bound, which cannot be."""
    found: list[tuple[int, Check]] = [
        (point.users, check) for point in points for check in point.checks if check.name == BOUND
    ]
    return [f"At {crowd(users)} the bound is exceeded. {check.sentence}" for users, check in found]
