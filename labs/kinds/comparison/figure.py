"""Figures of a comparison: a line for each part over the users, or for each number of users over
the sizes of the pool. Records in, plotly's JSON out."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from labs.kinds.comparison.record import Comparison
from labs.kinds.sweep.alt_text import course, told
from labs.kinds.sweep.figure import ResponseTime, Throughput, marked
from labs.kinds.sweep.record import Recording
from labs.present.levels import Level
from labs.present.palette import GREY, LINES
from labs.present.plot import (
    FAR_APART,
    FROM_ZERO,
    Axis,
    Figure,
    Shown,
    Trace,
    dots,
    far_across,
    line,
    log_axis,
    nested,
    twin_layout,
    wide,
)
from labs.records.format import crowd, duration
from labs.records.results import Point, PredictedLevel

STROKES = dict(  # the mark of a line's time in service, by that of the line
    zip(
        (symbol for _, _, symbol in LINES),
        ("line-ew-open", "line-ns-open", "x-thin-open", "y-up-open", "cross-thin-open"),
        strict=True,
    )
)
FAR_POOLS = 8  # times as many workers in the largest pool as in the smallest: a logarithmic axis


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One place on a line: a level of a part."""

    x: int
    part: Recording
    level: PredictedLevel

    @property
    def points(self) -> list[Point]:
        """The points measured there: one of each run, the one that is drawn first."""
        return self.part.at_each(self.level.users)

    def shown(self, side: type[Throughput]) -> tuple[Throughput, float]:
        """Show the spot in a plot, with where it should lie there by the forecast."""
        plot = side(self.part.experiment.load.think_time_s)
        return plot, plot.of(self.level.users, self.level.model_rps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the figure."""

    name: str
    across: str  # what x counts
    spots: list[Spot]

    @property
    def hover(self) -> str:
        """The words that are shown where the reader points."""
        return f"{{x}} {self.across}: {{said}}"


def comparison_figure(comparison: Comparison) -> Figure:
    """Throughput and response time side by side; lines are the forecasts, marks the measured.

    Of one run a mark has its 95 % interval; of several, the middle one, from lowest to highest.
    Where service times were measured, dots show them: the gap above is time in a queue.
    """
    lines = _lines(comparison)
    sizes = nested(len(lines))
    styled = [*zip(lines, itertools.cycle(LINES), sizes, strict=False)]
    traces: list[Trace] = []
    for axis, side in (("", Throughput), ("2", ResponseTime)):
        for each, style, size in styled:
            made = [*_drawn(each, style, size, side)]
            if not axis:
                made.append(_key(each.name, style))
            traces += _placed(made, axis, each)
    for each, style, _ in styled:  # above all marks, which would hide it
        traces += _placed(_service(each, style), "2", each)
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
    far = far_across(across, FAR_POOLS if over_pool else FAR_APART)
    layout = twin_layout(
        across,
        "workers in the pool" if over_pool else "users",
        far=far,
        upwards=(
            _upwards(lines, Throughput, log=far and not over_pool),
            _upwards(lines, ResponseTime, log=far and not over_pool),
        ),
        legend=note,
    )
    return {"data": traces, "layout": layout}


def _placed(made: Iterable[Trace], axis: str, each: Line) -> list[Trace]:
    """Put traces in a plot, and in the legend's group of a line."""
    where = {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "legendgroup": each.name}
    return [trace | where for trace in made]


def _upwards(lines: Sequence[Line], side: type[Throughput], *, log: bool) -> Axis:
    """The axis of one plot: logarithmic, where it may be and the forecasts lie so far apart. What
    is measured later does not turn it."""
    values = [spot.shown(side)[1] for line in lines for spot in line.spots]
    return log_axis(values) if log and wide(values) else FROM_ZERO


def comparison_levels(comparison: Comparison) -> list[Level]:
    """Say what was measured at each place of the figure, line by line."""
    lines = _lines(comparison)
    found = []
    across = sorted({spot.x for each in lines for spot in each.spots})
    for x in across:
        there = [(each, spot) for each in lines for spot in each.spots if spot.x == x]
        said = [
            f"{each.name}: {told(spot.part, spot.points[0])}" for each, spot in there if spot.points
        ]
        what = lines[0].across if x > 1 else lines[0].across.removesuffix("s")
        if said:
            found.append(Level(at=x, words=f"{x:,} {what}. {'. '.join(said)}."))
    return found


def comparison_alt(comparison: Comparison) -> str:
    """The figure in sentences."""
    lines = _lines(comparison)
    across = sorted({spot.x for line in lines for spot in line.spots})
    what = "workers in the pool" if comparison.over == "pool" else "users"
    whose = "number of users" if comparison.over == "pool" else "part"
    levels = f"{across[0]} to {across[-1]} {what}, a line for each {whose}"
    sentences = [f"Throughput and response time over {levels}."]
    for each in lines:
        measured = [(spot.x, spot.points[0]) for spot in each.spots if spot.points]
        if measured:
            who = each.name if comparison.over == "pool" else f"“{each.name}”"
            at, points = zip(*measured, strict=True)
            sentences.append(course(who, points, at, each.across.removesuffix("s")))
        else:
            sentences.append(f"{each.name}: not measured yet.")
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
            name=crowd(users),
            across="workers",
            spots=sorted(found[users], key=lambda spot: spot.x),
        )
        for users in sorted(found)
    ]


Style = tuple[str, str, str]  # colour, dash, symbol


def _drawn(each: Line, style: Style, size: float, side: type[Throughput]) -> Iterator[Trace]:
    colour, dash, symbol = style
    drawn = [(spot, *spot.shown(side)) for spot in each.spots]
    forecast = [value for *_, value in drawn]
    said = [plot.say(value) for _, plot, value in drawn]
    x, name = [spot.x for spot in each.spots], f"{each.name}: forecast"
    shown: Shown = {"said": said, "hover": each.hover, "tag": name, "legend": False, "dash": dash}
    yield line(name, x, forecast, colour, **shown)
    measured = [(spot, plot) for spot, plot, _ in drawn if spot.points]
    if measured:
        yield _marks(each, measured, colour, symbol, size)


def _marks(
    each: Line,
    measured: Sequence[tuple[Spot, Throughput]],
    colour: str,
    symbol: str,
    size: float,
) -> Trace:
    marks = [plot.mark(spot.points[0], spot.points) for spot, plot in measured]
    symbols = [symbol if spot.points[0].fit else f"{symbol}-open" for spot, _ in measured]
    x, values = [spot.x for spot, _ in measured], [mark.value for mark in marks]
    name = f"{each.name}: measured"
    shown = marked(marks, name, each.hover) | {"size": size, "symbol": symbols, "legend": False}
    shown["kept"] = [
        f"{each.name}, {spot.x} {each.across}: {plot.say(plot.measured(spot.points[0]))}"
        for spot, plot in measured
    ]
    return dots(name, x, values, colour, **shown)


def _service(each: Line, style: Style) -> Iterator[Trace]:
    """Draw service times in thin strokes, which hide no mark. Nothing where no server told them."""
    colour, _, symbol = style
    found = [
        (spot.x, point.service_time_s, point.queued_s or 0.0)
        for spot in each.spots
        if spot.points and (point := spot.points[0]).service_time_s is not None
    ]
    if found:
        x, values = [x for x, _, _ in found], [service_s * 1000 for _, service_s, _ in found]
        said = [
            f"{duration(service_s)} in service, {duration(queued_s)} queued"
            for _, service_s, queued_s in found
        ]
        look: Shown = {"dash": "dot", "width": 1.5, "size": 7, "symbol": STROKES[symbol]}
        look["legend"] = False
        look |= {"said": said, "hover": each.hover, "tag": f"{each.name}: measured"}
        yield line(f"{each.name}: in service", x, values, colour, **look)


def _key(name: str, style: Style) -> Trace:
    """A line's entry in the legend: its dash with its mark."""
    colour, dash, symbol = style
    return line(name, [None], [None], colour, dash=dash, size=9, symbol=symbol, legend=True)
