"""Figures of a sweep: records in, plotly figure out. Measures nothing, imports no plotly.

A figure is plotly's own JSON as a dict. Building it with plotly's classes would only validate
it, at the price of half a second of import in every kernel; the tests do that instead. Colours
of text, grid and background come from the page (`labs.view`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from labs.palette import BLUE, GREEN, GREY, ORANGE, PURPLE
from labs.records import Point, PredictedLevel, Prediction, Recording
from labs.verdict import Guess
from labs.words import digits, duration, rate

Figure = dict[str, Any]
Trace = dict[str, Any]
Axis = dict[str, Any]

FAR_APART = 32  # times as many users at the last level as at the first: logarithmic axes
HEIGHT = 360
NARROW_HEIGHT = 640  # one plot above the other


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


def bars(values: Sequence[float], ends: Sequence[Sequence[float]], colour: str) -> dict[str, Any]:
    """Error bars of a trace: from the lower of each value's two ends to the upper one."""
    below = [value - low for value, (low, _) in zip(values, ends, strict=True)]
    above = [high - value for value, (_, high) in zip(values, ends, strict=True)]
    return {
        "type": "data",
        "symmetric": False,
        "array": finite([max(0.0, value) for value in above]),
        "arrayminus": finite([max(0.0, value) for value in below]),
        "color": colour,
        "thickness": 1.5,
        "width": 5,
    }


def extent(values: Sequence[float]) -> tuple[float, float]:
    """Least and most, as of several runs."""
    return min(values), max(values)


def hover_checks(point: Point) -> str:
    """What is to know of a point, below its numbers."""
    return "".join(f"<br>{_wrap(check.sentence)}" for check in point.checks)


def _wrap(text: str, width: int = 60) -> str:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) >= width:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return "<br>".join([*lines, line])


def finite(values: Iterable[float]) -> list[float | None]:
    """Plotly leaves a gap at None; JSON has no NaN."""
    return [round(value, 6) if math.isfinite(value) else None for value in values]


def twin_layout(
    levels: Sequence[int], across: str, *, far: bool, far_up: bool, legend: str = ""
) -> dict[str, Any]:
    """Throughput and response time side by side, over the same levels of what is `across`.

    far: a logarithmic axis across; far_up: and upwards; legend: a line above the legend.
    """
    straight = {"type": "linear", "rangemode": "tozero"}
    upwards = {"type": "log"} if far_up else straight
    ends = [levels[0] / 1.25, levels[-1] * 1.25]
    span = [math.log10(end) for end in ends] if far else [0, levels[-1] * 1.07]
    axis = {
        **({"type": "log"} if far else straight),
        "title": {"text": across},
        "range": span,
        "tickvals": list(levels),
        "ticktext": [digits(each, 4) for each in levels],
    }
    layout = two_plots(
        ("Throughput, requests per second", "Response time, ms"),
        (0.44, 0.56),
        (axis, axis),
        (upwards, upwards),
        left=40,
    )
    if legend:
        layout["legend"]["title"] = {"text": legend, "side": "top"}
    return layout


def two_plots(
    titles: tuple[str, str],
    gap: tuple[float, float],
    x: tuple[Axis, Axis],
    y: tuple[Axis, Axis],
    *,
    left: int = 44,
    lower: float = 0.4,
) -> dict[str, Any]:
    """Layout of two plots side by side, which a telephone shows one above the other.

    gap: where the left plot ends and the right one begins, as fractions of the width; x and y:
    their axes, but for the place; left: pixels for the first y axis's numbers; lower: how high
    the lower plot reaches on a telephone, as a fraction.
    """
    first, second = titles
    return {
        "height": HEIGHT,
        "margin": {"l": left, "r": 12, "t": 48, "b": 96},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": -0.28, "yanchor": "top"},
        "xaxis": {**x[0], "domain": [0, gap[0]], "anchor": "y"},
        "yaxis": {**y[0], "anchor": "x"},
        "xaxis2": {**x[1], "domain": [gap[1], 1], "anchor": "y2"},
        "yaxis2": {**y[1], "anchor": "x2"},
        "annotations": [plot_title(first, 0, 1), plot_title(second, gap[1], 1)],
        "meta": {
            "narrow": {
                "height": NARROW_HEIGHT,
                "legend": {"y": -0.13},
                "xaxis": {"domain": [0, 1]},
                "xaxis2": {"domain": [0, 1]},
                "yaxis": {"domain": [0.6, 1]},
                "yaxis2": {"domain": [0, lower]},
                "annotations": [plot_title(first, 0, 1), plot_title(second, 0, lower)],
            }
        },
    }


def plot_title(text: str, x: float, y: float, *, shift: int = 8) -> dict[str, Any]:
    """A plot's own title, above its upper left corner."""
    return note(f"<b>{text}</b>", x, y, shift=shift)


def note(text: str, x: float, y: float, *, shift: int) -> dict[str, Any]:
    """Words whose lower left corner lies there, in fractions of the figure, and some pixels up."""
    return {
        "text": text,
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "yshift": shift,
        "showarrow": False,
    }
