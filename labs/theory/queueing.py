"""Queueing models of a server and its closed group of users. Pure; letters as in `laws`.

`capacity` says how fast the cores work with 1, 2, ... requests on them, in cores' worth of
work; its last value holds for more. (1, 2, 3, 4) is four cores, (1, 1.3) one core with two
hyper-threads. An answer is a throughput X in requests per second; R = N / X - Z.
"""

import bisect
import functools
import math
from collections.abc import Callable

import numpy as np

from labs.records.errors import Unusable
from labs.theory.laws import bound, ceiling

FITS_A_PERIOD_S = 0.05  # of CPU: half of the 100 ms over which Linux accounts a quota
FEELS_THE_MEAN_S = 0.2  # two periods and more
MOST_WORKERS = 100_000  # that `filling` tries: some milliseconds of reckoning


def sharing(m: int, D: float, V: float, capacity: tuple[float, ...], W: float = math.inf) -> float:
    """X of m users without think time who share the cores of one server, W at a time.

    Processor sharing and a delay: pi(k) ~ m!/(m-k)! prod_{j<=k} D / (V capacity(j)) for k of m
    requests on the cores, X = sum pi(k) capacity(k) / D, reckoned in logs. Exact for means
    whatever the distributions of D and V, provided one of them varies (Baskett, Chandy,
    Muntz & Palacios 1975); constant times may stay in step, see `in_step`. Beyond W users
    the rest wait outside. Infinite if D and V are both 0.

    >>> round(sharing(40, D=0.020, V=0.180, capacity=(1, 2, 3, 4)), 1)
    182.5
    """
    m = min(m, int(W)) if math.isfinite(W) else m
    if V == 0:
        return ceiling(capacity[min(m, len(capacity)) - 1], D)
    if D == 0:
        return m / V
    k = np.arange(1, m + 1)
    speeds = np.asarray(capacity)[np.minimum(k, len(capacity)) - 1]
    logs = np.cumsum(np.log((m - k + 1) * D / (V * speeds)))
    weights = np.exp(logs - (top := max(0.0, float(logs.max()))))
    return float((weights * speeds).sum() / D / (weights.sum() + math.exp(-top)))


def filled(W: int, D: float, V: float, c: int) -> float:
    """Fraction of c cores that W workers keep busy by `sharing`, each with a user at all times.

    >>> round(filled(40, D=0.020, V=0.180, c=4), 2)  # W* workers: chance takes the rest
    0.91
    """
    return sharing(W, D, V, tuple(range(1, min(c, W) + 1))) * D / c


def filling(part: float, D: float, V: float, c: int) -> int:
    """Least number of workers that keep this part of c cores busy (see `filled`). Raises Unusable
    where no pool does, or none of up to `MOST_WORKERS`.

    >>> filling(0.95, D=0.020, V=0.180, c=4)
    44
    """
    if not (0 <= part < 1 and filled(MOST_WORKERS, D, V, c) >= part):
        raise Unusable(f"part={part:g}: no pool fills so much. Give a smaller part, or less wait.")
    every = range(1, MOST_WORKERS + 1)  # each worker more brings more, or nothing
    return every[bisect.bisect_left(every, part, key=lambda W: filled(W, D, V, c))]


def closed(
    N: int,
    D: float,
    V: float,
    capacity: tuple[float, ...],
    *,
    W: float = math.inf,
    Z: float = 0.0,
    g: float = 0.0,
    cores: float = math.inf,
    generators: int = 1,
) -> float:
    """X of N users who think for Z seconds and cost the load generator g CPU seconds each time.

    Birth and death of the number of users k at the server: they arrive as from a thinking
    group with one single-threaded generator (or several), `sharing(N-k, g, Z)`, and leave at the
    rate of a flow-equivalent server, `sharing(k, D, V)` with the pool W (Chandy, Herzog & Woo
    1975).
    Exact for W >= N as long as the cores suffice for both, else within about 1 %, with one or two
    workers 2.5 % (beside the chain of all states, exponential times). Server and
    generator together work no faster than `cores` (cores' worth of work); where they ask for
    more, both are slowed down alike, so that X (D + g) <= cores and nothing is counted twice.

    >>> round(closed(1000, D=0.05, V=0, capacity=(1, 2, 3, 4, 5), Z=10.0), 1)
    97.4
    """
    if Z == 0 and g == 0:
        return sharing(N, D, V, capacity, W)
    if D == 0 and V == 0:  # the server answers at once: the generator is all there is
        return sharing(N, g, Z, _speeds(generators, cores))
    held = min(N, int(W)) if math.isfinite(W) else N
    leaving = np.array([_sharing(k, D, V, capacity) for k in range(1, held + 1)])
    leaving = np.append(leaving, np.full(N - held, leaving[-1]))  # with 1 .. N at the server
    if g == 0:
        arriving = np.arange(N, 0, -1) / Z  # with 0 .. N-1 at the server
    else:
        speeds = _speeds(generators)
        arriving = np.array([_sharing(n, g, Z, speeds) for n in range(N, 0, -1)])
    busy = np.append(0, leaving * D) + np.append(arriving * g, 0)  # cores asked for with 0 .. N
    slowed = np.minimum(1.0, cores / np.maximum(busy, 1e-300))
    leaving, arriving = leaving * slowed[1:], arriving * slowed[:-1]
    logs = np.append(0.0, np.cumsum(np.log(arriving) - np.log(leaving)))
    pi = np.exp(logs - logs.max())
    return float((pi[1:] * leaving).sum() / pi.sum())


def _speeds(generators: int, cores: float = math.inf) -> tuple[float, ...]:
    """Tell how fast 1, 2, ... busy load generators are together."""
    return tuple(min(float(n), cores) for n in range(1, generators + 1))


_sharing = functools.lru_cache(maxsize=1 << 16)(sharing)  # the levels of a sweep ask again


def in_step(m: int, D: float, V: float, c: float) -> float:
    """Least X of m requests in service, when constant times keep them in step.

    All wait together for V, then all want a core: m / (V + D max(1, m / c)). So low for as
    long as nothing disturbs them, where `sharing` promises more. The same for an event loop
    or threads under the GIL, with c the number of processes.

    >>> round(in_step(40, D=0.020, V=0.180, c=4))
    105
    """
    return m / (V + D * max(1.0, m / c))


def rounds(
    N: int, V: float, *, D: float, Z: float = 0.0, g: float = 0.0, W: float = math.inf
) -> float:
    """X of N users whose requests wait in rounds of V seconds that all share who are there as one
    begins: a group commit.

    Whoever comes meanwhile waits for its end, then has the next: a whole one more where users ask
    again at once, half of one where they think for long (exponential Z). A lone user has one alone.
    More users than workers have two for each worker. Within 5 % of a simulation.

    >>> round(rounds(1, V=0.2, D=0.05), 1), round(rounds(20, V=0.2, D=0.01), 1)
    (4.0, 48.8)
    """
    missed = V - Z + (V / math.expm1(V / Z) if V < 500 * Z else 0.0)
    on = -math.expm1((1 - N) * V / max(D + Z, 1e-12))  # chance that somebody else's round is
    found = N / (V + D + Z + g + on * missed)
    return min(found, max(1 / (V + D + g), ceiling(W, 2 * V)) if N > W else math.inf)


def quota(D: float, full_speed: float, evened: float, q: float, g: float = 0.0) -> float:
    """X under a CPU quota of q cores, which runs at full speed until its 100 ms budget is gone.

    full_speed is the model's X on all cores, evened the model's X on q cores' worth of slower
    ones. Requests of up to 50 ms fit into a period: X = min(full_speed, q / (D + g)), g the
    load generator's share. From 200 ms on they feel the mean speed: evened. In between the
    truth is between, and so is the answer, by proportion (a rule from measurements, no law).

    >>> quota(0.05, full_speed=40.0, evened=20.0, q=1.5)
    30.0
    >>> quota(0.2, full_speed=7.5, evened=6.0, q=1.5)
    6.0
    """
    evenly = min(1.0, max(0.0, (D - FITS_A_PERIOD_S) / (FEELS_THE_MEAN_S - FITS_A_PERIOD_S)))
    capped = min(full_speed, ceiling(q, D + g))
    return (1 - evenly) * capped + evenly * evened


def coin_flips(
    N: int, processes: int, rate: Callable[[int], float], corner: int | None = None
) -> float:
    """Mean X of pools that share nothing if each of N connections fell on any process alike.

    Optimistic: kernels and accept loops split less evenly than coins. rate(n) is asked for
    at most five n around N / processes (the binomial split's mean, one and three standard
    deviations off), and where it has a corner, as at the threads of a process; it is read off
    straight lines between them. Exact for N <= 5, and for what is straight but for that corner.

    >>> round(coin_flips(4, 2, lambda n: min(n, 2) / 1.0), 3)  # 4 with probability 3/8
    3.25
    """
    p = 1 / processes
    if processes == 1:
        return rate(N)
    mean, sd = N * p, math.sqrt(N * p * (1 - p))
    if N <= 5:
        known = list(range(1, N + 1))
    else:
        around = [round(mean + i * sd) for i in (-3, -1, 0, 1, 3)]
        around += [corner] if corner else []
        known = sorted({min(N, max(1, n)) for n in around})
    n = np.arange(N + 1)
    logs = np.array([math.lgamma(N + 1) - math.lgamma(i + 1) - math.lgamma(N - i + 1) for i in n])
    chance = np.exp(logs + n * math.log(p) + (N - n) * math.log1p(-p))
    rates = np.interp(n, [0, *known], [0.0, *(rate(i) for i in known)])
    return processes * float((chance * rates).sum())


def by_coins(N: int, processes: int, D: float, V: float, W: int) -> float:
    """`coin_flips` for processes of W threads each that only wait, or wait and compute in turn.

    >>> round(by_coins(256, 2, D=0, V=0.2, W=128))  # 1280 if they were one pool
    1248
    """
    return coin_flips(N, processes, lambda n: bound(N=n, D=D, V=V, W=W), W)
