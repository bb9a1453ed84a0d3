"""The exercises of `waiting-is-cheap`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise
from labs.exercises.readings import of_last

EXERCISES = (
    Exercise(
        id="7.1",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="req/s",
        given={"wait_ms": (250, 100, 200, 400), "cores": (2, 4, 8), "users": (100, 64, 256)},
        answer="bound(N=users, D=0, V=wait_s, W=users)",
        also={
            "trap": "ceiling(cores, wait_s)",
            "off": "answer / trap",
        },
        slips={
            "trap": "That is cores / response time, as if each page kept a core while it waits.",
            "ceiling(1, wait_s)": "That is one user; there are {users}, and each has a worker.",
            "answer * cores": "The cores don't come into it: a page that waits keeps none.",
        },
    ),
    Exercise(
        id="7.2",
        kind="compute",
        level="standard",
        minutes=3,
        unit="requests",
        given={"rate": (1000, 400, 2500), "wait_ms": (300, 150, 80)},
        answer="users(X=rate, R=wait_s)",
        slips={
            "rate": "That is how many come in a second. Each stays for {wait_ms} ms, not for a "
            "second.",
            "1000 * answer": "{wait_ms} ms are a fraction of a second: bring both to one unit.",
            "rate / wait_s": "Little's law multiplies: requests per second times seconds.",
        },
    ),
    Exercise(
        id="7.3",
        kind="compute",
        level="standard",
        minutes=4,
        unit="ms",
        given={"cores": (8, 4, 16), "busy": (30, 40, 25), "rate": (1500, 1189, 900)},
        answer="cost_ms",
        also={
            "part": "busy / 100",
            "cost_s": "demand(busy=part * cores, completed=rate)",
            "full": "ceiling(cores, cost_s)",
        },
        slips={
            "answer / cores": "That is one core; there are {cores}.",
            "answer * (1 - part) / part": "That shares out the idle time; the busy part is {busy} "
            "%.",
            "answer / part": "As if the cores were busy all the time; they are busy for {busy} % "
            "of it.",
        },
    ),
    Exercise(
        id="7.4",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="req/s",
        lab="waiting-is-cheap",
        read=of_last,
        answer="ceiling(cores, demand_s)",
        slips={
            "ceiling(1, demand_s)": "That is one core; you have {cores}.",
            "throughput": "That is what they did. How much would they do if they were never idle?",
            "ceiling(cores, response_s)": "The response time is mostly waiting, and keeps no "
            "core. Take the CPU time.",
        },
    ),
    Exercise(
        id="7.5",
        kind="break the model",
        level="hard",
        minutes=10,
        given={"wait_ms": (5,), "users": (256,)},
        also={"most": "bound(N=users, D=0, V=wait_s)"},
    ),
    Exercise(
        id="7.6",
        kind="read the output",
        level="standard",
        minutes=4,
        unit="users",
        given={"users": (128,), "rate": (627.36,), "wait_ms": (200,)},  # S2's
        answer="users - asleep",
        also={"asleep": "users(X=rate, R=wait_s)"},
        slips={
            "asleep": "That is how many were asleep at any moment. The question is about the "
            "others.",
            "users": "All of them? Most were waiting for their sleep to end.",
            "1000 * users / rate - wait_ms": "Those are milliseconds, by which an answer took "
            "longer than the sleep.",
        },
    ),
    Exercise(
        id="7.7",
        kind="costing",
        level="standard",
        minutes=4,
        unit="MiB",
        given={"rate": (800, 1100), "wait_ms": (450, 250), "each_mib": (12, 9)},
        answer="places * each_mib",
        also={
            "places": "users(X=rate, R=wait_s)",
            "halved": "answer / 2",
        },
        slips={
            "places": "That is how many wait at once. What does each of them take?",
            "rate * each_mib": "Those are the requests of a second. Each stays for {wait_ms} ms "
            "only.",
            "1000 * answer": "{wait_ms} ms are a fraction of a second: bring both to one unit.",
        },
    ),
    Exercise(id="7.8", kind="proof", level="hard", minutes=8),
)
