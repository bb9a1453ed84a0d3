"""Simulation of one process on one core: an event loop, or threads under the GIL, and a closed
group of users. Pure, seeded.

Where the order of service matters, no formula of `queueing` holds: a callback runs to its end,
and a thread keeps the interpreter lock for a switch interval. Letters as in `laws`.
"""

import functools
import heapq
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field

import numpy as np

SIMULATED = 20_000  # simulated for one answer: X steady within 1 %, in about 0.1 s
FEWEST = 2_000  # of a request of many switch intervals, so that the answer takes no longer
SLICES = 250_000  # switch intervals simulated at most, roughly
WARM_UP = 0.1  # of so many requests, come before the clock is started
SEED = 20261121


@functools.lru_cache(maxsize=1024)  # a panel asks again whenever one of its sliders moves
def simulate(
    N: int,
    D: float,
    V: float,
    *,
    cpu_cv: float = 0.0,
    wait_cv: float = 0.0,
    Z: float = 0.0,
    g: float = 0.0,
    W: float = math.inf,
    interval: float = math.inf,
    seed: int = SEED,
) -> float:
    """X (requests per second) of N users on one process that uses at most one core.

    Work is done in order of arrival. While others want the core, it is handed on after
    `interval` seconds (the GIL's switch interval; infinite: each callback to its end). D and
    V (s) are gamma distributed with the given coefficients of variation, Z is exponential,
    and each request takes g seconds in a load generator that does one thing at a time. At
    most W requests have a worker; the others queue for one in order of arrival.

    Users start spread over one cycle. The same seed gives the same answer. Infinite if
    nothing costs time.

    >>> round(simulate(12, D=0.014, V=0.120, W=12), 1)
    71.4
    """
    if D == V == Z == g == 0:
        return math.inf
    interval = max(interval, D * FEWEST / SLICES)
    requests = SIMULATED if D == 0 else int(min(SIMULATED, max(FEWEST, SLICES * interval / D)))
    warm_up = int(WARM_UP * requests)
    dice, most = np.random.default_rng(seed), warm_up + requests + 2 * N
    cycle = max(D + V + Z + g, N * D, N * g, N * (D + V) / W)
    core = _Core(
        come=[cycle * user / N for user in range(N)],
        works=drawn(dice, D, cpu_cv, most),
        waits=drawn(dice, V, wait_cv, most),
        thinks=drawn(dice, Z, 1.0, most),
        generator=g,
        idle_workers=W,
    )
    core.run(interval, warm_up)
    began = core.last
    core.run(interval, warm_up + requests)
    return requests / (core.last - began)


def drawn(dice: np.random.Generator, mean: float, cv: float, size: int) -> list[float]:
    """Gamma distributed values, cv their coefficient of variation."""
    if mean == 0 or cv == 0:
        return [mean] * size
    values: list[float] = dice.gamma(1 / cv**2, mean * cv**2, size).tolist()
    return values


@dataclass(kw_only=True)
class _Core:
    """The state of the simulation: who wants the core, who waits, what time it is."""

    come: InitVar[Sequence[float]]
    works: list[float]
    waits: list[float]
    thinks: list[float]
    generator: float
    generator_free: float = 0.0
    idle_workers: float
    queue: deque[int] = field(default_factory=deque)  # users waiting for a worker
    ready: deque[tuple[int, float]] = field(default_factory=deque)  # user, CPU left
    clock: float = 0.0
    last: float = 0.0
    done: int = 0

    def __post_init__(self, come: Sequence[float]) -> None:
        self.due = [(at, user, False) for user, at in enumerate(come)]  # a heap; True: served

    def run(self, interval: float, until: int) -> None:
        """Work until so many requests are done; `last` is then when the last of them was."""
        while self.done < until:
            if not self.ready:
                self.clock = max(self.clock, self.due[0][0])
                self.arrive(until)
                continue
            user, left = self.ready.popleft()
            if left > interval:  # who comes while nobody else waits, waits one interval at most
                alone = not self.ready
                until_next = self.due[0][0] - self.clock if self.due else math.inf
                burst = min(left, interval + (max(0.0, until_next) if alone else 0.0))
            else:
                burst = left
            self.clock += burst
            self.arrive(until)  # whoever came meanwhile is ahead of what comes back now
            if left > burst:
                self.ready.append((user, left - burst))
            else:
                heapq.heappush(self.due, (self.clock + self.waits.pop(), user, True))

    def arrive(self, until: int) -> None:
        """Let everything happen that was due by now, in order."""
        due, clock = self.due, self.clock
        while due and due[0][0] <= clock and self.done < until:
            now, user, served = heapq.heappop(due)
            if served:
                self.complete(user, now)
            else:
                self.enter(user)

    def enter(self, user: int) -> None:
        """Have the request ask for a worker, then for the core."""
        if self.idle_workers > 0:
            self.idle_workers -= 1
            self.ready.append((user, self.works.pop()))
        else:
            self.queue.append(user)

    def complete(self, user: int, now: float) -> None:
        """Send the response: its worker is free, and its user thinks and asks again."""
        self.done, self.last = self.done + 1, now
        self.idle_workers += 1
        if self.queue:
            self.enter(self.queue.popleft())
        self.generator_free = max(self.generator_free, now) + self.generator
        heapq.heappush(self.due, (self.generator_free + self.thinks.pop(), user, False))
