"""The exercises of the chapters on processes and threads."""

from __future__ import annotations

import math

from labs.exercises.check import Exercise, Given, Slip
from labs.exercises.readings import interval
from labs.exercises.readings_architectures import of_crowd, of_pools, of_race, of_scales

MEMORY = {"memory_mib": (2048, 4096, 1024, 8192), "base_mib": (400, 300), "each_mib": (60, 45, 80)}
MOST_AT_ONCE = 32  # of Apache's prefork: workers it adds in one second


def _fit(given: Given) -> float:
    return (given["memory_mib"] - given["base_mib"]) // given["each_mib"]


def _ramp(given: Given, most: float) -> float:
    """Looks until the limit, if a look adds 1, 2, 4, ... and never more than `most`."""
    workers, more, looks = given["start"], 1.0, 0
    while workers < given["limit"]:
        workers, more, looks = workers + more, min(2 * more, most), looks + 1
    return looks


def _even(threads: float) -> float:
    """How likely 2 T coins fall as T heads and T tails."""
    return math.comb(round(2 * threads), round(threads)) / 4**threads


def _served(given: Given) -> float:
    """Requests per second of two pools, of which each serves its own users only."""
    rest = given["users"] - given["few"]
    busy = min(given["few"], given["threads"]) + min(rest, given["threads"])
    return busy / given["wait_ms"] * 1000


ARCHITECTURES: tuple[Exercise, ...] = (
    # prefork
    Exercise(
        id="9.1",
        question="A machine has {memory_mib} MiB of memory, {base_mib} of them taken before the "
        "first worker, and one more worker takes {each_mib} MiB. How many workers fit?",
        unit="workers",
        given=MEMORY,
        answer=_fit,
        tolerance=lambda given: 0.004,  # whole workers, so no rounding is needed
        slips=(
            Slip(
                lambda given: given["memory_mib"] // given["each_mib"],
                "{base_mib} MiB are taken before the first worker: take them off.",
            ),
            Slip(
                lambda given: (given["memory_mib"] - given["base_mib"]) / given["each_mib"],
                "There are no parts of workers: round down.",
            ),
            Slip(
                lambda given: _fit(given) + 1,
                "The last of them would not have all of its memory: round down.",
            ),
        ),
        hint="What is left of the memory, divided by what one more worker takes.",
    ),
    Exercise(
        id="9.2",
        question="{memory_mib} MiB of memory, {base_mib} taken, {each_mib} MiB a worker, and each "
        "request occupies its worker for {wait_ms} ms. At most how many requests a second?",
        unit="req/s",
        given={**MEMORY, "wait_ms": (500, 200, 250)},
        answer=lambda given: _fit(given) / given["wait_ms"] * 1000,
        slips=(
            Slip(_fit, "That is the workers. Each of them serves a request in {wait_ms} ms."),
            Slip(
                lambda given: _fit(given) * given["wait_ms"] / 1000,
                "Divide by the time of a request, don't multiply with it.",
            ),
        ),
        hint="X = W / (D + V), with the workers that fit.",
    ),
    Exercise(
        id="9.3",
        question="A server has {start} workers when a crowd comes. It looks once a second and adds "
        "1, 2, 4, 8, 16, 32 workers, and then 32 at each look. After how many seconds are there "
        "{limit}?",
        unit="s",
        given={"start": (5, 10), "limit": (256, 150, 400)},
        answer=lambda given: _ramp(given, MOST_AT_ONCE),
        slips=(
            Slip(
                lambda given: _ramp(given, math.inf),
                "As if the doubling went on: after 32 at once it stops growing.",
            ),
            Slip(
                lambda given: math.ceil((given["limit"] - given["start"]) / MOST_AT_ONCE),
                "As if it began with 32 at once: the first looks add 1, 2, 4, 8, 16.",
            ),
        ),
        hint="The first six looks add 63 together. Each further one adds 32.",
    ),
    Exercise(
        id="9.4",
        question="Your own run: from the throughput of the second step, how many workers were "
        "serving at the same time, on average over that step?",
        unit="workers",
        lab="prefork",
        read=of_crowd,
        answer=lambda given: given["throughput"] * given["wait_s"],
        tolerance=interval,
        slips=(
            Slip(
                lambda given: given["throughput"] / given["wait_s"],
                "Upside down: multiply the requests a second by the seconds of a request.",
            ),
            Slip(
                lambda given: given["throughput"] * given["wait_s"] * 1000,
                "The wait is {wait_s} s, not so many milliseconds.",
            ),
            Slip(
                lambda given: given["users"],
                "Those are the users. Some of them had no worker yet.",
            ),
        ),
        hint="Little's law for the workers: throughput times the {wait_s} s of a request.",
    ),
    Exercise(
        id="9.5",
        question="Your own run: how many more worker processes fit into 1 GiB (1024 MiB)?",
        unit="workers",
        lab="memory-per-worker",
        read=of_scales,
        answer=lambda given: 1024 / given["pss_mib"],
        tolerance=lambda given: 0.05,
        slips=(
            Slip(
                lambda given: 1024 / given["rss_mib"],
                "By RSS, which counts what is shared once for every worker. Take the PSS.",
            ),
            Slip(
                lambda given: given["pss_mib"] * 1024,
                "Divide the memory by what one worker takes.",
            ),
        ),
        hint="1024 MiB divided by the PSS of one more process.",
    ),
    Exercise(
        id="9.6",
        question="Break it: find a load with which the server never gets to 32 workers, though 32 "
        "users come again and again.",
        hint="The ramp takes five looks in a row with too few idle workers. What if the crowd "
        "leaves earlier?",
    ),
    # threads
    Exercise(
        id="10.1",
        question="Two processes with {threads} threads each, and as many users as there are "
        "threads in all. Each connection fell on one process or the other like a coin. How "
        "probable is it that all users are served at once?",
        unit="as a fraction",
        given={"threads": (2, 3, 4)},
        answer=lambda given: _even(given["threads"]),
        slips=(
            Slip(
                lambda given: 1 / (2 * given["threads"] + 1),
                "As if all splits were equally likely. An even one can come about in more ways.",
            ),
            Slip(
                lambda given: 1 - _even(given["threads"]),
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
                lambda given: given["users"] / given["wait_ms"] * 1000,
                "As if it were one pool. {few} connections keep only {few} threads busy.",
            ),
            Slip(
                lambda given: given["few"] / given["wait_ms"] * 1000,
                "That is the first process alone; the second serves as well.",
            ),
            Slip(
                lambda given: given["threads"] / given["wait_ms"] * 1000,
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
        answer=lambda given: given["rate"] * given["response_ms"] / 1000,
        tolerance=lambda given: 0.005,  # those who are not served are nearly as many
        slips=(
            Slip(
                lambda given: given["users"],
                "Those are all users. N = X R counts only those whose answers came.",
            ),
            Slip(
                lambda given: given["users"] - given["rate"] * given["response_ms"] / 1000,
                "Those are the others, who are not served.",
            ),
            Slip(
                lambda given: given["rate"] * given["response_ms"],
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
        answer=lambda given: given["several"] / given["one"],
        tolerance=lambda given: 0.02 + given["interval"],
        slips=(
            Slip(
                lambda given: given["one"] / given["several"],
                "Upside down: the throughput of 4 × 16 goes on top.",
            ),
            Slip(
                lambda given: 1 - given["several"] / given["one"],
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
        answer=lambda given: given["counted"] / given["asked"],
        slips=(
            Slip(
                lambda given: 1 - given["counted"] / given["asked"],
                "That is what was lost; the question is what arrived.",
            ),
            Slip(
                lambda given: given["counted"],
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
