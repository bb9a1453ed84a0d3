"""A sweep's figure in sentences, for whoever cannot see it. Made from the same records."""

from __future__ import annotations

from collections.abc import Sequence

from labs.kinds.sweep.figure import Drawing
from labs.kinds.sweep.record import Levels
from labs.present.advice import HOLLOW
from labs.present.levels import Level
from labs.present.verdict import span
from labs.records.format import crowd, duration, listed, rate, unserved
from labs.records.results import Point

PEAK = 1.05  # times the last level's throughput: less is a plateau, not a peak


def sweep_alt(drawing: Drawing) -> str:
    """Say what the two plots show."""
    users, points, recorded = drawing.users, drawing.points, drawing.recorded
    levels = f"{users[0]} to {users[-1]} users" if len(users) > 1 else crowd(users[0])
    sentences = [f"Throughput and response time over {levels}."]
    if points:
        sentences.append(course(drawing.here.capitalize(), points))
        unfit = [str(point.users) for point in points if not point.fit]
        if unfit:
            many = "user" if unfit == ["1"] else "users"
            sentences.append(f"Unfit and drawn hollow: {', '.join(unfit)} {many}.")
    if drawing.prediction:
        last = drawing.prediction.levels[-1]
        band = f" (nine times in ten {span(last)})" if last.band_rps else ""
        sentences.append(
            f"At {crowd(last.users)} the model says {rate(last.model_rps)}{band} and "
            f"{duration(last.model_response_time_s)}, the bound {rate(last.bound_rps)}."
        )
    if drawing.prediction and drawing.again:
        sentences.append(f"At the speed of the run: {rate(drawing.again[-1].model_rps)}.")
    if recorded and recorded.points:
        cores = recorded.machine.cores
        machine = f"Recorded on {cores} core{'s' if cores > 1 else ''}{drawing.as_if}"
        sentences.append(course(machine, recorded.points))
    if guess := drawing.guess:
        sentences.append(f"Your prediction: {guess} at {crowd(guess.users)}.")
    return " ".join(sentences)


def course(
    who: str, points: Sequence[Point], across: Sequence[int] = (), what: str = "user"
) -> str:
    """Say how throughput and response time went over the users, or what else lies across."""
    at = across or [point.users for point in points]
    first, last = points[0], points[-1]
    best = max(points, key=lambda point: point.throughput_rps)
    if best.throughput_rps < PEAK * last.throughput_rps:
        best = last
    told = [f"{rate(first.throughput_rps)} at {at[0]}"]
    if best not in (first, last):
        told.append(f"{rate(best.throughput_rps)} at {at[points.index(best)]}, the most")
    if last is not first:
        told.append(f"{rate(last.throughput_rps)} at {at[-1]}")
    times = duration(first.mean_response_time_s)
    if last is not first:
        times = f"from {times} to {duration(last.mean_response_time_s)}"
    starved = [unserved(point.never_served, point.users) for point in points if point.never_served]
    whose = f", of those served: {listed(starved)}" if starved else ""
    whats = what if at[-1] == 1 else f"{what}s"
    return f"{who}: {', '.join(told)} {whats}; response time {times}{whose}."


def sweep_levels(recording: Levels) -> list[Level]:
    """Describe the figure level by level."""
    return [
        Level(at=point.users, words=f"{crowd(point.users)}: {told(recording, point)}.")
        for point in recording.points
    ]


def told(recording: Levels, point: Point) -> str:
    """Say what was measured at a level, beside its forecast; the rest of a sentence."""
    forecast = recording.run.forecast.at(point.users)
    said = [
        f"{rate(point.throughput_rps)} (forecast: {rate(forecast.model_rps)}) in "
        f"{duration(point.mean_response_time_s)} on average"
    ]
    if point.never_served:
        said.append(unserved(point.never_served, point.users))
    if not point.fit:
        said.append(HOLLOW)
    return "; ".join(said)
