"""Figures in plotly's own JSON: the traces and layouts they are made of. Imports no plotly.

A figure is a dict. Building it with plotly's classes would only validate it, at the price of half
a second of import in every kernel; the tests do that instead. Colours of text, grid and
background come from the page (`book/web/src/plot.ts`).
"""

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from labs.present.palette import PALER, glass, pale
from labs.records.format import digits
from labs.records.results import Point

Figure = dict[str, Any]
Trace = dict[str, Any]
Axis = dict[str, Any]
Places = Sequence[object]  # numbers or names
Values = Sequence[float | None]
Ends = Sequence[float]  # where an error bar begins and ends

FAR_APART = 32  # times as many users at the last level as at the first: a logarithmic axis
WIDE = 8  # times as much at one place as at another: a logarithmic axis upwards, over such users
HEIGHT = 360
NARROW_HEIGHT = 640  # one plot above the other
NAMES: Axis = {"showgrid": False, "ticks": ""}  # an axis with names on it
ACROSS: Axis = {"type": "category", "tickangle": 0, **NAMES}  # and they lie side by side
WHOLE: Trace = {"cliponaxis": False}  # a mark at the end of an axis isn't cut in half
FROM_ZERO: Axis = {"rangemode": "tozero"}
LOG = " (log scale)"  # after what such an axis shows
STEPS = ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))  # ticks in each power of ten
POWERS = range(-6, 10)  # of ten: no time, rate or memory of ours lies outside
FEWEST_TICKS, MOST_TICKS = 3, 7  # labelled, on a logarithmic axis: more collide on a telephone
PLOT_PX, LETTER_PX = 290, 8  # how wide a twin plot is on a telephone, and a letter of a label


class Shown(TypedDict, total=False):
    """The looks of a trace, and what it is told besides its numbers."""

    dash: str
    width: float | None  # of a line: 2 pixels unless told
    shape: str  # of a line: hv for steps
    size: float  # of marks; a line without it has none
    symbol: str | Sequence[str]  # one for all marks, or one for each
    pattern: str  # that fills a bar: "" for none; without it a bar is pale, to show error bars
    ends: Sequence[Ends]  # of each value's error bar
    hover: str  # where the reader points: "{x} users: {said}"; without it, nothing is shown there
    said: Sequence[str]  # of each value, in words
    tag: str  # beside the hover's box; of filled bars, their name unless told
    plot: str  # which of several, by its axes: x2y2
    legend: bool  # whether it has an entry in the legend
    group: str  # to come and go together where the reader clicks that entry
    kept: Sequence[str]  # of each value in words, where the trace stays beside a later run, pale


def line(name: str, x: Places, y: Values, colour: str, **how: Unpack[Shown]) -> Trace:
    """Draw a line, with marks on it where they have a size."""
    look = {"dash": how.get("dash"), "width": how.get("width", 2), "shape": how.get("shape")}
    made = {"mode": "lines", "line": _given(color=colour, **look)}
    if "size" in how:
        made |= {"mode": "lines+markers", "marker": _marks(colour, how)} | WHOLE
    return _trace("scatter", name, x, finite(y), how) | made | _bars(y, colour, how)


def dots(name: str, x: Places, y: Values, colour: str, **how: Unpack[Shown]) -> Trace:
    """Draw marks without a line."""
    made = {"mode": "markers", "marker": _marks(colour, how)} | WHOLE
    return _trace("scatter", name, x, finite(y), how) | made | _bars(y, colour, how)


def between(name: str, x: Sequence[float], colour: str, **how: Unpack[Shown]) -> Trace:
    """The area between each place's two ends."""
    low, high = [low for low, _ in how["ends"]], [high for _, high in how["ends"]]
    filled = {"mode": "none", "fill": "toself", "fillcolor": glass(colour, PALER)}
    return _trace("scatter", name, [*x, *x[::-1]], finite([*low, *high[::-1]]), how) | filled


def bar(name: str, x: Sequence[str], y: Values, colour: str, **how: Unpack[Shown]) -> Trace:
    """Draw upright bars, one a name."""
    made = {"marker": _filled(colour, how)}
    return _trace("bar", name, x, finite(y), how) | made | _bars(y, colour, how)


def part(name: str, rows: Sequence[str], x: Values, colour: str, **how: Unpack[Shown]) -> Trace:
    """Draw one part of bars that lie, each in a row of that name."""
    made = {"orientation": "h", "marker": _filled(colour, how)}
    return _trace("bar", name, finite(x), rows, how) | made


def _trace(kind: str, name: str, x: Places, y: Places, how: Shown) -> Trace:
    hover, tag = how.get("hover"), how.get("tag", name if "pattern" in how else "")
    across, axis, upwards = how.get("plot", "").partition("y")
    template = (hover or "").replace("{said}", "{customdata}").replace("{", "%{")
    return _given(
        type=kind,
        name=name,
        x=list(x),
        y=list(y),
        customdata=how.get("said"),
        hovertemplate=f"{template}<extra>{tag}</extra>" if hover else None,
        hoverinfo=None if hover else "skip",
        showlegend=how.get("legend"),
        legendgroup=how.get("group"),
        meta=how.get("kept"),
        xaxis=across or None,
        yaxis=axis + upwards or None,
    )


def _bars(values: Values, colour: str, how: Shown) -> Trace:
    """Error bars: from the lower of each value's two ends to the upper one."""
    if "ends" not in how:
        return {}
    spans = [(at or 0.0, *ends) for at, ends in zip(values, how["ends"], strict=True)]
    error = {
        "type": "data",
        "symmetric": False,
        "array": finite([max(0.0, high - value) for value, _, high in spans]),
        "arrayminus": finite([max(0.0, value - low) for value, low, _ in spans]),
        "color": colour,
        "thickness": 1.5,
        "width": 5,
    }
    return {"error_y": error}


def _marks(colour: str, how: Shown) -> dict[str, Any]:
    return _given(color=colour, size=how["size"], symbol=how.get("symbol"))


def _filled(colour: str, how: Shown) -> dict[str, Any]:
    if "pattern" not in how:
        return pale(colour)
    return {"color": colour, "pattern": {"shape": how["pattern"], "fillmode": "overlay"}}


def _given(**entries: Any) -> dict[str, Any]:
    """Keep the entries that are not None."""
    return {name: value for name, value in entries.items() if value is not None}


def nested(count: int) -> list[float]:
    """Sizes of so many traces' marks, in pixels, the first one's the largest: where marks of
    several coincide, each that is drawn later leaves a rim of those before."""
    return [max(4, 10 - count) + 3.0 * (count - 1 - place) for place in range(count)]


def extent(values: Sequence[float]) -> tuple[float, float]:
    """Least and most, as of several runs."""
    return min(values), max(values)


def hover_checks(point: Point) -> str:
    """Write what is to know of a point, below its numbers."""
    return "".join(f"<br>{in_lines(check.sentence)}" for check in point.checks)


def in_lines(text: str, width: int = 60) -> str:
    """Break a text into lines of at most so many letters, where words allow it."""
    return "<br>".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


def finite(values: Iterable[float | None]) -> list[float | None]:
    """Put None, at which plotly leaves a gap, in place of infinity and NaN, which JSON hasn't."""
    return [
        None if value is None or not math.isfinite(value) else round(value, 6) for value in values
    ]


def layout(height: int, margin: Mapping[str, int], legend: float, **more: Any) -> dict[str, Any]:
    """A figure's layout but for its axes, with the legend in a line below it.

    height: pixels; margin: pixels left, right, top and bottom (l, r, t, b); legend: where it
    begins, as a fraction of the plots' height.
    """
    below = {"orientation": "h", "x": 0, "y": legend, "yanchor": "top"}
    return {"height": height, "margin": margin, "hovermode": "closest", "legend": below, **more}


def far_across(levels: Sequence[int], times: float = FAR_APART) -> bool:
    """Whether these levels are to stand on a logarithmic axis. Two stand well on any."""
    return len(levels) >= FEWEST_TICKS and levels[-1] >= times * levels[0]


def wide(values: Values) -> bool:
    """Whether values lie so far apart that the small ones need a logarithmic axis."""
    told = _above_zero(values)
    return bool(told) and max(told) >= WIDE * min(told)


def log_axis(values: Values) -> Axis:
    """Make a logarithmic axis for values, labelled at round numbers: at least three from the least
    of them to the most, and as round beyond. Plotly's own would read 4 5 6 7 8 9 100 2 3."""
    told = _above_zero(values) or [1.0]
    low, high = min(told), max(told)
    if low == high:
        low, high = low / 2, high * 2
    ticks: list[float] = []
    for steps in STEPS:
        ticks = [float(f"{step}e{power}") for power in POWERS for step in steps]
        if sum(low <= each <= high for each in ticks) <= MOST_TICKS:
            break
    if sum(low <= each <= high for each in ticks) < FEWEST_TICKS:
        ticks = [each for each in ticks if not low <= each <= high] + _multiples(low, high)
    ticks.sort()
    return {"type": "log", "tickvals": ticks, "ticktext": [digits(each, 12) for each in ticks]}


def _multiples(low: float, high: float) -> list[float]:
    """List the multiples of the largest round step that has enough of them between the two."""
    power = math.floor(math.log10(high - low))
    for step in (f"{step}e{power - down}" for down in range(3) for step in (5, 2, 1)):
        first, last = math.ceil(low / float(step)), math.floor(high / float(step))
        if last - first + 1 >= FEWEST_TICKS:
            return [float(f"{count * float(step):.12g}") for count in range(first, last + 1)]
    raise AssertionError("a hundredth of a span fits into it")


def _above_zero(values: Values) -> list[float]:
    return [each for each in values if each is not None and math.isfinite(each) and each > 0]


def twin_layout(
    levels: Sequence[int],
    across: str,
    *,
    far: bool,
    upwards: tuple[Axis, Axis] = (FROM_ZERO, FROM_ZERO),
    legend: str = "",
) -> dict[str, Any]:
    """Lay out throughput and response time side by side, over the same levels of what is `across`.

    far: a logarithmic axis across; upwards: the two axes; legend: a line above the legend.
    """
    straight = {"type": "linear", **FROM_ZERO}
    ends = [levels[0] / 1.25, levels[-1] * 1.25]
    places = [each / levels[-1] for each in levels]
    if far:
        places = [math.log(each) / math.log(ends[1] / ends[0]) for each in levels]
    axis = {
        **({"type": "log"} if far else straight),
        "title": {"text": across + LOG * far},
        "tickangle": 0,
        "range": [math.log10(end) for end in ends] if far else [0, levels[-1] * 1.07],
        "tickvals": list(levels),
        "ticktext": _with_room([digits(each, 4) for each in levels], places),
    }
    what = ("Throughput, requests per second", "Response time, ms")
    first, second = (axis_title(words, each) for words, each in zip(what, upwards, strict=True))
    up = ({"type": "linear", **upwards[0]}, {"type": "linear", **upwards[1]})
    made = two_plots((first, second), (0.44, 0.56), (axis, axis), up, left=40)
    if legend:
        made["legend"]["title"] = {"text": legend, "side": "top"}
    return made


def _with_room(labels: Sequence[str], places: Sequence[float]) -> list[str]:
    """Keep an axis's labels, from the last one down, but for those that would run into the next.
    places: as fractions of the axis."""
    shown: list[str] = []
    before, width = math.inf, 0
    for label, place in zip(labels[::-1], places[::-1], strict=True):
        needed = (len(label) + width) / 2 * LETTER_PX / PLOT_PX
        if before - place >= needed:
            before, width = place, len(label)
        else:
            label = ""
        shown.append(label)
    return shown[::-1]


def axis_title(words: str, axis: Axis) -> str:
    """An axis's title, which says where it is logarithmic."""
    return words + LOG * (axis.get("type") == "log")


def two_plots(
    titles: tuple[str, str],
    gap: tuple[float, float],
    x: tuple[Axis, Axis] = (ACROSS, ACROSS),
    y: tuple[Axis, Axis] = (FROM_ZERO, FROM_ZERO),
    *,
    left: int = 44,
    lower: float = 0.4,
    **more: Any,
) -> dict[str, Any]:
    """Layout of two plots side by side, which a telephone shows one above the other.

    gap: where the left plot ends and the right one begins, as fractions of the width; x and y:
    their axes, but for the place; left: pixels for the first y axis's numbers; lower: how high
    the lower plot reaches on a telephone, as a fraction.
    """
    first, second = titles
    narrow = {
        "height": NARROW_HEIGHT,
        "legend": {"y": -0.13},
        "xaxis": {"domain": [0, 1]},
        "xaxis2": {"domain": [0, 1]},
        "yaxis": {"domain": [0.6, 1]},
        "yaxis2": {"domain": [0, lower]},
        "annotations": [plot_title(first, 0, 1), plot_title(second, 0, lower)],
    }
    return layout(
        HEIGHT,
        {"l": left, "r": 12, "t": 48, "b": 96},
        -0.28,
        xaxis={**x[0], "domain": [0, gap[0]], "anchor": "y"},
        yaxis={**y[0], "anchor": "x"},
        xaxis2={**x[1], "domain": [gap[1], 1], "anchor": "y2"},
        yaxis2={**y[1], "anchor": "x2"},
        annotations=[plot_title(first, 0, 1), plot_title(second, gap[1], 1)],
        meta={"narrow": narrow},
        **more,
    )


def rule(
    colour: str, dash: str, *, x: Ends = (0, 1), y: Ends = (0, 1), width: float = 1.5, **on: str
) -> dict[str, Any]:
    """A straight line behind the traces. on: xref and yref, what its ends are counted in."""
    drawn = {"color": colour, "width": width, "dash": dash}
    return {"type": "line", "x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1], "line": drawn, **on}


def plot_title(text: str, x: float, y: float, *, shift: int = 8) -> dict[str, Any]:
    """A plot's own title, above its upper left corner."""
    return note(f"<b>{text}</b>", x, y, shift=shift)


def note(text: str, x: float, y: float, *, shift: int) -> dict[str, Any]:
    """Write words, their lower left corner at fractions of the figure and some pixels up."""
    corner = {"xanchor": "left", "yanchor": "bottom", "yshift": shift, "showarrow": False}
    return {"text": text, "x": x, "y": y, "xref": "paper", "yref": "paper", **corner}
