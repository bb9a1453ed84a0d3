"""The exercises, a row each, named after their chapter: 0 is `your-machine`.

Fixed rows print the first choice of each number. Rows with `lab` ask about the reader's own
machine. Rows without `answer` are open: break the model.
"""

from __future__ import annotations

from labs.exercises.chapters.architectures import ARCHITECTURES
from labs.exercises.chapters.cpu_time import CPU_TIME
from labs.exercises.chapters.events import EVENTS
from labs.exercises.chapters.generators import GENERATORS
from labs.exercises.chapters.limits import LIMITS
from labs.exercises.chapters.mixed import MIXED
from labs.exercises.chapters.waiting import WAITING
from labs.exercises.chapters.workers import WORKERS
from labs.exercises.check import Exercise, Slip
from labs.exercises.readings import noise, of_both, of_checkup

QUESTIONS: tuple[Exercise, ...] = (
    # your-machine
    Exercise(
        id="0.1",
        question="A request needs {cpu_ms} ms of CPU time and the machine does {cores} cores' "
        "worth of work. At most how many requests a second?",
        unit="req/s",
        given={"cpu_ms": (4, 2, 5, 8), "cores": (2, 4, 6, 8)},
        answer=lambda given: given["cores"] / given["cpu_ms"] * 1000,
        slips=(Slip(lambda given: 1000 / given["cpu_ms"], "That is one core; there are {cores}."),),
        hint="Each second holds {cores} seconds of CPU time. How often do {cpu_ms} ms fit?",
    ),
    Exercise(
        id="0.2",
        question="Your own ceiling: if a request needs 1 ms of CPU time, how many requests a "
        "second can your machine do at most?",
        unit="req/s",
        lab="your-machine",
        read=of_checkup,
        answer=lambda given: given["cores"] * 1000,
        tolerance=noise,
        slips=(
            Slip(lambda given: 1000, "That is one core; your machine does {cores} cores' worth."),
            Slip(
                lambda given: given["logical_cores"] * 1000,
                "That counts the cores the system lists; count what they do together: {cores}.",
            ),
        ),
        hint="Effective cores divided by the CPU seconds of one request.",
    ),
    Exercise(
        id="0.3",
        question="The load generator is one process on one core, and above 80 % of it distorts "
        "what it measures. Up to how many requests a second can you trust yours?",
        unit="req/s",
        lab="your-machine",
        read=of_checkup,
        answer=lambda given: 0.8 / given["generator_s"],
        tolerance=lambda given: 0.05 + given["noise"],
        slips=(Slip(lambda given: 1 / given["generator_s"], "That is a full core; take 80 %."),),
        hint="Its CPU time per request is in the table: 0.8 seconds of CPU, shared out.",
    ),
    Exercise(
        id="0.4",
        question="Break it: calibrate again while something else works hard on this machine.",
        hint="Which of the figures move, and which one would have told you that all of this "
        "machine was not yours?",
    ),
    # wall-time
    Exercise(
        id="1.1",
        question="A page takes {wall_ms} ms of wall time; its server spent {user_ms} ms in user "
        "mode and {system_ms} ms in the kernel. How long did it wait?",
        unit="ms",
        given={"wall_ms": (120, 90, 250, 400), "user_ms": (18, 24, 35, 12), "system_ms": (2, 4, 6)},
        answer=lambda given: given["wall_ms"] - given["user_ms"] - given["system_ms"],
        slips=(
            Slip(
                lambda given: given["wall_ms"] - given["user_ms"],
                "Time in the kernel is CPU time as well: take the {system_ms} ms off too.",
            ),
            Slip(
                lambda given: given["user_ms"] + given["system_ms"],
                "That is the CPU time; the wait is the rest of the wall time.",
            ),
        ),
        hint="Wall time is CPU time and waiting, nothing else.",
    ),
    Exercise(
        id="1.2",
        question="Of those {wall_ms} ms, with {user_ms} + {system_ms} ms of CPU time: which part "
        "was CPU time?",
        unit="as a fraction",
        given={"wall_ms": (120, 90, 250, 400), "user_ms": (18, 24, 35, 12), "system_ms": (2, 4, 6)},
        answer=lambda given: (given["user_ms"] + given["system_ms"]) / given["wall_ms"],
        slips=(
            Slip(
                lambda given: given["user_ms"] / given["wall_ms"],
                "Time in the kernel is CPU time as well: add the {system_ms} ms.",
            ),
            Slip(
                lambda given: 1 - (given["user_ms"] + given["system_ms"]) / given["wall_ms"],
                "That is the part it waited.",
            ),
        ),
        hint="CPU time divided by wall time.",
    ),
    Exercise(
        id="1.3",
        question="Your own run: of the wall time of the page that does both, which part was the "
        "server's CPU time?",
        unit="as a fraction",
        lab="wall-time",
        read=of_both,
        answer=lambda given: given["cpu_ms"] / given["wall_ms"],
        tolerance=lambda given: 0.05 + given["spread"],
        slips=(
            Slip(
                lambda given: 1 - given["cpu_ms"] / given["wall_ms"],
                "That is the part it waited.",
            ),
            Slip(
                lambda given: given["client_ms"] / given["wall_ms"],
                "Those are the client's user and sys; the question is about the server's.",
            ),
        ),
        hint="The server's CPU time divided by the wall time, both in the table of the lab.",
    ),
    Exercise(
        id="1.4",
        question="Break it: find a request whose CPU time is longer than its wall time, or one "
        "that waits although its code never sleeps.",
        hint="For the first, think of work that several cores share; for the second, send two "
        "requests at once to one worker.",
    ),
    *CPU_TIME,
    *WORKERS,
    *WAITING,
    *ARCHITECTURES,
    *EVENTS,
    *MIXED,
    *LIMITS,
    *GENERATORS,
)
