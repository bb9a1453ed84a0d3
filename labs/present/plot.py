"""Figures of a sweep: records in, plotly figure out. Measures nothing, imports no plotly.

A figure is plotly's own JSON as a dict. Building it with plotly's classes would only validate
it, at the price of half a second of import in every kernel; the tests do that instead. Colours
of text, grid and background come from the page (`labs.panel.figure_view`).
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from labs.records.format import digits
from labs.records.results import Point

Figure = dict[str, Any]
Trace = dict[str, Any]
Axis = dict[str, Any]

FAR_APART = 32  # times as many users at the last level as at the first: logarithmic axes
HEIGHT = 360
NARROW_HEIGHT = 640  # one plot above the other


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
    return "".join(f"<br>{in_lines(check.sentence)}" for check in point.checks)


def in_lines(text: str, width: int = 60) -> str:
    """In lines of at most so many letters, where words allow it."""
    return "<br>".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


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
