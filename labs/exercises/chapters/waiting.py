"""The exercises of the chapters on waiting and on the pool."""

from __future__ import annotations

from labs.exercises.check import Exercise, Given, Slip
from labs.exercises.readings import interval, of_last, of_waiting

# Seconds after the first attempt at which a lost SYN is sent again, by Linux before 6.5 and since
# (Documentation/networking/ip-sysctl: tcp_syn_retries, tcp_syn_linear_timeouts).
KNOCKS_S = (1, 3, 7, 15, 31)
KNOCKS_SINCE_S = (1, 2, 3, 4, 5, 7, 11, 19, 35)

HELD = {"workers": (256, 128, 400), "held_ms": (500, 200, 250), "users": (1024, 2000, 1500)}


def _next(knocks: tuple[int, ...], free_s: float) -> float:
    return next(knock for knock in knocks if knock >= free_s)


def _held_rps(given: Given) -> float:
    return given["workers"] / given["held_ms"] * 1000


WAITING: tuple[Exercise, ...] = (
    # waiting-is-cheap
    Exercise(
        id="7.1",
        question="A page waits {wait_ms} ms and hardly computes. There are {cores} cores, {users} "
        "users, and as many workers as users. How many requests a second?",
        unit="req/s",
        given={"wait_ms": (200, 100, 250, 400), "cores": (4, 2, 8), "users": (256, 64, 100)},
        answer=lambda given: given["users"] / given["wait_ms"] * 1000,
        slips=(
            Slip(
                lambda given: given["cores"] / given["wait_ms"] * 1000,
                "That is cores / response time, as if each page kept a core while it waits.",
            ),
            Slip(
                lambda given: 1000 / given["wait_ms"],
                "That is one user; there are {users}, and each has a worker.",
            ),
            Slip(
                lambda given: given["users"] * given["cores"] / given["wait_ms"] * 1000,
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
        answer=lambda given: given["rate"] * given["wait_ms"] / 1000,
        slips=(
            Slip(
                lambda given: given["rate"],
                "That is how many come in a second. Each stays for {wait_ms} ms, not for a second.",
            ),
            Slip(
                lambda given: given["rate"] * given["wait_ms"],
                "{wait_ms} ms are a fraction of a second: bring both to one unit.",
            ),
            Slip(
                lambda given: given["rate"] / given["wait_ms"] * 1000,
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
        answer=lambda given: given["busy"] * given["cores"] / given["rate"] * 10,
        slips=(
            Slip(
                lambda given: given["busy"] / given["rate"] * 10,
                "That is one core; there are {cores}.",
            ),
            Slip(
                lambda given: (100 - given["busy"]) * given["cores"] / given["rate"] * 10,
                "That shares out the idle time; the busy part is {busy} %.",
            ),
            Slip(
                lambda given: given["cores"] / given["rate"] * 1000,
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
        answer=lambda given: given["cores"] / given["demand_s"],
        tolerance=interval,
        slips=(
            Slip(
                lambda given: 1 / given["demand_s"],
                "That is one core; you have {cores}.",
            ),
            Slip(
                lambda given: given["throughput"],
                "That is what they did. How much would they do if they were never idle?",
            ),
            Slip(
                lambda given: given["cores"] / given["response_s"],
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
    # the-pool
    Exercise(
        id="8.1",
        question="{workers} workers, each held for {held_ms} ms by a request, {users} users, cores "
        "that have plenty to spare. How many requests a second?",
        unit="req/s",
        given=HELD,
        answer=_held_rps,
        slips=(
            Slip(
                lambda given: given["users"] / given["held_ms"] * 1000,
                "As if each user had a worker; there are {workers}.",
            ),
            Slip(
                lambda given: given["workers"],
                "That is how many are in service at once. How often does each place change hands "
                "in a second?",
            ),
            Slip(lambda given: 1000 / given["held_ms"], "That is one worker; there are {workers}."),
        ),
        hint="X = min(N, W) / (D + V).",
    ),
    Exercise(
        id="8.2",
        question="The same server: {workers} workers, {held_ms} ms, {users} users. What is the "
        "response time?",
        unit="s",
        given=HELD,
        answer=lambda given: given["users"] / _held_rps(given),
        slips=(
            Slip(
                lambda given: given["held_ms"] / 1000,
                "That is the page alone. {users} users share {workers} workers: most stand in "
                "line.",
            ),
            Slip(
                lambda given: given["users"] / _held_rps(given) - given["held_ms"] / 1000,
                "That is the line; the {held_ms} ms of the page come on top.",
            ),
            Slip(
                lambda given: given["users"] * given["held_ms"] / 1000,
                "As if there were one worker; {workers} work side by side.",
            ),
        ),
        hint="R = N / X, and X you know.",
    ),
    Exercise(
        id="8.3",
        question="A site is to serve {rate} requests per second, and a request holds its worker "
        "for {held_ms} ms. How many workers does it need at least?",
        unit="workers",
        given={"rate": (600, 1000, 320), "held_ms": (250, 400, 150)},
        answer=lambda given: given["rate"] * given["held_ms"] / 1000,
        slips=(
            Slip(
                lambda given: given["rate"],
                "A worker is held for {held_ms} ms and then free again. Compare the pool with the "
                "requests in service, not with those of a second.",
            ),
            Slip(
                lambda given: given["rate"] / given["held_ms"] * 1000,
                "Little's law multiplies: requests per second times seconds.",
            ),
            Slip(
                lambda given: given["rate"] * given["held_ms"],
                "{held_ms} ms are a fraction of a second: bring both to one unit.",
            ),
        ),
        hint="How many requests are in the pool at once? N = X R, for the pool alone.",
    ),
    Exercise(
        id="8.4",
        question="Your own run: how long did a request stand in line at {users} users?",
        unit="ms",
        lab="the-pool",
        read=of_waiting,
        answer=lambda given: (given["response_s"] - given["wait_s"] - given["demand_s"]) * 1000,
        tolerance=lambda given: 0.05 + 2 * given["interval"],  # a difference of two times
        slips=(
            Slip(
                lambda given: given["response_s"] * 1000,
                "That is the whole response time; the page itself is no line.",
            ),
            Slip(
                lambda given: given["wait_s"] * 1000,
                "That is what the page waits when it has a worker. The line is before that.",
            ),
        ),
        hint="The response time, without the page's own waiting and computing.",
    ),
    Exercise(
        id="8.5",
        question="A client on a Linux before 6.5 finds the listen queue full. There is a place "
        "from {free_s} s on, and it stays free. After how many seconds does the client get in?",
        unit="s",
        given={"free_s": (4.5, 1.5, 8)},
        answer=lambda given: _next(KNOCKS_S, given["free_s"]),
        slips=(
            Slip(
                lambda given: _next(KNOCKS_SINCE_S, given["free_s"]),
                "That is Linux 6.5 or newer. Before, each pause was twice as long as the last.",
            ),
            Slip(
                lambda given: given["free_s"],
                "Nobody tells the client that a place is free. It knocks at its own times.",
            ),
        ),
        hint="The pauses between its attempts are 1, 2, 4 and 8 s.",
    ),
    Exercise(
        id="8.6",
        question="Break it: find a setting where a larger pool does not raise the throughput, "
        "although all workers are busy, and one where the pool is the limit although the cores "
        "are busy.",
        hint="Give the page CPU time. Which is lower, c / D or W / (D + V)?",
    ),
)
