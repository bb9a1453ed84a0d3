"""The exercises of the chapter `prefork`: ranges, laws and slips."""

from __future__ import annotations

import math

from labs.exercises.exercise import Exercise, Numbers, Slip
from labs.exercises.readings import interval, of_crowd, of_scales

MEMORY = {"memory_mib": (2048, 4096, 1024, 8192), "base_mib": (400, 300), "each_mib": (60, 45, 80)}
MOST_AT_ONCE = 32  # of Apache's prefork: workers it adds in one second


def _fit(given: Numbers) -> float:
    return (given["memory_mib"] - given["base_mib"]) // given["each_mib"]


def _ramp(given: Numbers, most: float) -> float:
    """Looks until the limit, if a look adds 1, 2, 4, ... and never more than `most`."""
    workers, more, looks = given["start"], 1.0, 0
    while workers < given["limit"]:
        workers, more, looks = workers + more, min(2 * more, most), looks + 1
    return looks


EXERCISES = (
    Exercise(
        id="9.1",
        question="A machine has {memory_mib} MiB of memory, {base_mib} of them taken before the "
        "first worker, and one more worker takes {each_mib} MiB. How many workers fit?",
        unit="workers",
        given=MEMORY,
        answer=_fit,
        tolerance=lambda: 0.004,  # whole workers, so no rounding is needed
        slips=(
            Slip(
                lambda memory_mib, each_mib: memory_mib // each_mib,
                "{base_mib} MiB are taken before the first worker: take them off.",
            ),
            Slip(
                lambda memory_mib, base_mib, each_mib: (memory_mib - base_mib) / each_mib,
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
                lambda limit, start: math.ceil((limit - start) / MOST_AT_ONCE),
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
        answer=lambda throughput, wait_s: throughput * wait_s,
        tolerance=interval,
        slips=(
            Slip(
                lambda throughput, wait_s: throughput / wait_s,
                "Upside down: multiply the requests a second by the seconds of a request.",
            ),
            Slip(
                lambda throughput, wait_s: throughput * wait_s * 1000,
                "The wait is {wait_s} s, not so many milliseconds.",
            ),
            Slip(
                lambda users: users,
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
        answer=lambda pss_mib: 1024 / pss_mib,
        tolerance=lambda: 0.05,
        slips=(
            Slip(
                lambda rss_mib: 1024 / rss_mib,
                "By RSS, which counts what is shared once for every worker. Take the PSS.",
            ),
            Slip(
                lambda pss_mib: pss_mib * 1024,
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
)
