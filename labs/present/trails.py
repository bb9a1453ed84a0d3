"""Runs of before as pale curves below a figure, to compare a run with them. Hollow is what is
unfit, then as now."""

import itertools
import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from labs.present.advice import HOLLOW
from labs.present.palette import BLUE, glass
from labs.present.plot import Figure, Places, Shown, Trace, Values, line
from labs.records.format import digits
from labs.records.results import Measured

PALE = 0.75  # opacity of what stays of a run,
PALER = 0.35  # and of what fills its marks, so that they hide nothing
RIM = 3.0  # pixels by which its marks are wider than any other
LEAST = 6.0  # pixels of a mark, where the figure has none
LOOKS = (  # of each, the newest first: dash and mark, which is hollow only where it is unfit
    ("dash", "circle"),
    ("dot", "diamond"),
    ("dashdot", "triangle-up"),
    ("longdash", "square"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A curve of an earlier run, in one of a figure's plots."""

    x: Places
    y: Values
    said: Sequence[str]  # of each value
    plot: str = "xy"  # by its axes, as the figure's own traces say it
    joined: bool = True  # by lines; else marks alone, as on bars
    unfit: Collection[int] = ()  # places of the values that cannot be believed


@dataclass(frozen=True, slots=True)
class Trail:
    """A run of before: its name, which stays, its settings in words, and its curves."""

    called: str
    words: str
    curves: Sequence[Curve]


def curves(figure: Figure) -> list[Curve]:
    """Keep the traces of a figure that are told so (`kept`). Hollow marks are unfit."""
    return [
        Curve(
            x=trace["x"],
            y=trace["y"],
            said=trace["meta"],
            plot=trace.get("xaxis", "x") + trace.get("yaxis", "y"),
            joined=trace["type"] == "scatter",
            unfit=_hollow(trace.get("marker", {}).get("symbol", "")),
        )
        for trace in figure["data"]
        if "meta" in trace
    ]


def without_kept(figure: Figure) -> Figure:
    """The figure without what is only for a later one."""
    data = [{k: v for k, v in trace.items() if k != "meta"} for trace in figure["data"]]
    return {**figure, "data": data}


def _hollow(symbols: str | Sequence[str]) -> list[int]:
    """Find the places of the marks that are drawn hollow, each by itself."""
    if isinstance(symbols, str):
        return []
    return [place for place, symbol in enumerate(symbols) if symbol.endswith("-open")]


def unfit_places(measured: Iterable[Measured]) -> list[int]:
    """Find the places of the points that cannot be believed."""
    return [place for place, each in enumerate(measured) if not each.fit]


def with_trails(figure: Figure, trails: Sequence[Trail], *, recorded: bool = False) -> Figure:
    """Draw trails below a figure's own traces, and axes as long as they need. Of a recorded run no
    legend says that it was measured, as if that were here and now. Each trace gets a `uid`, by
    which plotly knows again what the reader hid."""
    names_of = [_uid(each["name"], *map(each.get, ("xaxis", "yaxis"))) for each in figure["data"]]
    own = [
        trace | {"uid": _uid(name, names_of[:at].count(name))}
        for at, (trace, name) in enumerate(zip(figure["data"], names_of, strict=True))
    ]
    if recorded:
        names = {"measured": "recorded"}
        own = [each | {"name": names.get(each["name"], each["name"])} for each in own]
    sizes = [float(trace.get("marker", {}).get("size", 0.0)) for trace in figure["data"]]
    size = RIM + max([LEAST, *sizes])
    pale = [
        trace
        for trail, look in zip(trails[::-1], itertools.cycle(LOOKS), strict=False)
        for trace in _traces(trail, look, size)
    ]
    layout = dict(figure["layout"])
    for name, axis in layout.items():
        if name.startswith("xaxis") and "tickvals" in axis and "range" in axis:
            plot = "x" + name.removeprefix("xaxis")
            x = [at for trace in pale if trace.get("xaxis", "x") == plot for at in trace["x"]]
            layout[name] = _wider(axis, [at for at in x if isinstance(at, int | float)])
    return {**figure, "data": [*pale, *own], "layout": layout}


def _uid(*words: object) -> str:
    """Join words to what plotly may use in the name of a class."""
    return re.sub(r"[^A-Za-z0-9]+", "-", " ".join(map(str, words)))


def trails_alt(trails: Sequence[Trail]) -> str:
    """Trails in words, the newest first; "" for none."""
    told = []
    for trail in trails[::-1]:
        said = [curve.said[-1] for curve in trail.curves if curve.said]
        told.append(f"{trail.words} ({', '.join(said[:2])} at the end)" if said else trail.words)
        unfit = [curve.said[at] for curve in trail.curves for at in sorted(curve.unfit)]
        told[-1] += f", of which {HOLLOW}: {', '.join(unfit)}" if unfit else ""
    return f"Pale, of before: {'; '.join(told)}." if told else ""


def _traces(trail: Trail, look: tuple[str, str], size: float) -> list[Trace]:
    dash, symbol = look
    traces = []
    for number, curve in enumerate(trail.curves):
        unfit = [place in curve.unfit for place in range(len(curve.x))]
        symbols = [f"{symbol}-open" if each else symbol for each in unfit]
        said = [
            f"{words}, {HOLLOW}" if each else words
            for words, each in zip(curve.said, unfit, strict=True)
        ]
        how: Shown = {"dash": dash, "width": 1.5, "size": size, "symbol": symbols}
        how |= {"said": said, "hover": "{said}", "tag": trail.words, "plot": curve.plot}
        how |= {"group": trail.words, "legend": not number}
        drawn = line(trail.words, curve.x, curve.y, glass(BLUE, PALE), **how)
        drawn["uid"] = _uid(trail.called, number)
        drawn["marker"]["color"] = [glass(BLUE, PALE if each else PALER) for each in unfit]
        traces.append(drawn if curve.joined else drawn | {"mode": "markers"})
    return traces


def _wider(axis: dict[str, Any], x: Sequence[float]) -> dict[str, Any]:
    """Widen an axis with levels on it to reach these, too, and say where they are."""
    low, high = axis["range"]
    log = axis.get("type") == "log"
    beyond = sorted({at for at in x if not low <= (math.log10(at) if log else at) <= high})
    if not beyond:
        return axis
    ends = [low, 1.07 * beyond[-1]]
    if log:
        ends = [math.log10(beyond[0] / 1.25), math.log10(beyond[-1] * 1.25)]
    ticks = dict(zip(axis["tickvals"], axis["ticktext"], strict=True))
    ticks |= {at: digits(at, 4) for at in beyond}
    places = sorted(ticks)
    reach = {"range": [min(low, ends[0]), max(high, ends[1])]}
    return axis | reach | {"tickvals": places, "ticktext": [ticks[at] for at in places]}
