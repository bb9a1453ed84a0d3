"""The exercises of `one-core`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise
from labs.exercises.readings import of_last

EXERCISES = (
    Exercise(
        id="2.1",
        kind="compute",
        level="warm-up",
        minutes=2,
        unit="req/s",
        given={"cpu_ms": (25, 40, 80, 125), "users": (6, 4, 8, 10)},
        answer="bound(N=users, D=cpu_s)",
        slips={
            "ceiling(users, cpu_s)": "As if each user had a worker; there is one worker for all "
            "{users}.",
            "answer / users": "That is what one of the users gets; the question is about all of "
            "them.",
        },
    ),
    Exercise(
        id="2.2",
        kind="compute",
        level="standard",
        minutes=3,
        unit="ms",
        given={"cpu_ms": (30, 45, 60), "users": (5, 12, 7)},
        answer="response_ms",
        also={
            "response_s": "response_time_bound(N=users, D=cpu_s)",
            "line_ms": "1000 * queued(R=response_s, D=cpu_s)",
            "throughput": "throughput(N=users, R=response_s)",
        },
        slips={
            "cpu_ms": "That is the service alone. {users} users share one worker: all queue.",
            "line_ms": "That is the queue alone; your own {cpu_ms} ms come on top.",
        },
    ),
    Exercise(
        id="2.3",
        kind="predict",
        level="standard",
        minutes=5,
        unit="ms",
        given={"crowd": (32,)},
        lab="one-core",
        read=of_last,
        answer="1000 * response_time(N=crowd, X=throughput)",
        slips={
            "1000 * response_time(N=1, X=throughput)": "That is for one user; {crowd} of them "
            "share the worker.",
            "response_ms": "That is for {users} users; now there are {crowd}.",
        },
    ),
    Exercise(
        id="2.4",
        kind="break the model",
        level="standard",
        minutes=8,
        given={"cpu_ms": (50,), "think_s": (0.5,)},
        also={"knee": "knee(D=cpu_s, Z=think_s)"},
    ),
    Exercise(
        id="2.5",
        kind="repair",
        level="standard",
        minutes=5,
        unit="ms",
        given={"users": (9, 6), "rate": (24, 30, 15), "reported_ms": (125, 140, 170)},
        answer="1000 * response_time(N=users, X=rate)",
        also={
            "implied": "users(X=rate, R=reported_s)",
        },
        slips={
            "reported_ms": "Then rate times response time would be {implied}, and there are "
            "{users} users.",
            "1000 / rate": "That is the time of one request at the till. The others are in front "
            "of it.",
            "implied": "That is a number of users, and from the wrong response time. Turn the law "
            "round.",
        },
    ),
    Exercise(id="2.6", kind="proof", level="hard", minutes=10),
)
