"""The exercises of the chapter `the-launch`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Numbers, Slip
from labs.exercises.readings import interval, of_queue


def _pool_rps(given: Numbers) -> float:
    """X = W / V, where nothing is computed."""
    return given["workers"] / given["wait_s"]


EXERCISES = (
    Exercise(
        id="12.1",
        question="{workers} threads, a page that waits {wait_s} s, {users} users who ask again at "
        "once. What is the response time?",
        unit="s",
        given={"workers": (25, 20, 40), "wait_s": (0.5, 0.4, 0.8), "users": (100, 120, 200)},
        answer=lambda given: given["users"] / _pool_rps(given),
        slips=(
            Slip(
                lambda wait_s: wait_s,
                "That is what the application sees. There are more users than threads.",
            ),
            Slip(
                lambda users, wait_s: users * wait_s,
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
                lambda workers, users: 1 - workers / users,
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
                lambda arrivals, minutes: arrivals * minutes * 60,
                "So many arrive; the pool serves some of them meanwhile.",
            ),
            Slip(
                lambda arrivals, workers, minutes: (arrivals - workers) * minutes * 60,
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
        answer=lambda workers, cpu_ms, wait_ms: workers * 1000 / (cpu_ms / 2 + wait_ms),
        tolerance=lambda: 0.01,  # what was gained is 2 %, and must be seen
        slips=(
            Slip(
                lambda workers, cpu_ms, wait_ms: 2 * workers * 1000 / (cpu_ms + wait_ms),
                "As if the whole page were twice as fast; only its {cpu_ms} ms are.",
            ),
            Slip(
                lambda workers, cpu_ms, wait_ms: workers * 1000 / (cpu_ms + wait_ms),
                "That was before. The {cpu_ms} ms are half as many now.",
            ),
            Slip(
                lambda workers, cpu_ms: workers * 1000 / (cpu_ms / 2),
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
        answer=lambda response_s, service_s: (response_s - service_s) / response_s,
        tolerance=interval,
        slips=(
            Slip(
                lambda service_s, response_s: service_s / response_s,
                "That is the part in service; the question is about the rest.",
            ),
            Slip(
                lambda response_s, service_s: response_s - service_s,
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
