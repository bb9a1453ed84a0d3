"""The exercises of the chapters on the event loop and on the launch."""

from __future__ import annotations

from labs.exercises.check import Exercise, Given, Slip
from labs.exercises.readings import interval, of_last, of_parts, of_queue


def _loop_rps(given: Given) -> float:
    """X = min(N / (D+V), 1 / D)."""
    cpu_s = given["cpu_ms"] / 1000
    return min(given["users"] / (cpu_s + given["wait_s"]), 1 / cpu_s)


def _pool_rps(given: Given) -> float:
    """X = W / V, where nothing is computed."""
    return given["workers"] / given["wait_s"]


EVENTS: tuple[Exercise, ...] = (
    # event-loop
    Exercise(
        id="11.1",
        question="A request needs {cpu_ms} ms of CPU time and waits {wait_s} s; one event loop "
        "awaits it. {users} users ask again at once. How many requests a second?",
        unit="req/s",
        given={"cpu_ms": (2, 4, 5, 2.5), "wait_s": (1, 0.5, 2), "users": (2000, 1500, 1200)},
        answer=_loop_rps,
        slips=(
            Slip(
                lambda given: given["users"] / (given["cpu_ms"] / 1000 + given["wait_s"]),
                "So many the users would allow. But the loop is one thread on one core.",
            ),
            Slip(
                lambda given: 1 / (given["cpu_ms"] / 1000 + given["wait_s"]),
                "As if the loop stood still while a request waits; it awaits, and goes on.",
            ),
            Slip(
                lambda given: given["users"] / (given["cpu_ms"] + given["wait_s"]),
                "The CPU time is in milliseconds and the wait in seconds: bring both to one unit.",
            ),
        ),
        hint="Two limits, N / (D + V) and 1 / D. The lower one counts.",
    ),
    Exercise(
        id="11.2",
        question="The same page, {cpu_ms} ms of CPU time and {wait_s} s of waiting, in one event "
        "loop. From how many users on is it full?",
        unit="users",
        given={"cpu_ms": (2, 4, 5, 2.5), "wait_s": (1, 0.5, 2)},
        answer=lambda given: 1 + given["wait_s"] / given["cpu_ms"] * 1000,
        slips=(
            Slip(
                lambda given: 1000 / given["cpu_ms"],
                "That is the throughput of the full loop; how many users does it take?",
            ),
            Slip(
                lambda given: 1 + given["wait_s"] / given["cpu_ms"],
                "The wait is in seconds, the CPU time in milliseconds: bring both to one unit.",
            ),
        ),
        hint="N / (D + V) = 1 / D, solved for N.",
    ),
    Exercise(
        id="11.3",
        question="A coroutine calls time.sleep for {wait_ms} ms. One event loop, next to no CPU "
        "time, {users} users who ask again at once. How many requests a second?",
        unit="req/s",
        given={"wait_ms": (200, 100, 250, 500), "users": (50, 20, 40, 100)},
        answer=lambda given: 1000 / given["wait_ms"],
        slips=(
            Slip(
                lambda given: given["users"] * 1000 / given["wait_ms"],
                "That is with `await asyncio.sleep`. This call keeps the loop, and all wait.",
            ),
            Slip(
                lambda given: 1000 / given["wait_ms"] / given["users"],
                "That is what one of the users gets; the question is about all of them.",
            ),
        ),
        hint="While one sleeps, the loop does nothing else. How many such sleeps fit in a second?",
    ),
    Exercise(
        id="11.4",
        question="Your own run: at the CPU time a request cost at {users} users, at most how many "
        "requests a second could that one loop do?",
        unit="req/s",
        lab="event-loop",
        read=of_last,
        answer=lambda given: 1 / given["demand_s"],
        tolerance=interval,
        slips=(
            Slip(
                lambda given: given["cores"] / given["demand_s"],
                "That is all {cores} cores; one loop is one thread and uses one of them.",
            ),
            Slip(
                lambda given: given["throughput"],
                "That is what it did; the question is what it could do when its core is full.",
            ),
        ),
        hint="One core has one second of CPU time in each second. How many requests fit?",
    ),
    Exercise(
        id="11.5",
        question="Your own run at {users} users: how many event loops that block would do as much "
        "as the one that awaits?",
        unit="loops",
        lab="one-blocking-call",
        read=of_parts("awaits", "blocks"),
        answer=lambda given: given["first"] / given["second"],
        tolerance=interval,
        slips=(
            Slip(
                lambda given: given["second"] / given["first"],
                "Upside down: the one that awaits goes on top.",
            ),
            Slip(
                lambda given: given["first"] - given["second"],
                "That is the difference; how many times does one go into the other?",
            ),
        ),
        hint="The throughput of `awaits` divided by that of `blocks`.",
    ),
    Exercise(
        id="11.6",
        question="Break it: find a setting in which prefork, with the same work and the same "
        "users, beats the event loop by as much as you can.",
        hint="One loop is one core: let the page compute. Or let its wait block, where each "
        "process has only itself to hold up.",
    ),
    # the-launch
    Exercise(
        id="12.1",
        question="{workers} threads, a page that waits {wait_s} s, {users} users who ask again at "
        "once. What is the response time?",
        unit="s",
        given={"workers": (25, 20, 40), "wait_s": (0.5, 0.4, 0.8), "users": (100, 120, 200)},
        answer=lambda given: given["users"] / _pool_rps(given),
        slips=(
            Slip(
                lambda given: given["wait_s"],
                "That is what the application sees. There are more users than threads.",
            ),
            Slip(
                lambda given: given["users"] * given["wait_s"],
                "As if there were one thread; {workers} of them work side by side.",
            ),
            Slip(
                lambda given: given["users"] / _pool_rps(given) - given["wait_s"],
                "That is the time in line; being served comes on top.",
            ),
        ),
        hint="The pool finishes W / V requests a second; then N = X R.",
    ),
    Exercise(
        id="12.2",
        question="The same: {workers} threads, {wait_s} s, {users} users. How much of the response "
        "time is spent in the queue?",
        unit="s",
        given={"workers": (25, 20, 40), "wait_s": (0.5, 0.4, 0.8), "users": (100, 120, 200)},
        answer=lambda given: given["users"] / _pool_rps(given) - given["wait_s"],
        slips=(
            Slip(
                lambda given: given["users"] / _pool_rps(given),
                "That is all of the response time; {wait_s} s of it are spent being served.",
            ),
            Slip(
                lambda given: 1 - given["workers"] / given["users"],
                "That is the fraction; this asks for the seconds.",
            ),
        ),
        hint="The response time less what the application can account for.",
    ),
    Exercise(
        id="12.3",
        question="A pool of {workers} threads with pages of {wait_s} s. {arrivals} requests arrive "
        "in each second, answered or not. How many are waiting after {minutes} minutes?",
        unit="requests",
        given={
            "workers": (25, 20, 24),
            "wait_s": (0.5, 0.8),
            "arrivals": (60, 75, 90),  # more than the best pool's 50
            "minutes": (5, 2, 10),
        },
        answer=lambda given: (given["arrivals"] - _pool_rps(given)) * given["minutes"] * 60,
        slips=(
            Slip(
                lambda given: (given["arrivals"] - _pool_rps(given)) * given["minutes"],
                "That is with minutes as seconds: a minute has 60 of them.",
            ),
            Slip(
                lambda given: given["arrivals"] * given["minutes"] * 60,
                "So many arrive; the pool serves some of them meanwhile.",
            ),
            Slip(
                lambda given: (given["arrivals"] - given["workers"]) * given["minutes"] * 60,
                "{workers} is the size of the pool; it finishes W / V requests a second.",
            ),
            Slip(
                lambda given: given["arrivals"] - _pool_rps(given),
                "So many more each second. For {minutes} minutes?",
            ),
        ),
        hint="How many arrive in a second, and how many leave?",
    ),
    Exercise(
        id="12.4",
        question="A page computes for {cpu_ms} ms and waits {wait_ms} ms; {workers} threads, "
        "always busy, and cores to spare. The code is made twice as fast. How many requests a "
        "second now?",
        unit="req/s",
        given={"cpu_ms": (20, 40), "wait_ms": (480, 360, 760), "workers": (25, 20, 40)},
        answer=lambda given: given["workers"] * 1000 / (given["cpu_ms"] / 2 + given["wait_ms"]),
        tolerance=lambda given: 0.01,  # what was gained is 2 %, and must be seen
        slips=(
            Slip(
                lambda given: 2 * given["workers"] * 1000 / (given["cpu_ms"] + given["wait_ms"]),
                "As if the whole page were twice as fast; only its {cpu_ms} ms are.",
            ),
            Slip(
                lambda given: given["workers"] * 1000 / (given["cpu_ms"] + given["wait_ms"]),
                "That was before. The {cpu_ms} ms are half as many now.",
            ),
            Slip(
                lambda given: given["workers"] * 1000 / (given["cpu_ms"] / 2),
                "The wait holds a thread as well: {wait_ms} ms of it.",
            ),
        ),
        hint="X = W / (D + V), with half of D.",
    ),
    Exercise(
        id="12.5",
        question="Your own run with 25 threads at {users} users: which part of the response time "
        "was spent queued?",
        unit="as a fraction",
        lab="the-launch",
        read=of_queue("25 threads"),
        answer=lambda given: (given["response_s"] - given["service_s"]) / given["response_s"],
        tolerance=interval,
        slips=(
            Slip(
                lambda given: given["service_s"] / given["response_s"],
                "That is the part in service; the question is about the rest.",
            ),
            Slip(
                lambda given: given["response_s"] - given["service_s"],
                "Those are the seconds; divide them by the response time.",
            ),
        ),
        hint="(response time - service time) / response time.",
    ),
    Exercise(
        id="12.6",
        question="Break it: make a larger pool serve fewer requests a second, or show that it "
        "can't be done on your machine.",
        hint="Threads that wait for a lock wake up to ask for it: many threads, short pages. And "
        "is the difference more than the intervals?",
    ),
)
