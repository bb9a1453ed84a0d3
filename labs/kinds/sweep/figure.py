"""A sweep's figure: throughput and response time over users, with bound, model and recorded run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from labs.kinds.sweep.record import Recording
from labs.present.palette import BLUE, GREEN, GREY, ORANGE, PURPLE
from labs.present.plot import (
    FAR_APART,
    Figure,
    Trace,
    bars,
    extent,
    finite,
    hover_checks,
    twin_layout,
)
from labs.present.verdict import Guess
from labs.records.format import duration, rate
from labs.records.results import Point, PredictedLevel, Prediction


def sweep_figure(
    prediction: Prediction | None,
    points: Sequence[Point],
    *,
    users: Sequence[int],
    think_time_s: float = 0.0,
    recorded: Recording | None = None,
    guess: Guess | None = None,
) -> Figure:
    """Throughput and response time over the users, side by side.

    users: the levels asked for, so that the axes stand still while points land. prediction may
    be None while the reader has not committed to a guess; recorded is another machine's run.
    """
    traces = []
    for axis, plot in (("", Throughput(think_time_s)), ("2", ResponseTime(think_time_s))):
        made: Iterable[Trace] = (
            *(_recorded(recorded, plot) if recorded else ()),
            *(_predicted(prediction, plot) if prediction else ()),
            *_measured(points, plot),
            *(_guessed(guess, plot) if guess else ()),
        )
        for trace in made:
            trace |= {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "showlegend": not axis}
            trace["legendgroup"] = trace["name"]
            traces.append(trace)
    far = users[-1] >= FAR_APART * users[0]
    return {"data": traces, "layout": twin_layout(users, "users", far=far, far_up=far)}


class Throughput:
    """How a level shows in the left plot."""

    def __init__(self, think_time_s: float) -> None:
        self.think_time_s = think_time_s

    def of(self, users: float, rps: float) -> float:
        return rps

    def measured(self, point: Point) -> float:
        return point.throughput_rps

    def say(self, value: float) -> str:
        return rate(value)


class ResponseTime(Throughput):
    """How it shows in the right one: R = N / X - Z, in ms."""

    def of(self, users: float, rps: float) -> float:
        return (users / rps - self.think_time_s) * 1000 if rps else math.nan

    def measured(self, point: Point) -> float:
        return point.mean_response_time_s * 1000

    def say(self, value: float) -> str:
        return duration(value / 1000)


def _predicted(prediction: Prediction, plot: Throughput) -> Iterable[Trace]:
    def line(name: str, levels: Sequence[tuple[float, float]], **style: Any) -> Trace:
        values = [plot.of(users, rps) for users, rps in levels]
        return {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": [users for users, _ in levels],
            "y": finite(values),
            "line": {"width": 2, **style},
            "hovertemplate": f"%{{x}} users: %{{customdata}}<extra>{name}</extra>",
            "customdata": [plot.say(value) for value in values],
        }

    levels = prediction.levels
    yield line("bound", _with_corner(levels), color=PURPLE, dash="dash")
    if any(level.lower_rps is not None for level in levels):
        lower = [(level.users, level.lower_rps or level.model_rps) for level in levels]
        yield line("users in step", lower, color=PURPLE, dash="dot")
    name = "forecast" if prediction.kind == "forecast" else "model, CPU as measured"
    yield line(name, [(level.users, level.model_rps) for level in levels], color=ORANGE)


def _with_corner(levels: Sequence[PredictedLevel]) -> list[tuple[float, float]]:
    """The bound has one corner, and it may lie between two levels: min(N / all, most)."""
    corners = [(float(level.users), level.bound_rps) for level in levels]
    slope, most = corners[0][1] / corners[0][0], corners[-1][1]
    corner = most / slope if slope else 0.0
    if corners[0][0] < corner < corners[-1][0] and corner not in (users for users, _ in corners):
        corners.append((corner, most))
    return sorted(corners)


def _recorded(recording: Recording, plot: Throughput) -> Iterable[Trace]:
    cores = recording.machine.cores
    name = f"recorded on {cores} core{'s' if cores > 1 else ''}"
    levels = [point.users for point in recording.points]
    middle = [plot.measured(point) for point in recording.points]
    ends = [
        extent([plot.measured(p) for run in recording.runs for p in run.points if p.users == users])
        for users in levels
    ]
    yield {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": levels,
        "y": finite(middle),
        "line": {"color": GREY, "width": 1},
        "marker": {
            "color": GREY,
            "size": 8,
            "symbol": ["square" if point.fit else "square-open" for point in recording.points],
        },
        "error_y": bars(middle, ends, GREY),
        "customdata": [
            f"{plot.say(value)}; {plot.say(low)} to {plot.say(high)} in "
            f"{len(recording.runs)} runs" + hover_checks(point)
            for point, value, (low, high) in zip(recording.points, middle, ends, strict=True)
        ],
        "hovertemplate": f"%{{x}} users: %{{customdata}}<extra>{name}</extra>",
    }


def _measured(points: Sequence[Point], plot: Throughput) -> Iterable[Trace]:
    for name, symbol, chosen in (
        ("measured here", "circle", [point for point in points if point.fit]),
        ("measured, unfit", "circle-open", [point for point in points if not point.fit]),
    ):
        if not chosen:
            continue
        values = [plot.measured(point) for point in chosen]
        ends = [
            sorted(plot.of(point.users, rps) for rps in point.throughput_ci_rps) for point in chosen
        ]
        yield {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [point.users for point in chosen],
            "y": finite(values),
            "marker": {"color": BLUE, "size": 11, "symbol": symbol},
            "error_y": bars(values, ends, BLUE),
            "customdata": [
                f"{plot.say(value)}, {plot.say(low)} to {plot.say(high)}{hover_checks(point)}"
                for point, value, (low, high) in zip(chosen, values, ends, strict=True)
            ],
            "hovertemplate": f"%{{x}} users: %{{customdata}}<extra>{name}</extra>",
        }


def _guessed(guess: Guess, plot: Throughput) -> Iterable[Trace]:
    """In the plot of its own quantity; the other one follows from Little's law."""
    rps = guess.value
    if guess.quantity != "throughput":
        rps = guess.users / (guess.value + plot.think_time_s)
    yield {
        "type": "scatter",
        "mode": "markers",
        "name": "your prediction",
        "x": [guess.users],
        "y": finite([plot.of(guess.users, rps)]),
        "marker": {"color": GREEN, "size": 13, "symbol": "star-diamond"},
        "hovertemplate": f"You said {guess}<extra></extra>",
    }
