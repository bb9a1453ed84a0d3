"""The exercises of `how-many-workers`: ranges, laws and slips."""

from __future__ import annotations

import math

from labs.exercises.exercise import Exercise, Formula, Slip
from labs.exercises.readings import interval, of_parts
from labs.theory import laws

LAW: dict[str, Formula] = {
    "cpu_s": lambda cpu_ms: cpu_ms / 1000,
    "full": lambda users, cpu_s, cores: laws.bound(N=users, D=cpu_s, c=cores),
}

EXERCISES = (
    Exercise(
        id="6.1",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="req/s",
        given={
            "cores": (6, 8, 4),
            "cpu_ms": (25, 20, 50, 40),
            "users": (32, 24, 16),
            "workers": (2,),
        },
        answer=lambda users, cpu_s, cores, workers: laws.bound(
            N=users, D=cpu_s, c=cores, W=workers
        ),
        also={
            **LAW,
            "idle": lambda cores, workers: cores - workers,
            "queue": lambda users, workers: users - workers,
        },
        slips=(
            Slip(
                lambda full: full,
                "That is what {cores} cores could do. There are only {workers} workers.",
            ),
            Slip(
                lambda users, cpu_s: laws.ceiling(users, cpu_s),
                "As if each of the {users} users had a worker and a core of their own.",
            ),
            Slip(lambda cpu_s: laws.ceiling(1, cpu_s), "That is one worker; there are {workers}."),
        ),
    ),
    Exercise(
        id="6.2",
        kind="compute",
        level="standard",
        minutes=3,
        unit="req/s",
        given={
            "cores": (8, 6),
            "cpu_ms": (40, 25, 20),
            "users": (12, 20, 32),
            "processes": (1,),
            "threads": (16,),
        },
        answer=lambda users, cpu_s, cores, processes, threads: laws.bound(
            N=users, D=cpu_s, c=min(cores, processes), W=processes * threads
        ),
        also={
            **LAW,
            "two": lambda users, cpu_s, cores: laws.bound(
                N=users, D=cpu_s, c=min(cores, 2), W=2 * 8
            ),
        },
        slips=(
            Slip(
                lambda full: full,
                "As if its threads could count at the same moment. There is one lock in a process.",
            ),
            Slip(
                lambda threads, cpu_s: laws.ceiling(threads, cpu_s),
                "As if each thread had a core of its own.",
            ),
        ),
    ),
    Exercise(
        id="6.3",
        kind="compute",
        level="hard",
        minutes=6,
        unit="ms",
        given={"requests": (20, 10, 40), "first_ms": (250, 320), "second_ms": (410, 304)},
        answer=lambda single_ms, root: single_ms / root,
        also={
            "single_ms": lambda first_ms, second_ms: math.hypot(first_ms, second_ms),
            "root": lambda requests: math.sqrt(requests),
        },
        slips=(
            Slip(
                lambda single_ms: single_ms,
                "That would be the difference of two single requests; a mean of {requests} is "
                "steadier. Divide by the root of {requests}.",
            ),
            Slip(
                lambda single_ms, requests: single_ms / requests,
                "By the root of {requests}, not by {requests}.",
            ),
            Slip(
                lambda first_ms, second_ms, root: (first_ms + second_ms) / root,
                "Their squares are added, not they themselves: the two don't err together.",
            ),
            Slip(
                lambda first_ms, root: first_ms / root,
                "That is the first mean alone; the second wavers as well.",
            ),
            Slip(
                lambda second_ms, root: second_ms / root,
                "That is the second mean alone; the first wavers as well.",
            ),
        ),
    ),
    Exercise(
        id="6.4",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="times",
        lab="how-many-workers",
        read=of_parts("16 workers", "1 worker"),
        answer=lambda first, second: first / second,
        tolerance=interval,
        slips=(
            Slip(lambda answer: 1 / answer, "Upside down: the largest pool goes on top."),
            Slip(lambda few: few, "That would need a core and a user for each of the {few}."),
        ),
    ),
    Exercise(
        id="6.5",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="times",
        lab="threads-and-cores",
        read=of_parts("16 threads, hashing", "16 threads"),
        answer=lambda first, second: first / second,
        tolerance=interval,
        slips=(
            Slip(lambda answer: 1 / answer, "Upside down: the hashing goes on top."),
            Slip(lambda few: few, "That would need a core for each of the {few} threads."),
        ),
    ),
    Exercise(
        id="6.6",
        kind="break the model",
        level="hard",
        minutes=10,
        given={"cpu_ms": (5,), "wait_ms": (100,)},
        also={
            "cpu_s": lambda cpu_ms: cpu_ms / 1000,
            "two": lambda cpu_s, wait_ms: laws.ceiling(2, cpu_s + wait_ms / 1000),
            "sixteen": lambda cpu_s, wait_ms: laws.ceiling(16, cpu_s + wait_ms / 1000),
            "busy": lambda sixteen, cpu_s: laws.utilisation(X=sixteen, D=cpu_s),
        },
    ),
    Exercise(
        id="6.7",
        kind="read the output",
        level="hard",
        minutes=6,
        unit="as a fraction",
        given={
            "requests": (10,),
            "took_s": (3.821,),
            "workers": (2,),
            "alone_ms": (620,),
        },  # S5's third test
        answer=lambda rate, alone_s, workers: laws.utilisation(X=rate, D=alone_s, c=workers),
        also={
            "alone_s": lambda alone_ms: alone_ms / 1000,
            "rate": lambda requests, took_s: requests / took_s,
            "worked_s": lambda requests, alone_s: requests * alone_s,
            "had_s": lambda workers, took_s: workers * took_s,
        },
        slips=(
            Slip(
                lambda rate, alone_s: laws.utilisation(X=rate, D=alone_s),
                "That is how many workers were busy on average, of {workers}.",
            ),
            Slip(
                lambda alone_s, took_s: alone_s / took_s,
                "That is one request; there were {requests}.",
            ),
            Slip(lambda answer: 1 - answer, "That is the part for which they stood idle."),
        ),
    ),
    Exercise(
        id="6.8",
        kind="costing",
        level="standard",
        minutes=5,
        unit="euros",
        given={"cores": (24, 20), "workers": (96, 120), "each_mib": (128, 64), "price": (5, 3)},
        answer=lambda surplus_gib, price: surplus_gib * price,
        also={
            "surplus": lambda workers, cores: workers - cores,
            "surplus_gib": lambda surplus, each_mib: surplus * each_mib / 1024,
        },
        slips=(
            Slip(
                lambda workers, each_mib, price: workers * each_mib / 1024 * price,
                "That is what all of them cost. {cores} you need.",
            ),
            Slip(lambda surplus_gib: surplus_gib, "That is the memory, in GiB. What does it cost?"),
            Slip(
                lambda surplus, each_mib, price: surplus * each_mib * price,
                "The price is for a GiB, and a GiB has {1024} MiB.",
            ),
        ),
    ),
    Exercise(id="6.9", kind="your application", level="standard", minutes=12),
)
