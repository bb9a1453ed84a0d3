"""The exercises of `watching`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise
from labs.exercises.readings import of_first_step

EXERCISES = (
    Exercise(
        id="5.1",
        kind="compute",
        level="warm-up",
        minutes=2,
        unit="cores",
        given={"cores": (5, 4, 2, 8)},
        answer="cores * utilisation(X=part, D=1)",
        also={
            "part": "1 / cores",  # the work of one user, which any core may do
            "percent": "100 * part",
        },
        slips={
            "cores * percent": "That is in per cent of a core; 100 of them are one core.",
            "part": "That is one of the cores; there are {cores}.",
            "percent": "That is one core, in per cent. Add them up.",
        },
    ),
    Exercise(
        id="5.2",
        kind="predict",
        level="standard",
        minutes=3,
        unit="as a fraction",
        given={"cores": (6, 8, 12), "rate": (30, 24, 36), "cpu_ms": (50, 40, 20)},
        answer="utilisation(X=rate, D=cpu_s, c=cores)",
        also={
            "shown": "100 * (answer + 0.9 / cores)",  # nearly a core more
        },
        slips={
            "utilisation(X=rate, D=cpu_s)": "That many cores are at work; the question is which "
            "part of the {cores}.",
            "utilisation(X=rate, D=cpu_ms, c=cores)": "The CPU time is in milliseconds; bring it "
            "to seconds.",
            "1 - answer": "That part is idle; the question is about the rest.",
        },
    ),
    Exercise(
        id="5.3",
        kind="read the output",
        level="standard",
        minutes=4,
        unit="as a fraction",
        given={"user_s": (123,), "system_s": (290,), "lived_s": (128,), "cores": (8,)},  # S3's
        answer="utilisation(X=on_core, D=1, c=cores)",
        also={
            "busy_s": "user_s + system_s",
            "on_core": "utilisation(X=1 / lived_s, D=busy_s)",
            "in_runs": "utilisation(X=1 / (3 * 39.7), D=busy_s)",
        },
        slips={
            "on_core": "That is On_Core, in cores; the machine has {cores} of them.",
            "utilisation(X=1 / lived_s, D=user_s, c=cores)": "System time is CPU time too: add "
            "the {system_s} s.",
            "utilisation(X=1 / lived_s, D=system_s, c=cores)": "User time is CPU time too: add "
            "the {user_s} s.",
        },
    ),
    Exercise(
        id="5.4",
        kind="read the output",
        level="warm-up",
        minutes=3,
        unit="workers",
        given={"lines": (10, 7, 12, 9)},
        answer="lines - 2",
        slips={
            "lines": "That counts each line with the word in it. Two of them serve nobody.",
            "lines - 1": "Nearly. One is the master and one is grep itself: both come off.",
        },
    ),
    Exercise(
        id="5.5",
        kind="your machine",
        level="warm-up",
        minutes=3,
        unit="as a fraction",
        lab="watching",
        read=of_first_step,
        answer="utilisation(X=busy, D=1, c=cores)",
        slips={
            "busy": "That many cores were busy; your machine has {cores}.",
            "1 - answer": "That is the part it left alone.",
        },
    ),
    Exercise(
        id="5.6",
        kind="break the model",
        level="standard",
        minutes=8,
        given={"wait_ms": (200,), "workers": (8,)},
        also={"most": "ceiling(workers, wait_s)"},
    ),
    Exercise(
        id="5.7",
        kind="read the output",
        level="standard",
        minutes=5,
        unit="s",
        given={
            "user_s": (193.55,),
            "system_s": (437.8,),
            "on_core": (4.49,),
            "on_cpu": (0.281,),
        },  # S3's second
        answer="busy_s / on_core",
        also={
            "busy_s": "user_s + system_s",
            "machine": "on_core / on_cpu",
        },
        slips={
            "busy_s / on_cpu": "On_CPU is a part of the whole machine. Take On_Core, the number "
            "of cores kept busy.",
            "user_s / on_core": "System time is CPU time too: add the {system_s} s.",
            "system_s / on_core": "User time is CPU time too: add the {user_s} s.",
            "busy_s": "That is its CPU time, of several cores at once. How long did that take by "
            "the clock?",
        },
    ),
    Exercise(
        id="5.8",
        kind="repair",
        level="standard",
        minutes=5,
        unit="as a fraction",
        given={"cores": (12, 16, 6), "busy": (90, 84), "alarm": (80,)},
        answer="utilisation(X=full, D=1, c=cores)",
        also={"full": "busy / 100"},
        slips={
            "full": "That is of its own core. The alarm sees the mean of all {cores}.",
            "alarm / 100 / cores": "That is the alarm's threshold, shared out. How busy was the "
            "one core that was used?",
            "1 / cores": "That is a core that is busy all the time; this one was for {busy} % of "
            "it.",
        },
    ),
)
