"""The exercises of `how-many-workers`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Formula
from labs.exercises.readings import of_parts

LAW: dict[str, Formula] = {
    "full": "bound(N=users, D=cpu_s, c=cores)",
}

EXERCISES = (
    Exercise(
        id="6.1",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="req/s",
        given={
            "cores": (6, 8, 5),
            "cpu_ms": (25, 20, 50, 40),
            "users": (32, 24, 16),
            "workers": (3,),
        },
        answer="bound(N=users, D=cpu_s, c=cores, W=workers)",
        also={
            **LAW,
            "idle": "cores - workers",
            "queue": "users - workers",
        },
        slips={
            "full": "That is what {cores} cores could do. There are only {workers} workers.",
            "ceiling(users, cpu_s)": "As if each of the {users} users had a worker and a core of "
            "their own.",
            "ceiling(1, cpu_s)": "That is one worker; there are {workers}.",
        },
    ),
    Exercise(
        id="6.2",
        kind="compute",
        level="standard",
        minutes=3,
        unit="req/s",
        given={
            "cores": (8, 6),
            "cpu_ms": (40, 25, 20),
            "users": (12, 20, 32),
            "processes": (1,),
            "threads": (16,),
        },
        answer="bound(N=users, D=cpu_s, c=min(cores, processes), W=processes * threads)",
        also={
            **LAW,
            "two": "bound(N=users, D=cpu_s, c=min(cores, 2), W=2 * 8)",
        },
        slips={
            "full": "As if its threads could count at the same moment. There is one lock in a "
            "process.",
            "ceiling(threads, cpu_s)": "As if each thread had a core of its own.",
        },
    ),
    Exercise(
        id="6.3",
        kind="compute",
        level="hard",
        minutes=6,
        unit="ms",
        given={"requests": (20, 10, 40), "first_ms": (250, 320), "second_ms": (410, 304)},
        answer="single_ms / root",
        also={
            "single_ms": "(first_ms ** 2 + second_ms ** 2) ** 0.5",
            "root": "requests ** 0.5",
        },
        slips={
            "single_ms": "That would be the difference of two single requests; a mean of "
            "{requests} is steadier. Divide by the root of {requests}.",
            "single_ms / requests": "By the root of {requests}, not by {requests}.",
            "(first_ms + second_ms) / root": "Their squares are added, not they themselves: the "
            "two don't err together.",
            "first_ms / root": "That is the first mean alone; the second varies as well.",
            "second_ms / root": "That is the second mean alone; the first varies as well.",
        },
    ),
    Exercise(
        id="6.4",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="times",
        lab="how-many-workers",
        read=of_parts("16 workers", "1 worker"),
        answer="first / second",
        slips={
            "1 / answer": "Upside down: the largest pool goes on top.",
            "few": "That would need a core and a user for each of the {few}.",
        },
    ),
    Exercise(
        id="6.5",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="times",
        lab="threads-and-cores",
        read=of_parts("16 threads, hashing", "16 threads"),
        answer="first / second",
        slips={
            "1 / answer": "Upside down: the hashing goes on top.",
            "few": "That would need a core for each of the {few} threads.",
        },
    ),
    Exercise(
        id="6.6",
        kind="break the model",
        level="hard",
        minutes=10,
        given={"cpu_ms": (5,), "wait_ms": (100,)},
        also={
            "two": "ceiling(2, cpu_s + wait_s)",
            "sixteen": "ceiling(16, cpu_s + wait_s)",
            "busy": "utilisation(X=sixteen, D=cpu_s)",
        },
    ),
    Exercise(
        id="6.7",
        kind="read the output",
        level="hard",
        minutes=6,
        unit="as a fraction",
        given={
            "requests": (10,),
            "took_s": (3.821,),
            "workers": (2,),
            "alone_ms": (620,),
        },  # S5's third test
        answer="utilisation(X=rate, D=alone_s, c=workers)",
        also={
            "rate": "requests / took_s",
            "worked_s": "requests * alone_s",
            "had_s": "workers * took_s",
        },
        slips={
            "utilisation(X=rate, D=alone_s)": "That is how many workers were busy on average, of "
            "{workers}.",
            "alone_s / took_s": "That is one request; there were {requests}.",
            "1 - answer": "That is the part for which they stood idle.",
        },
    ),
    Exercise(
        id="6.8",
        kind="costing",
        level="standard",
        minutes=5,
        unit="euros",
        given={"cores": (24, 20), "workers": (96, 120), "each_mib": (128, 64), "price": (5, 3)},
        answer="surplus_gib * price",
        also={
            "surplus": "workers - cores",
            "surplus_gib": "surplus * each_mib / 1024",
        },
        slips={
            "workers * each_mib / 1024 * price": "That is what all of them cost. {cores} you need.",
            "surplus_gib": "That is the memory, in GiB. What does it cost?",
            "surplus * each_mib * price": "The price is for a GiB, and a GiB has {1024} MiB.",
        },
    ),
    Exercise(id="6.9", kind="your application", level="standard", minutes=12),
    Exercise(id="6.10", kind="proof", level="standard", minutes=7),
)
