"""The exercises of `past-the-plateau`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise
from labs.exercises.readings import of_last, of_plateau

EXERCISES = (
    Exercise(
        id="4.1",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="users",
        given={"cores": (4, 2, 8), "cpu_ms": (50, 20, 25, 40), "target_s": (1,)},
        answer="most_users(R=target_s, D=cpu_s, c=cores)",
        also={
            "throughput": "ceiling(cores, cpu_s)",
        },
        slips={
            "most_users(R=target_s, D=cpu_s)": "That is one core; there are {cores}.",
            "most_users(R=target_s, D=cpu_ms, c=cores)": "The target is in seconds, the CPU time "
            "in milliseconds: bring both to one unit.",
            "cores": "That is the knee, where nobody waits at all; you have {target_s} s.",
        },
    ),
    Exercise(
        id="4.2",
        kind="compute",
        level="standard",
        minutes=4,
        unit="req/s",
        given={"users": (1000,), "think_s": (10, 5, 4), "response_ms": (200, 500, 400)},
        answer="throughput(N=users, R=response_s, Z=think_s)",
        also={
            "most_cpu_ms": "1000 * demand(busy=4, completed=answer)",
        },
        tolerance="0.01",  # forgetting the answer's own time is only 2 % away
        slips={
            "throughput(N=users, R=0, Z=think_s)": "Close, but each round also holds the "
            "{response_ms} ms of the answer.",
            "throughput(N=users, R=response_s)": "As if nobody thought: a round is the answer and "
            "{think_s} s of thinking.",
            "throughput(N=users, R=response_ms, Z=think_s)": "The answer takes milliseconds and "
            "the thinking seconds: bring both to one unit.",
        },
    ),
    Exercise(
        id="4.3",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="users",
        lab="past-the-plateau",
        read=of_last,
        answer="users(X=throughput, R=1)",
        slips={
            "users": "That is how many there were. How long did an answer take?",
            "cores": "That is the knee, where nobody waits at all; you have a second.",
        },
    ),
    Exercise(
        id="4.4",
        kind="your machine",
        level="standard",
        minutes=5,
        unit="as a fraction",
        lab="past-the-plateau",
        read=of_plateau,
        answer="after / before",
        slips={
            "1 / answer": "Upside down: the throughput at {many} users goes on top.",
            "1 - answer": "That is what was lost; the question is what is left.",
        },
    ),
    Exercise(id="4.5", kind="break the model", level="hard", minutes=12),
    Exercise(
        id="4.6",
        kind="repair",
        level="hard",
        minutes=7,
        unit="s",
        given={"seconds": (4,), "users": (300, 450), "cpu_ms": (80, 64), "cores": (3, 2)},
        answer="response_time_bound(N=users, D=cpu_s, c=cores)",
        also={
            "rate": "ceiling(cores, cpu_s)",
            "answered": "rate * seconds",
            "half": "seconds / 2",
        },
        slips={
            "seconds": "That is how long the test lasted, and by then {answered:.0f} of the "
            "{users} had an answer.",
            "half": "That is about what the report says. It has asked only those who were served "
            "first.",
            "response_time_bound(N=users, D=cpu_s)": "That is one core; there are {cores}.",
            "cpu_s": "Then each user would need a core of their own.",
        },
    ),
    Exercise(id="4.7", kind="proof", level="standard", minutes=7),
    Exercise(
        id="4.8",
        kind="predict",
        level="standard",
        minutes=6,
        unit="s",
        lab="past-the-plateau",
        read=of_last,
        answer="response_time(N=crowd, X=throughput)",
        also={"crowd": "2 * users"},
        slips={
            "response_s": "That is for {users} users; now there are {crowd}.",
            "response_time(N=4 * users, X=throughput)": "For twice the users it takes twice as "
            "long, not four times.",
        },
    ),
)
