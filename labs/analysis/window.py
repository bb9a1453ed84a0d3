"""From raw request times to one level's figures: throughput, its interval, response time.

Pure arithmetic on arrays. Each request counts by the share of its life inside the window.
Counting completions alone, or only requests that lie whole inside, is off by 10 % and more
when a window holds a few response times; the share is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from labs.records.histogram import histogram

Floats = NDArray[np.float64]

BATCHES = 5
STUDENT_T = 2.776  # two-sided 95 % quantile at BATCHES - 1 = 4 degrees of freedom
LEAST_HALF_WIDTH = 0.02  # of the mean: five batches cannot vouch for less


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What one window says. Rates per second, times in seconds."""

    completed: float  # sum of the shares
    throughput_rps: float
    interval_rps: tuple[float, float]  # 95 %, by Student's t over five equal batches
    halves_rps: tuple[float, float]
    mean_response_time_s: float  # weighted by share; nan without a request
    histogram: dict[int, int]  # of requests whose middle lies in the window


def count(
    starts: Floats,
    ends: Floats,
    open_starts: Floats,
    *,
    begin: float,
    end: float,
    now: float,
) -> Counted:
    """Count the requests of one window [begin, end].

    now: a moment after `end` of which all is known, as of a `load.Report`. starts, ends: of the
    requests answered well by then (those outside the window are ignored by their overlap of
    zero). open_starts: of those in flight at that moment;
    their lives are taken as their age and half a mean response time more, which lies between
    what constant and exponential times would have left.
    Assumes the load was on from before `begin` until after `end`.
    """
    lives = np.maximum(ends - starts, 1e-9)
    shares = _overlap(starts, ends, begin, end) / lives
    ended = float(shares.sum())
    mean = float((shares * lives).sum() / ended) if ended else float("nan")
    middles = (starts + ends) / 2
    inside = lives[(middles >= begin) & (middles < end)]

    open_lives = np.maximum(now - open_starts + (mean / 2 if ended else 0.0), 0.0)
    all_starts = np.concatenate([starts, open_starts])
    all_lives = np.concatenate([lives, np.maximum(open_lives, 1e-9)])
    all_ends = np.concatenate([ends, np.full(open_starts.shape, now)])

    def rate(first: float, last: float) -> float:
        return float((_overlap(all_starts, all_ends, first, last) / all_lives).sum()) / (
            last - first
        )

    edges = np.linspace(begin, end, BATCHES + 1)
    batches = np.array([rate(a, b) for a, b in pairwise(edges)])
    throughput = float(batches.mean())
    middle = (begin + end) / 2
    return Counted(
        completed=throughput * (end - begin),
        throughput_rps=throughput,
        interval_rps=interval(batches, throughput),
        halves_rps=(rate(begin, middle), rate(middle, end)),
        mean_response_time_s=mean,
        histogram=histogram(inside),
    )


def interval(batches: Floats, mean: float) -> tuple[float, float]:
    """Where the mean lies, as far as BATCHES equal parts can vouch for it: 95 %, by Student's t."""
    half = max(STUDENT_T * float(batches.std(ddof=1)) / BATCHES**0.5, LEAST_HALF_WIDTH * mean)
    return max(0.0, mean - half), mean + half


def _overlap(starts: Floats, ends: Floats, begin: float, end: float) -> Floats:
    shared: Floats = np.maximum(0.0, np.minimum(ends, end) - np.maximum(starts, begin))
    return shared
