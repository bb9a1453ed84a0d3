"""The small models of the scenes, a second time: those of stations_model.ts, hopping_model.ts,
quota_model.ts and samples_model.ts in book/web/src/scenes, written from their first comments.

`python tests/scene_models.py` writes what both are held to, the files of `agreed/`.
"""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from shop_reference import Dice

from labs.theory import laws

AGREED = Path(__file__).parents[1] / "book/web/src/scenes/agreed"
PERIOD = 100_000
LOGGED = 150  # events of a trace

SHOP = ((32, 57_000), (4, 5_000), (10**9, 0), (1, 2_000), (10, 40_000), (1, 10_000))
BOTH = ((9, 200_000), (4, 20_000), (10**9, 180_000), (1, 0), (5, 0), (1, 0))
ALONE = ((5, 3_000), (1, 1_000), (10**9, 0), (1, 0), (1, 0), (2, 2_000))


def dice_times(seed: int) -> Callable[[int], int]:
    """Exponential with that mean, in whole microseconds; without a seed always the mean."""
    dice = Dice(seed)
    return lambda us: math.floor(-us * math.log(dice.uniform()) + 0.5) if seed else us


def stations(things: Any, users: int, seed: int, events: int) -> list[list[int]]:
    """Who was done with which thing at what time: [µs, thing, user]."""
    draw = dice_times(seed)
    free = [units for units, _ in things]
    lines: list[list[int]] = [[] for _ in things]
    pending: list[tuple[int, int, int, int]] = []
    begun, now = 0, 0

    def begin(thing: int) -> None:
        nonlocal begun
        while lines[thing] and free[thing]:
            who = lines[thing].pop(0)
            free[thing] -= 1
            if thing == 0:
                come(who, 1)
            else:
                begun += 1
                pending.append((now + max(1, draw(things[thing][1])), begun, thing, who))

    def come(who: int, thing: int) -> None:
        while 0 < thing < len(things) and things[thing][1] == 0:
            thing += 1
        if thing == len(things):
            free[0] += 1
            begin(0)
            thing = 0
        lines[thing].append(who)
        begin(thing)

    for who in range(users):
        come(who, 0)
    log = []
    for _ in range(events):
        first = min(pending)
        pending.remove(first)
        now, _, thing, who = first
        log.append([now, thing, who])
        free[thing] += 1
        begin(thing)
        come(who, thing + 1)
    return log


def network(things: Any, users: int) -> float:
    """X of a closed network whose pool has room for all, requests per second: the convolution of
    Buzen (1973), exact for exponential times."""
    sums = [1.0] + [0.0] * users
    for units, us in things[1:]:
        weights = [1.0]
        for n in range(1, users + 1):
            weights.append(weights[-1] * us / 1e6 / min(n, units))
        sums = [sum(sums[n - k] * weights[k] for k in range(n + 1)) for n in range(users + 1)]
    return sums[users - 1] / sums[users]


def hopping(cores: int, threads: int, mean: int, seed: int, moves: int) -> list[list[int]]:
    """Stays in the order in which they begin: [thread, core, from, until], µs."""
    dice = Dice(seed)
    where: dict[int, tuple[int, int]] = {}  # core and end of each thread's stay
    log: list[list[int]] = []
    for move in range(threads + moves):
        at, thread = (0, move) if move < threads else min((e, t) for t, (_, e) in where.items())
        taken = {core for other, (core, _) in where.items() if other != thread}
        free = sorted(set(range(cores)) - taken)
        core = free[int(dice.uniform() * len(free))]
        until = at + max(1, math.floor(-mean * math.log(dice.uniform()) + 0.5))
        where[thread] = (core, until)
        log.append([thread, core, at, until])
    return log


def quota(workers: int, cores: int, allowed: float, cpu: int, pair: float) -> list[int]:
    """Requests done after a third of each of ten periods, from one thing that happens to the
    next: a request is done, the budget is spent, a period begins, somebody looks."""
    running = min(workers, cores)
    whole = math.ceil(cores / 2)
    worth = min(running, whole) + max(0, running - whole) * (pair - 1)
    needs = max(1, math.ceil(cpu * workers / worth))
    left = [needs - worker * needs // workers for worker in range(workers)]
    done, now, told = 0, 0, []
    for look in range(10 * 2):
        until = look // 2 * PERIOD + (PERIOD if look % 2 else PERIOD // 3)
        if look % 2 == 0:
            budget = int(allowed * PERIOD) // running
        while now < until:
            passed = min(until - now, budget or PERIOD, *(left if budget else ()))
            now += passed
            if budget:
                budget -= passed
                done += left.count(passed)
                left = [needs if each == passed else each - passed for each in left]
        if look % 2 == 0:
            told.append(done)
    return told


def sample(dice: Dice, requests: int, mean: int, deviation: int) -> list[int]:
    """Response times of a test, µs."""
    twelve = [sum(dice.uniform() for _ in range(12)) - 6 for _ in range(requests)]
    return [max(1, math.floor(mean + deviation * each + 0.5)) for each in twelve]


def below(z: float) -> float:
    """The part of a bell that lies below z."""
    return (1 + math.erf(z / 2**0.5)) / 2


def within(t: float, freedom: int, steps: int = 10_000) -> float:
    """The part of Student's distribution between -t and t, by adding up its density."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    scale /= math.sqrt(freedom * math.pi)
    width = t / steps
    heights = (
        (1 + ((i + 0.5) * width) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps)
    )
    return 2 * scale * width * sum(heights)


def _ceilings() -> Iterator[dict[str, Any]]:
    for name, things, users in (("shop", SHOP, 40), ("both", BOTH, 60), ("alone", ALONE, 1)):
        roomy = ((10**9, things[0][1]), *things[1:])
        held = [(units, us / 1e6) for units, us in things]
        yield {
            "name": name,
            "things": [list(thing) for thing in things],
            "users": users,
            "alike": stations(things, users, 0, LOGGED),
            "seed": 7,
            "chance": stations(things, users, 7, LOGGED),
            "bound": min(laws.ceiling(users, held[0][1]), *(laws.ceiling(*each) for each in held)),
            "roomy": network(roomy, min(users, 20)),
        }


def _samples() -> Iterator[dict[str, Any]]:
    for requests, apart, deviation in ((10, 43, 312), (100, 43, 312), (20, 0, 100), (500, 43, 312)):
        dice = Dice(5)
        course = [
            sum(sample(dice, requests, 1_162_000 + 1000 * more, 1000 * deviation))
            for more in (0, apart, 0, apart)
        ]
        error = deviation * (2 / requests) ** 0.5
        yield {
            "requests": requests,
            "apart": 1000 * apart,
            "deviation": 1000 * deviation,
            "course": course,
            "error": 1000 * error,
            "misled": below(-apart / error),
        }


def write() -> None:
    """All files of `agreed/` that are made here."""
    made = {
        "ceilings": list(_ceilings()),
        "hopping": [
            dict(zip(("cores", "threads", "mean", "seed"), row, strict=True))
            | {"stays": hopping(*row, moves=60)}
            for row in ((4, 1, 50_000, 1), (4, 3, 20_000, 9), (2, 2, 10_000, 4))
        ],
        "quota": [
            dict(zip(("workers", "cores", "quota", "cpu", "pair"), row, strict=True))
            | {"done": quota(*row)}
            for row in ((4, 8, 1.5, 20_000, 2), (1, 4, 1.5, 30_000, 2), (6, 4, 4, 7_000, 1.3))
        ],
        "samples": {
            "student": [[4, 2.776], [9, 2.262], [18, 2.101], [98, 1.984], [1998, 1.961]],
            "rows": list(_samples()),
        },
    }
    for name, rows in made.items():
        text = json.dumps(rows, separators=(",", ":"))
        (AGREED / f"{name}.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    write()
