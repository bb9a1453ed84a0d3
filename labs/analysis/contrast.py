"""Contrast: how much two things differ that were visited by turns, and whether that is seen.

Each level, or each part of a comparison, is visited twice, mirrored in time: whatever drifts
evenly adds the same to the mean of every pair of visits, and falls out of their differences. What
is left between the two visits of a pair, and not the batches within a window, says how well the
machine repeats itself. That the intervals of two points overlap is no test: it takes no notice of
what the two have in common, and misses what lies between windows.

Pure arithmetic on y = ln X, so that all is relative; times in seconds.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from labs.records.results import Point

CONFIDENCE = 0.95
REPEATS = 0.10  # visits that lie further apart are of a machine that changed under way
# What a server started anew gives beside the one before it, as one standard deviation of y, and
# how many visits' worth of evidence that is. Recorded: the same work in other runs, at the same
# loops, spread by 2.2 % where the batches say 1.5 %, so 1.6 % come from the start.
ANEW, ANEW_FREEDOM = 0.016, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Spread of the visits: how well they repeat."""

    drift_per_s: float  # of y
    variance: float  # of y at one visit, without the drift
    freedom: int  # degrees of freedom of the variance


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """ln(a / b), and half of its interval."""

    log: float
    half: float

    @property
    def seen(self) -> bool:
        """Whether the difference is more than chance, at the confidence of its interval."""
        return abs(self.log) > self.half

    @property
    def ratio(self) -> float:
        return math.exp(self.log)

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the ratio."""
        return math.exp(self.log - self.half), math.exp(self.log + self.half)

    @property
    def most(self) -> float:
        """The largest that the difference may be, as a fraction of the smaller one."""
        return math.exp(abs(self.log) + self.half) - 1


def spread(points: Iterable[Point]) -> Spread | None:
    """Spread of the levels of one server, from its pairs of visits; None with fewer than two.

    With d = y_up - y_down and Δt between a pair: drift β = Σ d Δt / Σ Δt², and the variance
    s² = Σ (d - β Δt)² / 2(L - 1). Two levels differ if their means do by more than t(L - 1) s.
    Assumes that the visits of all levels repeat equally well.
    """
    return spread_of_parts([[point] for point in points])


def spread_of_parts(parts: Sequence[Iterable[Point]]) -> Spread | None:
    """Spread of parts whose servers start anew for the second walk; None with less than two parts
    that have a pair of visits.

    A start shifts all levels of its walk together, so the levels of a part are no independent
    evidence of it: they count as one. The variance is of one level, Σ m² / 2(P - 1) + w (1 - 1/L),
    with m the mean of d - β Δt over the L levels of a part, and w the variance of a visit about it;
    P - 1 degrees of freedom for P parts, as the drift takes one.
    """
    each = [pairs for points in parts if (pairs := _pairs(points))]
    freedom = len(each) - 1
    if freedom < 1:
        return None
    drift = _drift([pair for pairs in each for pair in pairs])
    rests = [[d - drift * apart_s for d, apart_s in pairs] for pairs in each]
    means = [fmean(rest) for rest in rests]
    free = sum(len(rest) - 1 for rest in rests)
    around = sum((d - m) ** 2 for rest, m in zip(rests, means, strict=True) for d in rest)
    within = around / (2 * free) if free else 0.0
    starts = sum(m**2 for m in means) / (2 * freedom)
    levels = fmean(1 - 1 / len(rest) for rest in rests)
    return Spread(drift_per_s=drift, variance=starts + within * levels, freedom=freedom)


def difference(
    runs: Sequence[tuple[Point, Point, Spread | None]],
    *,
    anew: bool = False,
    confidence: float = CONFIDENCE,
) -> Difference | None:
    """ln of the throughput of one point over that of another, with its interval by Student's t.

    runs: the two points in each run, and the spread of that run. Of several runs it is the mean,
    and how far they lie apart is evidence like that of the visits. anew: the two are of servers
    that were started for each walk. Two parts are two starts each, which is too little to tell
    how much starts differ; so what is known of that from before (ANEW) goes in as a few visits'
    worth of evidence (a moderated t; Smyth 2004, doi:10.2202/1544-6115.1027). It does too where
    pairs leave less than two degrees of freedom, or points have no second visit.
    None where a throughput is zero, or there is no run.
    """
    if not runs or not all(a.throughput_rps and b.throughput_rps for a, b, _ in runs):
        return None
    logs = [_contrast(a, b, known.drift_per_s if known else 0.0) for a, b, known in runs]
    mean = fmean(logs)
    squares = sum((log - mean) ** 2 for log in logs)
    freedom = len(logs) - 1
    for _, _, known in runs:
        if known is not None:
            squares += known.variance * known.freedom
            freedom += known.freedom
    once = any(len(point.visits) < 2 for a, b, _ in runs for point in (a, b))
    if anew or once or freedom < 2:
        squares += ANEW_FREEDOM * ANEW**2 * (2 if once else 1)
        freedom += ANEW_FREEDOM
    deviation = math.sqrt(squares / freedom / len(logs))
    return Difference(log=mean, half=student_t(freedom, confidence) * deviation)


@functools.cache
def student_t(freedom: int, confidence: float = CONFIDENCE) -> float:
    """Two-sided quantile of Student's t: so far from 0 it lies with that probability at most.

    By halving, over the finite series of its distribution (Abramowitz and Stegun, 26.7.3 and
    26.7.4).

    >>> [round(student_t(freedom), 3) for freedom in (1, 2, 4, 9)]
    [12.706, 4.303, 2.776, 2.262]
    """
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        if _within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return math.tan(low) * math.sqrt(freedom)


def _within(angle: float, freedom: int) -> float:
    """The probability that |t| is below √freedom · tan(angle)."""
    odd = freedom % 2
    term, total = (math.cos(angle) if odd else 1.0), 0.0
    for step in range(1, (freedom - odd) // 2 + 1):
        total += term
        term *= (2 * step - 1 + odd) / (2 * step + odd) * math.cos(angle) ** 2
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


def _pairs(points: Iterable[Point]) -> list[tuple[float, float]]:
    """y_up - y_down, and the seconds between (up less down, so negative), of each pair of visits
    that agree."""
    pairs = []
    for point in points:
        if len(point.visits) == 2 and repeats(point):
            first, second = point.visits
            d = math.log(first.throughput_rps / second.throughput_rps)
            pairs.append((d, first.at_s - second.at_s))
    return pairs


def repeats(point: Point, expected: float = 0.0) -> bool:
    """Whether the level's second visit gave what the first had, to REPEATS; or by so much more as
    was `expected`. A level that was visited once does not contradict itself."""
    if len(point.visits) < 2:
        return True
    first, second = (visit.throughput_rps for visit in point.visits)
    return first > 0 and second > 0 and abs(second / first / (1 + expected) - 1) <= REPEATS


def _drift(pairs: Sequence[tuple[float, float]]) -> float:
    over = sum(apart_s**2 for _, apart_s in pairs)
    return sum(d * apart_s for d, apart_s in pairs) / over if over else 0.0


def _contrast(a: Point, b: Point, drift_per_s: float) -> float:
    """ln(a / b) as if both had been visited at the same time on average."""
    log = _log(a) - _log(b)
    if a.visits and b.visits:
        at_a, at_b = (fmean(visit.at_s for visit in point.visits) for point in (a, b))
        log -= drift_per_s * (at_a - at_b)
    return log


def _log(point: Point) -> float:
    """y of a point: the mean of its visits', each with the same weight however long it was."""
    rates = [visit.throughput_rps for visit in point.visits]
    return (
        fmean(map(math.log, rates)) if rates and min(rates) > 0 else math.log(point.throughput_rps)
    )
