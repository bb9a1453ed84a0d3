"""Arrivals at a server that does not hold them back: what is under way, answered and how fast, over
time, and how far chance spreads it. Pure; letters as in `laws`.

Either many runs are simulated, with the workload's own distributions, or the chances of every
number of requests under way are reckoned, from nothing but how fast that many are answered.
"""

import heapq
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labs.theory.simulation import SEED, drawn, in_turn

Floats = NDArray[np.float64]

BAND = (0.1, 0.9)  # of ten runs, eight are expected in between
NORMAL = 1.2816  # standard deviations from the mean to either end, where numbers are large
NEGLIGIBLE = 1e-9  # a chance that changes nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCourse:
    """What arrivals come to: at the edges of pieces of time, and in each piece between two."""

    under_way: Floats  # at each edge, on average
    under_way_band: Floats  # at each edge: low, high
    throughput_rps: Floats  # in each piece, on average
    throughput_band_rps: Floats  # low, high
    response_time_s: Floats  # mean of those answered in a piece; nan where nobody is
    response_band_s: Floats  # of a run's mean: low, high; nan where that is not known


Serve = Callable[[Floats, np.random.Generator], Floats]


def replicate(
    serve: Serve, rates: Sequence[float], edges: Sequence[float], runs: int, seed: int = SEED
) -> OpenCourse:
    """So many runs, each with Poisson arrivals of its own: rates[i] a second from edges[i] to the
    next. serve: when each of these arrivals is answered, seconds, with dice for what varies."""
    dice, lengths = np.random.default_rng(seed), np.diff(edges)
    pieces = len(lengths)
    under_way, answered = np.empty((runs, pieces + 1)), np.empty((runs, pieces))
    lives = np.empty((runs, pieces))
    for run in range(runs):
        counts = dice.poisson(np.asarray(rates) * lengths)
        begins = np.repeat(np.asarray(edges)[:-1], counts)
        come = np.sort(begins + dice.random(counts.sum()) * np.repeat(lengths, counts))
        ends = serve(come, dice)
        gone = np.searchsorted(np.sort(ends), edges, side="right")
        under_way[run] = np.searchsorted(come, edges, side="right") - gone
        answered[run] = np.histogram(ends, edges)[0]
        lives[run] = np.histogram(ends, edges, weights=ends - come)[0]
    with np.errstate(invalid="ignore"):  # where nobody is answered there is no response time
        means = np.where(answered > 0, lives / answered, np.nan)
        response_s = lives.sum(axis=0) / answered.sum(axis=0)
    known = np.isfinite(means).all(axis=0)
    response_band = np.full((pieces, 2), np.nan)
    response_band[known] = np.quantile(means[:, known], BAND, axis=0).T
    return OpenCourse(
        under_way=under_way.mean(axis=0),
        under_way_band=np.quantile(under_way, BAND, axis=0).T,
        throughput_rps=answered.mean(axis=0) / lengths,
        throughput_band_rps=(np.quantile(answered, BAND, axis=0) / lengths).T,
        response_time_s=response_s,
        response_band_s=response_band,
    )


def sharing_cores(
    come: Floats,
    D: float,
    V: float,
    *,
    capacity: Sequence[float],
    W: float = math.inf,
    cpu_cv: float = 0.0,
    wait_cv: float = 0.0,
    growth: Sequence[tuple[float, float]] = (),
    dice: np.random.Generator,
) -> Floats:
    """When each of these arrivals (s, ascending) is answered: up to W at a time share the cores,
    wait for V seconds and leave; the others queue for a worker in order of arrival.

    growth: when the pool is raised, and by how many workers. D and V (s) are gamma distributed
    with those coefficients of variation. With W as many as the cores this is first come, first
    served; with more it is processor sharing, more and more.
    """
    works, waits = drawn(dice, D, cpu_cv, len(come)), drawn(dice, V, wait_cv, len(come))
    ends = [math.inf] * len(come)
    arrived, waited, raised = range(3)
    due = [(at, arrived, number) for number, at in enumerate(come.tolist())]
    due += [(at, raised, place) for place, (at, _) in enumerate(growth)]
    heapq.heapify(due)
    queue: deque[int] = deque()
    working: list[tuple[float, int]] = []  # heap: what each must have got when it is done, who
    clock = got = 0.0  # CPU seconds that whoever was always there would have got
    idle = W
    while due or working:
        speed = capacity[min(len(working), len(capacity)) - 1] / len(working) if working else 0.0
        done_at = clock + (working[0][0] - got) / speed if working else math.inf
        if due and due[0][0] <= done_at:
            now, what, number = heapq.heappop(due)
            got, clock = got + (now - clock) * speed, now
            if what == arrived:
                queue.append(number)
            elif what == waited:
                ends[number] = now
                idle += 1
            else:
                idle += growth[number][1]
        else:
            clock = done_at
            got, number = heapq.heappop(working)
            heapq.heappush(due, (clock + waits[number], waited, number))
        while queue and idle > 0:
            idle -= 1
            number = queue.popleft()
            heapq.heappush(working, (got + works[number], number))
    return np.array(ends)


def loops_in_turn(
    come: Floats,
    D: float,
    V: float,
    *,
    processes: int,
    W: float = math.inf,
    cpu_cv: float = 0.0,
    wait_cv: float = 0.0,
    interval: float = math.inf,
    dice: np.random.Generator,
) -> Floats:
    """When each of these arrivals (s, ascending) is answered by processes with a core each, on
    which requests queue (see `simulation.simulate`); connections fall on them like coins."""
    where, ends = dice.integers(processes, size=len(come)), np.empty(len(come))
    for process in range(processes):
        here = where == process
        works = drawn(dice, D, cpu_cv, int(here.sum()))
        waits = drawn(dice, V, wait_cv, int(here.sum()))
        ends[here] = in_turn(come[here].tolist(), works, waits, W=W, interval=interval)
    return ends


def reckon(
    rates: Sequence[float], answering: Sequence[Floats], edges: Sequence[float]
) -> OpenCourse:
    """The chances of 0 .. K requests under way, from none at the first edge on.

    rates[i], answering[i]: arrivals a second, and answers a second with 1 .. K under way, from
    edges[i] to the next.
    A birth-death chain whose death rate is that of a flow-equivalent server (Chandy, Herzog & Woo
    1975): exact in the long run for processor sharing whatever the distributions, and for a pool
    where they are exponential; regular work would queue less. Whoever comes with K under way is
    turned away. Response times are mean distances between what came and what was answered
    (cumulative curves; in the long run Little's law).
    """
    K, lengths = len(answering[0]), np.diff(edges)
    states = np.arange(K + 1)
    chances = np.zeros(K + 1)
    chances[0] = 1.0
    under_way, bands, came, still = [0.0], [(0.0, 0.0)], [0.0], False
    for place, length in enumerate(lengths):
        last = max(0, place - 1)
        alike = rates[last] == rates[place] and answering[last] is answering[place]
        if not (alike and still):
            before = chances
            chances = evolve(chances, rates[place], answering[place], length)
            still = alike and float(np.abs(chances - before).max()) < NEGLIGIBLE
        under_way.append(float(chances @ states))
        low, high = np.searchsorted(np.cumsum(chances), BAND)
        bands.append((float(low), float(high)))
        came.append(came[-1] + rates[place] * length * (1 - chances[-1]))
    gone = np.asarray(came) - under_way
    throughput = np.diff(gone) / lengths
    half = NORMAL * np.sqrt(np.maximum(throughput, 0) / lengths)  # answers are Poisson in the end
    middles = (gone[1:] + gone[:-1]) / 2
    answered_at, came_at = np.interp(middles, gone, edges), np.interp(middles, came, edges)
    return OpenCourse(
        under_way=np.asarray(under_way),
        under_way_band=np.asarray(bands),
        throughput_rps=throughput,
        throughput_band_rps=np.stack([np.maximum(0.0, throughput - half), throughput + half]).T,
        response_time_s=answered_at - came_at,
        response_band_s=np.full((len(lengths), 2), np.nan),
    )


def evolve(chances: Floats, rate: float, leaving: Floats, seconds: float) -> Floats:
    """The chances of 0 .. K requests under way some seconds later, by uniformisation (Jensen 1953):
    a Poisson number of events, each an arrival, an answer or nothing. rate: arrivals a second;
    leaving: answers a second with 1 .. K under way.

    >>> two = np.array([1.0, 2.0, 2.0, 2.0])  # M/M/2/4 in the long run, at rate 2
    >>> evolve(np.array([1.0, 0, 0, 0, 0]), 2.0, two, 100.0).round(3).tolist()
    [0.111, 0.222, 0.222, 0.222, 0.222]
    """
    events = rate + float(leaving.max())
    up, down, mean = rate / events, leaving / events, events * seconds
    most = math.ceil(mean + 8 * math.sqrt(mean) + 20)
    numbers = np.arange(most + 1)
    logs = numbers * math.log(mean) - mean - np.append(0.0, np.cumsum(np.log(numbers[1:])))
    now, found = chances.copy(), np.zeros_like(chances)
    for weight in np.exp(logs).tolist():
        if weight > 1e-16:
            found += weight * now
        flow = now[:-1] * up - now[1:] * down
        now[:-1] -= flow
        now[1:] += flow
    total: float = found.sum()  # but for what was left out
    found /= total
    return found
