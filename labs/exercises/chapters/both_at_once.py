"""The exercises of `both-at-once`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Formula
from labs.exercises.readings import of_part, of_parts

LAW: dict[str, Formula] = {
    "held_s": "cpu_s + wait_s",
    "fill": "pool_size(D=cpu_s, V=wait_s, c=cores)",
    "rule": "2 * cores + 1",
    "full": "ceiling(cores, cpu_s)",
}
LAB = {"few": (20,), "many": (60,), "ordered_cpu_ms": (20,), "ordered_wait_ms": (180,)}
# By the model: throughput of few workers over that of many.
REACHED = (
    "filled(few, ordered_cpu_ms, ordered_wait_ms, {cores})"
    " / filled(many, ordered_cpu_ms, ordered_wait_ms, {cores})"
)

EXERCISES = (
    Exercise(
        id="13.1",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="workers",
        given={"cpu_ms": (20, 10), "wait_ms": (280, 180, 380), "cores": (12, 4, 8)},
        answer="fill",
        also={
            **LAW,
            "done": "full * filled(round(fill), cpu_s, wait_s, cores)",
            "nearly": "0.95",
            "enough": "filling(nearly, cpu_s, wait_s, cores)",
        },
        slips={
            "cores": "One for each core, and each of them lets its core idle while it waits.",
            "cores * wait_ms / cpu_ms": "So many can wait. The {cores} that compute meanwhile are "
            "workers too.",
            "fill / cores": "That is for one core; there are {cores}.",
            "cores * (1 + cpu_ms / wait_ms)": "Upside down: the longer a page waits, the more "
            "workers it takes.",
            "rule": "That is 2 x cores + 1, which never asked how long the page waits.",
        },
    ),
    Exercise(
        id="13.2",
        kind="compute",
        level="standard",
        minutes=4,
        unit="req/s",
        # under the rule these leave the cores idle for more than three quarters of the time
        given={"cpu_ms": (10, 15), "wait_ms": (240, 390), "cores": (6, 10)},
        answer="bound(N=rule, D=cpu_s, V=wait_s, c=cores, W=rule)",
        also={**LAW, "busy_percent": "100 * utilisation(X=answer, D=cpu_s, c=cores)"},
        slips={
            "full": "So much the cores could do. The pool is too small to keep them busy.",
            "ceiling(rule, cpu_s)": "A worker is held for the {wait_ms} ms as well.",
            "ceiling(cores, held_s)": "That is cores / response time: with one worker for each "
            "core it would be right.",
            "ceiling(fill, held_s)": "That is with as many workers as fill the cores; the rule "
            "gives fewer.",
        },
    ),
    Exercise(
        id="13.3",
        kind="compute",
        level="standard",
        minutes=6,
        unit="workers",
        given={
            "wall_ms": (250, 300, 500),
            "requests": (200000, 100000, 400000),
            "cpu_total_s": (10000, 5000),
            "cores": (4, 2, 8),
        },
        answer="pool_size(D=demand_s, V=wait(R=wall_s, D=demand_s), c=cores)",
        also={
            "demand_s": "demand(cpu_total_s, requests)",
        },
        slips={
            "answer + cores": "The {wall_ms} ms hold the CPU time already; don't count it twice.",
            "answer - cores": "Nearly: those that compute are workers as well as those that wait.",
            "answer / cores": "That is for one core; there are {cores}.",
            "demand_ms": "That is the CPU time of a request, in ms. How often does it fit into "
            "{wall_ms}?",
        },
    ),
    Exercise(
        id="13.4",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="as a fraction",
        given=LAB,
        lab="both-at-once",
        read=of_parts("20 workers", "60 workers"),
        answer="first / second",
        also={
            "on_two": REACHED.format(cores=2),
            "on_four": REACHED.format(cores=4),
            "least": "few / many",
        },
        slips={
            "1 / answer": "Upside down: the {few} workers go on top.",
            "least": "That is the part of the workers. Did the cores let each of the {many} do as "
            "much?",
        },
    ),
    Exercise(
        id="13.5",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="workers",
        given=LAB,
        lab="both-at-once",
        read=of_part("60 workers"),
        answer="pool_size(D=demand_s, V=wait_s, c=cores)",
        slips={
            "answer - cores": "So many can wait. Those that compute meanwhile are workers too.",
            "answer / cores": "That is for one core; you have {cores}.",
            "many": "So many there were. How many would have been enough?",
        },
    ),
    Exercise(id="13.6", kind="break the model", level="hard", minutes=12),
    Exercise(id="13.7", kind="proof", level="standard", minutes=8),
    Exercise(
        id="13.8",
        kind="predict",
        level="standard",
        minutes=6,
        unit="req/s",
        given={"small": (7,)},
        lab="both-at-once",
        read=of_part("60 workers"),
        answer="bound(N=users, D=demand_s, V=wait_s, c=cores, W=small)",
        slips={
            "throughput": "That is with the largest pool. Now only {small} requests are inside at "
            "once.",
            "ceiling(cores, demand_s)": "So much the cores allow. Are {small} workers enough to "
            "fill them?",
            "ceiling(small, wait_s)": "A worker is held while it computes as well.",
        },
    ),
    Exercise(
        id="13.9",
        kind="costing",
        level="standard",
        minutes=6,
        unit="MiB",
        given={"cores": (8, 6), "cpu_ms": (12, 16), "wait_ms": (228, 304), "each_mib": (35, 50)},
        answer="fill * each_mib",
        also={
            "fill": "pool_size(D=cpu_ms, V=wait_ms, c=cores)",
            "leaner": "pool_size(D=cpu_ms / 2, V=wait_ms, c=cores) * each_mib",
        },
        slips={
            "cores * each_mib": "One worker for each core leaves them idle while it waits.",
            "cores * wait_ms / cpu_ms * each_mib": "So many can wait. The {cores} that compute "
            "meanwhile are workers too.",
            "(2 * cores + 1) * each_mib": "That is 2 x cores + 1, which never asked how long the "
            "page waits.",
            "fill": "So many workers. What do they take?",
        },
    ),
)
