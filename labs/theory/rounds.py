"""Simulation of a wait that many have together, in rounds: a group commit. Pure, seeded.

A round takes all who are there as it begins. Whoever comes meanwhile waits for its end, and has the
next one with all who came as late. Letters as in `laws`.
"""

import functools
import heapq
import math
from collections import deque

import numpy as np

from labs.theory.simulation import REQUESTS, SEED, WARM_UP, drawn

COME, READY, END = range(3)  # to the server, for a round, of a round


@functools.lru_cache(maxsize=1024)  # a panel asks again whenever one of its sliders moves
def rounds(
    N: int,
    V: float,
    *,
    D: float = 0.0,
    Z: float = 0.0,
    g: float = 0.0,
    W: float = math.inf,
    wait_cv: float = 0.0,
    seed: int = SEED,
) -> float:
    """X (requests per second) of N users whose requests need a worker, then D seconds, then a round
    of V seconds: gamma distributed, with that coefficient of variation, and the same for all who
    are in it. Z is exponential, and each request takes g seconds in a load generator that does one
    thing at a time. At most W requests have a worker; the others queue for one in order of
    arrival. D is a delay: nobody waits for a core.

    A lone user has one round for each request, a crowd that comes back at once two of them.

    >>> round(rounds(1, V=0.2, D=0.05), 1), round(rounds(20, V=0.2, D=0.01), 1)
    (4.0, 50.0)
    """
    requests, dice = max(REQUESTS, 20 * N), np.random.default_rng(seed)
    warm_up = int(WARM_UP * requests)
    until = warm_up + requests
    lengths, thinks = drawn(dice, V, wait_cv, until + 1), drawn(dice, Z, 1.0, until + N)
    due = [((2 * V + D + Z + g) * user / N, COME, user) for user in range(N)]  # a heap
    idle, queue = W, deque[int]()  # for a worker
    ready, inside = list[int](), list[int]()  # for a round, and in the one that is on
    done = before = 0
    generator_free = began_s = now = 0.0
    while done < until:
        now, what, user = heapq.heappop(due)
        if what == COME:
            queue.append(user)
        elif what == READY:
            ready.append(user)
        else:
            idle += len(inside)
            for answered in inside:
                generator_free = max(generator_free, now) + g
                heapq.heappush(due, (generator_free + thinks.pop(), COME, answered))
            if done < warm_up:  # the clock starts, again
                before, began_s = done + len(inside), now
            done, inside = done + len(inside), []
        while queue and idle > 0:
            idle -= 1
            heapq.heappush(due, (now + D, READY, queue.popleft()))
        if ready and not inside:
            inside, ready = ready, []
            heapq.heappush(due, (now + lengths.pop(), END, -1))
    return (done - before) / (now - began_s)
