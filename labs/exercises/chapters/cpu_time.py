"""The exercises of the chapters on CPU time."""

from __future__ import annotations

from labs.exercises.check import Exercise, Slip
from labs.exercises.readings import interval, of_last, of_plateau

CPU_TIME: tuple[Exercise, ...] = (
    # one-core
    Exercise(
        id="2.1",
        question="One worker needs {cpu_ms} ms for a request, and {users} users keep asking. How "
        "many requests a second?",
        unit="req/s",
        given={"cpu_ms": (20, 25, 40, 50), "users": (8, 4, 6, 10)},
        answer=lambda given: 1000 / given["cpu_ms"],
        slips=(
            Slip(
                lambda given: given["users"] * 1000 / given["cpu_ms"],
                "As if each user had a worker; there is one worker for all {users}.",
            ),
            Slip(
                lambda given: 1000 / given["cpu_ms"] / given["users"],
                "That is what one of the users gets; the question is about all of them.",
            ),
        ),
        hint="The worker is never idle. How many requests of {cpu_ms} ms fit into a second?",
    ),
    Exercise(
        id="2.2",
        question="The same worker, {cpu_ms} ms for a request and {users} users: how long does a "
        "user wait for an answer?",
        unit="ms",
        given={"cpu_ms": (20, 25, 40, 50), "users": (8, 4, 6, 10)},
        answer=lambda given: given["users"] * given["cpu_ms"],
        slips=(
            Slip(
                lambda given: given["cpu_ms"],
                "That is the service alone. {users} users share one worker: all queue.",
            ),
            Slip(
                lambda given: (given["users"] - 1) * given["cpu_ms"],
                "That is the queue alone; your own {cpu_ms} ms come on top.",
            ),
        ),
        hint="When you ask, the others are before you. R = N S.",
    ),
    Exercise(
        id="2.3",
        question="Your own run: with the throughput you measured at {users} users, how long would "
        "32 users wait for an answer?",
        unit="ms",
        lab="one-core",
        read=of_last,
        answer=lambda given: 32 / given["throughput"] * 1000,
        tolerance=interval,
        slips=(
            Slip(
                lambda given: 1000 / given["throughput"],
                "That is for one user; 32 of them share the worker.",
            ),
            Slip(
                lambda given: given["response_s"] * 1000,
                "That is what {users} users waited; now there are 32.",
            ),
        ),
        hint="N = X R: you have X from your run, and N is 32.",
    ),
    Exercise(
        id="2.4",
        question="Break it: make the throughput of one worker depend on the number of users.",
        hint="Give the users a think time, or the request a wait, and look at where the flat line "
        "begins.",
    ),
    # many-cores
    Exercise(
        id="3.1",
        question="{cores} cores, {cpu_ms} ms of CPU time a request, {users} users, as many workers "
        "as users. How many requests a second?",
        unit="req/s",
        given={"cores": (4, 2, 8), "cpu_ms": (50, 20, 25, 40), "users": (16, 12, 24, 32)},
        answer=lambda given: given["cores"] * 1000 / given["cpu_ms"],
        slips=(
            Slip(lambda given: 1000 / given["cpu_ms"], "That is one core; there are {cores}."),
            Slip(
                lambda given: given["users"] * 1000 / given["cpu_ms"],
                "As if each user had a core; {users} users share {cores}.",
            ),
        ),
        hint="X = min(N, c, W) / D.",
    ),
    Exercise(
        id="3.2",
        question="{cores} cores, {cpu_ms} ms of CPU time a request, {users} users, as many workers "
        "as users. What is the response time?",
        unit="ms",
        given={"cores": (4, 2, 8), "cpu_ms": (50, 20, 25, 40), "users": (16, 12, 24, 32)},
        answer=lambda given: given["users"] * given["cpu_ms"] / given["cores"],
        slips=(
            Slip(
                lambda given: given["users"] * given["cpu_ms"],
                "That is one core; {cores} of them share the work.",
            ),
            Slip(
                lambda given: given["cpu_ms"],
                "That would need a core for each of the {users} users; there are {cores}.",
            ),
        ),
        hint="N = X R, and X you know.",
    ),
    Exercise(
        id="3.3",
        question="Somebody measures that response time, with {users} users on {cores} cores and "
        "{cpu_ms} ms of CPU time a request, and divides cores by response time. What do they get?",
        unit="req/s",
        given={"cores": (4, 2, 8), "cpu_ms": (50, 20, 25, 40), "users": (16, 12, 24, 32)},
        answer=lambda given: given["cores"] ** 2 / given["users"] / given["cpu_ms"] * 1000,
        slips=(
            Slip(
                lambda given: given["cores"] * 1000 / given["cpu_ms"],
                "That is the truth, from the CPU time. They divide by the response time under "
                "load, which holds the queue as well.",
            ),
        ),
        hint="Take the response time of the question before: cores / response time.",
    ),
    Exercise(
        id="3.4",
        question="Your own run: from its throughput and CPU time per request at {users} users, how "
        "many cores' worth of work did the server do?",
        unit="cores",
        lab="many-cores",
        read=of_last,
        answer=lambda given: given["throughput"] * given["demand_s"],
        tolerance=interval,
        slips=(
            Slip(
                lambda given: given["throughput"] * given["demand_s"] * 1000,
                "The CPU time is in milliseconds; 50 ms are 0.050 s.",
            ),
            Slip(
                lambda given: given["throughput"] * given["response_s"],
                "That is X R, the users. Cores at work are throughput times CPU time.",
            ),
        ),
        hint="U = X D: CPU seconds spent in each second.",
    ),
    Exercise(
        id="3.5",
        question="Break it: find a setting where twice the cores do not give twice the throughput.",
        hint="Too few users, too few workers, threads in one process, or cores that share parts. "
        "Which of min(N, c, W) was it?",
    ),
    # past-the-plateau
    Exercise(
        id="4.1",
        question="{cores} cores, {cpu_ms} ms of CPU time a request, users who ask again at once. "
        "How many users may there be, if nobody is to wait longer than {target_s} s on average?",
        unit="users",
        given={"cores": (4, 2, 8), "cpu_ms": (50, 20, 25, 40), "target_s": (1, 2, 3)},
        answer=lambda given: given["cores"] * given["target_s"] / given["cpu_ms"] * 1000,
        slips=(
            Slip(
                lambda given: given["target_s"] / given["cpu_ms"] * 1000,
                "That is one core; there are {cores}.",
            ),
            Slip(
                lambda given: given["cores"] / given["cpu_ms"] * 1000,
                "That is the throughput; times the {target_s} s it is the users.",
            ),
            Slip(
                lambda given: given["cores"] * given["target_s"] / given["cpu_ms"],
                "The target is in seconds, the CPU time in milliseconds: bring both to one unit.",
            ),
            Slip(
                lambda given: given["cores"],
                "That is the knee, where nobody waits at all; they may wait for {target_s} s.",
            ),
        ),
        hint="R = N D / c, solved for N.",
    ),
    Exercise(
        id="4.2",
        question="{users} users think for {think_s} s between an answer and the next request, and "
        "an answer takes {response_ms} ms. How many requests a second is that?",
        unit="req/s",
        given={"users": (1000, 500, 2000), "think_s": (10, 5, 4), "response_ms": (200, 500, 400)},
        answer=lambda given: given["users"] / (given["think_s"] + given["response_ms"] / 1000),
        tolerance=lambda given: 0.01,  # forgetting the answer's own time is only 2 % away
        slips=(
            Slip(
                lambda given: given["users"] / given["think_s"],
                "Close, but each round also holds the {response_ms} ms of the answer.",
            ),
            Slip(
                lambda given: given["users"] / given["response_ms"] * 1000,
                "As if nobody thought: a round is the answer and {think_s} s of thinking.",
            ),
            Slip(
                lambda given: given["users"] / (given["think_s"] + given["response_ms"]),
                "The answer takes milliseconds and the thinking seconds: bring both to one unit.",
            ),
        ),
        hint="N = X (R + Z), solved for X.",
    ),
    Exercise(
        id="4.3",
        question="Your own run: with the throughput you measured at {users} users, and users who "
        "don't think, how many users could your server answer within one second?",
        unit="users",
        lab="past-the-plateau",
        read=of_last,
        answer=lambda given: given["throughput"],
        tolerance=interval,
        slips=(
            Slip(
                lambda given: given["users"],
                "That is how many there were. How long did they wait?",
            ),
            Slip(
                lambda given: given["cores"],
                "That is the knee, where nobody waits at all; they may wait for a second.",
            ),
        ),
        hint="N = X R, and R is one second.",
    ),
    Exercise(
        id="4.4",
        question="Your own run: which part of the throughput at {few} users is left at {many}?",
        unit="as a fraction",
        lab="past-the-plateau",
        read=of_plateau,
        answer=lambda given: given["after"] / given["before"],
        tolerance=lambda given: 0.02 + given["interval"],
        slips=(
            Slip(
                lambda given: given["before"] / given["after"],
                "Upside down: the throughput at {many} users goes on top.",
            ),
            Slip(
                lambda given: 1 - given["after"] / given["before"],
                "That is what was lost; the question is what is left.",
            ),
        ),
        hint="The throughput at {many} users divided by that at {few}.",
    ),
    Exercise(
        id="4.5",
        question="Break it: make throughput decline beyond doubt, or make a decline go away with "
        "the same users.",
        hint="Threads that wait for a lock cost something while they wait; users in the listen "
        "queue cost nothing.",
    ),
)
