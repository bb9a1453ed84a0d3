"""The exercises of the chapters on a small file and on load generators."""

from __future__ import annotations

import math

from labs.exercises.check import Exercise, Given, Slip
from labs.exercises.readings import interval, of_locust, of_part, of_tree
from labs.theory import laws

TARGET_RPS = 12_000


def _cost_us(given: Given) -> float:
    """Seconds for so many millions of requests: microseconds for one."""
    return given["cpu_s"] / given["millions"]


GENERATORS: tuple[Exercise, ...] = (
    # a-small-file
    Exercise(
        id="15.1",
        question="A server's tree used {cpu_s} s of CPU time for {millions} million requests. How "
        "much is that for a request?",
        unit="µs",
        given={"cpu_s": (412.8, 300, 520.5), "millions": (3, 2, 5)},
        answer=_cost_us,
        slips=(
            Slip(
                lambda given: _cost_us(given) / 1000,
                "That is in milliseconds; this asks for microseconds, the millionths of a second.",
            ),
            Slip(
                lambda given: _cost_us(given) / 1e6,
                "That is in seconds; this asks for microseconds, the millionths of a second.",
            ),
            Slip(
                lambda given: 1e6 / _cost_us(given),
                "Upside down: that is requests for each second of CPU time.",
            ),
        ),
        hint="{cpu_s} million microseconds for every {millions} requests of a million.",
    ),
    Exercise(
        id="15.2",
        question="The same tree: {cpu_s} s of CPU time for {millions} million requests, on a "
        "machine with {cores} cores. At most how many requests a second could the server do, with "
        "all the cores to itself?",
        unit="req/s",
        given={"cpu_s": (412.8, 300, 520.5), "millions": (3, 2, 5), "cores": (8, 4, 16)},
        answer=lambda given: given["cores"] * 1e6 / _cost_us(given),
        slips=(
            Slip(
                lambda given: 1e6 / _cost_us(given),
                "That is one core; there are {cores}.",
            ),
            Slip(
                lambda given: given["cores"] * 1000 / _cost_us(given),
                "Microseconds taken for milliseconds: a second has a million of them.",
            ),
        ),
        hint="c / D: {cores} seconds of CPU time in each second, shared out.",
    ),
    Exercise(
        id="15.3",
        question="A lone user has an answer after {response_ms} ms, on a machine with {cores} "
        "cores. Suppose the worst: one core worked for it all that time. At least how many "
        "requests a second can {cores} cores do, if a request costs no more in a crowd?",
        unit="req/s",
        given={"response_ms": (0.405, 0.5, 0.25), "cores": (16, 8, 4)},
        answer=lambda given: given["cores"] * 1000 / given["response_ms"],
        slips=(
            Slip(
                lambda given: 1000 / given["response_ms"],
                "That is what the lone user gets, and one core serves; there are {cores}.",
            ),
            Slip(
                lambda given: 1000 / given["response_ms"] / given["cores"],
                "Each core does as much as the first: multiply by them.",
            ),
        ),
        hint="c / D, with D as large as it can be: {response_ms} ms.",
    ),
    Exercise(
        id="15.4",
        question="Your own run: at the CPU time that a request cost prefork at {users} users, how "
        "many requests a second could your {cores} cores do, if the load generator needed none?",
        unit="req/s",
        lab="a-small-file",
        read=of_part("prefork"),
        answer=lambda given: given["cores"] / given["demand_s"],
        tolerance=interval,
        slips=(
            Slip(
                lambda given: 1 / given["demand_s"],
                "That is one core; you have {cores}.",
            ),
            Slip(
                lambda given: given["throughput"],
                "That is what it did. How much would its cores have allowed?",
            ),
        ),
        hint="c / D, with the CPU time a request from the table of data.",
    ),
    Exercise(
        id="15.5",
        question="Your own run: of the CPU time of the server's tree, which part was user time?",
        unit="as a fraction",
        lab="a-process-tree",
        read=of_tree,
        answer=lambda given: given["user_s"] / (given["user_s"] + given["system_s"]),
        tolerance=lambda given: 0.05,
        slips=(
            Slip(
                lambda given: given["system_s"] / (given["user_s"] + given["system_s"]),
                "That is the system's part.",
            ),
            Slip(
                lambda given: given["user_s"] / given["system_s"],
                "That is one part over the other; divide by both together.",
            ),
        ),
        hint="User seconds over user and system seconds, of the server's whole tree.",
    ),
    Exercise(
        id="15.6",
        question="Break it: make prefork and event differ by more than a few per cent, with the "
        "same file.",
        hint="More users than workers, who keep their connections. What does an idle connection "
        "cost the one, and not the other?",
    ),
    # whom-are-you-measuring
    Exercise(
        id="16.1",
        question="A test is to make {target} requests a second. One generator, on a core of its "
        "own, can make {each}. How many do you need, so that none is more than 80 % busy?",
        unit="generators",
        given={"target": (12000, 9000, 20000), "each": (1500, 2000, 1300)},
        answer=lambda given: laws.generators(given["target"], given["each"]),
        slips=(
            Slip(
                lambda given: math.ceil(given["target"] / given["each"]),
                "Then all of them are full, or nearly so. Leave each a fifth.",
            ),
            Slip(
                lambda given: given["target"] / (laws.FULL * given["each"]),
                "There is no part of a generator: round up.",
            ),
            Slip(
                lambda given: laws.FULL * given["each"],
                "So much each may make. How many does it take?",
            ),
            Slip(
                lambda given: math.ceil(laws.FULL * given["target"] / given["each"]),
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
        answer=lambda given: given["percent"] / 100 * given["cores"],
        slips=(
            Slip(
                lambda given: given["percent"] / 100,
                "That is of the whole machine. It can use one of the {cores} cores only.",
            ),
            Slip(
                lambda given: given["percent"] / 100 / given["cores"],
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
        answer=lambda given: given["users"] * given["cost_us"] / 1000,
        slips=(
            Slip(
                lambda given: given["cost_us"] / 1000,
                "So long the generator needs for one. The other answers lie there and wait.",
            ),
            Slip(
                lambda given: given["users"] * given["cost_us"],
                "That is in microseconds; this asks for milliseconds.",
            ),
            Slip(
                lambda given: 1e6 / given["cost_us"],
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
        answer=lambda given: laws.throughput(given["users"], given["response_s"], given["think_s"]),
        slips=(
            Slip(
                lambda given: given["users"],
                "Users are not requests a second: how often does each of them ask?",
            ),
            Slip(
                lambda given: given["users"] / given["response_s"],
                "That is without thinking. They pause for {think_s} s.",
            ),
            Slip(
                lambda given: given["users"] / given["think_s"],
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
        answer=lambda given: laws.generators(TARGET_RPS, 1 / given["cost_s"]),
        slips=(
            Slip(
                lambda given: math.ceil(TARGET_RPS * given["cost_s"]),
                "Then they would be full, or nearly so. Leave each a fifth of its core.",
            ),
            Slip(
                lambda given: TARGET_RPS * given["cost_s"] / laws.FULL,
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
