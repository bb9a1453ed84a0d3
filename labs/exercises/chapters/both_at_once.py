"""The exercises of the chapter `both-at-once`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Numbers, Slip
from labs.exercises.readings import interval, of_part, of_parts

PAGE = {"cpu_ms": (20, 10, 40), "wait_ms": (180, 90, 360), "cores": (4, 8, 12)}


def _fills(given: Numbers) -> float:
    """W* = c (1 + V / D)."""
    return given["cores"] * (1 + given["wait_ms"] / given["cpu_ms"])


def _by_the_rule(given: Numbers) -> float:
    """2 x cores + 1."""
    return 2 * given["cores"] + 1


def _held_s(given: Numbers) -> float:
    """D + V, in seconds."""
    return (given["cpu_ms"] + given["wait_ms"]) / 1000


def _logged_ms(given: Numbers) -> float:
    """CPU time a request, from a log's two sums."""
    return given["cpu_total_s"] / given["requests"] * 1000


EXERCISES = (
    Exercise(
        id="13.1",
        question="A page computes for {cpu_ms} ms and waits for {wait_ms} ms. The server has "
        "{cores} cores. How many workers can just keep them busy?",
        unit="workers",
        given=PAGE,
        answer=_fills,
        slips=(
            Slip(
                lambda cores: cores,
                "One for each core, and each of them lets its core idle while it waits.",
            ),
            Slip(
                lambda cores, wait_ms, cpu_ms: cores * wait_ms / cpu_ms,
                "So many can wait. The {cores} that compute meanwhile are workers too.",
            ),
            Slip(
                lambda given: _fills(given) / given["cores"],
                "That is for one core; there are {cores}.",
            ),
            Slip(
                lambda cores, cpu_ms, wait_ms: cores * (1 + cpu_ms / wait_ms),
                "Upside down: the longer a page waits, the more workers it takes.",
            ),
            Slip(_by_the_rule, "That is 2 x cores + 1, which never asked how long the page waits."),
        ),
        hint="W* = c (1 + V / D).",
    ),
    Exercise(
        id="13.2",
        question="A page computes for {cpu_ms} ms and waits for {wait_ms} ms, on {cores} cores. "
        "The pool was set to 2 x cores + 1, and there are users enough. At most how many requests "
        "a second?",
        unit="req/s",
        given=PAGE,
        answer=lambda given: min(
            _by_the_rule(given) / _held_s(given), given["cores"] / given["cpu_ms"] * 1000
        ),
        slips=(
            Slip(
                lambda cores, cpu_ms: cores / cpu_ms * 1000,
                "So much the cores could do. The pool is too small to keep them busy.",
            ),
            Slip(
                lambda given: _by_the_rule(given) / given["cpu_ms"] * 1000,
                "A worker is held for the {wait_ms} ms as well.",
            ),
            Slip(
                lambda given: given["cores"] / _held_s(given),
                "That is cores / response time: with one worker for each core it would be right.",
            ),
            Slip(
                lambda given: _fills(given) / _held_s(given),
                "That is with as many workers as fill the cores; the rule gives fewer.",
            ),
        ),
        hint="X = min(W / (D + V), c / D), with W = 2 c + 1.",
    ),
    Exercise(
        id="13.3",
        question="In a quiet hour a page takes {wall_ms} ms. Over a day, {requests} requests used "
        "{cpu_total_s} s of CPU time. The server has {cores} cores. How many workers can just keep "
        "them busy?",
        unit="workers",
        given={
            "wall_ms": (250, 300, 500),
            "requests": (200000, 100000, 400000),
            "cpu_total_s": (10000, 5000),
            "cores": (4, 2, 8),
        },
        answer=lambda given: given["cores"] * given["wall_ms"] / _logged_ms(given),
        slips=(
            Slip(
                lambda given: given["cores"] * (1 + given["wall_ms"] / _logged_ms(given)),
                "The {wall_ms} ms hold the CPU time already; don't count it twice.",
            ),
            Slip(
                lambda given: given["cores"] * (given["wall_ms"] / _logged_ms(given) - 1),
                "Nearly: those that compute are workers as well as those that wait.",
            ),
            Slip(
                lambda given: given["wall_ms"] / _logged_ms(given),
                "That is for one core; there are {cores}.",
            ),
            Slip(
                _logged_ms,
                "That is the CPU time of a request, in ms. How often does it fit into {wall_ms}?",
            ),
        ),
        hint="Cores x wall time / CPU time, with the CPU time of one request.",
    ),
    Exercise(
        id="13.4",
        question="Your own run: at {users} users, which part of the throughput of 60 workers did "
        "20 workers reach?",
        unit="as a fraction",
        lab="both-at-once",
        read=of_parts("20 workers", "60 workers"),
        answer=lambda first, second: first / second,
        tolerance=interval,
        slips=(
            Slip(
                lambda second, first: second / first,
                "Upside down: the 20 workers go on top.",
            ),
            Slip(
                lambda: 20 / 60,
                "That is the part of the workers. Did the cores let each of the 60 do as much?",
            ),
        ),
        hint="The throughput of 20 workers divided by that of 60.",
    ),
    Exercise(
        id="13.5",
        question="Your own run with 60 workers: a request really used {demand_s} s of CPU time and "
        "waits {wait_s} s. How many workers can just keep your {cores} cores busy?",
        unit="workers",
        lab="both-at-once",
        read=of_part("60 workers"),
        answer=lambda cores, wait_s, demand_s: cores * (1 + wait_s / demand_s),
        tolerance=lambda: 0.05,
        slips=(
            Slip(
                lambda cores, wait_s, demand_s: cores * wait_s / demand_s,
                "So many can wait. Those that compute meanwhile are workers too.",
            ),
            Slip(
                lambda wait_s, demand_s: 1 + wait_s / demand_s,
                "That is for one core; you have {cores}.",
            ),
            Slip(
                lambda: 60,
                "So many there were. How many would have been enough?",
            ),
        ),
        hint="W* = c (1 + V / D), with the CPU time that was measured.",
    ),
    Exercise(
        id="13.6",
        question="Break it: a page that waits half of its time and gains nothing from more workers "
        "than cores; or users who are all in step.",
        hint="Which waits can't be filled with somebody else's work? And `wait_cv=0` makes the "
        "wait constant.",
    ),
)
