"""What four scenes of the book are held to, a second time and by other means: interleavings,
connections that are dealt, pages that are copied, and a pool that grows.

    python tests/crowd_reference.py

writes the files in book/web/src/scenes/agreed; the page's tests read the same ones.
"""

import itertools
import json
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from shop_reference import Dice

from labs.theory.laws import looks

AGREED = Path(__file__).parents[1] / "book/web/src/scenes/agreed"


# -- interleavings: a letter for each instruction ------------------------------------------------

PROGRAMS = ["r.w", ".(rw)", "(r.w)"]  # lock and unlock are brackets, work is a dot


def ends(threads: int, rounds: int, lock: int) -> dict[str, int]:
    """The counter at the end -> in how many orders. Every order is walked, from its first step."""
    program = PROGRAMS[lock] * rounds
    found: Counter[str] = Counter()
    states: Counter[tuple[tuple[int, ...], tuple[int, ...], int]] = Counter()
    states[((0,) * threads, (0,) * threads, 0)] = 1
    for _ in range(threads * len(program)):
        after: Counter[tuple[tuple[int, ...], tuple[int, ...], int]] = Counter()
        for (at, notes, counter), ways in states.items():
            inside = [program[:place].count("(") > program[:place].count(")") for place in at]
            for who in range(threads):
                if at[who] == len(program) or (program[at[who]] == "(" and any(inside)):
                    continue
                note, now = notes[who], counter
                if program[at[who]] == "r":
                    note = counter
                elif program[at[who]] == "w":
                    now, note = note + 1, 0  # forgotten: it is read anew
                places = (*at[:who], at[who] + 1, *at[who + 1 :])
                after[(places, (*notes[:who], note, *notes[who + 1 :]), now)] += ways
        states = after
    for (_, _, counter), ways in states.items():
        found[str(counter)] += ways
    return dict(sorted(found.items()))


# -- deals -------------------------------------------------------------------------------------


def split(dice: Dice, N: int, P: int) -> list[int]:
    fell = [int(dice.uniform() * P) for _ in range(N)]
    return [fell.count(process) for process in range(P)]


def served(N: int, P: int, T: int) -> Fraction:
    """Users with a thread, on average: as `by_coins`, without its straight lines."""
    ways = sum(math.comb(N, n) * (P - 1) ** (N - n) * min(n, T) for n in range(N + 1))
    return Fraction(P * ways, P**N)


def everybody(N: int, P: int, T: int) -> Fraction:
    """The chance that nobody waits: ways to deal with at most T for each, of P^N."""
    ways = [1] + [0] * N
    for _ in range(P):
        ways = [
            sum(math.comb(n, k) * ways[n - k] for k in range(min(T, n) + 1)) for n in range(N + 1)
        ]
    return Fraction(ways[N], P**N)


# -- pages -------------------------------------------------------------------------------------

CODE, LOADED, DATA = 16, 16, 40


def copies(writes: int) -> Fraction:
    """Pages of DATA that so many writes reach on average, by the chances of each number."""
    chances = [Fraction(1)] + [Fraction(0)] * DATA
    for _ in range(writes):
        chances = [
            chances[n] * Fraction(n, DATA)
            + (chances[n - 1] * Fraction(DATA - n + 1, DATA) if n else 0)
            for n in range(DATA + 1)
        ]
    return sum((n * chance for n, chance in enumerate(chances)), Fraction(0))


def used(seed: int, workers: int, preload: bool, written: int, requests: int) -> list[int]:
    """Pages in use after each request: those of the master, and each worker's own."""
    dice, own = Dice(seed), [set[int]() for _ in range(workers)]
    course = []
    for who in itertools.islice(itertools.cycle(range(workers)), requests):
        own[who] |= {int(dice.uniform() * DATA) for _ in range(written)}
        if preload:
            course.append(CODE + LOADED + DATA + sum(map(len, own)))
        else:
            course.append(CODE + workers * (LOADED + DATA))
    return course


# -- the files ---------------------------------------------------------------------------------


def agreed() -> Iterator[tuple[str, Any]]:
    """Each file's name, and what is in it."""
    races = [(2, 1), (2, 2), (2, 3), (3, 1), (4, 1)]
    yield (
        "interleavings",
        [
            {"threads": n, "rounds": r, "lock": lock, "ends": ends(n, r, lock)}
            for n, r in races
            for lock in range(3)
        ],
    )
    rows = []
    for seed, (N, P, T) in enumerate(
        [(4, 2, 2), (16, 4, 16), (64, 4, 16), (64, 4, 20), (64, 1, 64), (256, 2, 128), (100, 16, 5)]
    ):
        dice = Dice(seed)
        rows.append(
            {"seed": seed, "N": N, "P": P, "T": T}
            | {"splits": [split(dice, N, P) for _ in range(5)]}
            | {"served": float(served(N, P, T)), "everybody": float(everybody(N, P, T))}
        )
    yield "deals", rows
    courses: list[dict[str, Any]] = [
        {"seed": 1, "workers": 3, "preload": True, "written": 4},
        {"seed": 2, "workers": 5, "preload": True, "written": 1},
        {"seed": 3, "workers": 2, "preload": False, "written": 3},
    ]
    yield (
        "pages",
        {
            "copies": [{"writes": n, "mean": float(copies(n))} for n in (0, 1, 2, 10, 40, 120)],
            "courses": [course | {"used": used(**course, requests=20)} for course in courses],
        },
    )
    yield (
        "looks",
        [
            {"wanted": wanted, "start": start, "looks": looks(wanted, start)}
            for wanted, start in [
                (6, 5),
                (32, 6),
                (64, 5),
                (100, 80),
                (256, 5),
                (256, 70),
                (20, 19),
            ]
        ],
    )


if __name__ == "__main__":
    for name, rows in agreed():
        (AGREED / f"{name}.json").write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
