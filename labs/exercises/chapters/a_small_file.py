"""The exercises of the chapter `a-small-file`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Numbers, Slip
from labs.exercises.readings import interval, of_part, of_tree


def _cost_us(given: Numbers) -> float:
    """Seconds for so many millions of requests: microseconds for one."""
    return given["cpu_s"] / given["millions"]


EXERCISES = (
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
        answer=lambda cores, response_ms: cores * 1000 / response_ms,
        slips=(
            Slip(
                lambda response_ms: 1000 / response_ms,
                "That is what the lone user gets, and one core serves; there are {cores}.",
            ),
            Slip(
                lambda response_ms, cores: 1000 / response_ms / cores,
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
        answer=lambda cores, demand_s: cores / demand_s,
        tolerance=interval,
        slips=(
            Slip(
                lambda demand_s: 1 / demand_s,
                "That is one core; you have {cores}.",
            ),
            Slip(
                lambda throughput: throughput,
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
        answer=lambda user_s, system_s: user_s / (user_s + system_s),
        tolerance=lambda: 0.05,
        slips=(
            Slip(
                lambda system_s, user_s: system_s / (user_s + system_s),
                "That is the system's part.",
            ),
            Slip(
                lambda user_s, system_s: user_s / system_s,
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
)
