"""A load test by another program drawn: throughput and response time over the users. Pure."""

from labs.imports.laws import Course, Given, under_way
from labs.imports.level import Level, LoadTest
from labs.present.palette import BLUE, GREY, ORANGE, PURPLE
from labs.present.plot import Figure, Shown, Trace, far_across, line, twin_layout
from labs.records.format import duration, rate
from labs.theory import laws

MS = 1000
TAIL = (95.0, 99.0, 90.0)  # per cent: the first that every level has is drawn
HIGHEST = 2  # times the best rate: a bound above it is not drawn
UNDER_WAY = "requests under way on average"


def figure(test: LoadTest, given: Given) -> Figure:
    """Draw over the users, or where a file doesn't say them over X·R: X, R and what bounds them."""
    users = all(each.users for each in test.levels)
    drawn = sorted(
        ((_across(each, users), each) for each in test.levels), key=lambda pair: pair[0] or 0.0
    )
    places = [(at, each) for at, each in drawn if at]
    x = [at for at, _ in places]
    rates = [each.throughput_rps for _, each in places]
    means = [_ms(each.mean_response_time_s) for _, each in places]
    look: Shown = {"size": 9, "symbol": "circle", "tag": "measured", "hover": "{x}: {said}"}
    up: Shown = {**look, "said": [rate(each) for each in rates]}
    right: Shown = {**look, "said": [_said(each) for _, each in places], "plot": "x2y2"}
    right["legend"] = False
    traces = [
        line("measured", x, rates, BLUE, **up),
        line("measured", x, means, BLUE, **right),
    ]
    traces += _bounds(Course(test), given, x) if users else []
    for share in TAIL:
        tails = [_ms(dict(each.percentiles).get(share)) for _, each in places]
        if tails and None not in tails:
            name = f"{share:g} % are faster"
            traces.append(line(name, x, tails, GREY, dash="dot", plot="x2y2"))
            break
    across = "users" if users else UNDER_WAY
    levels = sorted(set(x)) or [1]
    return {
        "data": traces,
        "layout": twin_layout(levels, across, far=far_across(levels)),  # type: ignore[arg-type]
    }


def alt(test: LoadTest) -> str:
    """Say in words what the figure shows."""
    first, last = test.levels[0], test.levels[-1]
    return (
        f"Throughput and mean response time by {test.tool}, {len(test.levels)} levels: from "
        f"{rate(first.throughput_rps)} and {_said(first)} to {rate(last.throughput_rps)} and "
        f"{_said(last)}."
    )


def _across(level: Level, users: bool) -> float | None:
    return float(level.users or 0) if users else under_way(level)


def _bounds(found: Course, given: Given, x: list[float]) -> list[Trace]:
    if not found.levels or not found.adds_up:
        return []
    most = [laws.throughput(each, found.shortest_s, found.pause_s) for each in x]
    top = HIGHEST * max(each.throughput_rps for each in found.levels)
    shown = [each if each <= top else None for each in most]
    traces = [line("N/(R + Z)", x, shown, PURPLE, dash="dash")]
    ceilings = (
        ("c/D", given.cores, given.cpu_s, "dashdot"),
        ("W/R", given.workers, found.shortest_s, "longdash"),
    )
    return traces + [
        line(name, x, [rps] * len(x), ORANGE, dash=dash)
        for name, units, seconds, dash in ceilings
        if units and seconds and (rps := laws.ceiling(units, seconds)) <= top
    ]


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * MS


def _said(level: Level) -> str:
    mean = level.mean_response_time_s
    return "an unknown time" if mean is None else duration(mean)
