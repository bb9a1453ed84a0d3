"""The exercises of the chapter `threads`: ranges, laws and slips."""

from __future__ import annotations

import math

from labs.exercises.exercise import Exercise, Numbers, Slip
from labs.exercises.readings import of_pools, of_race


def _even(threads: float) -> float:
    """How likely 2 T coins fall as T heads and T tails."""
    return math.comb(round(2 * threads), round(threads)) / 4**threads


def _served(given: Numbers) -> float:
    """Requests per second of two pools, of which each serves its own users only."""
    rest = given["users"] - given["few"]
    busy = min(given["few"], given["threads"]) + min(rest, given["threads"])
    return busy / given["wait_ms"] * 1000


EXERCISES = (
    Exercise(
        id="10.1",
        question="Two processes with {threads} threads each, and as many users as there are "
        "threads in all. Each connection fell on one process or the other like a coin. How "
        "probable is it that all users are served at once?",
        unit="as a fraction",
        given={"threads": (2, 3, 4)},
        answer=lambda threads: _even(threads),
        slips=(
            Slip(
                lambda threads: 1 / (2 * threads + 1),
                "As if all splits were equally likely. An even one can come about in more ways.",
            ),
            Slip(
                lambda threads: 1 - _even(threads),
                "That is the chance that somebody waits.",
            ),
        ),
        hint="Of all the ways in which the connections can fall, how many are even?",
    ),
    Exercise(
        id="10.2",
        question="Two processes with {threads} threads each, a page that waits {wait_ms} ms, "
        "{users} users who keep their connections: {few} of them with one process, the others "
        "with the second. How many requests a second?",
        unit="req/s",
        given={
            "threads": (128,),
            "wait_ms": (200, 100, 250),
            "users": (256,),
            "few": (54, 40, 80, 100),
        },
        answer=_served,
        slips=(
            Slip(
                lambda users, wait_ms: users / wait_ms * 1000,
                "As if it were one pool. {few} connections keep only {few} threads busy.",
            ),
            Slip(
                lambda few, wait_ms: few / wait_ms * 1000,
                "That is the first process alone; the second serves as well.",
            ),
            Slip(
                lambda threads, wait_ms: threads / wait_ms * 1000,
                "That is the crowded process alone; the other serves its {few} as well.",
            ),
        ),
        hint="In each process the smaller of its users and its threads. Then the law of the pool.",
    ),
    Exercise(
        id="10.3",
        question="A load test with {users} users who don't think reports {rate} requests a second "
        "and a mean response time of {response_ms} ms. How many of the users are being served?",
        unit="users",
        given={"users": (512,), "rate": (1276, 1105, 914), "response_ms": (202, 205)},
        answer=lambda rate, response_ms: rate * response_ms / 1000,
        tolerance=lambda: 0.005,  # those who are not served are nearly as many
        slips=(
            Slip(
                lambda users: users,
                "Those are all users. N = X R counts only those whose answers came.",
            ),
            Slip(
                lambda users, rate, response_ms: users - rate * response_ms / 1000,
                "Those are the others, who are not served.",
            ),
            Slip(
                lambda rate, response_ms: rate * response_ms,
                "The response time is in milliseconds: {response_ms} ms are a fifth of a second.",
            ),
        ),
        hint="N = X R.",
    ),
    Exercise(
        id="10.4",
        question="Your own run: at {users} users, which part of the throughput of the one pool did "
        "the four pools reach?",
        unit="as a fraction",
        lab="threads",
        read=of_pools,
        answer=lambda several, one: several / one,
        tolerance=lambda interval: 0.02 + interval,
        slips=(
            Slip(
                lambda one, several: one / several,
                "Upside down: the throughput of 4 × 16 goes on top.",
            ),
            Slip(
                lambda several, one: 1 - several / one,
                "That is what was lost; the question is what was reached.",
            ),
        ),
        hint="The throughput of 4 × 16 divided by that of 1 × 64.",
    ),
    Exercise(
        id="10.5",
        question="Your own run: without a lock, which part of the additions arrived in the "
        "counter?",
        unit="as a fraction",
        lab="a-shared-counter",
        read=of_race,
        answer=lambda counted, asked: counted / asked,
        slips=(
            Slip(
                lambda counted, asked: 1 - counted / asked,
                "That is what was lost; the question is what arrived.",
            ),
            Slip(
                lambda counted: counted,
                "That is what the counter says. Of how many additions?",
            ),
        ),
        hint="What the counter says, divided by the additions that were asked for.",
    ),
    Exercise(
        id="10.6",
        question="Break it: make 4 × 16 serve 64 users as well as 1 × 64 does, without one thread "
        "more.",
        hint="The trouble begins where a process takes a connection for which it has no thread. "
        "Which server does not?",
    ),
)
