"""The exercises of `wall-time`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise
from labs.exercises.readings import of_both

EXERCISES = (
    Exercise(
        id="1.1",
        kind="compute",
        level="warm-up",
        minutes=2,
        unit="ms",
        given={"wall_ms": (120, 90, 250, 400), "user_ms": (18, 24, 35, 12), "system_ms": (2, 4, 6)},
        answer="wait(R=wall_ms, D=user_ms + system_ms)",
        tolerance="0.004",  # the system time alone is 2 %
        slips={
            "wait(R=wall_ms, D=user_ms)": "Time in the kernel is CPU time as well: take the "
            "{system_ms} ms off too.",
            "user_ms + system_ms": "That is the CPU time; the wait is the rest of the wall time.",
        },
    ),
    Exercise(
        id="1.2",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="as a fraction",
        given={"wall_ms": (80, 150, 300), "user_ms": (15, 21, 27), "system_ms": (5, 9)},
        answer="utilisation(X=1 / wall_ms, D=cpu_ms)",
        also={
            "cpu_ms": "user_ms + system_ms",
            "saved_ms": "cpu_ms / 2",
            "wait_ms": "wait(R=wall_ms, D=cpu_ms)",
        },
        slips={
            "utilisation(X=1 / wall_ms, D=user_ms)": "Time in the kernel is CPU time as well: add "
            "the {system_ms} ms.",
            "1 - answer": "That is the part it waited.",
        },
    ),
    Exercise(
        id="1.3",
        kind="your machine",
        level="warm-up",
        minutes=3,
        unit="as a fraction",
        given={"ordered_cpu_ms": (50,), "ordered_wait_ms": (150,)},  # as the lab's page `both`
        lab="wall-time",
        read=of_both,
        answer="utilisation(X=1 / wall_ms, D=cpu_ms)",
        also={
            "ordered_wall_ms": "ordered_cpu_ms + ordered_wait_ms",
            "ordered": "utilisation(X=1 / ordered_wall_ms, D=ordered_cpu_ms)",
        },
        slips={
            "1 - answer": "That is the part it waited.",
            "utilisation(X=1 / wall_ms, D=client_ms)": "Those are the client's user and sys; the "
            "question is about the server's.",
        },
    ),
    Exercise(id="1.4", kind="break the model", level="hard", minutes=8),
    Exercise(
        id="1.5",
        kind="read the output",
        level="standard",
        minutes=4,
        unit="ms",
        given={"real_s": (0.214,), "user_s": (0.009,), "sys_s": (0.003,)},  # S2's
        answer="1000 * wait(R=real_s, D=cpu_s)",
        also={
            "cpu_s": "user_s + sys_s",
        },
        tolerance="0.004",  # forgetting the system time is 1.5 % away
        slips={
            "cpu_ms": "That is how long it computed. The question is about the rest.",
            "1000 * wait(R=real_s, D=user_s)": "Time in the system is CPU time as well: take the "
            "{sys_s} s off too.",
            "real_ms": "That is the whole wall time; `curl` computed for a part of it.",
        },
    ),
    Exercise(id="1.6", kind="proof", level="hard", minutes=10),
    Exercise(
        id="1.7",
        kind="your application",
        level="standard",
        minutes=15,
        given={"wall_s": (3.2,), "busy_s": (0.8,)},
        also={
            "part": "utilisation(X=1 / wall_s, D=busy_s)",
            "most": "1 / (1 - part)",
        },
    ),
)
