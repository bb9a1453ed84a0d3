"""The exercises of the chapter `how-many-workers`: ranges, laws and slips."""

from __future__ import annotations

import math

from labs.exercises.exercise import Exercise, Numbers, Slip
from labs.exercises.readings import interval, of_parts


def _spread_ms(given: Numbers) -> float:
    """Standard deviation of the difference of two single requests."""
    return math.hypot(given["first_ms"], given["second_ms"])


EXERCISES = (
    Exercise(
        id="6.1",
        question="{cores} cores, {cpu_ms} ms of CPU time a request, {users} users, {workers} "
        "workers. How many requests a second?",
        unit="req/s",
        given={
            "cores": (4, 8, 6),
            "cpu_ms": (50, 20, 25, 40),
            "users": (16, 24, 32),
            "workers": (2, 3, 5),
        },
        answer=lambda cores, workers, cpu_ms: min(cores, workers) * 1000 / cpu_ms,
        slips=(
            Slip(
                lambda cores, cpu_ms: cores * 1000 / cpu_ms,
                "So much {cores} cores could do. There are only {workers} workers.",
            ),
            Slip(
                lambda users, cpu_ms: users * 1000 / cpu_ms,
                "As if each of the {users} users had a worker and a core of their own.",
            ),
            Slip(
                lambda cpu_ms: 1000 / cpu_ms,
                "That is one worker; there are {workers}.",
            ),
        ),
        hint="X = min(N, c, W) / D.",
    ),
    Exercise(
        id="6.2",
        question="{cores} cores, {cpu_ms} ms of counting a request, {users} users. Python with its "
        "usual lock; processes: {processes}, threads in each: {threads}. How many requests a "
        "second?",
        unit="req/s",
        given={
            "cores": (4, 8, 6),
            "cpu_ms": (50, 20, 25, 40),
            "users": (16, 24, 32),
            "processes": (1, 2, 3),
            "threads": (16, 8),
        },
        answer=lambda cores, processes, cpu_ms: min(cores, processes) * 1000 / cpu_ms,
        slips=(
            Slip(
                lambda cores, cpu_ms: cores * 1000 / cpu_ms,
                "As if its threads could count at the same moment. There is one lock in a process.",
            ),
            Slip(
                lambda processes, threads, cpu_ms: processes * threads * 1000 / cpu_ms,
                "As if each thread had a core of its own.",
            ),
            Slip(
                lambda cpu_ms: 1000 / cpu_ms,
                "That is one process; there are {processes}.",
            ),
        ),
        hint="c' = min(c, P): one lock in each process.",
    ),
    Exercise(
        id="6.3",
        question="Two tests of {requests} requests each. The standard deviations of their response "
        "times are {first_ms} and {second_ms} ms. What is the standard error of the difference of "
        "their means?",
        unit="ms",
        given={"requests": (10, 20, 40), "first_ms": (320, 250), "second_ms": (304, 410)},
        answer=lambda given: _spread_ms(given) / math.sqrt(given["requests"]),
        slips=(
            Slip(
                _spread_ms,
                "That would be the difference of two single requests; a mean of {requests} is "
                "steadier. Divide by the root of {requests}.",
            ),
            Slip(
                lambda given: _spread_ms(given) / given["requests"],
                "By the root of {requests}, not by {requests}.",
            ),
            Slip(
                lambda first_ms, second_ms, requests: (first_ms + second_ms) / math.sqrt(requests),
                "Their squares are added, not they themselves: the two don't err together.",
            ),
            Slip(
                lambda first_ms, requests: first_ms / math.sqrt(requests),
                "That is the first mean alone; the second wavers as well.",
            ),
            Slip(
                lambda second_ms, requests: second_ms / math.sqrt(requests),
                "That is the second mean alone; the first wavers as well.",
            ),
        ),
        hint="The root of the sum of their squares, divided by the root of {requests}.",
    ),
    Exercise(
        id="6.4",
        question="Your own run: at {users} users, how many times as many requests a second did "
        "sixteen workers do as one?",
        unit="times",
        lab="how-many-workers",
        read=of_parts("16 workers", "1 worker"),
        answer=lambda first, second: first / second,
        tolerance=interval,
        slips=(
            Slip(
                lambda second, first: second / first,
                "Upside down: the sixteen go on top.",
            ),
            Slip(
                lambda: 16,
                "That would need a core and a user for each of the sixteen.",
            ),
        ),
        hint="The throughput of sixteen workers divided by that of one.",
    ),
    Exercise(
        id="6.5",
        question="Your own run: at {users} users, how many times as many requests a second did "
        "sixteen threads do while hashing as while counting?",
        unit="times",
        lab="threads-and-cores",
        read=of_parts("16 threads, hashing", "16 threads"),
        answer=lambda first, second: first / second,
        tolerance=interval,
        slips=(
            Slip(
                lambda second, first: second / first,
                "Upside down: the hashing goes on top.",
            ),
            Slip(
                lambda: 16,
                "That would need a core for each of the sixteen threads.",
            ),
        ),
        hint="The throughput while hashing divided by that while counting.",
    ),
    Exercise(
        id="6.6",
        question="Break it: a page for which sixteen workers are much better than as many as "
        "there are cores, and one for which sixteen threads do as well as sixteen processes.",
        hint="What can a page do that needs neither a core nor the lock?",
    ),
)
