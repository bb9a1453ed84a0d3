"""The exercises of the chapter `waiting-is-cheap`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Slip
from labs.exercises.readings import interval, of_last

EXERCISES = (
    Exercise(
        id="7.1",
        question="A page waits {wait_ms} ms and hardly computes. There are {cores} cores, {users} "
        "users, and as many workers as users. How many requests a second?",
        unit="req/s",
        given={"wait_ms": (200, 100, 250, 400), "cores": (4, 2, 8), "users": (256, 64, 100)},
        answer=lambda users, wait_ms: users / wait_ms * 1000,
        slips=(
            Slip(
                lambda cores, wait_ms: cores / wait_ms * 1000,
                "That is cores / response time, as if each page kept a core while it waits.",
            ),
            Slip(
                lambda wait_ms: 1000 / wait_ms,
                "That is one user; there are {users}, and each has a worker.",
            ),
            Slip(
                lambda users, cores, wait_ms: users * cores / wait_ms * 1000,
                "The cores don't come into it: a page that waits keeps none.",
            ),
        ),
        hint="Each user comes round every {wait_ms} ms, and nobody is in the way.",
    ),
    Exercise(
        id="7.2",
        question="A site is to serve {rate} requests per second, and each waits {wait_ms} ms and "
        "hardly computes. How many requests are under way at any moment?",
        unit="requests",
        given={"rate": (1000, 400, 2500), "wait_ms": (300, 150, 80)},
        answer=lambda rate, wait_ms: rate * wait_ms / 1000,
        slips=(
            Slip(
                lambda rate: rate,
                "That is how many come in a second. Each stays for {wait_ms} ms, not for a second.",
            ),
            Slip(
                lambda rate, wait_ms: rate * wait_ms,
                "{wait_ms} ms are a fraction of a second: bring both to one unit.",
            ),
            Slip(
                lambda rate, wait_ms: rate / wait_ms * 1000,
                "Little's law multiplies: requests per second times seconds.",
            ),
        ),
        hint="N = X R.",
    ),
    Exercise(
        id="7.3",
        question="{cores} cores are {busy} % busy while they serve {rate} requests per second. How "
        "much CPU time does a request cost?",
        unit="ms",
        given={"cores": (8, 4, 16), "busy": (30, 40, 25), "rate": (1500, 1189, 900)},
        answer=lambda busy, cores, rate: busy * cores / rate * 10,
        slips=(
            Slip(
                lambda busy, rate: busy / rate * 10,
                "That is one core; there are {cores}.",
            ),
            Slip(
                lambda busy, cores, rate: (100 - busy) * cores / rate * 10,
                "That shares out the idle time; the busy part is {busy} %.",
            ),
            Slip(
                lambda cores, rate: cores / rate * 1000,
                "As if the cores were busy all the time; they are busy for {busy} % of it.",
            ),
        ),
        hint="U = X D / c, solved for D.",
    ),
    Exercise(
        id="7.4",
        question="Your own run: with the CPU time a request cost at {users} users, at how many "
        "requests a second would your {cores} cores be full?",
        unit="req/s",
        lab="waiting-is-cheap",
        read=of_last,
        answer=lambda cores, demand_s: cores / demand_s,
        tolerance=interval,
        slips=(
            Slip(
                lambda demand_s: 1 / demand_s,
                "That is one core; you have {cores}.",
            ),
            Slip(
                lambda throughput: throughput,
                "That is what they did. How much would they do if they were never idle?",
            ),
            Slip(
                lambda cores, response_s: cores / response_s,
                "The response time is mostly waiting, and keeps no core. Take the CPU time.",
            ),
        ),
        hint="c / D, with the CPU time of a request at {users} users.",
    ),
    Exercise(
        id="7.5",
        question="Break it: make waiting expensive, or make the thundering herd vanish without "
        "taking a worker away.",
        hint="What do the cores do when the wait is very short? And who wakes whom when a "
        "connection comes in?",
    ),
)
