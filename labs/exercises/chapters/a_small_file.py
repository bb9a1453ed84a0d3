"""The exercises of `a-small-file`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Formula
from labs.exercises.readings import of_part, of_tree

LAW: dict[str, Formula] = {
    "requests": "1e6 * millions",
    "demand_s": "demand(busy=cpu_s, completed=requests)",
}
S3_USER: dict[str, Formula] = {"s3_user": "0.298"}  # the user time's share in S3

EXERCISES = (
    Exercise(
        id="15.1",
        kind="read the output",
        level="warm-up",
        minutes=3,
        unit="µs",
        given={"cpu_s": (360, 480, 412.8), "millions": (4, 3)},
        answer="1e6 * demand_s",
        also={
            **LAW,
            **S3_USER,
            "user_us": "s3_user * answer",
            "system_us": "answer - user_us",
        },
        slips={
            "answer / 1000": "That is in milliseconds; this asks for microseconds, the millionths "
            "of a second.",
            "demand_s": "That is in seconds; this asks for microseconds, the millionths of a "
            "second.",
            "1 / demand_s": "Upside down: that is requests for each second of CPU time.",
        },
    ),
    Exercise(
        id="15.2",
        kind="compute",
        level="standard",
        minutes=3,
        unit="req/s",
        given={"cpu_s": (631.35, 540, 720), "millions": (3, 2), "cores": (16, 32, 24)},
        answer="ceiling(cores, demand_s)",
        also={
            **LAW,
            "asked": "22600",
            "asked_percent": "100 * utilisation(X=asked, D=demand_s, c=cores)",
        },
        slips={
            "answer / cores": "That is one core; there are {cores}.",
            "answer / 1000": "Microseconds taken for milliseconds: a second has a million of them.",
        },
    ),
    Exercise(
        id="15.3",
        kind="compute",
        level="hard",
        minutes=6,
        unit="req/s",
        given={"response_ms": (0.405, 0.5, 0.25), "cores": (8, 16, 4)},
        answer="ceiling(cores, response_s)",
        also={
            "asked": "4764",
            "asked_percent": "100 * utilisation(X=asked, D=response_s, c=cores)",
        },
        slips={
            "1 / response_s": "That is what the lone user gets, and one core serves; there are "
            "{cores}.",
            "1 / response_s / cores": "Each core does as much as the first: multiply by them.",
        },
    ),
    Exercise(
        id="15.4",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="req/s",
        lab="a-small-file",
        read=of_part("prefork"),
        answer="ceiling(cores, demand_s)",
        slips={
            "1 / demand_s": "That is one core; you have {cores}.",
            "throughput": "That is what it did. How much would its cores have allowed?",
        },
    ),
    Exercise(
        id="15.5",
        kind="your machine",
        level="warm-up",
        minutes=3,
        unit="as a fraction",
        lab="a-process-tree",
        read=of_tree,
        answer="user_s / (user_s + system_s)",
        also=S3_USER,
        slips={
            "1 - answer": "That is the system's part.",
            "user_s / system_s": "That is one part over the other; divide by both together.",
        },
    ),
    Exercise(
        id="15.6",
        kind="break the model",
        level="standard",
        minutes=8,
        given={"workers": (64,), "users": (128,)},
        also={"starved": "users - workers"},
    ),
    Exercise(
        id="15.7",
        kind="read the output",
        level="warm-up",
        minutes=3,
        unit="s",
        given={"requests": (10_000,), "rate": (4764,)},  # S4's
        answer="requests / rate",
        also={"ten": "10 * rate"},
        slips={
            "rate / requests": "Upside down: the rate is requests for each second.",
        },
    ),
    Exercise(id="15.8", kind="repair", level="hard", minutes=12),
    Exercise(
        id="15.9",
        kind="predict",
        level="standard",
        minutes=6,
        unit="s",
        given={"longer_s": (12,), "lab_s": (6,), "crowd": (48,), "lab_users": (32,)},
        lab="a-process-tree",
        read=of_tree,
        answer="busy_s * longer_s / lab_s",
        also={"busy_s": "user_s + system_s"},
        slips={
            "answer * crowd / lab_users": "Do {crowd} users get more answers than {lab_users} "
            "did? Look who was full.",
            "busy_s": "That is what {lab_s} seconds took. Now the load lasts for {longer_s}.",
            "answer * user_s / busy_s": "The kernel's work for the server is the server's CPU "
            "time as well.",
        },
    ),
)
