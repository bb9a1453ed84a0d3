"""The exercises of `whom-are-you-measuring`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Formula
from labs.exercises.readings import of_locust
from labs.theory import laws

FULL: dict[str, Formula] = {"full": f"{laws.GENERATOR_FULL}"}

EXERCISES = (
    Exercise(
        id="16.1",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="generators",
        given={"target": (36000, 24000, 12000), "each": (3000, 750, 1500)},
        answer="generators(target, each)",
        also={
            **FULL,
            "most": "full * each",
            "too_few": "target / each",
        },
        slips={
            "too_few": "Then all of them are full. Leave each a fifth.",
            "most": "So much each may make. How many does it take?",
            "ceil(full * too_few)": "That makes it fewer than with full ones. The {full:percent} "
            "% belong to what each can make.",
        },
    ),
    Exercise(
        id="16.2",
        kind="compute",
        level="standard",
        minutes=3,
        unit="as a fraction",
        given={"cores": (8,), "percent": (12.3, 11.6, 11.9)},
        answer="utilisation(X=1, D=share, c=1 / cores)",
        also={"share": "percent / 100"},
        slips={
            "share": "That is of the whole machine. It can use one of the {cores} cores only.",
            "share / cores": "The other way: one core is the smaller thing, so the part of it is "
            "larger.",
        },
    ),
    Exercise(
        id="16.3",
        kind="compute",
        level="standard",
        minutes=4,
        unit="ms",
        given={"users": (200, 100, 50), "cost_us": (50, 37.7, 80)},
        answer="response_time_bound(N=users, D=cost_ms)",
        also={
            "cost_ms": "cost_us / 1000",
            "few": "10",
            "few_ms": "response_time_bound(N=few, D=cost_ms)",
        },
        slips={
            "cost_ms": "So long the generator needs for one. The other answers lie there and wait.",
            "1000 * answer": "That is in microseconds; this asks for milliseconds.",
            "ceiling(1e6, cost_us)": "That is its throughput, in requests a second.",
        },
    ),
    Exercise(
        id="16.4",
        kind="compute",
        level="standard",
        minutes=3,
        unit="req/s",
        given={"users": (600, 1000, 2000), "think_s": (5, 3, 2), "response_s": (0.5, 0.2, 0.3)},
        answer="throughput(users, response_s, think_s)",
        also={
            "wanted": "1000",
            "needed": "users(wanted, response_s, think_s)",
        },
        slips={
            "users": "Users are not requests a second: how often does each of them ask?",
            "throughput(users, response_s)": "That is without thinking. They pause for {think_s} "
            "s.",
            "throughput(users, think_s)": "They wait for the answer as well, before they think.",
        },
    ),
    Exercise(
        id="16.5",
        kind="your machine",
        level="standard",
        minutes=5,
        unit="Locusts",
        given={"target": (12000,)},
        lab="whom-are-you-measuring",
        read=of_locust,
        answer="generators(target, 1 / cost_s)",
        also=FULL,
        slips={
            "ceil(target * cost_s)": "Then they would be full, or nearly so. Leave each a fifth "
            "of its core.",
            "target * cost_s / full": "There is no part of a Locust: round up.",
        },
    ),
    Exercise(id="16.6", kind="break the model", level="standard", minutes=8),
    Exercise(
        id="16.7",
        kind="repair",
        level="hard",
        minutes=7,
        unit="as a fraction",
        given={"stall_s": (3, 2), "every_s": (60, 30), "limit_s": (0.5, 0.8), "page_ms": (20, 10)},
        answer="(stall_s - limit_s) / every_s",
        also={
            "late_s": "stall_s - limit_s",
            "asked": "(every_s - stall_s) / page_s",
            "closed": "1 / (asked + 1)",
            "closed_percent": "100 * closed",
        },
        slips={
            "stall_s / every_s": "All these come while nothing moves. Those who come near its end "
            "wait for less than {limit_s} s.",
            "closed": "That is what the test's own users see: each of them is held up once and "
            "asks no more meanwhile.",
            "limit_s / every_s": "Those are the ones who come near the end of the stall, and wait "
            "for less than {limit_s} s.",
        },
    ),
    Exercise(id="16.8", kind="proof", level="hard", minutes=8),
    Exercise(id="16.9", kind="your application", level="standard", minutes=15),
    Exercise(
        id="16.10",
        kind="read the output",
        level="standard",
        minutes=4,
        unit="connections",
        given={"connections": (24, 40), "rate": (2900, 4100), "mean_ms": (5, 4)},
        answer="connections - outside",
        also={
            "outside": "users(X=rate, R=mean_s)",
            "real_ms": "1000 * response_time(N=connections, X=rate)",
        },
        slips={
            "outside": "Those have a request on the way. What do the others do?",
            "connections": "That is all of them. By Little's law some have a request on the way.",
        },
    ),
    Exercise(
        id="16.11",
        kind="predict",
        level="standard",
        minutes=6,
        unit="ms",
        given={"crowd": (64,), "lab_users": (16,)},
        lab="whom-are-you-measuring",
        read=of_locust,
        answer="1000 * response_time_bound(N=crowd, D=cost_s)",
        also={"before_ms": "1000 * lab_users * cost_s"},
        slips={
            "before_ms": "That is the round of {lab_users} connections. Now there are {crowd} in "
            "line.",
            "cost_ms": "That is Locust's work for a single request. How many stand in line for it?",
        },
    ),
)
