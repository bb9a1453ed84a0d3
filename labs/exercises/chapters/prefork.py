"""The exercises of `prefork`: ranges, laws and slips."""

from __future__ import annotations

import math

from labs.exercises.exercise import Exercise, Formula, Slip
from labs.exercises.readings import interval, of_crowd, of_scales
from labs.theory import laws

FIT: dict[str, Formula] = {
    "workers": lambda memory_mib, base_mib, each_mib: laws.workers_in_memory(
        memory_mib, base_mib, each_mib
    )
}

EXERCISES = (
    Exercise(
        id="9.1",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="workers",
        given={
            "memory_mib": (1024, 2048, 4096, 8192),
            "base_mib": (300, 400),
            "each_mib": (45, 60, 80),
        },
        answer=lambda workers: workers,
        also={
            **FIT,
            "parts": lambda memory_mib, base_mib, each_mib: (memory_mib - base_mib) / each_mib,
        },
        tolerance=lambda: 0.0005,  # whole workers, so no rounding is needed
        slips=(
            Slip(
                lambda memory_mib, each_mib: laws.workers_in_memory(memory_mib, 0, each_mib),
                "{base_mib} MiB are taken before the first worker: take them off.",
            ),
            Slip(lambda parts: parts, "There are no parts of workers: round down."),
            Slip(
                lambda workers: workers + 1,
                "The last of them would not have all of its memory: round down.",
            ),
        ),
    ),
    Exercise(
        id="9.2",
        kind="compute",
        level="standard",
        minutes=4,
        unit="req/s",
        given={
            "memory_mib": (4096, 8192),
            "base_mib": (500, 600),
            "each_mib": (90, 70, 120),
            "wait_ms": (450, 250, 800),
        },
        answer=lambda workers, wait_s: laws.ceiling(workers, wait_s),
        also={**FIT, "wait_s": lambda wait_ms: wait_ms / 1000},
        slips=(
            Slip(
                lambda workers: workers,
                "That is the workers. Each of them serves a request in {wait_ms} ms.",
            ),
            Slip(
                lambda workers, wait_s: workers * wait_s,
                "Divide by the time of a request, don't multiply with it.",
            ),
        ),
    ),
    Exercise(
        id="9.3",
        kind="compute",
        level="standard",
        minutes=5,
        unit="s",
        given={"start": (10, 5), "limit": (400, 256, 150), "most": (32,)},
        answer=lambda limit, start, most: laws.looks(limit, start, most),
        also={
            "ramped": lambda start: start + 63,  # after six looks
            "missing": lambda limit, ramped: limit - ramped,
            "further": lambda answer: answer - 6,
        },
        slips=(
            Slip(
                lambda limit, start: laws.looks(limit, start, most=limit),
                "As if the doubling went on: after {most} at once it stops growing.",
            ),
            Slip(
                lambda limit, start, most: math.ceil((limit - start) / most),
                "As if it began with {most} at once: the first looks add 1, 2, 4, 8, 16.",
            ),
        ),
    ),
    Exercise(
        id="9.4",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="workers",
        given={"pool": (32,), "recorded_wait_s": (0.2,)},
        lab="prefork",
        read=of_crowd,
        answer=lambda throughput, wait_s: laws.users(X=throughput, R=wait_s),
        also={
            "wait_ms": lambda wait_s: 1000 * wait_s,
            "full": lambda pool, recorded_wait_s: laws.ceiling(pool, recorded_wait_s),
        },
        tolerance=interval,
        slips=(
            Slip(
                lambda throughput, wait_s: throughput / wait_s,
                "Upside down: multiply the requests a second by the seconds of a request.",
            ),
            Slip(
                lambda answer: 1000 * answer,
                "The wait is {wait_s} s, not so many milliseconds.",
            ),
            Slip(
                lambda users: users,
                "Those are the users. Some of them had no worker yet.",
            ),
        ),
    ),
    Exercise(
        id="9.5",
        kind="your machine",
        level="standard",
        minutes=3,
        unit="workers",
        given={"free_mib": (1024,)},
        lab="memory-per-worker",
        read=of_scales,
        answer=lambda free_mib, pss_mib: free_mib / pss_mib,
        tolerance=interval,
        slips=(
            Slip(
                lambda free_mib, rss_mib: free_mib / rss_mib,
                "By RSS, which counts what is shared once for every worker. Take the PSS.",
            ),
            Slip(
                lambda free_mib, pss_mib: free_mib * pss_mib,
                "Divide the memory by what one worker takes.",
            ),
        ),
    ),
    Exercise(id="9.6", kind="break the model", level="hard", minutes=10),
    Exercise(
        id="9.7",
        kind="costing",
        level="standard",
        minutes=6,
        unit="euros",
        given={
            "workers": (600, 500),
            "each_mib": (45, 70),
            "rss_mib": (180, 210),
            "base_mib": (900, 1100),
            "price": (7, 4),
        },
        answer=lambda gib, price: gib * price,
        also={
            "total_mib": lambda base_mib, workers, each_mib: base_mib + workers * each_mib,
            "gib": lambda total_mib: total_mib / 1024,
            "by_rss": lambda base_mib, workers, rss_mib, price: (
                (base_mib + workers * rss_mib) / 1024 * price
            ),
        },
        tolerance=lambda: 0.005,  # what is there before the first worker is 2 to 5 %
        slips=(
            Slip(
                lambda by_rss: by_rss,
                "By RSS, which counts what they share once for each. What does one more worker "
                "take?",
            ),
            Slip(
                lambda workers, each_mib, price: workers * each_mib / 1024 * price,
                "{base_mib} MiB are there before the first worker: they cost as well.",
            ),
            Slip(lambda gib: gib, "Those are the GiB. What do they cost?"),
        ),
    ),
    Exercise(
        id="9.8",
        kind="read the output",
        level="warm-up",
        minutes=3,
        unit="MiB",
        given={"workers": (12, 18), "rss_mib": (64, 88), "pss_mib": (22, 26)},
        answer=lambda processes, pss_mib: processes * pss_mib,
        also={
            "processes": lambda workers: workers + 1,
            "by_rss": lambda processes, rss_mib: processes * rss_mib,
        },
        slips=(
            Slip(
                lambda by_rss: by_rss,
                "Rss counts what they share once for each of them. Which column adds up?",
            ),
            Slip(lambda workers, pss_mib: workers * pss_mib, "The master is a process too."),
            Slip(
                lambda workers, rss_mib: workers * rss_mib,
                "Rss counts what they share once for each of them, and the master is missing.",
            ),
        ),
    ),
)
