"""What there is to say of a level whose second visit gave another throughput. Pure."""

from __future__ import annotations

from labs.analysis.causes import HALF, MOVED, speeds_of_visits
from labs.analysis.contrast import repeats
from labs.records.format import change, percent, rate, speed
from labs.records.results import Check, Point, PredictedLevel, told, unfit

SLACK = 0.05  # of a throughput, beside the two between which users in step may be


def visited_again(
    point: Point, level: PredictedLevel, *, dealt: float = 0.0, sped: float = 0.0
) -> Check:
    """Why the visits of a level, whose forecast is given, lie apart: the deal of connections, users
    in step, the cores' speed, or something that nobody saw.

    dealt, sped: by how much the model expects something else of the second visit than of the first
    for how connections fell (`causes.dealt`) and for how fast the cores were (`causes.sped`).
    """
    first, second = (visit.throughput_rps for visit in point.visits)
    by = "another throughput"
    if first:
        more = "more" if second > first else "less"
        by = f"{percent(abs(second / first - 1))} {more} throughput"
    if repeats(point, dealt):
        return told(
            "dealt",
            f"Visited again, with the server started anew, this level gave {by}: its connections "
            f"fell otherwise on the processes, which changes the forecast by {change(dealt)}.",
        )
    if (lower_rps := _in_step(point, level)) is not None:
        return told(
            "in step",
            f"Visited again on the way down, this level gave {by}: its times hardly vary, so its "
            f"users may fall in step, now more and now less. That allows {rate(lower_rps)} "
            f"to {rate(level.model_rps)}.",
        )
    by_speed, miss = speeds_of_visits(point), second / first - 1 if first else 0.0
    if by_speed and first and repeats(point, sped) and abs(miss - sped) <= HALF * abs(miss):
        return unfit(
            "unsteady cores",
            f"Visited again on the way down, this level gave {by}: the cores were "
            f"{speed(by_speed[1] / by_speed[0])} by then, as burns tell, which changes the "
            f"forecast by {change(sped)}.",
        )
    seen = "the machine changed under way"
    if by_speed and abs(by_speed[1] / by_speed[0] - 1) <= MOVED:
        seen = "something changed under way, though not the cores' speed, as burns tell"
    return unfit(
        "repeated",
        f"Visited again on the way down, this level gave {by}: {seen}. Close other programs and "
        "run again.",
    )


def _in_step(point: Point, level: PredictedLevel) -> float | None:
    """What users in step go down to, where more or less of that explains what each visit gave."""
    if level.lower_rps is None or level.lower_by != "users in step":
        return None
    low, high = (1 - SLACK) * level.lower_rps, (1 + SLACK) * level.model_rps
    within = all(low <= visit.throughput_rps <= high for visit in point.visits)
    return level.lower_rps if within else None
