"""The exercises of the chapter `whom-are-you-measuring`: ranges, laws and slips."""

from __future__ import annotations

import math

from labs.exercises.exercise import Exercise, Slip
from labs.exercises.readings import of_locust
from labs.theory import laws

TARGET_RPS = 12_000


EXERCISES = (
    Exercise(
        id="16.1",
        question="A test is to make {target} requests a second. One generator, on a core of its "
        "own, can make {each}. How many do you need, so that none is more than 80 % busy?",
        unit="generators",
        given={"target": (12000, 9000, 20000), "each": (1500, 2000, 1300)},
        answer=lambda target, each: laws.generators(target, each),
        slips=(
            Slip(
                lambda target, each: math.ceil(target / each),
                "Then all of them are full, or nearly so. Leave each a fifth.",
            ),
            Slip(
                lambda target, each: target / (laws.GENERATOR_FULL * each),
                "There is no part of a generator: round up.",
            ),
            Slip(
                lambda each: laws.GENERATOR_FULL * each,
                "So much each may make. How many does it take?",
            ),
            Slip(
                lambda target, each: math.ceil(laws.GENERATOR_FULL * target / each),
                "That makes it fewer than with full ones. The 80 % belong to what each can make.",
            ),
        ),
        hint="X / (0.8 X_gen), rounded up.",
    ),
    Exercise(
        id="16.2",
        question="A load generator has one thread. On a machine with {cores} cores it uses "
        "{percent} % of the whole machine. Which part of its own core is that?",
        unit="as a fraction",
        given={"cores": (8, 4), "percent": (11.9, 12.3, 10.8)},
        answer=lambda percent, cores: percent / 100 * cores,
        slips=(
            Slip(
                lambda percent: percent / 100,
                "That is of the whole machine. It can use one of the {cores} cores only.",
            ),
            Slip(
                lambda percent, cores: percent / 100 / cores,
                "The other way: one core is the smaller thing, so the part of it is larger.",
            ),
        ),
        hint="How many cores' worth are {percent} % of {cores} cores?",
    ),
    Exercise(
        id="16.3",
        question="A load generator spends {cost_us} µs of its CPU time on a request and has one "
        "thread. It keeps {users} connections busy, and the server answers each request at once. "
        "Which response time does it report?",
        unit="ms",
        given={"users": (100, 200, 50), "cost_us": (37.7, 50, 80)},
        answer=lambda users, cost_us: users * cost_us / 1000,
        slips=(
            Slip(
                lambda cost_us: cost_us / 1000,
                "So long the generator needs for one. The other answers lie there and wait.",
            ),
            Slip(
                lambda users, cost_us: users * cost_us,
                "That is in microseconds; this asks for milliseconds.",
            ),
            Slip(
                lambda cost_us: 1e6 / cost_us,
                "That is its throughput, in requests a second.",
            ),
        ),
        hint="R = N g: the line of chapter 2, with the generator at the till.",
    ),
    Exercise(
        id="16.4",
        question="{users} users each think for {think_s} s after an answer, and an answer takes "
        "{response_s} s. How many requests a second do they make?",
        unit="req/s",
        given={"users": (1000, 600, 2000), "think_s": (3, 5, 2), "response_s": (0.2, 0.5, 0.3)},
        answer=lambda users, response_s, think_s: laws.throughput(users, response_s, think_s),
        slips=(
            Slip(
                lambda users: users,
                "Users are not requests a second: how often does each of them ask?",
            ),
            Slip(
                lambda users, response_s: users / response_s,
                "That is without thinking. They pause for {think_s} s.",
            ),
            Slip(
                lambda users, think_s: users / think_s,
                "They wait for the answer as well, before they think.",
            ),
        ),
        hint="X = N / (R + Z).",
    ),
    Exercise(
        id="16.5",
        question="Your own run: from the CPU and the throughput of the first Locust, how many such "
        f"Locusts for {TARGET_RPS:,} requests a second, none of them more than 80 % busy?",
        unit="Locusts",
        lab="whom-are-you-measuring",
        read=of_locust,
        answer=lambda cost_s: laws.generators(TARGET_RPS, 1 / cost_s),
        slips=(
            Slip(
                lambda cost_s: math.ceil(TARGET_RPS * cost_s),
                "Then they would be full, or nearly so. Leave each a fifth of its core.",
            ),
            Slip(
                lambda cost_s: TARGET_RPS * cost_s / laws.GENERATOR_FULL,
                "There is no part of a Locust: round up.",
            ),
        ),
        hint="Its CPU over its throughput is g. Each may make 0.8 / g; round up.",
    ),
    Exercise(
        id="16.6",
        question="Break it: make an honest tool report a response time that has nothing to do with "
        "the server.",
        hint="R = N g, and the number of users is yours to choose.",
    ),
)
