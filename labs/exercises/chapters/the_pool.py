"""The exercises of `the-pool`: ranges, laws and slips."""

from __future__ import annotations

import itertools

from labs.exercises.exercise import Exercise, Formula
from labs.exercises.readings import of_waiting
from labs.theory import laws

LAW: dict[str, Formula] = {
    "throughput": "bound(N=users, D=0, V=held_s, W=workers)",
    "each": "ceiling(1, held_s)",
}


def _knock(free_s: float, **linear: int) -> float:
    """Seconds until the first attempt that finds the place free."""
    knocks = (laws.retry_delay(lost, **linear) for lost in itertools.count())
    return next(after for after in knocks if after >= free_s)


EXERCISES = (
    Exercise(
        id="8.1",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="req/s",
        given={"workers": (256, 128, 400), "held_ms": (500, 200, 250), "users": (1024, 2000, 1500)},
        answer="throughput",
        also={**LAW, "more": "each + 1"},
        slips={
            "throughput(N=users, R=held_s)": "As if each user had a worker; there are {workers}.",
            "workers": "That is how many are in service at once. How often does each place change "
            "hands in a second?",
            "each": "That is one worker; there are {workers}.",
        },
    ),
    Exercise(
        id="8.2",
        kind="compute",
        level="standard",
        minutes=3,
        unit="s",
        given={"workers": (120, 80, 200), "held_ms": (300, 400), "users": (600, 900, 1500)},
        answer="response_time(N=users, X=throughput)",
        also=LAW,
        slips={
            "held_s": "That is the page alone. {users} users share {workers} workers: most stand "
            "in line.",
            "queued(R=answer, D=0, V=held_s)": "That is the line; the {held_ms} ms of the page "
            "come on top.",
            "response_time(N=users, X=each)": "As if there were one worker; {workers} work side "
            "by side.",
        },
    ),
    Exercise(
        id="8.3",
        kind="compute",
        level="standard",
        minutes=3,
        unit="workers",
        given={"rate": (600, 1000, 320), "held_ms": (250, 400, 150)},
        answer="users(X=rate, R=held_s)",
        slips={
            "rate": "A worker is held for {held_ms} ms and then free again. Compare the pool with "
            "the requests in service, not with those of a second.",
            "rate / held_s": "Little's law multiplies: requests per second times seconds.",
            "1000 * answer": "{held_ms} ms are a fraction of a second: bring both to one unit.",
        },
    ),
    Exercise(
        id="8.4",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="ms",
        lab="the-pool",
        read=of_waiting,
        answer="1000 * queued(R=response_s, D=demand_s, V=wait_s)",
        tolerance="0.05 + 2 * interval",  # a difference of two times
        slips={
            "response_ms": "That is the whole response time; the page itself is no line.",
            "wait_ms": "That is what the page waits when it has a worker. The line is before that.",
        },
    ),
    Exercise(
        id="8.5",
        kind="compute",
        level="hard",
        minutes=6,
        unit="s",
        given={"free_s": (4.5, 1.5, 8)},
        answer=lambda free_s: _knock(free_s, linear=0),
        also={
            "newer": lambda free_s: _knock(free_s),
            "unused_s": "answer - free_s",
        },
        slips={
            "newer": "That is Linux 6.5 or newer. From 3.1 to 6.4 each pause was twice as "
            "long as the last.",
            "free_s": "Nobody tells the client that a place is free. It knocks at its own times.",
        },
    ),
    Exercise(
        id="8.6",
        kind="break the model",
        level="standard",
        minutes=8,
        given={"cpu_ms": (50,), "wait_ms": (100,)},
        also={"core": "ceiling(1, cpu_s)"},
    ),
    Exercise(
        id="8.7",
        kind="repair",
        level="hard",
        minutes=6,
        unit="req/s",
        given={"requests": (6000, 9000), "few": (12, 30), "busy_s": (8, 9), "last_s": (15, 16)},
        answer="(requests - few) / busy_s",
        also={
            "reported": "requests / last_s",
            "most": "requests - few",
        },
        slips={
            "reported": "That is what the tool reports. For how long was the server busy?",
            "few / (last_s - busy_s)": "Those are the few at the end. What did the server do "
            "before?",
        },
    ),
    Exercise(id="8.8", kind="your application", level="standard", minutes=15),
    Exercise(
        id="8.9",
        kind="predict",
        level="standard",
        minutes=6,
        unit="req/s",
        lab="the-pool",
        read=of_waiting,
        answer="bound(N=users, D=demand_s, V=wait_s, c=cores, W=users)",
        slips={
            "throughput": "That is with the pool it has. Now nobody stands in line.",
            "ceiling(cores, demand_s)": "That is what the cores would allow. Are there users "
            "enough for it?",
        },
    ),
)
