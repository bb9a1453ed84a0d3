"""The exercises of `threads`: ranges, laws and slips."""

from __future__ import annotations

import math

from labs.exercises.exercise import Exercise
from labs.exercises.readings import of_pools, of_race
from labs.theory import laws, queueing

EXERCISES = (
    Exercise(
        id="10.1",
        kind="compute",
        level="standard",
        minutes=5,
        unit="as a fraction",
        given={"threads": (2, 3, 4)},
        answer="even / ways",
        also={
            "users": "2 * threads",
            "ways": lambda users: 2**users,
            "even": lambda users, threads: math.comb(users, threads),
            "part": lambda even, ways: even / math.gcd(even, ways),
            "whole": lambda even, ways: ways / math.gcd(even, ways),
        },
        slips={
            "1 / (users + 1)": "As if all splits were equally likely. An even one can come about "
            "in more ways.",
            "1 - answer": "That is the chance that somebody waits.",
        },
    ),
    Exercise(
        id="10.2",
        kind="compute",
        level="standard",
        minutes=4,
        unit="req/s",
        given={
            "threads": (128,),
            "wait_ms": (250, 100, 200),
            "users": (256,),
            "few": (80, 40, 54, 100),
        },
        answer=lambda few, rest, wait_s, threads: queueing.separate_pools(
            (few, rest), lambda n: laws.bound(N=n, D=0, V=wait_s, W=threads)
        ),
        also={
            "rest": "users - few",
            "busy": "users(X=answer, R=wait_s)",
            "one_pool": "bound(N=users, D=0, V=wait_s)",
        },
        slips={
            "one_pool": "As if it were one pool. {few} connections keep only {few} threads busy.",
            "ceiling(few, wait_s)": "That is the first process alone; the second serves as well.",
            "ceiling(threads, wait_s)": "That is the crowded process alone; the other serves its "
            "{few} as well.",
        },
    ),
    Exercise(
        id="10.3",
        kind="repair",
        level="standard",
        minutes=4,
        unit="users",
        given={"users": (512,), "rate": (1080, 900, 1150), "response_ms": (205, 220)},
        answer="users(X=rate, R=response_s)",
        also={
            "others": "users - answer",
        },
        tolerance="0.005",  # those who are not served are nearly as many
        slips={
            "users": "Those are all users. N = X R counts only those whose answers came.",
            "others": "Those are the others, who are not served.",
            "1000 * answer": "The response time is in milliseconds: {response_ms} ms are "
            "{response_s} s.",
        },
    ),
    Exercise(
        id="10.4",
        kind="your machine",
        level="warm-up",
        minutes=3,
        unit="as a fraction",
        lab="threads",
        read=of_pools,
        answer="several / one",
        also={"coins": "by_coins(64, 4, D=0, V=1, W=16) / bound(N=64, D=0, V=1, W=64)"},
        slips={
            "1 / answer": "Upside down: the throughput of 4 × 16 goes on top.",
            "1 - answer": "That is what was lost; the question is what was reached.",
        },
    ),
    Exercise(
        id="10.5",
        kind="your machine",
        level="warm-up",
        minutes=3,
        unit="as a fraction",
        lab="a-shared-counter",
        read=of_race,
        answer="counted / asked",
        slips={
            "1 - answer": "That is what was lost; the question is what arrived.",
            "counted": "That is what the counter says. Of how many additions?",
        },
    ),
    Exercise(id="10.6", kind="break the model", level="hard", minutes=10),
    Exercise(id="10.7", kind="proof", level="standard", minutes=8),
    Exercise(
        id="10.8",
        kind="repair",
        level="standard",
        minutes=8,
        given={"asked": (1000,)},
    ),
)
