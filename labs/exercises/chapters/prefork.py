"""The exercises of `prefork`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Formula
from labs.exercises.readings import of_crowd, of_scales

FIT: dict[str, Formula] = {"workers": "workers_in_memory(memory_mib, base_mib, each_mib)"}

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
        answer="workers",
        also={
            **FIT,
            "parts": "(memory_mib - base_mib) / each_mib",
        },
        tolerance="0.0005",  # whole workers, so no rounding is needed
        slips={
            "workers_in_memory(memory_mib, 0, each_mib)": "{base_mib} MiB are taken before the "
            "first worker: take them off.",
            "parts": "There are no parts of workers: round down.",
            "workers + 1": "The last of them would not have all of its memory: round down.",
        },
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
        answer="ceiling(workers, wait_s)",
        also=FIT,
        slips={
            "workers": "That is the workers. Each of them serves a request in {wait_ms} ms.",
            "workers * wait_s": "Divide by the time of a request, don't multiply with it.",
        },
    ),
    Exercise(
        id="9.3",
        kind="compute",
        level="standard",
        minutes=5,
        unit="s",
        given={"start": (10, 5), "limit": (400, 256, 150), "most": (32,)},
        answer="looks(limit, start, most)",
        also={
            "ramped": "start + 63",  # after six looks
            "missing": "limit - ramped",
            "further": "answer - 6",
        },
        slips={
            "looks(limit, start, most=limit)": "As if the doubling went on: after {most} at once "
            "it stops growing.",
            "ceil((limit - start) / most)": "As if it began with {most} at once: the first looks "
            "add 1, 2, 4, 8, 16.",
        },
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
        answer="users(X=throughput, R=wait_s)",
        also={
            "full": "ceiling(pool, recorded_wait_s)",
        },
        slips={
            "throughput / wait_s": "Upside down: multiply the requests a second by the seconds of "
            "a request.",
            "1000 * answer": "The wait is {wait_s} s, not so many milliseconds.",
            "users": "Those are the users. Some of them had no worker yet.",
        },
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
        answer="free_mib / pss_mib",
        slips={
            "free_mib / rss_mib": "By RSS, which counts what is shared once for every worker. "
            "Take the PSS.",
            "free_mib * pss_mib": "Divide the memory by what one worker takes.",
        },
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
            "each_mib": (70, 45),
            "rss_mib": (180, 210),
            "base_mib": (900, 1100),
            "price": (7, 4),
        },
        answer="gib * price",
        also={
            "total_mib": "base_mib + workers * each_mib",
            "gib": "total_mib / 1024",
            "by_rss": "(base_mib + workers * rss_mib) / 1024 * price",
        },
        tolerance="0.005",  # what is there before the first worker is 2 to 5 %
        slips={
            "by_rss": "By RSS, which counts what they share once for each. What does one more "
            "worker take?",
            "workers * each_mib / 1024 * price": "{base_mib} MiB are there before the first "
            "worker: they cost as well.",
            "gib": "Those are the GiB. What do they cost?",
        },
    ),
    Exercise(
        id="9.8",
        kind="read the output",
        level="warm-up",
        minutes=3,
        unit="MiB",
        given={"workers": (12, 18), "rss_mib": (64, 88), "pss_mib": (22, 26)},
        answer="processes * pss_mib",
        also={
            "processes": "workers + 1",
            "by_rss": "processes * rss_mib",
        },
        slips={
            "by_rss": "Rss counts what they share once for each of them. Which column adds up?",
            "workers * pss_mib": "The master is a process too.",
            "workers * rss_mib": "Rss counts what they share once for each of them, and the "
            "master is missing.",
        },
    ),
)
