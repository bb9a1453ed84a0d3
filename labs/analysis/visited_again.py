"""Check of a level whose second visit gave another throughput. Pure."""

from __future__ import annotations

from labs.analysis.causes import Effects
from labs.analysis.contrast import repeats
from labs.records.format import change, percent, rate
from labs.records.results import Check, Point, PredictedLevel, told, unfit

SLACK = 0.05  # of a throughput, beside the two between which users in step may be


def visited_again(point: Point, level: PredictedLevel, effects: Effects) -> Check:
    """Say why the visits of a level, whose forecast is given, lie apart: the deal of connections,
    users in step, or something that nobody saw."""
    first, second = (visit.throughput_rps for visit in point.visits)
    by = "another throughput"
    if first:
        more = "more" if second > first else "less"
        by = f"{percent(abs(second / first - 1))} {more} throughput"
    if repeats(point, effects.connection_split):
        return told(
            "dealt",
            f"Visited again, with the server started anew, this level gave {by}: its connections "
            "fell otherwise on the processes, which changes the forecast by "
            f"{change(effects.connection_split)}.",
        )
    if (lower_rps := _in_step(point, level)) is not None:
        return told(
            "in step",
            f"Visited again on the way down, this level gave {by}: its times hardly vary, so its "
            f"users may fall in step, now more and now less. That allows {rate(lower_rps)} "
            f"to {rate(level.model_rps)}.",
        )
    return unfit(
        "repeated",
        f"Visited again on the way down, this level gave {by}: the machine changed under "
        "way. Close other programs and run again.",
    )


def _in_step(point: Point, level: PredictedLevel) -> float | None:
    """Find what users in step go down to, where more or less of that explains both visits."""
    if level.lower_rps is None or level.lower_by != "users in step":
        return None
    low, high = (1 - SLACK) * level.lower_rps, (1 + SLACK) * level.model_rps
    within = all(low <= visit.throughput_rps <= high for visit in point.visits)
    return level.lower_rps if within else None
