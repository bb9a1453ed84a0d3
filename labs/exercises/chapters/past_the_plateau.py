"""The exercises of the chapter `past-the-plateau`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Slip
from labs.exercises.readings import interval, of_last, of_plateau

EXERCISES = (
    Exercise(
        id="4.1",
        question="{cores} cores, {cpu_ms} ms of CPU time a request, users who ask again at once. "
        "How many users may there be, if nobody is to wait longer than {target_s} s on average?",
        unit="users",
        given={"cores": (4, 2, 8), "cpu_ms": (50, 20, 25, 40), "target_s": (1, 2, 3)},
        answer=lambda cores, target_s, cpu_ms: cores * target_s / cpu_ms * 1000,
        slips=(
            Slip(
                lambda target_s, cpu_ms: target_s / cpu_ms * 1000,
                "That is one core; there are {cores}.",
            ),
            Slip(
                lambda cores, cpu_ms: cores / cpu_ms * 1000,
                "That is the throughput; times the {target_s} s it is the users.",
            ),
            Slip(
                lambda cores, target_s, cpu_ms: cores * target_s / cpu_ms,
                "The target is in seconds, the CPU time in milliseconds: bring both to one unit.",
            ),
            Slip(
                lambda cores: cores,
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
        answer=lambda users, think_s, response_ms: users / (think_s + response_ms / 1000),
        tolerance=lambda: 0.01,  # forgetting the answer's own time is only 2 % away
        slips=(
            Slip(
                lambda users, think_s: users / think_s,
                "Close, but each round also holds the {response_ms} ms of the answer.",
            ),
            Slip(
                lambda users, response_ms: users / response_ms * 1000,
                "As if nobody thought: a round is the answer and {think_s} s of thinking.",
            ),
            Slip(
                lambda users, think_s, response_ms: users / (think_s + response_ms),
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
        answer=lambda throughput: throughput,
        tolerance=interval,
        slips=(
            Slip(
                lambda users: users,
                "That is how many there were. How long did they wait?",
            ),
            Slip(
                lambda cores: cores,
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
        answer=lambda after, before: after / before,
        tolerance=lambda interval: 0.02 + interval,
        slips=(
            Slip(
                lambda before, after: before / after,
                "Upside down: the throughput at {many} users goes on top.",
            ),
            Slip(
                lambda after, before: 1 - after / before,
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
