"""Simulation of cores that a kernel deals out in slices, the least served first. Pure, seeded.

`queueing.sharing` has all requests on the cores progress alike. A kernel runs one at a time on each
core, for a slice, and decides who is next. Where times vary much, no order changes how many are
served. Where they hardly vary it does: whoever has had least overtakes, so all who met on the cores
end as the last of them have had their share, nearly at one time. They wait at one time, too, with
cores idle, and come back together. How far a kernel goes there isn't known before a load: this is
the far end, equal shares are the near one, and a forecast lies between. Letters as in `laws`.
"""

import functools
import heapq
import itertools
import math
from typing import NamedTuple

import numpy as np

from labs.records.errors import Unusable
from labs.theory.queueing import countable, sharing
from labs.theory.simulation import SEED, drawn

SLICE_S = 0.004  # Linux: 3 ms, until the next tick of 250 a second (seen: 4.0 ms, again and again)
REQUESTS = 10_000  # simulated for one answer: X steady within 1 %, in less than 0.1 s
FEWEST = 2_000  # of a request of many slices,
SLICES = 50_000  # of which so many are simulated, roughly;
EACH = 20  # and of each process
WARM_UP = 0.1  # of so many requests, come before the clock is started
STEADY_CV = 0.02  # no work and no wait takes quite the same each time
VARIED_CV = 0.5  # from here on no order on the cores matters (2 %)
TELLING = 0.02  # of X: smaller differences are not
HALF_FULL = 0.5  # of the cores: with fewer in use hardly any two meet


class Round(NamedTuple):
    """What processes do by turns, as `least_served_first` takes it."""

    m: int
    D: float
    V: float
    c: int
    cpu_cv: float
    wait_cv: float

    @property
    def least(self) -> float:
        """Part of the X of equal shares that would be left if whoever has had least were always
        next; 1 where it makes no difference worth telling."""
        if not self.matters:
            return 1.0
        equal = sharing(self.m, self.D, self.V, tuple(range(1, self.c + 1)))
        part = least_served_first(*self) / equal
        return part if part < 1 - TELLING else 1.0

    @property
    def matters(self) -> bool:
        """Whether times are so much alike, and cores so full, that the order makes a difference."""
        wanted = self.m * self.D / (self.D + self.V)
        # One digit: the load generator's share of a round makes 0.5 a little less.
        varied = round(max(self.cpu_cv, self.wait_cv), 1) >= VARIED_CV
        return self.m > self.c and wanted >= HALF_FULL * self.c and not varied


def least_served_first(
    m: int, D: float, V: float, c: int, cpu_cv: float = 0.0, wait_cv: float = 0.0
) -> float:
    """X (requests per second) of m processes on c equal cores, each of which works for D seconds,
    then waits for V, again and again: gamma distributed, with these coefficients of variation.

    Whoever has had least for the request in hand is always next: those who met on the cores end as
    late as can be, the worst that an order does to times that hardly vary. All start spread over
    one round. The same numbers give the same answer. Raises Unusable for times of 0, and for more
    than are counted one by one.

    >>> [round(least_served_first(16, 0.010, 0.090, 2, wait_cv=cv)) for cv in (0.1, 1.0)]
    [109, 144]
    """
    return _least_served_first(m, D, V, c, cpu_cv, wait_cv)


@functools.lru_cache(maxsize=1024)  # a panel asks again whenever one of its sliders moves
def _least_served_first(m: int, D: float, V: float, c: int, cpu_cv: float, wait_cv: float) -> float:
    countable(m=m, c=c)
    if not (D > 0 and V > 0):
        raise Unusable(f"D={D:g}, V={V:g}: processes that work, then wait. Give both above 0.")
    requests = max(int(min(REQUESTS, max(FEWEST, SLICES * SLICE_S / D))), EACH * m)
    warm_up = int(WARM_UP * requests)
    dice, most = np.random.default_rng(SEED), warm_up + requests + 2 * m
    works, waits = drawn(dice, D, cpu_cv, most), drawn(dice, V, wait_cv, most)
    left, had = [0.0] * m, [0.0] * m  # of each one's request, s
    due = [((D + V) * who / m, who) for who in range(m)]  # a heap: who wakes when
    ready: list[tuple[float, int, int]] = []  # a heap: who is next, by rank
    running: dict[int, tuple[float, float]] = {}  # since when, until when
    order = itertools.count(1)
    done = 0
    now = began = 0.0

    def stop(who: int) -> None:
        """Who runs has the core no longer, and queues for it unless its work is done."""
        nonlocal done, began
        ran = now - running.pop(who)[0]
        had[who] += ran
        left[who] -= ran
        if left[who] > 1e-9:
            number = next(order)
            heapq.heappush(ready, (had[who], number, who))
        else:
            done += 1
            heapq.heappush(due, (now + waits.pop(), who))
            if done == warm_up:
                began = now

    while done < warm_up + requests:
        first = min(running, key=lambda who: running[who][1], default=None)
        until = math.inf if first is None else running[first][1]
        if due and due[0][0] <= until:
            now, who = heapq.heappop(due)
            left[who], had[who] = works.pop(), 0.0
            number = next(order)
            heapq.heappush(ready, (0.0, number, who))
            if len(running) == c:
                stop(max(running, key=lambda who: had[who] + now - running[who][0]))
        elif first is not None:
            now = until
            stop(first)
        while ready and len(running) < c:
            who = heapq.heappop(ready)[2]
            running[who] = (now, now + min(SLICE_S, left[who]))
    return requests / (now - began)
