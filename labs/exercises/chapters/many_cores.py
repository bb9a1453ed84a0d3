"""The exercises of `many-cores`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Formula, Slip
from labs.exercises.readings import interval, of_last
from labs.theory import laws

LAW: dict[str, Formula] = {
    "cpu_s": lambda cpu_ms: cpu_ms / 1000,
    "throughput": lambda users, cpu_s, cores: laws.bound(N=users, D=cpu_s, c=cores, W=users),
    "response_s": lambda users, throughput: laws.response_time(N=users, X=throughput),
    "one_core": lambda cpu_s: laws.ceiling(1, cpu_s),
}

EXERCISES = (
    Exercise(
        id="3.1",
        kind="compute",
        level="warm-up",
        minutes=2,
        unit="req/s",
        given={"cores": (4, 2, 8), "cpu_ms": (50, 20, 25, 40), "users": (16, 12, 24, 32)},
        answer=lambda throughput: throughput,
        also=LAW,
        slips=(
            Slip(lambda one_core: one_core, "That is one core; there are {cores}."),
            Slip(
                lambda users, one_core: users * one_core,
                "As if each user had a core; {users} users share {cores}.",
            ),
        ),
    ),
    Exercise(
        id="3.2",
        kind="compute",
        level="standard",
        minutes=3,
        unit="ms",
        given={"cores": (6, 3), "cpu_ms": (30, 45), "users": (18, 24, 36)},
        answer=lambda response_s: 1000 * response_s,
        also={**LAW, "work": lambda cpu_s, response_s: cpu_s / response_s},
        slips=(
            Slip(
                lambda users, one_core: 1000 * laws.response_time(N=users, X=one_core),
                "That is one core; {cores} of them share the work.",
            ),
            Slip(
                lambda cpu_ms: cpu_ms,
                "That would need a core for each of the {users} users; there are {cores}.",
            ),
        ),
    ),
    Exercise(
        id="3.3",
        kind="compute",
        level="standard",
        minutes=4,
        unit="req/s",
        given={"cores": (8, 10), "cpu_ms": (25, 60), "users": (40, 80)},
        answer=lambda cores, response_s: laws.ceiling(cores, response_s),  # their mistake
        also={
            **LAW,
            "response_ms": lambda response_s: 1000 * response_s,
            "kept": lambda answer, throughput: answer / throughput,
        },
        slips=(
            Slip(
                lambda throughput: throughput,
                "That is the truth, from the CPU time. They divide by the response time under "
                "load, which holds the queue as well.",
            ),
        ),
    ),
    Exercise(
        id="3.4",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="cores",
        lab="many-cores",
        read=of_last,
        answer=lambda throughput, demand_s: laws.utilisation(X=throughput, D=demand_s),
        tolerance=interval,
        slips=(
            Slip(
                lambda answer: 1000 * answer,
                "The CPU time is in milliseconds; 50 ms are 0.050 s.",
            ),
            Slip(
                lambda throughput, response_s: laws.users(X=throughput, R=response_s),
                "That is X R, the users. Cores at work are throughput times CPU time.",
            ),
        ),
    ),
    Exercise(id="3.5", kind="break the model", level="hard", minutes=10),
)
