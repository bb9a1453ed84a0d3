"""The still picture of a deal: how often so many users have a thread, if dice deal connections."""

import math
from collections.abc import Iterator

import numpy as np
from markupsafe import Markup

from labs.site.svg import HALF, box, drawing, line, text

LEFT, WIDE, TOP, HIGH = 10, 620, 26, 110
LEAST = 0.002  # chances below this are not drawn


def chances(users: int, processes: int, threads: int) -> list[float]:
    """The chance that 0, 1, ... users have a thread, exactly.

    Dice deal N connections as P independent Poisson processes would that had N in all.

    >>> [round(chance, 4) for chance in chances(4, 2, 2)]  # 2 + 2, 3 + 1, 4 + 0
    [0.0, 0.0, 0.125, 0.5, 0.375]
    """
    mean = users / processes
    one = [math.exp(n * math.log(mean) - mean - math.lgamma(n + 1)) for n in range(users + 1)]
    dealt = np.zeros((users + 1, users + 1))  # connections so far, and how many of them wait
    dealt[0, 0] = 1.0
    for _ in range(processes):
        more = np.zeros_like(dealt)
        for n, chance in enumerate(one):
            wait = max(0, n - threads)
            more[n:, wait:] += chance * dealt[: users + 1 - n, : users + 1 - wait]
        dealt = more
    found = dealt[users, ::-1]
    return [float(chance) for chance in found / found.sum()]


def picture(users: int, processes: int, threads: int, seconds: float) -> Markup:
    """An SVG: bars over the throughput, for requests that take so many seconds each."""
    dealt = chances(users, processes, threads)
    mean = sum(n * chance for n, chance in enumerate(dealt)) / seconds
    most = min(users, processes * threads)
    drawn = [n for n, chance in enumerate(dealt) if chance >= LEAST]
    said = (
        f"{users} connections dealt to {processes} processes of {threads} threads: "
        f"{mean:.0f} requests a second on average, where an even deal would give "
        f"{most / seconds:.0f}; in {100 * dealt[users]:.2g} % of the deals nobody waits."
    )
    bars = _bars(dealt, range(min(drawn), most + 1), mean * seconds, seconds)
    return drawing(said, 166, bars)


def _bars(dealt: list[float], shown: range, mean: float, seconds: float) -> Iterator[Markup]:
    across = WIDE / len(shown)
    floor = TOP + HIGH
    highest = max(dealt)
    for n in shown:
        high = HIGH * dealt[n] / highest
        x = LEFT + (n - shown.start) * across
        yield box(x + 1, floor - high, across - 2, high, HALF)
    at = LEFT + (mean - shown.start + 0.5) * across
    yield line(f"M{LEFT} {floor}H{LEFT + WIDE}M{at:.1f} {floor}V{TOP - 6}", 1.5)
    yield text(at, 14, f"mean {mean / seconds:.0f}", "middle")
    yield text(LEFT, floor + 20, f"{shown.start / seconds:.0f}")
    last = f"{shown.stop / seconds - 1 / seconds:.0f} requests a second"
    yield text(LEFT + WIDE, floor + 20, last, "end")
