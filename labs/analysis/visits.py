"""A level's point from its visits: one on the way up, one on the way down. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from statistics import fmean
from typing import Any

from labs.analysis.contrast import Spread, repeats, spread, student_t
from labs.analysis.point import half_width
from labs.analysis.window import LEAST_HALF_WIDTH
from labs.records.histogram import together
from labs.records.results import Point, Visit
from labs.records.time_split import PARTS, TimeSplit

TOGETHER = (
    "seconds", "completed", "failed", "no_port", "lost_processes", "throttled_s",
    "listen_overflows",
)  # fmt: skip
BY_TIME = (
    "throughput_rps", "littles_law", "server_cpu", "generator_cpu", "others_cpu", "backend_cpu",
    "page_cpu", "browser_cpu", "steal_cpu", "core_speed",
)  # fmt: skip
BY_REQUEST = (
    "mean_response_time_s", "demand_s", "voluntary_switches", "involuntary_switches",
    "service_time_s",
)  # fmt: skip
OF_A_MOMENT = ("workers", "pss_bytes", "connections", "server_cores")


def visited(point: Point, at_s: float, *, anew: bool = False) -> Point:
    """The point of one window, whose middle was then, as the only visit so far. anew: the server
    was started again for it."""
    visit = Visit(
        at_s=at_s,
        seconds=point.seconds,
        throughput_rps=point.throughput_rps,
        throughput_ci_rps=point.throughput_ci_rps,
        connections=point.connections,
        anew=anew,
        core_speed=point.core_speed,
    )
    return replace(point, visits=(visit,))


def join(up: Point, down: Point) -> Point:
    """One point of two visits to a level, without checks and with the interval of the windows
    alone: see `judge`.

    Counts and times are added; a rate is weighted by time, and what belongs to a request by
    requests, so that the throughput is all requests over all of the time, and the laws hold of the
    whole as they do of each visit: X D is the server's CPU, and X (R + Z) the users. With windows
    of one length an even drift falls out. What compares levels or parts goes by the visits
    (`contrast`). A user who was never served was not in either visit. What is of one moment, and
    not of a window, is kept from the way up where it was looked at; each visit has its own
    connections.
    """
    each = up, down
    made: dict[str, Any] = {name: sum(map(attrgetter(name), each)) for name in TOGETHER}
    made |= {name: _mean(each, name, lambda point: point.seconds) for name in BY_TIME}
    made |= {name: _mean(each, name, lambda point: point.completed) for name in BY_REQUEST}
    made |= {name: _first(each, name) for name in OF_A_MOMENT}
    made["never_served"] = min(up.never_served, down.never_served)
    made["halves_rps"] = tuple(map(fmean, zip(up.halves_rps, down.halves_rps, strict=True)))
    made["histogram"], made["longer"] = together(
        [(point.histogram, point.longer) for point in each]
    )
    made["time_split"] = _joined_split(up, down)
    made["visits"] = up.visits + down.visits
    joined = replace(up, checks=(), **made)
    return replace(joined, throughput_ci_rps=interval(joined, None))


def judge(points: Sequence[Point]) -> list[Point]:
    """Points with their intervals as all pairs of visits together let one state them."""
    known = spread(points)
    return [replace(point, throughput_ci_rps=interval(point, known)) for point in points]


def interval(point: Point, known: Spread | None) -> tuple[float, float]:
    """Interval of the level's throughput, 95 %: the widest of what two kinds of evidence allow.

    Within the windows: the batches, their two half-widths h as of independent means,
    √(h₁² + h₂²)/2. They know how unevenly requests end, and nothing of what changes more slowly
    than a window. Between the visits: the mean of two is known to t·s/√2, with s of all levels
    (`contrast.spread`); it knows both, but from few visits. Their widest covers where either is
    blind; adding them would count the windows twice. With less than two degrees of freedom t says
    nothing (12.7), so the two visits themselves must lie inside. Never less than ± 2 %: all this
    is of one start of the server, and another start gives some 1.6 % more or less. An even drift
    is no part of it: the point stands for the middle of the run. Of one visit it is the window's.
    """
    if len(point.visits) < 2:
        return point.throughput_ci_rps
    halves = [half_width(visit) for visit in point.visits]
    half = max(math.hypot(*halves) / 2, LEAST_HALF_WIDTH)
    if known is not None and known.freedom >= 2 and repeats(point):
        half = max(half, student_t(known.freedom) * math.sqrt(known.variance / 2))
    elif point.throughput_rps:
        rates = [visit.throughput_rps / point.throughput_rps for visit in point.visits]
        half = max(half, *(abs(each - 1) for each in rates))
    rate = point.throughput_rps
    return max(0.0, rate * (1 - half)), rate * (1 + half)


def _joined_split(up: Point, down: Point) -> TimeSplit | None:
    """Join the parts as of all requests together, so that they still add up to the mean."""
    first, second = up.time_split, down.time_split
    if first is None or second is None:
        return first or second
    share = up.completed / (up.completed + down.completed)  # it has parts, so some were
    parts = {
        name: share * getattr(first, name) + (1 - share) * getattr(second, name)
        for name in (*PARTS, "excess_s")
    }
    return replace(first, missing=first.missing or second.missing, **parts)


def _mean(points: Sequence[Point], name: str, weight: Callable[[Point], float]) -> float | None:
    """Weighted mean over the points that have it; None if none has."""
    known = [point for point in points if getattr(point, name) is not None]
    whole = sum(map(weight, known))
    if not whole:
        return None if not known else 0.0
    return float(sum(getattr(point, name) * weight(point) for point in known) / whole)


def _first(points: Sequence[Point], name: str) -> Any:
    """The value of the first point that was looked at."""
    return next(filter(None, map(attrgetter(name), points)), getattr(points[0], name))
