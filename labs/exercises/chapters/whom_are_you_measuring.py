"""The exercises of `whom-are-you-measuring`: ranges, laws and slips."""

from __future__ import annotations

import math

from labs.exercises.exercise import Exercise, Formula, Slip
from labs.exercises.readings import of_locust
from labs.theory import laws

FULL: dict[str, Formula] = {"full": lambda: laws.GENERATOR_FULL}

EXERCISES = (
    Exercise(
        id="16.1",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="generators",
        given={"target": (12000, 24000, 36000), "each": (1500, 750, 3000)},
        answer=lambda target, each: laws.generators(target, each),
        also={
            **FULL,
            "most": lambda full, each: full * each,
            "too_few": lambda target, each: target / each,
        },
        slips=(
            Slip(lambda too_few: too_few, "Then all of them are full. Leave each a fifth."),
            Slip(lambda most: most, "So much each may make. How many does it take?"),
            Slip(
                lambda full, too_few: math.ceil(full * too_few),
                "That makes it fewer than with full ones. The {full:percent} % belong to what each "
                "can make.",
            ),
        ),
    ),
    Exercise(
        id="16.2",
        kind="compute",
        level="standard",
        minutes=3,
        unit="as a fraction",
        given={"cores": (8,), "percent": (11.9, 12.3, 11.6)},
        answer=lambda share, cores: laws.utilisation(X=1, D=share, c=1 / cores),
        also={"share": lambda percent: percent / 100},
        slips=(
            Slip(
                lambda share: share,
                "That is of the whole machine. It can use one of the {cores} cores only.",
            ),
            Slip(
                lambda share, cores: share / cores,
                "The other way: one core is the smaller thing, so the part of it is larger.",
            ),
        ),
    ),
    Exercise(
        id="16.3",
        kind="compute",
        level="standard",
        minutes=4,
        unit="ms",
        given={"users": (100, 200, 50), "cost_us": (37.7, 50, 80)},
        answer=lambda users, cost_ms: laws.response_time_bound(N=users, D=cost_ms),
        also={
            "cost_ms": lambda cost_us: cost_us / 1000,
            "few": lambda: 10,
            "few_ms": lambda few, cost_ms: laws.response_time_bound(N=few, D=cost_ms),
        },
        slips=(
            Slip(
                lambda cost_ms: cost_ms,
                "So long the generator needs for one. The other answers lie there and wait.",
            ),
            Slip(
                lambda answer: 1000 * answer, "That is in microseconds; this asks for milliseconds."
            ),
            Slip(
                lambda cost_us: laws.ceiling(1e6, cost_us),
                "That is its throughput, in requests a second.",
            ),
        ),
    ),
    Exercise(
        id="16.4",
        kind="compute",
        level="standard",
        minutes=3,
        unit="req/s",
        given={"users": (1000, 600, 2000), "think_s": (3, 5, 2), "response_s": (0.2, 0.5, 0.3)},
        answer=lambda users, response_s, think_s: laws.throughput(users, response_s, think_s),
        also={
            "wanted": lambda: 1000,
            "needed": lambda wanted, response_s, think_s: laws.users(wanted, response_s, think_s),
        },
        slips=(
            Slip(
                lambda users: users,
                "Users are not requests a second: how often does each of them ask?",
            ),
            Slip(
                lambda users, response_s: laws.throughput(users, response_s),
                "That is without thinking. They pause for {think_s} s.",
            ),
            Slip(
                lambda users, think_s: laws.throughput(users, think_s),
                "They wait for the answer as well, before they think.",
            ),
        ),
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
        answer=lambda target, cost_s: laws.generators(target, 1 / cost_s),
        also=FULL,
        slips=(
            Slip(
                lambda target, cost_s: math.ceil(target * cost_s),
                "Then they would be full, or nearly so. Leave each a fifth of its core.",
            ),
            Slip(
                lambda target, cost_s, full: target * cost_s / full,
                "There is no part of a Locust: round up.",
            ),
        ),
    ),
    Exercise(id="16.6", kind="break the model", level="standard", minutes=8),
)
