"""The exercises of the chapter `which-limit`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Numbers, Slip
from labs.exercises.readings import interval, of_patient


def _held_by_an_order_ms(given: Numbers) -> float:
    return given["cpu_ms"] + given["query_ms"] + given["write_ms"]


def _ceilings(given: Numbers) -> dict[str, float]:
    """Orders per second that each thing lets pass: how many there are / how long one is held."""
    return {
        "cores": given["cores"] * 1000 / given["cpu_ms"],
        "workers": given["workers"] * 1000 / _held_by_an_order_ms(given),
        "database": given["connections"] * 1000 / given["query_ms"],
        "disk": 1000 / given["write_ms"],
    }


EXERCISES = (
    Exercise(
        id="14.1",
        question="A server is to do {target} requests a second. It does {rate}, and its {cores} "
        "cores are full. Down to how much CPU time must a request come?",
        unit="ms",
        given={"target": (1000, 800, 1600), "rate": (500, 400), "cores": (4, 2, 8)},
        answer=lambda cores, target: cores / target * 1000,
        slips=(
            Slip(
                lambda cores, rate: cores / rate * 1000,
                "That is what a request costs now, at {rate} a second.",
            ),
            Slip(
                lambda target: 1000 / target,
                "That would be for one core; there are {cores}.",
            ),
        ),
        hint="{cores} cores have {cores} s of CPU time in each second. Share them out.",
    ),
    Exercise(
        id="14.2",
        question="A server is to do {target} requests a second. It does {rate}; its CPU is at "
        "{percent} %, all its {workers} workers are busy, and nothing behind them is full. How "
        "many workers does it need at least?",
        unit="workers",
        given={
            "target": (1000, 800),
            "rate": (500, 400),
            "percent": (20, 10),
            "workers": (100, 60, 80),
        },
        answer=lambda target, rate, workers: target / rate * workers,
        slips=(
            Slip(
                lambda target: target,
                "Requests a second aren't requests at once. How long does one hold its worker?",
            ),
            Slip(
                lambda workers, percent: workers / percent * 100,
                "So many would fill the CPU. Fewer are enough for the target.",
            ),
            Slip(
                lambda target, rate, workers: (target / rate - 1) * workers,
                "So many must be added to the {workers} that are there.",
            ),
        ),
        hint="W = X (D + V), and D + V is {workers} / {rate} s.",
    ),
    Exercise(
        id="14.3",
        question="An order computes for {cpu_ms} ms on {cores} cores, waits {query_ms} ms in one "
        "of {connections} connections to the database, and writes for {write_ms} ms to a disk that "
        "does one write at a time. It holds one of {workers} workers through all of that. At most "
        "how many orders a second?",
        unit="req/s",
        given={
            "cpu_ms": (5, 4, 8),
            "cores": (4, 2),
            "query_ms": (40, 25, 50),
            "connections": (10, 5),
            "write_ms": (10, 8, 2.5),
            "workers": (32, 16),
        },
        answer=lambda given: min(_ceilings(given).values()),
        slips=(
            Slip(
                lambda given: _ceilings(given)["cores"],
                "So much the cores would allow. Which of the four ceilings is the lowest?",
            ),
            Slip(
                lambda given: _ceilings(given)["workers"],
                "So much the workers would allow. Which of the four ceilings is the lowest?",
            ),
            Slip(
                lambda given: _ceilings(given)["database"],
                "So much the database would allow. Which of the four ceilings is the lowest?",
            ),
            Slip(
                lambda given: _ceilings(given)["disk"],
                "So much the disk would allow. Which of the four ceilings is the lowest?",
            ),
            Slip(
                lambda given: 1000 / _held_by_an_order_ms(given),
                "That is one worker; there are {workers}.",
            ),
        ),
        hint="Four ceilings, each a number of places divided by a time. The lowest decides.",
    ),
    Exercise(
        id="14.4",
        question="{workers} workers, all busy, and a CPU at {percent} %. With {users} users it "
        "does {rate} requests a second; a lone user gets an answer in {alone_ms} ms. How many "
        "requests are really getting on at once?",
        unit="requests",
        given={
            "workers": (40, 60),
            "percent": (15, 10),
            "users": (200, 400),
            "rate": (90, 60, 120),
            "alone_ms": (100, 150, 80),
        },
        answer=lambda rate, alone_ms: rate * alone_ms / 1000,
        slips=(
            Slip(
                lambda workers: workers,
                "So many have a request each. Most of these wait for something behind the pool.",
            ),
            Slip(
                lambda rate, alone_ms: rate * alone_ms,
                "The response time is in milliseconds; bring it to seconds.",
            ),
            Slip(
                lambda users: users,
                "By N = X R, with the response time of the crowd, it is all users: most of them "
                "wait. Take that of the lone one.",
            ),
            Slip(
                lambda workers, rate, alone_ms: workers - rate * alone_ms / 1000,
                "Those are the workers whose requests wait.",
            ),
        ),
        hint="The throughput times the response time of a lone user, in seconds.",
    ),
    Exercise(
        id="14.5",
        question="Your own run: the server, as you found it, does {throughput} requests a second "
        "at most, and {users} user alone gets an answer in {alone_s} s. How many requests are "
        "really getting on at once?",
        unit="requests",
        lab="which-limit",
        read=of_patient,
        answer=lambda throughput, alone_s: throughput * alone_s,
        tolerance=interval,
        slips=(
            Slip(
                lambda throughput, alone_s: throughput * alone_s * 1000,
                "The response time is {alone_s} s, not so many milliseconds.",
            ),
            Slip(
                lambda throughput, alone_s: throughput / alone_s,
                "Multiply the requests a second by the seconds of a request.",
            ),
            Slip(
                lambda crowd: crowd,
                "That is with the response time of the crowd, most of whom wait. Take that of the "
                "lone user.",
            ),
        ),
        hint="The highest throughput times the response time of the lone user.",
    ),
    Exercise(
        id="14.6",
        question="Break it: build a server for which no single repair helps.",
        hint="Two ceilings at the same height, for instance the pool and the cores.",
    ),
)
