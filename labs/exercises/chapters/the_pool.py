"""The exercises of the chapter `the-pool`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Numbers, Slip
from labs.exercises.readings import of_waiting

# Seconds after the first attempt at which a lost SYN is sent again, by Linux before 6.5 and since
# (Documentation/networking/ip-sysctl: tcp_syn_retries, tcp_syn_linear_timeouts).
KNOCKS_S = (1, 3, 7, 15, 31)
KNOCKS_SINCE_S = (1, 2, 3, 4, 5, 7, 11, 19, 35)


HELD = {"workers": (256, 128, 400), "held_ms": (500, 200, 250), "users": (1024, 2000, 1500)}


def _next(knocks: tuple[int, ...], free_s: float) -> float:
    return next(knock for knock in knocks if knock >= free_s)


def _held_rps(given: Numbers) -> float:
    return given["workers"] / given["held_ms"] * 1000


EXERCISES = (
    Exercise(
        id="8.1",
        question="{workers} workers, each held for {held_ms} ms by a request, {users} users, cores "
        "that have plenty to spare. How many requests a second?",
        unit="req/s",
        given=HELD,
        answer=_held_rps,
        slips=(
            Slip(
                lambda users, held_ms: users / held_ms * 1000,
                "As if each user had a worker; there are {workers}.",
            ),
            Slip(
                lambda workers: workers,
                "That is how many are in service at once. How often does each place change hands "
                "in a second?",
            ),
            Slip(lambda held_ms: 1000 / held_ms, "That is one worker; there are {workers}."),
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
                lambda held_ms: held_ms / 1000,
                "That is the page alone. {users} users share {workers} workers: most stand in "
                "line.",
            ),
            Slip(
                lambda given: given["users"] / _held_rps(given) - given["held_ms"] / 1000,
                "That is the line; the {held_ms} ms of the page come on top.",
            ),
            Slip(
                lambda users, held_ms: users * held_ms / 1000,
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
        answer=lambda rate, held_ms: rate * held_ms / 1000,
        slips=(
            Slip(
                lambda rate: rate,
                "A worker is held for {held_ms} ms and then free again. Compare the pool with the "
                "requests in service, not with those of a second.",
            ),
            Slip(
                lambda rate, held_ms: rate / held_ms * 1000,
                "Little's law multiplies: requests per second times seconds.",
            ),
            Slip(
                lambda rate, held_ms: rate * held_ms,
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
        answer=lambda response_s, wait_s, demand_s: (response_s - wait_s - demand_s) * 1000,
        tolerance=lambda interval: 0.05 + 2 * interval,  # a difference of two times
        slips=(
            Slip(
                lambda response_s: response_s * 1000,
                "That is the whole response time; the page itself is no line.",
            ),
            Slip(
                lambda wait_s: wait_s * 1000,
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
        answer=lambda free_s: _next(KNOCKS_S, free_s),
        slips=(
            Slip(
                lambda free_s: _next(KNOCKS_SINCE_S, free_s),
                "That is Linux 6.5 or newer. Before, each pause was twice as long as the last.",
            ),
            Slip(
                lambda free_s: free_s,
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
