"""The exercises of the chapters on watching a server and on its workers."""

from __future__ import annotations

import math

from labs.exercises.check import Exercise, Given, Slip
from labs.exercises.readings import interval, of_first_step, of_parts


def _spread_ms(given: Given) -> float:
    """Standard deviation of the difference of two single requests."""
    return math.hypot(given["first_ms"], given["second_ms"])


WORKERS: tuple[Exercise, ...] = (
    # watching
    Exercise(
        id="5.1",
        question="On a machine with {cores} cores, each core shows {percent} %. How many cores' "
        "worth of work is being done?",
        unit="cores",
        given={"cores": (4, 8, 12, 16), "percent": (25, 50, 75)},
        answer=lambda given: given["cores"] * given["percent"] / 100,
        slips=(
            Slip(
                lambda given: given["cores"] * given["percent"],
                "That is in per cent of a core; 100 of them are one core.",
            ),
            Slip(
                lambda given: given["percent"] / 100,
                "That is one of the cores; there are {cores}.",
            ),
            Slip(lambda given: given["percent"], "That is one core, in per cent. Add them up."),
        ),
        hint="Add the cores up: {cores} times {percent} % of one.",
    ),
    Exercise(
        id="5.2",
        question="{cores} cores, {rate} requests per second, {cpu_ms} ms of CPU time each. Which "
        "part of the machine is at work?",
        unit="as a fraction",
        given={"cores": (4, 2, 8), "rate": (30, 24, 36), "cpu_ms": (50, 40, 20)},
        answer=lambda given: given["rate"] * given["cpu_ms"] / 1000 / given["cores"],
        slips=(
            Slip(
                lambda given: given["rate"] * given["cpu_ms"] / 1000,
                "That many cores are at work; the question is which part of the {cores}.",
            ),
            Slip(
                lambda given: given["rate"] * given["cpu_ms"] / given["cores"],
                "The CPU time is in milliseconds; bring it to seconds.",
            ),
            Slip(
                lambda given: 1 - given["rate"] * given["cpu_ms"] / 1000 / given["cores"],
                "That part is idle; the question is about the rest.",
            ),
        ),
        hint="U = X D / c.",
    ),
    Exercise(
        id="5.3",
        question="A server's tree used {user_s} s of user time and {system_s} s of system time, "
        "and lived for {lived_s} s on a machine with {cores} cores. What was its On_CPU?",
        unit="as a fraction",
        given={
            "user_s": (123, 60, 90),
            "system_s": (290, 200, 240),
            "lived_s": (128, 120, 160),
            "cores": (8, 16, 12),
        },
        answer=lambda given: (
            (given["user_s"] + given["system_s"]) / given["lived_s"] / given["cores"]
        ),
        slips=(
            Slip(
                lambda given: (given["user_s"] + given["system_s"]) / given["lived_s"],
                "That is On_Core, in cores; the machine has {cores} of them.",
            ),
            Slip(
                lambda given: given["user_s"] / given["lived_s"] / given["cores"],
                "System time is CPU time too: add the {system_s} s.",
            ),
            Slip(
                lambda given: given["system_s"] / given["lived_s"] / given["cores"],
                "User time is CPU time too: add the {user_s} s.",
            ),
        ),
        hint="All CPU seconds, divided by the seconds it lived, divided by the cores.",
    ),
    Exercise(
        id="5.4",
        question="`ps aux | grep apache2 | wc -l`, typed in a terminal, prints {lines}. There is "
        "one Apache on the machine and nothing else of that name. How many workers has it?",
        unit="workers",
        given={"lines": (10, 7, 14, 27)},
        answer=lambda given: given["lines"] - 2,
        slips=(
            Slip(
                lambda given: given["lines"],
                "That counts each line with the word in it. Two of them serve nobody.",
            ),
            Slip(
                lambda given: given["lines"] - 1,
                "Nearly. One is the master and one is grep itself: both come off.",
            ),
        ),
        hint="Which of the {lines} lines serve nobody?",
    ),
    Exercise(
        id="5.5",
        question="Your own run: in its first step, which part of the machine did the server keep "
        "busy?",
        unit="as a fraction",
        lab="watching",
        read=of_first_step,
        answer=lambda given: given["busy"] / given["cores"],
        tolerance=interval,
        slips=(
            Slip(
                lambda given: given["busy"],
                "That many cores were busy; your machine has {cores}.",
            ),
            Slip(
                lambda given: 1 - given["busy"] / given["cores"],
                "That is the part it left alone.",
            ),
        ),
        hint="The cores the server kept busy in that step, divided by the {cores} you have.",
    ),
    Exercise(
        id="5.6",
        question="Break it: with a single user, keep one core at nearly 100 % and the others "
        "idle. Then keep all the cores idle while throughput is at its limit.",
        hint="For the first, how many processes are needed? For the second, let the page wait.",
    ),
    # how-many-workers
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
        answer=lambda given: min(given["cores"], given["workers"]) * 1000 / given["cpu_ms"],
        slips=(
            Slip(
                lambda given: given["cores"] * 1000 / given["cpu_ms"],
                "So much {cores} cores could do. There are only {workers} workers.",
            ),
            Slip(
                lambda given: given["users"] * 1000 / given["cpu_ms"],
                "As if each of the {users} users had a worker and a core of their own.",
            ),
            Slip(
                lambda given: 1000 / given["cpu_ms"],
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
        answer=lambda given: min(given["cores"], given["processes"]) * 1000 / given["cpu_ms"],
        slips=(
            Slip(
                lambda given: given["cores"] * 1000 / given["cpu_ms"],
                "As if its threads could count at the same moment. There is one lock in a process.",
            ),
            Slip(
                lambda given: given["processes"] * given["threads"] * 1000 / given["cpu_ms"],
                "As if each thread had a core of its own.",
            ),
            Slip(
                lambda given: 1000 / given["cpu_ms"],
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
                lambda given: (
                    (given["first_ms"] + given["second_ms"]) / math.sqrt(given["requests"])
                ),
                "Their squares are added, not they themselves: the two don't err together.",
            ),
            Slip(
                lambda given: given["first_ms"] / math.sqrt(given["requests"]),
                "That is the first mean alone; the second wavers as well.",
            ),
            Slip(
                lambda given: given["second_ms"] / math.sqrt(given["requests"]),
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
        answer=lambda given: given["first"] / given["second"],
        tolerance=interval,
        slips=(
            Slip(
                lambda given: given["second"] / given["first"],
                "Upside down: the sixteen go on top.",
            ),
            Slip(
                lambda given: 16,
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
        answer=lambda given: given["first"] / given["second"],
        tolerance=interval,
        slips=(
            Slip(
                lambda given: given["second"] / given["first"],
                "Upside down: the hashing goes on top.",
            ),
            Slip(
                lambda given: 16,
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
