"""How long each level of a sweep runs, worked out from the forecast. Pure arithmetic.

A level's new users start spread over one response time, so that nobody marches in step. The
server settles for 1.5 more, and for so long that a page has painted the level before. Then the
window opens, long enough for three response times and for the least number of requests that a
point needs. Where that many have not come by then, it stays open for longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labs.analysis.window import LEAST_BATCHES
from labs.records.experiment import Load
from labs.records.results import PredictedLevel

LEAST_COMPLETIONS = 20  # below this a point is unfit
REQUESTS = 24  # planned for a window: a response a fifth slower than forecast still gives 20
LONGEST = 4.0  # times its plan: no window is extended further
SETTLE = 1.5  # response times
PAINT_S = 0.6  # of a page, for figure and strip (seen: 0.5 s of CPU, spread over 0.6 s)
STARTUP_S = 2.2  # calibration, server and Locust (seen: 1.9 to 2.2 s on 2 cores)
EMPTY_S = 0.3  # of requests without work, which tell the overhead per request
CROWD_S = 0.8  # of as many users as fill the cores, who tell what work costs there
ALONE_S = 0.4  # of one user, who tells how fast the server works and what the way there takes
WARM_UP_S = EMPTY_S + CROWD_S + ALONE_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One level's times, in seconds."""

    users: int
    stagger_s: float
    settle_s: float
    window_s: float

    @classmethod
    def of(
        cls,
        *,
        users: int,
        response_s: float,
        think_time_s: float,
        seconds: float,
        draining_s: float = 0.0,
    ) -> Plan:
        """The protocol. response_s is forecast; draining_s is what a larger level before
        this one needs to empty its queue; seconds is the least window asked for."""
        cycle_s = response_s + think_time_s
        return cls(
            users=users,
            stagger_s=cycle_s,
            settle_s=max(SETTLE * cycle_s, PAINT_S - cycle_s) + draining_s,
            window_s=max(seconds, 3 * response_s, REQUESTS * cycle_s / users),
        )

    @property
    def total_s(self) -> float:
        return self.stagger_s + self.settle_s + self.window_s


def missing_s(measured_s: float, *, planned_s: float, completed: float, response_s: float) -> float:
    """How much longer a window must stay open; 0 where it is long enough, or LONGEST.

    A level that is slower than forecast would else be cut short, be unfit, and its miss not be
    seen. Enough are LEAST_COMPLETIONS requests, and LEAST_BATCHES parts for the interval that are
    no shorter than a response time. completed, response_s: of the `measured_s` so far (s), the
    second 0 or nan where nothing was; then it is doubled.
    """
    enough_s = 2 * measured_s
    if completed:
        enough_s = LEAST_BATCHES * response_s
        if completed < LEAST_COMPLETIONS:  # as many as planned, so as not to miss it again
            enough_s = max(enough_s, REQUESTS / completed * measured_s)
    return max(0.0, min(enough_s, LONGEST * planned_s) - measured_s)


def plans(load: Load, levels: Sequence[PredictedLevel], slower: float = 1.0) -> list[Plan]:
    """Every level of the sweep, then the first one again.

    slower: how much longer responses take than forecast, as seen so far.
    """
    made = [
        Plan.of(
            users=level.users,
            response_s=level.model_response_time_s * slower,
            think_time_s=load.think_time_s,
            seconds=load.seconds,
        )
        for level in levels
    ]
    if len(made) > 1:
        first, last = levels[0], levels[-1]
        made.append(
            Plan.of(
                users=first.users,
                response_s=first.model_response_time_s * slower,
                think_time_s=load.think_time_s,
                seconds=load.seconds,
                draining_s=last.model_response_time_s * slower,
            )
        )
    return made


def duration_s(load: Load, levels: Sequence[PredictedLevel]) -> float:
    """Seconds the whole sweep will take, from pressing Run to the last point."""
    tail_s = levels[0].model_response_time_s
    return STARTUP_S + WARM_UP_S + sum(plan.total_s for plan in plans(load, levels)) + tail_s
