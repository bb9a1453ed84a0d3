"""Operational laws and bounds: one function, one law.

Letters as in Lazowska, Zahorjan, Graham & Sevcik (1984), *Quantitative System Performance*:
N users, X throughput (requests per second), R response time (s), Z think time (s), D demand
(CPU seconds per request), V waiting off the CPU (s per request), c cores, W workers in the
pool, U utilisation (fraction). Times in seconds, rates per second. "Operational" means: true
of any window in which what came in went out, whatever the distributions (Denning & Buzen
1978). A negative number is refused with `Unusable`.
"""

import itertools
import math
from collections.abc import Collection

from labs.records.errors import Unusable

GENERATOR_FULL = 0.8  # of its core: a load generator busier than that distorts what it measures


def _check(above_0: Collection[str] = (), /, **values: float) -> None:
    for name, value in values.items():
        if name in above_0 and not value > 0:
            raise Unusable(f"{name}={value:g}: must be more than 0. Give a positive number.")
        if not value >= 0:  # also refuses NaN
            raise Unusable(f"{name}={value:g}: must not be negative. Give 0 or more.")


def ceiling(units: float, seconds: float) -> float:
    """X <= units / seconds, where each request occupies one of the units for so long.

    Cores and D, workers and D + V, users and D + V + Z: each is the utilisation law at
    U = 1. What takes no time has no ceiling.

    >>> ceiling(units=4, seconds=0.05), ceiling(units=4, seconds=0)
    (80.0, inf)
    """
    _check(units=units, seconds=seconds)
    return units / seconds if seconds > 0 else math.inf


def wait(R: float, D: float) -> float:
    """Wall time is CPU time and waiting: V = R - D, the part spent off the CPU (s).

    Assumes one request alone on the server, so that none of R is queueing. 120 ms on the
    wall with 20 ms of CPU is 100 ms of waiting:

    >>> round(wait(R=0.120, D=0.020), 6)
    0.1
    """
    _check(R=R, D=D)
    if D > R:
        raise Unusable(f"D={D:g}: more CPU time than the wall time R={R:g}. Check the clocks.")
    return R - D


def users(X: float, R: float, Z: float = 0.0) -> float:
    """Little's law, N = X (R + Z): how many users a throughput and a response time imply.

    No assumption on distributions (Little 1961); X and R of the same window, and of *all*
    users: if some are never served, X R falls short of N.

    >>> round(users(X=1276, R=0.202))  # of 512: half of the users were never served
    258
    """
    _check(X=X, R=R, Z=Z)
    return X * (R + Z)


def response_time(N: float, X: float, Z: float = 0.0) -> float:
    """Interactive response time law, R = N / X - Z (s). Little's law for a closed group.

    >>> response_time(N=100, X=50)
    2.0
    """
    _check(("X",), N=N, Z=Z, X=X)
    return N / X - Z


def throughput(N: float, R: float, Z: float = 0.0) -> float:
    """Interactive response time law for X = N / (R + Z), requests per second.

    >>> round(throughput(N=1000, R=0.2, Z=10))
    98
    """
    _check(N=N, R=R, Z=Z)
    return ceiling(N, R + Z)


def demand(busy: float, completed: float) -> float:
    """Service demand law, D = busy CPU seconds / requests completed meanwhile (s).

    >>> f"{demand(busy=412.8, completed=3_000_000) * 1e6:.0f} us"
    '138 us'
    """
    _check(("completed",), busy=busy, completed=completed)
    return busy / completed


def utilisation(X: float, D: float, c: float = 1.0) -> float:
    """Utilisation law, U = X D / c: the fraction of c cores kept busy.

    >>> utilisation(X=20, D=0.05, c=4)  # one core's worth
    0.25
    """
    _check(("c",), X=X, D=D, c=c)
    return X * D / c


def bound(
    N: float, D: float, V: float = 0.0, *, Z: float = 0.0, c: float = 1.0, W: float = math.inf
) -> float:
    """Asymptotic bound, X <= min(N / (D+V+Z), c / D, W / (D+V)), requests per second.

    Nobody can be served faster than alone, the cores do no more than c seconds of work a
    second, and W workers hold no more than W requests. True of any distributions and any
    order of service (Lazowska et al. 1984, asymptotic bounds; Denning & Buzen 1978). For an
    event loop c is 1 and W infinite; for threads under the GIL c is the number of processes
    at most. What costs nothing has no limit: the bound is then infinite.

    >>> bound(N=16, D=0.05, c=4)
    80.0
    >>> bound(N=1024, D=0, V=0.5, W=256)
    512.0
    """
    _check(("c", "W"), N=N, D=D, V=V, Z=Z, c=c, W=W)
    return min(ceiling(N, D + V + Z), ceiling(c, D), ceiling(W, D + V))


def response_time_bound(
    N: float, D: float, V: float = 0.0, *, Z: float = 0.0, c: float = 1.0, W: float = math.inf
) -> float:
    """R >= max(D+V, N D / c - Z, N (D+V) / W - Z), seconds: `bound`, seen from the user.

    >>> response_time_bound(N=1024, D=0, V=0.5, W=256)
    2.0
    """
    _check(("c", "W"), N=N, D=D, V=V, Z=Z, c=c, W=W)
    return max(D + V, N * D / c - Z, N * (D + V) / W - Z)


def knee(D: float, V: float = 0.0, *, Z: float = 0.0, c: float = 1.0, W: float = math.inf) -> float:
    """Users at which the bound stops rising: N* = (D+V+Z) min(c / D, W / (D+V)).

    Below it users hardly wait for each other, above it each one more only waits.

    >>> round(knee(D=0.002, V=1.0))
    501
    """
    _check(("c", "W"), D=D, V=V, Z=Z, c=c, W=W)
    if D + V == 0:
        return math.inf
    return (D + V + Z) * min(ceiling(c, D), ceiling(W, D + V))


def most_users(R: float, D: float, *, Z: float = 0.0, c: float = 1.0) -> float:
    """Users that c cores can answer within R seconds: N <= c (R + Z) / D.

    From R >= N D / c - Z, so no more than these; fewer if requests also wait off the CPU.

    >>> round(most_users(R=1.0, D=0.05, c=4))
    80
    """
    _check(("c",), R=R, D=D, Z=Z, c=c)
    return ceiling(c * (R + Z), D)


def pool_size(D: float, V: float, c: float = 1.0) -> float:
    """Workers that can just keep c cores busy: W* = c (1 + V / D).

    Where W / (D+V) meets c / D. A model with variable times needs some more (chapter 13).
    For V = D this is 2 c, the root of "2 x cores + 1".

    >>> round(pool_size(D=0.020, V=0.180, c=4))
    40
    """
    _check(("c",), D=D, V=V, c=c)
    return c * (1 + ceiling(V, D)) if V else c


def workers_in_memory(memory: float, base: float, each: float) -> int:
    """Workers that fit: W <= (memory - base) / each, whole ones, never below 0.

    `each` is the memory one more worker takes, its PSS (shared pages counted once, not RSS).
    Any unit, the same for the three.

    >>> workers_in_memory(memory=2048, base=400, each=60)
    27
    """
    _check(("each",), memory=memory, base=base, each=each)
    return max(0, math.floor((memory - base) / each))


def queued(R: float, D: float, V: float = 0.0) -> float:
    """Time spent neither on a core nor waiting for something: R - (D + V), seconds.

    >>> queued(R=2.0, D=0, V=0.5)
    1.5
    """
    _check(R=R, D=D, V=V)
    return R - (D + V)


def idle(Z: float, K: float) -> float:
    """Mean time for which a quiet connection holds its worker, seconds: until its user asks again,
    after exponential think times of mean Z, or until the server closes it after K.

    >>> round(idle(Z=1, K=0.2), 3), idle(Z=1, K=math.inf)
    (0.181, 1.0)
    """
    _check(Z=Z, K=K)
    return -Z * math.expm1(-K / Z) if Z else 0.0


def backlog(arrivals: float, X: float, seconds: float) -> float:
    """Requests left waiting when more arrive than are served: (arrivals - X) seconds.

    An *open* load: users arrive whatever the response time, starting with nobody waiting.
    The last of them waits backlog / X.

    >>> backlog(arrivals=60, X=50, seconds=300)
    3000
    """
    _check(arrivals=arrivals, X=X, seconds=seconds)
    return max(0, (arrivals - X) * seconds)


def retry_delay(lost: int, linear: int = 4) -> float:
    """Seconds from the first to the next try after `lost` lost SYNs: 1, 2, 3, 4, 5, 7, 11, ...

    A full listen queue drops the SYN and says nothing, so the client tries again after 1 s.
    Linux doubles the pause from try to try, since 6.5 only after `linear` further ones of 1 s
    (`net.ipv4.tcp_syn_linear_timeouts`); linear=0 is Linux 3.1 to 6.4. Before, the first was 3 s.

    >>> [retry_delay(lost) for lost in range(9)]
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 11.0, 19.0]
    >>> [retry_delay(lost, linear=0) for lost in range(5)]
    [0.0, 1.0, 3.0, 7.0, 15.0]
    """
    _check(lost=lost, linear=linear)
    return min(lost, linear) + 2.0 ** max(0, lost - linear) - 1


def knock(free_s: float, linear: int = 4) -> float:
    """Seconds from the first try to the one that finds a place free after `free_s`.

    >>> knock(4.5), knock(4.5, linear=0)
    (5.0, 7.0)
    """
    _check(free_s=free_s)
    return next(at for lost in itertools.count() if (at := retry_delay(lost, linear)) >= free_s)


def looks(wanted: int, start: int, most: int = 32) -> int:
    """Looks until a prefork server that finds too few idle workers has as many as wanted.

    It forks 1, 2, 4, ... and at most 32 from look to look (Apache's `MAX_SPAWN_RATE`).

    >>> looks(wanted=32, start=6)  # 7, 9, 13, 21, 37
    5
    """
    _check(("most",), wanted=wanted, start=start, most=most)
    count, forked = 0, 1
    while start < wanted and forked < most:
        start, forked, count = start + forked, min(2 * forked, most), count + 1
    return count + max(0, math.ceil((wanted - start) / forked))


def longer(times: float) -> float:
    """Fraction of exponential times that are longer than so many times their mean: exp(-times).

    >>> round(longer(1), 2)
    0.37
    """
    _check(times=times)
    return math.exp(-times)


def generators(X: float, each: float) -> int:
    """Load generators needed for X requests per second: ceil(X / (0.8 each)).

    `each` is the ceiling of one against a server that costs nothing. A generator beyond
    80 % of its ceiling answers late itself, and the response time is partly its own.

    >>> generators(X=12_000, each=1_500)
    10
    """
    _check(("each",), X=X, each=each)
    # 12000 / 1200 is 10, whatever the last bit
    return math.ceil(round(X / (GENERATOR_FULL * each), 9))
