"""The exercises of `many-cores`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Formula
from labs.exercises.readings import of_last

LAW: dict[str, Formula] = {
    "throughput": "bound(N=users, D=cpu_s, c=cores, W=users)",
    "response_s": "response_time(N=users, X=throughput)",
    "one_core": "ceiling(1, cpu_s)",
}

EXERCISES = (
    Exercise(
        id="3.1",
        kind="compute",
        level="warm-up",
        minutes=2,
        unit="req/s",
        given={"cores": (2, 4, 8), "cpu_ms": (20, 40, 25, 50), "users": (16, 12, 24, 32)},
        answer="throughput",
        also=LAW,
        slips={
            "one_core": "That is one core; there are {cores}.",
            "users * one_core": "As if each user had a core; {users} users share {cores}.",
        },
    ),
    Exercise(
        id="3.2",
        kind="compute",
        level="standard",
        minutes=3,
        unit="ms",
        given={"cores": (6, 3), "cpu_ms": (30, 45), "users": (18, 24, 36)},
        answer="response_ms",
        also={**LAW, "work": "cpu_s / response_s"},
        slips={
            "1000 * response_time(N=users, X=one_core)": "That is one core; {cores} of them share "
            "the work.",
            "cpu_ms": "That would need a core for each of the {users} users; there are {cores}.",
        },
    ),
    Exercise(
        id="3.3",
        kind="compute",
        level="standard",
        minutes=4,
        unit="req/s",
        given={"cores": (8, 10), "cpu_ms": (25, 60), "users": (40, 80)},
        answer="ceiling(cores, response_s)",  # their mistake
        also={
            **LAW,
            "kept": "answer / throughput",
        },
        slips={
            "throughput": "That is the truth, from the CPU time. They divide by the response time "
            "under load, which holds the queue as well.",
        },
    ),
    Exercise(
        id="3.4",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="cores",
        lab="many-cores",
        read=of_last,
        answer="utilisation(X=throughput, D=demand_s)",
        slips={
            "1000 * answer": "The CPU time is in milliseconds; 50 ms are 0.050 s.",
            "users(X=throughput, R=response_s)": "That is X R, the users. Cores at work are "
            "throughput times CPU time.",
        },
    ),
    Exercise(id="3.5", kind="break the model", level="hard", minutes=10),
    Exercise(
        id="3.6",
        kind="read the output",
        level="standard",
        minutes=4,
        unit="ms",
        given={"users": (8,), "rate": (20.33,), "cores": (4,), "lone_ms": (198,)},  # S1's
        answer="1000 * demand(busy=cores, completed=rate)",
        also={"response_ms": "1000 * response_time(N=users, X=rate)"},
        tolerance="0.004",  # the lone user's 198 ms are not far away
        slips={
            "lone_ms": "That is the lone user's response time. What do the full cores say?",
            "1000 / rate": "That is one core's worth; {cores} of them worked.",
            "response_ms": "That is the response time, N / X. Half of it went by in line.",
        },
    ),
    Exercise(
        id="3.7",
        kind="costing",
        level="standard",
        minutes=6,
        unit="euros",
        given={
            "rate": (900, 1700),
            "cpu_ms": (36, 62),
            "cores": (12, 10),
            "percent": (75, 60),
            "price": (140, 210),
        },
        answer="machines * price",
        also={
            "busy": "utilisation(X=rate, D=cpu_s)",
            "room": "cores * percent / 100",
            "parts": "busy / room",
            "machines": "ceil(parts)",
            "leaner": "ceil(0.9 * busy / room) * price",
        },
        tolerance="0.001",  # whole machines, so no rounding is needed
        slips={
            "ceil(busy / cores) * price": "Then they are full at the busiest moment. Leave them "
            "at {percent} %.",
            "parts * price": "Nobody rents out a part of a machine: round up.",
            "machines": "That is how many machines it takes. What do they cost?",
        },
    ),
    Exercise(
        id="3.8",
        kind="your application",
        level="standard",
        minutes=15,
        given={"requests": (90_000,), "busy_s": (1980,)},
        also={
            "rate": "requests / 3600",
            "cpu_s": "demand(busy=busy_s, completed=requests)",
            "busy": "utilisation(X=rate, D=cpu_s)",
            "peak": "4 * busy",
        },
    ),
)
