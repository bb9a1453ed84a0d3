"""The exercises of the chapter `event-loop`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Numbers, Slip
from labs.exercises.readings import interval, of_last, of_parts


def _loop_rps(given: Numbers) -> float:
    """X = min(N / (D+V), 1 / D)."""
    cpu_s = given["cpu_ms"] / 1000
    return min(given["users"] / (cpu_s + given["wait_s"]), 1 / cpu_s)


EXERCISES = (
    Exercise(
        id="11.1",
        question="A request needs {cpu_ms} ms of CPU time and waits {wait_s} s; one event loop "
        "awaits it. {users} users ask again at once. How many requests a second?",
        unit="req/s",
        given={"cpu_ms": (2, 4, 5, 2.5), "wait_s": (1, 0.5, 2), "users": (2000, 1500, 1200)},
        answer=_loop_rps,
        slips=(
            Slip(
                lambda users, cpu_ms, wait_s: users / (cpu_ms / 1000 + wait_s),
                "So many the users would allow. But the loop is one thread on one core.",
            ),
            Slip(
                lambda cpu_ms, wait_s: 1 / (cpu_ms / 1000 + wait_s),
                "As if the loop stood still while a request waits; it awaits, and goes on.",
            ),
            Slip(
                lambda users, cpu_ms, wait_s: users / (cpu_ms + wait_s),
                "The CPU time is in milliseconds and the wait in seconds: bring both to one unit.",
            ),
        ),
        hint="Two limits, N / (D + V) and 1 / D. The lower one counts.",
    ),
    Exercise(
        id="11.2",
        question="The same page, {cpu_ms} ms of CPU time and {wait_s} s of waiting, in one event "
        "loop. From how many users on is it full?",
        unit="users",
        given={"cpu_ms": (2, 4, 5, 2.5), "wait_s": (1, 0.5, 2)},
        answer=lambda wait_s, cpu_ms: 1 + wait_s / cpu_ms * 1000,
        slips=(
            Slip(
                lambda cpu_ms: 1000 / cpu_ms,
                "That is the throughput of the full loop; how many users does it take?",
            ),
            Slip(
                lambda wait_s, cpu_ms: 1 + wait_s / cpu_ms,
                "The wait is in seconds, the CPU time in milliseconds: bring both to one unit.",
            ),
        ),
        hint="N / (D + V) = 1 / D, solved for N.",
    ),
    Exercise(
        id="11.3",
        question="A coroutine calls time.sleep for {wait_ms} ms. One event loop, next to no CPU "
        "time, {users} users who ask again at once. How many requests a second?",
        unit="req/s",
        given={"wait_ms": (200, 100, 250, 500), "users": (50, 20, 40, 100)},
        answer=lambda wait_ms: 1000 / wait_ms,
        slips=(
            Slip(
                lambda users, wait_ms: users * 1000 / wait_ms,
                "That is with `await asyncio.sleep`. This call keeps the loop, and all wait.",
            ),
            Slip(
                lambda wait_ms, users: 1000 / wait_ms / users,
                "That is what one of the users gets; the question is about all of them.",
            ),
        ),
        hint="While one sleeps, the loop does nothing else. How many such sleeps fit in a second?",
    ),
    Exercise(
        id="11.4",
        question="Your own run: at the CPU time a request cost at {users} users, at most how many "
        "requests a second could that one loop do?",
        unit="req/s",
        lab="event-loop",
        read=of_last,
        answer=lambda demand_s: 1 / demand_s,
        tolerance=interval,
        slips=(
            Slip(
                lambda cores, demand_s: cores / demand_s,
                "That is all {cores} cores; one loop is one thread and uses one of them.",
            ),
            Slip(
                lambda throughput: throughput,
                "That is what it did; the question is what it could do when its core is full.",
            ),
        ),
        hint="One core has one second of CPU time in each second. How many requests fit?",
    ),
    Exercise(
        id="11.5",
        question="Your own run at {users} users: how many event loops that block would do as much "
        "as the one that awaits?",
        unit="loops",
        lab="one-blocking-call",
        read=of_parts("awaits", "blocks"),
        answer=lambda first, second: first / second,
        tolerance=interval,
        slips=(
            Slip(
                lambda second, first: second / first,
                "Upside down: the one that awaits goes on top.",
            ),
            Slip(
                lambda first, second: first - second,
                "That is the difference; how many times does one go into the other?",
            ),
        ),
        hint="The throughput of `awaits` divided by that of `blocks`.",
    ),
    Exercise(
        id="11.6",
        question="Break it: find a setting in which prefork, with the same work and the same "
        "users, beats the event loop by as much as you can.",
        hint="One loop is one core: let the page compute. Or let its wait block, where each "
        "process has only itself to hold up.",
    ),
)
