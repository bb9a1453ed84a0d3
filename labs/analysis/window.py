"""One level's figures from raw request times: throughput, its interval, response time.

Pure arithmetic on arrays. Each answered request counts by the share of its life inside the
window. Counting completions alone, or only requests that lie whole inside, is off by 10 % and
more when a window holds a few response times; the share is not.

A request that is still open is no completion. How long it has to go is told by those that were
answered: the Kaplan-Meier estimate of how many live longer than t (Kaplan and Meier, 1958), from
all lives that touch the window. Those that began before it are known from the age on that they had
then, open ones up to the age they have reached. Whatever outlives the longest answered request
counts nothing: a starved user's request may never be answered.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from labs.analysis.contrast import student_t
from labs.records.histogram import histogram

Floats = NDArray[np.float64]

MOST_BATCHES, LEAST_BATCHES = 5, 3
LEAST_HALF_WIDTH = 0.02  # of the mean: so few batches cannot vouch for less


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Figures of one window. Rates per second, times in seconds."""

    completed: float  # sum of the shares, and of those that open requests are expected to have
    throughput_rps: float
    interval_rps: tuple[float, float]  # 95 %, see `interval`
    halves_rps: tuple[float, float]
    mean_response_time_s: float  # of the completed ones, weighted by share; nan without any
    histogram: dict[int, float]  # of response times; with `longer` it adds up to `completed`
    longer: float  # how many of the completed take longer than any in the histogram


@dataclass(frozen=True, slots=True, kw_only=True)
class Survival:
    """Survival of requests, where some are known only in part: the Kaplan-Meier estimate."""

    lives: Floats  # of the answered ones, each once, rising (s)
    hazards: Floats  # of the requests that reach this age, the share that is answered then

    @classmethod
    def of(cls, from_s: Floats, until_s: Floats, open_from_s: Floats, open_until_s: Floats) -> Self:
        """from_s: the age at which each answered request came into sight; until_s: its life. Of
        open ones the second is the age they have reached."""
        lives, answered = np.unique(until_s, return_counts=True)
        entered = np.sort(np.concatenate([from_s, open_from_s]))
        left = np.sort(np.concatenate([until_s, open_until_s]))
        at_risk = np.searchsorted(entered, lives) - np.searchsorted(left, lives)
        return cls(lives=lives, hazards=answered / at_risk)

    def masses(self) -> tuple[Floats, float]:
        """The share of requests with each of these lives, and that with a longer one."""
        living = np.concatenate([[1.0], np.cumprod(1 - self.hazards)])
        return -np.diff(living), float(living[-1])

    def expected(self, worth: Floats, ages_s: Floats) -> Floats:
        """Tell what a request of each age is worth on average, when one with each of `lives` is
        worth so much, and one that outlives them all nothing."""
        rest = [0.0]
        for value, hazard in zip(worth[::-1].tolist(), self.hazards[::-1].tolist(), strict=True):
            rest.append(hazard * value + (1 - hazard) * rest[-1])
        reached = np.searchsorted(self.lives, ages_s, side="right")
        found: Floats = np.array(rest[::-1])[reached]
        return found


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

    now: `end` or a later moment of which all is known, as of a `records.requests.Report`. starts,
    ends: of the requests answered well by then; open_starts: of those in flight then. Those that
    do not touch the window are left out.

    The mean response time is that of requests that get an answer: the time that they spent in
    flight within the window, over their number. It is measured, and not N / X - Z, so that
    Little's law can be held against it: it falls short where users are never served.
    Assumes the load was on from before `begin` until after `end`.
    """
    touching = (starts < end) & (ends > begin)
    starts, ends = starts[touching], ends[touching]
    open_starts = open_starts[open_starts < end]
    lives, ages = np.maximum(ends - starts, 1e-9), now - open_starts
    survival = Survival.of(
        np.maximum(begin - starts, 0.0), lives, np.maximum(begin - open_starts, 0.0), ages
    )
    # Of a second of its life: how many requests, and whether of one that is answered.
    worth = np.concatenate([1 / lives, survival.expected(1 / survival.lives, ages)])
    answered = np.concatenate(
        [np.ones_like(lives), survival.expected(np.ones_like(survival.lives), ages)]
    )
    all_starts = np.concatenate([starts, open_starts])
    all_ends = np.concatenate([ends, np.full_like(open_starts, now)])

    def rate(first: float, last: float) -> float:
        return float(_overlap(all_starts, all_ends, first, last) @ worth) / (last - first)

    throughput, middle = rate(begin, end), (begin + end) / 2
    completed = throughput * (end - begin)
    in_flight_s = float(_overlap(all_starts, all_ends, begin, end) @ answered)
    mean = in_flight_s / completed if completed else float("nan")
    edges = np.linspace(begin, end, batches(end - begin, mean) + 1)
    shares, longer = survival.masses()
    return Counted(
        completed=completed,
        throughput_rps=throughput,
        interval_rps=interval([rate(a, b) for a, b in pairwise(edges)]),
        halves_rps=(rate(begin, middle), rate(middle, end)),
        mean_response_time_s=mean,
        histogram=histogram(survival.lives, shares * completed),
        longer=longer * completed,
    )


def departures(ends: Floats, *, begin: float, end: float) -> tuple[int, tuple[float, float]]:
    """Count of requests answered in [begin, end), and the 95 % interval of their rate.

    The count for arrivals that do not wait for each other: more and more of them may be under
    way, and their shares would count work that is yet to be done. Of a fixed group of users that
    number stays, but a window of a few response times may hold a round of answers more or less.
    """
    counts, edges = np.histogram(ends[(ends >= begin) & (ends < end)], MOST_BATCHES, (begin, end))
    return int(counts.sum()), interval(counts / np.diff(edges))


def batches(length_s: float, response_s: float) -> int:
    """Number of equal parts that a window goes into: none shorter than a response time, so that one
    request does not make two of them alike; but at least LEAST_BATCHES."""
    fitting = int(length_s / response_s) if response_s > 0 else MOST_BATCHES
    return max(LEAST_BATCHES, min(MOST_BATCHES, fitting))


def interval(rates: Floats | list[float]) -> tuple[float, float]:
    """Interval of the mean, as far as some equal parts can vouch for it: 95 %, by Student's t."""
    mean, count = float(np.mean(rates)), len(rates)
    spread = student_t(count - 1) * float(np.std(rates, ddof=1)) / count**0.5
    half = max(spread, LEAST_HALF_WIDTH * mean)
    return max(0.0, mean - half), mean + half


def _overlap(starts: Floats, ends: Floats, begin: float, end: float) -> Floats:
    shared: Floats = np.maximum(0.0, np.minimum(ends, end) - np.maximum(starts, begin))
    return shared
