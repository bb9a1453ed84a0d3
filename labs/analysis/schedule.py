"""Schedule of a sweep: how long each level runs, worked out from the forecast. Pure arithmetic.

Each level is visited twice, on the way up through the levels and on the way down again, mirrored
in time, and its window is halved between the two. On the way up a level's new users start spread
over one response time, so that nobody marches in step, and the server settles for 1.5 more. On
the way down those who leave are given the larger level's response time to end, and the others one
of their own. Either lasts until a page has painted the level before. Then the window opens; both
together are long enough for three response times and for the least number of requests that a point
needs. For one more response time the load stays, so that requests of the window can end. Where
requests only compute, the cores are then burned once, beside that load: have they still the speed
that the forecast knows? Users who wait fall in step behind a burn, so there it follows the load.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from labs.records.experiment import Experiment, Load, Workload
from labs.records.results import Point, PredictedLevel

VISITS = 2  # to each level: on the way up and on the way down
LEAST_COMPLETIONS = 20  # in both together; below this a point is unfit
PLANNED_REQUESTS = 24  # for both windows: a fifth slower than forecast still gives 20
SETTLE = 1.5  # response times
SLOWEST = 4.0  # times its forecast: no level is planned for longer
PAINT_S = 0.6  # of a page, for figure and strip (seen: 0.15 s of CPU, in 0.2 s)
SPEED_S = 0.2  # of a burn of all cores: to warm up, and to count
# Of new processes that are to burn, before any of their burns counts: an interpreter's loop is
# some 5 % slower in a process's first tenth of a second of work, on a hot core too. Of 14 new
# pairs on two cores the first burn was 4 % below the others without this, 1 % with it.
HOT_S = 0.3
CALIBRATION_S = HOT_S + 1.2  # usually, once for a unit of work
EMPTY_S = 0.3  # of requests without work, which tell the overhead per request
CROWD_S = 0.8  # of as many users as fill the cores, who tell what work costs there
ALONE_S = 0.4  # of one user, who tells how fast the server works and what the way there takes
# Calibration, server and Locust (seen: 1.9 to 2.2 s on 2 cores, with cold burns), and a burn on
# each side of the warm-up by processes of its own.
STARTUP_S = 2.2 + HOT_S + (HOT_S + 2 * SPEED_S)
WARM_UP_S = EMPTY_S + CROWD_S + ALONE_S
USUAL_S = 1.0  # of a level, beside which the warm-up lasts as above
MOST_LONGER = 4.0  # than usual, of a warm-up


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The times of one visit to a level, in seconds."""

    users: int
    stagger_s: float
    settle_s: float
    window_s: float
    grace_s: float  # after the window, under the same load

    @classmethod
    def of(cls, load: Load, users: int, response_s: float, leaving_s: float | None = None) -> Plan:
        """The protocol. response_s is forecast, or as seen; leaving_s is the response time at the
        larger level before this one, where there was one; `load.seconds` is the least that both
        windows last together."""
        cycle_s = response_s + load.think_time_s
        stagger_s, settle_s = cycle_s, SETTLE * cycle_s
        if leaving_s is not None:
            stagger_s, settle_s = 0.0, leaving_s + cycle_s
        return cls(
            users=users,
            stagger_s=stagger_s,
            settle_s=max(settle_s, PAINT_S - stagger_s),
            window_s=max(load.seconds, 3 * response_s, PLANNED_REQUESTS * cycle_s / users) / VISITS,
            grace_s=response_s,
        )

    @property
    def total_s(self) -> float:
        return self.stagger_s + self.settle_s + self.window_s + self.grace_s


def seen_slower(point: Point, level: PredictedLevel) -> float:
    """Response time as seen at that level, over the forecast: at least 1, at most SLOWEST, and 1
    where nothing was answered."""
    if point.completed < 1:
        return 1.0
    ratio = point.mean_response_time_s / max(level.model_response_time_s, 1e-6)
    return min(SLOWEST, max(1.0, ratio))


def up(load: Load, levels: Sequence[PredictedLevel], slower: float = 1.0) -> list[Plan]:
    """Plan every level, from few users to many.

    slower: how much longer responses take than forecast, as seen so far.
    """
    return [Plan.of(load, each.users, each.model_response_time_s * slower) for each in levels]


def down(
    load: Load,
    levels: Sequence[PredictedLevel],
    slower: Mapping[int, float] | None = None,
    *,
    anew: bool = False,
) -> list[Plan]:
    """Plan every level, from many users to few.

    slower: by its users, how much longer a level's responses took on the way up than forecast.
    anew: nobody is there when it begins; else all users of the largest level are.
    """
    slower = slower or {}
    stretched = [
        (level.users, level.model_response_time_s * slower.get(level.users, 1.0))
        for level in reversed(levels)
    ]
    largest = Plan.of(load, *stretched[0])
    if not anew:  # nobody comes and nobody goes
        largest = replace(largest, stagger_s=0.0, settle_s=PAINT_S)
    smaller = [
        Plan.of(load, users, response_s, leaving_s)
        for (_, leaving_s), (users, response_s) in pairwise(stretched)
    ]
    return [largest, *smaller]


def burned_at_each(workload: Workload) -> bool:
    """Whether the cores are burned after each visit, and not only when the load is over.

    Seen with 16 users on 20 processes, 10 ms of CPU and 90 ms of waiting, which do not vary: 120
    requests a second with a burn after each visit, 131 without, means of six runs each.
    """
    return workload.cpu_s > 0 and not workload.wait_s


def burns_s(workload: Workload, visits: int) -> float:
    """Seconds of the burns that so many visits bring with them."""
    return SPEED_S * (visits if burned_at_each(workload) else 1)


def half_s(experiment: Experiment, levels: Sequence[PredictedLevel], *, second: bool) -> float:
    """Seconds for all the levels once, with their burns: up, or as second half down on a server
    started anew."""
    load = experiment.load
    plans = down(load, levels, anew=True) if second else up(load, levels)
    return burns_s(experiment.workload, len(plans)) + sum(plan.total_s for plan in plans)


def walk_s(experiment: Experiment, levels: Sequence[PredictedLevel]) -> float:
    """Seconds for all the levels, up and down again, with their burns."""
    plans = (*up(experiment.load, levels), *down(experiment.load, levels))
    return burns_s(experiment.workload, len(plans)) + sum(plan.total_s for plan in plans)


def longer(load: Load) -> float:
    """Length of a warm-up over the usual one: it lasts as the levels do, since a forecast from a
    short look is no surer than that look, whatever it is compared with."""
    return min(max(load.seconds / USUAL_S, 1.0), MOST_LONGER)


def start_s(experiment: Experiment) -> float:
    """Seconds from pressing Run to the first level."""
    return STARTUP_S + WARM_UP_S * longer(experiment.load)


def duration_s(experiment: Experiment, levels: Sequence[PredictedLevel]) -> float:
    """Seconds the whole sweep will take, from pressing Run to the last burn."""
    return start_s(experiment) + walk_s(experiment, levels)
