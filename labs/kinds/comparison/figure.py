"""Figures of a comparison: a line for each part over the users, or for each number of users over
the sizes of the pool. Records in, plotly's JSON out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labs.kinds.comparison.record import Comparison
from labs.kinds.sweep.alt_text import course
from labs.kinds.sweep.figure import ResponseTime, Throughput
from labs.kinds.sweep.record import Recording
from labs.present.palette import GREY, LINES
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
from labs.records.format import duration, rate
from labs.records.results import Point, PredictedLevel

WIDE = 8  # times as much throughput at one place as at another: a logarithmic axis upwards
FAR_POOLS = 8  # times as many workers in the largest pool as in the smallest: a logarithmic axis


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One place on a line: a level of a part."""

    x: int
    part: Recording
    level: PredictedLevel

    @property
    def points(self) -> list[Point]:
        """What was measured there: the point of each run, the one that is drawn first."""
        first = [point for point in self.part.points if point.users == self.level.users]
        runs = [run for run in self.part.runs if run is not self.part.run]
        return first + [
            point for run in runs for point in run.points if point.users == self.level.users
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the figure."""

    name: str
    across: str  # what x counts
    spots: list[Spot]

    def hover(self, what: str) -> str:
        """What is shown where the reader points."""
        return f"%{{x}} {self.across}: %{{customdata}}<extra>{self.name}: {what}</extra>"


def comparison_figure(comparison: Comparison) -> Figure:
    """Throughput and response time side by side; lines are the forecasts, marks the measured.

    Of one run a mark has its 95 % interval; of several, the middle one, from lowest to highest.
    Where service times were measured, dots show them: the gap above is time in a queue.
    """
    lines = _lines(comparison)
    traces: list[Trace] = []
    for axis in ("", "2"):
        for line, style in zip(lines, _styles(len(lines)), strict=True):
            made = [*_drawn(line, style, throughput=not axis)]
            if not axis:
                made.append(_key(line.name, style))
            for trace in made:
                trace |= {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "legendgroup": line.name}
                traces.append(trace)
    points = [spot.points[0] for line in lines for spot in line.spots if spot.points]
    if any(point.service_time_s is not None for point in points):
        name = "in service; the gap is the queue"
        key = _key(name, (GREY, "dot", "circle"))
        traces.append(key | {"mode": "lines", "xaxis": "x", "yaxis": "y", "legendgroup": name})
    note = "lines: forecast, marks: measured"
    if not all(point.fit for point in points):
        note += ", hollow: unfit"
    across = sorted({spot.x for line in lines for spot in line.spots})
    over_pool = comparison.over == "pool"
    far = across[-1] >= (FAR_POOLS if over_pool else FAR_APART) * across[0]
    layout = twin_layout(
        across,
        "workers in the pool" if over_pool else "users",
        far=far,
        far_up=far and not over_pool and _wide(lines),
        legend=note,
    )
    return {"data": traces, "layout": layout}


def _wide(lines: Sequence[Line]) -> bool:
    """Whether throughputs, forecast and measured, lie so far apart that the small ones need a
    logarithmic axis."""
    spots = [spot for line in lines for spot in line.spots]
    rates = [spot.level.model_rps for spot in spots]
    rates += [point.throughput_rps for spot in spots for point in spot.points]
    told = [value for value in rates if math.isfinite(value) and value > 0]
    return bool(told) and max(told) >= WIDE * min(told)


def comparison_alt(comparison: Comparison) -> str:
    """The figure in sentences."""
    lines = _lines(comparison)
    across = sorted({spot.x for line in lines for spot in line.spots})
    what = "workers in the pool" if comparison.over == "pool" else "users"
    each = (
        "a line for each number of users" if comparison.over == "pool" else "a line for each part"
    )
    sentences = [f"Throughput and response time over {across[0]} to {across[-1]} {what}, {each}."]
    for line in lines:
        measured = [(spot.x, spot.points[0]) for spot in line.spots if spot.points]
        if not measured:
            sentences.append(f"{line.name}: not measured yet.")
        elif comparison.over == "pool":
            told = ", ".join(
                f"{rate(point.throughput_rps)} and {duration(point.mean_response_time_s)} at {x}"
                for x, point in measured
            )
            sentences.append(f"{line.name}: {told} workers.")
        else:
            sentences.append(course(f"“{line.name}”", [point for _, point in measured]))
        unfit = [str(x) for x, point in measured if not point.fit]
        if unfit:
            sentences.append(f"Unfit and drawn hollow: at {', '.join(unfit)}.")
    return " ".join(sentences)


def _lines(comparison: Comparison) -> list[Line]:
    """Levels that a part's forecast has; those that are not measured yet have no mark."""
    if comparison.over == "users":
        return [
            Line(
                name=label,
                across="users",
                spots=[
                    Spot(x=each.users, part=part, level=each) for each in part.run.forecast.levels
                ],
            )
            for label, part in comparison.parts.items()
        ]
    found: dict[int, list[Spot]] = {}
    for part in comparison.parts.values():
        for level in part.run.forecast.levels:
            spot = Spot(x=part.experiment.server.pool or 0, part=part, level=level)
            found.setdefault(level.users, []).append(spot)
    return [
        Line(
            name=f"{users} user{'s' if users > 1 else ''}",
            across="workers",
            spots=sorted(found[users], key=lambda spot: spot.x),
        )
        for users in sorted(found)
    ]


Style = tuple[str, str, str]  # colour, dash, symbol


def _styles(number: int) -> list[Style]:
    """One for each line; with more lines than styles, they begin again."""
    return [LINES[at % len(LINES)] for at in range(number)]


def _drawn(line: Line, style: Style, *, throughput: bool) -> Iterator[Trace]:
    colour, dash, symbol = style
    plots = [
        (Throughput if throughput else ResponseTime)(spot.part.experiment.load.think_time_s)
        for spot in line.spots
    ]
    forecast = [
        plot.of(spot.level.users, spot.level.model_rps)
        for plot, spot in zip(plots, line.spots, strict=True)
    ]
    yield {
        "type": "scatter",
        "mode": "lines",
        "name": f"{line.name}: forecast",
        "showlegend": False,
        "x": [spot.x for spot in line.spots],
        "y": finite(forecast),
        "line": {"color": colour, "dash": dash, "width": 2},
        "customdata": [plot.say(value) for plot, value in zip(plots, forecast, strict=True)],
        "hovertemplate": line.hover("forecast"),
    }
    if measured := [
        (spot, plot) for spot, plot in zip(line.spots, plots, strict=True) if spot.points
    ]:
        yield _marks(line, measured, colour, symbol)
        if not throughput:
            yield from _service(line, [spot for spot, _ in measured], colour, symbol)


def _marks(
    line: Line, measured: Sequence[tuple[Spot, Throughput]], colour: str, symbol: str
) -> Trace:
    values, ends, told = [], [], []
    for spot, plot in measured:
        point = spot.points[0]
        value = plot.measured(point)
        if len(spot.part.runs) > 1:
            over = [plot.measured(each) for each in spot.points]
            low, high = extent(over)
            text = f"{plot.say(value)}; {plot.say(low)} to {plot.say(high)} in {len(over)} runs"
        else:
            low, high = sorted(plot.of(point.users, rps) for rps in point.throughput_ci_rps)
            text = f"{plot.say(value)}, {plot.say(low)} to {plot.say(high)}"
        values.append(value)
        ends.append((low, high))
        told.append(text + hover_checks(point))
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"{line.name}: measured",
        "showlegend": False,
        "x": [spot.x for spot, _ in measured],
        "y": finite(values),
        "marker": {
            "color": colour,
            "size": 10,
            "symbol": [symbol if spot.points[0].fit else f"{symbol}-open" for spot, _ in measured],
        },
        "error_y": bars(values, ends, colour),
        "customdata": told,
        "hovertemplate": line.hover("measured"),
    }


def _service(line: Line, spots: Sequence[Spot], colour: str, symbol: str) -> Iterator[Trace]:
    found = [
        (spot.x, point.service_time_s, point.queued_s or 0.0)
        for spot in spots
        if (point := spot.points[0]).service_time_s is not None
    ]
    if not found:
        return
    name = f"{line.name}: in service"
    yield {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "showlegend": False,
        "x": [x for x, _, _ in found],
        "y": finite([service_s * 1000 for _, service_s, _ in found]),
        "line": {"color": colour, "dash": "dot", "width": 1.5},
        "marker": {"color": colour, "size": 5, "symbol": symbol},
        "customdata": [
            f"{duration(service_s)} in service, {duration(queued_s)} queued"
            for _, service_s, queued_s in found
        ],
        "hovertemplate": line.hover("measured"),
    }


def _key(name: str, style: Style) -> Trace:
    """A line's entry in the legend: its dash with its mark."""
    colour, dash, symbol = style
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "showlegend": True,
        "x": [None],
        "y": [None],
        "line": {"color": colour, "dash": dash, "width": 2},
        "marker": {"color": colour, "size": 9, "symbol": symbol},
        "hoverinfo": "skip",
    }
