"""The exercises of `which-limit`: ranges, laws and slips."""

from __future__ import annotations

import math

from labs.exercises.exercise import Exercise, Formula
from labs.exercises.readings import of_patient

HALF: dict[str, Formula] = {"rate": "target / 2"}


def _above(ceiling: float, lowest: float) -> float:
    """A ceiling that is not the lowest, NaN if it is: naming that one is no slip."""
    return ceiling if ceiling > lowest else math.nan


EXERCISES = (
    Exercise(
        id="14.1",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="ms",
        given={"target": (1000, 800, 1600), "cores": (8, 4, 2)},
        answer="1000 * demand(busy=cores, completed=target)",
        also={
            **HALF,
            "now_ms": "1000 * demand(busy=cores, completed=rate)",
        },
        slips={
            "now_ms": "That is what a request costs now, at {rate} a second.",
            "answer / cores": "That would be for one core; there are {cores}.",
        },
    ),
    Exercise(
        id="14.2",
        kind="compute",
        level="standard",
        minutes=5,
        unit="workers",
        given={"target": (800, 1000, 1600), "percent": (20, 10), "workers": (100, 60, 80)},
        answer="users(X=target, R=held_s)",
        also={
            **HALF,
            "held_s": "response_time(N=workers, X=rate)",
            "then_percent": "percent * target / rate",
            "cores": "4",
            "cpu_ms": "1000 * demand(busy=percent / 100 * cores, completed=rate)",
        },
        slips={
            "target": "Requests a second aren't requests at once. How long does one hold its "
            "worker?",
            "workers / percent * 100": "So many would fill the CPU. Fewer are enough for the "
            "target.",
            "answer - workers": "So many must be added to the {workers} that are there.",
        },
    ),
    Exercise(
        id="14.3",
        kind="compute",
        level="standard",
        minutes=7,
        unit="req/s",
        given={
            "cpu_ms": (4, 5, 8),
            "cores": (2, 4),
            "query_ms": (25, 40, 50),
            "connections": (5, 10),
            "write_ms": (8, 10, 2),
            "workers": (32, 16),
        },
        answer="min(by_cores, by_workers, by_database, by_disk)",
        also={
            "held_s": "cpu_s + query_s + write_s",
            "by_cores": "ceiling(cores, cpu_s)",
            "by_workers": "ceiling(workers, held_s)",
            "by_database": "ceiling(connections, query_s)",
            "by_disk": "ceiling(1, write_s)",
            "by_workers_then": "ceiling(workers, held_s - 0.8 * write_s)",
            "repaired": "min(by_cores, by_workers_then, by_database, 5 / write_s)",
        },
        slips={
            **{
                allowed: (
                    f"So much the {what} would allow. Which of the four ceilings is the lowest?"
                )
                for what, allowed in (
                    ("cores", lambda by_cores, answer: _above(by_cores, answer)),
                    ("workers", lambda by_workers, answer: _above(by_workers, answer)),
                    ("database", lambda by_database, answer: _above(by_database, answer)),
                    ("disk", lambda by_disk, answer: _above(by_disk, answer)),
                )
            },
            "ceiling(1, held_s)": "That is one worker; there are {workers}.",
        },
    ),
    Exercise(
        id="14.4",
        kind="compute",
        level="standard",
        minutes=5,
        unit="requests",
        given={
            "workers": (40, 60),
            "percent": (15, 10),
            "users": (200, 400),
            "rate": (90, 60, 120),
            "alone_ms": (100, 200),
        },
        answer="users(X=rate, R=alone_s)",
        also={
            "others": "workers - answer",
            "twice": "2 * workers",
            "more_others": "twice - answer",
        },
        slips={
            "workers": "So many have a request each. Most of these wait for something behind the "
            "pool.",
            "rate * alone_ms": "The response time is in milliseconds; bring it to seconds.",
            "users": "By N = X R, with the response time of the crowd, it is all users: most of "
            "them wait. Take that of the lone one.",
            "others": "Those are the workers whose requests wait.",
        },
    ),
    Exercise(
        id="14.5",
        kind="your machine",
        level="standard",
        minutes=5,
        unit="requests",
        lab="which-limit",
        read=of_patient,
        answer="users(X=throughput, R=alone_s)",
        slips={
            "1000 * answer": "The response time is {alone_s} s, not so many milliseconds.",
            "throughput / alone_s": "Multiply the requests a second by the seconds of a request.",
            "crowd": "That is with the response time of the crowd, most of whom wait. Take that "
            "of the lone user.",
        },
    ),
    Exercise(
        id="14.6",
        kind="break the model",
        level="hard",
        minutes=12,
        given={"cpu_ms": (20,), "wait_ms": (180,), "cores": (4,)},
        also={
            "workers": "pool_size(D=cpu_ms, V=wait_ms, c=cores)",
            "now": "filled(round(workers), cpu_ms, wait_ms, cores)",
            "by_workers": "filled(round(2 * workers), cpu_ms, wait_ms, cores)",
            "by_workers_percent": "100 * (by_workers / now - 1)",
            "by_code": "2 * filled(round(workers), cpu_ms / 2, wait_ms, cores)",
            "by_code_percent": "100 * (by_code / now - 1)",
        },
    ),
    Exercise(id="14.7", kind="your application", level="hard", minutes=20),
    Exercise(
        id="14.8",
        kind="costing",
        level="standard",
        minutes=8,
        unit="euros",
        given={
            "target": (260,),
            "by_pool": (150, 140),
            "by_database": (190, 210),
            "by_cores": (320, 300),
            "by_disk": (410, 390),
            "pool_price": (30, 60),
            "database_price": (180, 155),
            "cores_price": (95, 110),
            "disk_price": (70, 85),
        },
        answer="pool_price + database_price",
        also={
            "then": "min(2 * by_pool, 2 * by_database, by_cores, by_disk)",
            "half_way": "min(2 * by_pool, by_database, by_cores, by_disk)",
        },
        tolerance="0.001",  # a sum of whole prices
        slips={
            "pool_price": "That lifts the lowest ceiling. The next one is {half_way}, and the "
            "target {target}.",
            "pool_price + database_price + cores_price + disk_price": "That repairs all four. "
            "Which of them are below the target?",
            "database_price": "The pool is lower still: it lets through no more than {by_pool}.",
            "pool_price + cores_price": "The cores allow {by_cores} already. What else is below "
            "{target}?",
        },
    ),
    Exercise(
        id="14.9",
        kind="repair",
        level="hard",
        minutes=7,
        unit="req/s",
        given={"connections": (16, 24), "hit_ms": (2, 3), "miss_ms": (50, 45), "percent": (60, 80)},
        answer="ceiling(connections, mean_s)",
        also={
            "hits": "percent / 100",
            "misses": "1 - hits",
            "mean_ms": "hits * hit_ms + misses * miss_ms",
            "tested": "ceiling(connections, hit_s)",
            "worst": "ceiling(connections, miss_s)",
        },
        slips={
            "tested": "That is what the test found, with every row in memory.",
            "worst": "That is with no row in memory. {percent} % of the questions find theirs.",
            "hits * tested + misses * worst": "Don't average the rates. Average the times for "
            "which a connection is held.",
            "ceiling(connections, (misses * hit_ms + hits * miss_ms) / 1000)": "The other way "
            "round: {percent} % are the quick ones.",
        },
    ),
    Exercise(
        id="14.10",
        kind="predict",
        level="standard",
        minutes=6,
        unit="req/s",
        given={"write_ms": (3, 4), "query_ms": (50, 20)},
        answer="min(disk, database)",  # the other ceilings are higher
        also={
            "disk": "ceiling(1, write_s)",
            "database": "ceiling(10, query_s)",
        },
        slips={
            lambda disk, database: _above(disk, database): "The database now allows fewer.",
            lambda disk, database: _above(database, disk): "The disk allows fewer still.",
            "ceiling(1, 0.01)": "That was the disk of before, with 10 ms a write.",
        },
    ),
)
