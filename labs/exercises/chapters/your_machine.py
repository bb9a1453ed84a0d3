"""The exercises of `your-machine`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise
from labs.exercises.readings import of_checkup
from labs.theory import laws

EXERCISES = (
    Exercise(
        id="0.1",
        kind="compute",
        level="warm-up",
        minutes=2,
        unit="req/s",
        given={"cpu_ms": (4, 2, 5, 8), "cores": (2, 4, 6, 8)},
        answer="ceiling(cores, cpu_s)",
        slips={
            "ceiling(1, cpu_s)": "That is one core; there are {cores}.",
        },
    ),
    Exercise(
        id="0.2",
        kind="your machine",
        level="warm-up",
        minutes=3,
        unit="req/s",
        given={"cpu_ms": (1,)},
        lab="your-machine",
        read=of_checkup,
        answer="ceiling(cores, cpu_s)",
        also={"one_core": "ceiling(1, cpu_s)"},
        slips={
            "cores": "That is the cores' worth of work; share it out among requests of {cpu_ms} "
            "ms.",
            "one_core": "That is one core; your machine does {cores} cores' worth.",
            "logical_cores * one_core": "That counts the cores the system lists; count what they "
            "do together: {cores}.",
        },
    ),
    Exercise(
        id="0.3",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="req/s",
        lab="your-machine",
        read=of_checkup,
        answer="ceiling(full, generator_s)",
        also={"full": f"{laws.GENERATOR_FULL}"},
        slips={
            "ceiling(1, generator_s)": "That is a full core; take {full:percent} %.",
        },
    ),
    Exercise(id="0.4", kind="break the model", level="standard", minutes=6),
    Exercise(
        id="0.5",
        kind="read the output",
        level="warm-up",
        minutes=3,
        unit="cores",
        given={"logical": (8, 4, 12), "alone_ms": (60, 45), "together_ms": (96, 75, 80)},
        answer="logical * single",
        also={"single": "alone_ms / together_ms"},
        slips={
            "logical": "That is how many the system lists, but each burn took longer in company.",
            "logical / single": "Upside down: the longer the burns take together, the fewer cores "
            "they are worth.",
            "single": "That is what one of the {logical} was worth; add them up.",
        },
    ),
)
