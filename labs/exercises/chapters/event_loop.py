"""The exercises of `event-loop`: ranges, laws and slips."""

from labs.exercises.exercise import Exercise, Formula
from labs.exercises.readings import of_last, of_parts

LAW: dict[str, Formula] = {
    "full": "ceiling(1, cpu_s)",
}

EXERCISES = (
    Exercise(
        id="11.1",
        kind="compute",
        level="standard",
        minutes=4,
        unit="req/s",
        given={"cpu_ms": (2, 4, 5, 2.5), "wait_s": (1, 0.5, 1.5), "users": (2000, 2400, 1800)},
        answer="bound(N=users, D=cpu_s, V=wait_s)",
        also={
            **LAW,
            "alone_s": "cpu_s + wait_s",
            "allowed": "throughput(N=users, R=alone_s)",
            "response_s": "response_time(N=users, X=answer)",
        },
        slips={
            "allowed": "So many the users would allow. But the loop is one thread on one core.",
            "throughput(N=1, R=alone_s)": "As if the loop stood still while a request waits; it "
            "awaits, and goes on.",
            "throughput(N=users, R=cpu_ms + wait_s)": "The CPU time is in milliseconds and the "
            "wait in seconds: bring both to one unit.",
        },
    ),
    Exercise(
        id="11.2",
        kind="compute",
        level="standard",
        minutes=4,
        unit="users",
        given={"cpu_ms": (4, 8), "wait_s": (0.6, 2, 0.3)},
        answer="knee(D=cpu_s, V=wait_s)",
        also=LAW,
        slips={
            "full": "That is the throughput of the full loop; how many users does it take?",
            "knee(D=cpu_ms, V=wait_s)": "The wait is in seconds, the CPU time in milliseconds: "
            "bring both to one unit.",
        },
    ),
    Exercise(
        id="11.3",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="req/s",
        given={"wait_ms": (200, 100, 250, 500), "users": (50, 20, 40, 100)},
        answer="bound(N=users, D=0, V=wait_s, W=1)",
        also={
            "response_s": "response_time(N=users, X=answer)",
            "awaited": "bound(N=users, D=0, V=wait_s)",
        },
        slips={
            "awaited": "That is with `await asyncio.sleep`. This call keeps the loop, and all "
            "wait.",
            "answer / users": "That is what one of the users gets; the question is about all of "
            "them.",
        },
    ),
    Exercise(
        id="11.4",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="req/s",
        lab="event-loop",
        read=of_last,
        answer="ceiling(1, demand_s)",
        slips={
            "ceiling(cores, demand_s)": "That is all {cores} cores; one loop is one thread and "
            "uses one of them.",
            "throughput": "That is what it did; the question is what it could do when its core is "
            "full.",
        },
    ),
    Exercise(
        id="11.5",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="loops",
        lab="one-blocking-call",
        read=of_parts("awaits", "blocks"),
        answer="first / second",
        slips={
            "1 / answer": "Upside down: the one that awaits goes on top.",
            "first - second": "That is the difference; how many times does one go into the other?",
        },
    ),
    Exercise(id="11.6", kind="break the model", level="standard", minutes=8),
    Exercise(
        id="11.7",
        kind="predict",
        level="standard",
        minutes=6,
        unit="users",
        given={"longer_s": (2,), "lab_wait_s": (0.2,)},
        lab="event-loop",
        read=of_last,
        answer="knee(D=demand_s, V=longer_s)",
        slips={
            "knee(D=demand_s, V=lab_wait_s)": "That is with the lab's wait of {lab_wait_s} s. Now "
            "it is {longer_s} s.",
            "ceiling(1, demand_s)": "Those are the requests of a second. How many users does it "
            "take to ask them?",
        },
    ),
    Exercise(
        id="11.8",
        kind="repair",
        level="standard",
        minutes=5,
        unit="req/s",
        given={"wait_ms": (160, 320), "threads": (40, 32), "users": (300, 500)},
        answer="bound(N=users, D=0, V=wait_s, W=threads)",
        also={
            "response_s": "response_time(N=users, X=answer)",
            "blocked": "ceiling(1, wait_s)",
            "awaited": "ceiling(users, wait_s)",
        },
        slips={
            "blocked": "That was before the repair, when the loop waited itself.",
            "awaited": "That is with a library that awaits. There are only {threads} threads.",
            "threads": "So many wait at once. How often does each thread take on another in a "
            "second?",
        },
    ),
    Exercise(id="11.9", kind="your application", level="hard", minutes=15),
)
