"""The memory lab drawn and told: growth over the requests that wait, and what each takes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labs.kinds.memory.record import SEVERAL, Memory, MemoryCurve
from labs.kinds.show import Column, Show, level_by_level, spoken
from labs.present.levels import UNMEASURED, Level, Pace
from labs.present.palette import LINES
from labs.present.plot import (
    FEWEST_TICKS,
    LOG,
    Figure,
    Shown,
    Trace,
    Values,
    axis_title,
    bar,
    dots,
    extent,
    line,
    log_axis,
    nested,
    two_plots,
)
from labs.present.tables import KIB, MIB
from labs.records.format import digits, percent, plain, size
from labs.records.results import pick

LEAST_KIB = 1.0  # where the bars begin
OPENING = "Memory of a server over the requests that wait in it at once."
WHERE = ("Memory of the server, MiB", "One more takes, KiB")
KINDS = ("process", "thread", "coroutine")
STYLES = dict(zip(KINDS, LINES, strict=False))
MARKS = dict(zip(KINDS, nested(len(KINDS)), strict=True))


def memory_figure(memory: Memory) -> Figure:
    """Draw, left, the server's memory over the requests that wait in it at once, with its line;
    right, these lines' slopes. Filled: PSS. Hollow: RSS, which counts what is shared again."""
    traces: list[Trace] = []
    for growth in memory.run.growths:
        traces += [*_grown(growth), _each(memory, growth)]
    sizes = [size for growth in memory.run.growths for size in growth.sizes]
    taken = [y for trace in traces if trace["type"] == "scatter" for y in trace["y"]]
    largest = max(10 * KIB, *(growth.each_bytes for growth in memory.run.growths))
    return {"data": traces, "layout": _layout(sizes, taken, largest)}


def _grown(growth: MemoryCurve) -> list[Trace]:
    colour, dash, symbol = STYLES[growth.kind]
    drawn = [growth.line_bytes(count) / MIB for count in growth.sizes]
    name = f"{growth.kind}, the line"
    where: Shown = {"group": growth.kind, "plot": "xy"}
    look: Shown = {**where, "dash": dash, "legend": False}
    traces = [line(name, growth.sizes, drawn, colour, **look)]
    feeds = [(_told(growth), growth.told_bytes, symbol)]
    if growth.pss_bytes:
        feeds.append(("RSS", growth.rss_bytes, f"{symbol}-open"))
    for told, found, mark in feeds:
        name, values, said = f"{growth.kind}, {told}", [b / MIB for b in found], [*map(size, found)]
        shown: Shown = {**where, "said": said, "hover": "{x} waiting: {said}", "tag": name}
        shown |= {"size": MARKS[growth.kind], "symbol": mark}
        if found is growth.told_bytes:
            shown["kept"] = [f"{growth.kind}: {each}" for each in said]
        traces.append(dots(name, growth.sizes, values, colour, **shown))
    return traces


def _each(memory: Memory, growth: MemoryCurve) -> Trace:
    """Draw one kind's bar, with the spread over the runs."""
    curves = (each for run in memory.runs for each in run.growths if each.kind == growth.kind)
    found = [each.each_bytes / KIB for each in curves]
    shown: Shown = {"ends": [extent(found)], "hover": "{text} for each", "tag": growth.kind}
    shown |= {"legend": False, "group": growth.kind, "plot": "x2y2"}
    height, colour = max(growth.each_bytes / KIB, LEAST_KIB), STYLES[growth.kind][0]
    drawn = bar(growth.kind, [growth.kind], [height], colour, **shown)
    words = {"text": [size(growth.each_bytes)], "textposition": "outside", "cliponaxis": False}
    return drawn | words


def _told(growth: MemoryCurve) -> str:
    return "PSS" if growth.pss_bytes else "RSS"


def memory_levels(memory: Memory) -> list[Level]:
    """Say the figure one kind after the other: a colour each."""
    levels = []
    for growth in memory.run.growths:
        found = growth.told_bytes
        told = (
            f"{SEVERAL[growth.kind].capitalize()}: {size(found[0])} with {growth.sizes[0]} "
            f"waiting, {size(found[-1])} with {growth.sizes[-1]}; "
            f"{size(growth.each_bytes)} for each more."
        )
        levels.append(Level(words=told, colour=STYLES[growth.kind][0]))
    return levels


def memory_said(memory: Memory) -> list[str]:
    """Say the verdict, a sentence each."""
    run, said = memory.run, []
    for growth in run.growths:
        takes = "nothing that could be told from noise"
        if growth.each_bytes > 0:
            takes = size(growth.each_bytes)
        said.append(f"Another {growth.kind} took {takes}.")
    first = run.growths[0]
    if not first.pss_bytes:
        said.append(
            "This system has no PSS. RSS counts what processes share again for each of them, so "
            "a process takes less than that."
        )
    elif first.kind == "process" and first.rss_each_bytes > first.each_bytes > 0:
        share = percent(1 - first.each_bytes / first.rss_each_bytes)
        said.append(
            f"RSS says {size(first.rss_each_bytes)} for each process. {share} of that is shared: "
            "it is in memory once, however many processes count it as theirs."
        )
    said.append(
        "This page keeps next to nothing in memory. A real application brings its libraries, and "
        "each worker its own data: measure yours."
    )
    return said


def _layout(sizes: Sequence[int], taken: Values, largest: float) -> dict[str, Any]:
    least, most = min(sizes), max(sizes)
    ticks = [4**power for power in range(8) if least <= 4**power <= most]
    fours = {"type": "log", "tickvals": ticks, "ticktext": [digits(tick, 4) for tick in ticks]}
    across = {
        **(fours if len(ticks) >= FEWEST_TICKS else log_axis(sizes)),
        "title": {"text": f"requests waiting at once{LOG}"},
    }
    highest = 10**0.5 * largest / KIB  # room for the words on the highest bar
    each = log_axis([LEAST_KIB, highest])
    each |= {"range": [math.log10(LEAST_KIB), math.log10(highest)]}
    upwards = (log_axis(taken), each)
    first, second = (axis_title(what, axis) for what, axis in zip(WHERE, upwards, strict=True))
    return two_plots((first, second), (0.56, 0.68), (across, {"type": "category"}), upwards)


@dataclass(frozen=True, slots=True)
class Size:
    """A row: a server with so many requests waiting in it at once."""

    growth: MemoryCurve
    waiting: int
    pss_bytes: int | None
    rss_bytes: int
    line_bytes: float


def _sizes(growths: Sequence[MemoryCurve]) -> list[Size]:
    return [
        Size(each, waiting, pss, rss, each.line_bytes(waiting))
        for each in growths
        for waiting, pss, rss in zip(
            each.sizes, each.pss_bytes or [None] * len(each.sizes), each.rss_bytes, strict=True
        )
    ]


def _size(memory: Memory, kind: str, waiting: int | None = None) -> Size:
    """Find the row to quote from: the first, for what is the same in all of them."""
    sizes = _sizes([memory.run.growth(kind)])
    return sizes[0] if waiting is None else pick(sizes, waiting=waiting)


def _kibibytes(value: float) -> str:
    return plain(value / KIB)


show = Show(
    result=Memory,
    middle_by="what the first kind takes each",
    draw=memory_figure,
    alt=level_by_level(memory_levels, lambda memory: OPENING),
    verdict=spoken(memory_said),
    levels=memory_levels,
    pace=Pace(each="kind", before=UNMEASURED),
    concluded=memory_said,
    rows=lambda memory: _sizes(memory.run.growths),
    row=_size,
    columns=(
        Column(head="kind", main=True, of="growth.kind"),
        Column(head="waiting at once", main=True, of="waiting"),
        Column(head="PSS MiB", main=True, of="pss_bytes", quote="pss"),
        Column(head="RSS MiB", of="rss_bytes", quote="rss"),
        Column(head="line MiB", of="line_bytes"),
        Column(head="each KiB", main=True, of="growth.each_bytes", quote="each", cell=_kibibytes),
        Column(
            head="each by RSS KiB", of="growth.rss_each_bytes", quote="rss_each", cell=_kibibytes
        ),
        Column(head="alone MiB", of="growth.base_bytes"),
    ),
)
