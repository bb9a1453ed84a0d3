"""Round times that are somebody's timer: a pause, a pace, a keep-alive time or a time-out. Pure."""

from __future__ import annotations

from collections.abc import Collection

TIMERS_S = (1.0, 3.0, 5.0, 10.0, 15.0, 30.0, 60.0)  # as timers are set
NEAR = 0.03  # relative: how near a round time is to one


def timer_s(rounds_s: Collection[float]) -> float | None:
    """Find the timer that all these times of a round (s) are; None where there is none.

    >>> timer_s([5.02, 5.04, 5.03])
    5.0
    """
    for timer in TIMERS_S:
        if rounds_s and all(abs(each / timer - 1) <= NEAR for each in rounds_s):
            return timer
    return None
