"""The exercises of the chapter `watching`: ranges, laws and slips."""

from __future__ import annotations

from labs.exercises.exercise import Exercise, Slip
from labs.exercises.readings import interval, of_first_step

EXERCISES = (
    Exercise(
        id="5.1",
        question="On a machine with {cores} cores, each core shows {percent} %. How many cores' "
        "worth of work is being done?",
        unit="cores",
        given={"cores": (4, 8, 12, 16), "percent": (25, 50, 75)},
        answer=lambda cores, percent: cores * percent / 100,
        slips=(
            Slip(
                lambda cores, percent: cores * percent,
                "That is in per cent of a core; 100 of them are one core.",
            ),
            Slip(
                lambda percent: percent / 100,
                "That is one of the cores; there are {cores}.",
            ),
            Slip(lambda percent: percent, "That is one core, in per cent. Add them up."),
        ),
        hint="Add the cores up: {cores} times {percent} % of one.",
    ),
    Exercise(
        id="5.2",
        question="{cores} cores, {rate} requests per second, {cpu_ms} ms of CPU time each. Which "
        "part of the machine is at work?",
        unit="as a fraction",
        given={"cores": (4, 2, 8), "rate": (30, 24, 36), "cpu_ms": (50, 40, 20)},
        answer=lambda rate, cpu_ms, cores: rate * cpu_ms / 1000 / cores,
        slips=(
            Slip(
                lambda rate, cpu_ms: rate * cpu_ms / 1000,
                "That many cores are at work; the question is which part of the {cores}.",
            ),
            Slip(
                lambda rate, cpu_ms, cores: rate * cpu_ms / cores,
                "The CPU time is in milliseconds; bring it to seconds.",
            ),
            Slip(
                lambda rate, cpu_ms, cores: 1 - rate * cpu_ms / 1000 / cores,
                "That part is idle; the question is about the rest.",
            ),
        ),
        hint="U = X D / c.",
    ),
    Exercise(
        id="5.3",
        question="A server's tree used {user_s} s of user time and {system_s} s of system time, "
        "and lived for {lived_s} s on a machine with {cores} cores. What was its On_CPU?",
        unit="as a fraction",
        given={
            "user_s": (123, 60, 90),
            "system_s": (290, 200, 240),
            "lived_s": (128, 120, 160),
            "cores": (8, 16, 12),
        },
        answer=lambda user_s, system_s, lived_s, cores: (user_s + system_s) / lived_s / cores,
        slips=(
            Slip(
                lambda user_s, system_s, lived_s: (user_s + system_s) / lived_s,
                "That is On_Core, in cores; the machine has {cores} of them.",
            ),
            Slip(
                lambda user_s, lived_s, cores: user_s / lived_s / cores,
                "System time is CPU time too: add the {system_s} s.",
            ),
            Slip(
                lambda system_s, lived_s, cores: system_s / lived_s / cores,
                "User time is CPU time too: add the {user_s} s.",
            ),
        ),
        hint="All CPU seconds, divided by the seconds it lived, divided by the cores.",
    ),
    Exercise(
        id="5.4",
        question="`ps aux | grep apache2 | wc -l`, typed in a terminal, prints {lines}. There is "
        "one Apache on the machine and nothing else of that name. How many workers has it?",
        unit="workers",
        given={"lines": (10, 7, 14, 27)},
        answer=lambda lines: lines - 2,
        slips=(
            Slip(
                lambda lines: lines,
                "That counts each line with the word in it. Two of them serve nobody.",
            ),
            Slip(
                lambda lines: lines - 1,
                "Nearly. One is the master and one is grep itself: both come off.",
            ),
        ),
        hint="Which of the {lines} lines serve nobody?",
    ),
    Exercise(
        id="5.5",
        question="Your own run: in its first step, which part of the machine did the server keep "
        "busy?",
        unit="as a fraction",
        lab="watching",
        read=of_first_step,
        answer=lambda busy, cores: busy / cores,
        tolerance=interval,
        slips=(
            Slip(
                lambda busy: busy,
                "That many cores were busy; your machine has {cores}.",
            ),
            Slip(
                lambda busy, cores: 1 - busy / cores,
                "That is the part it left alone.",
            ),
        ),
        hint="The cores the server kept busy in that step, divided by the {cores} you have.",
    ),
    Exercise(
        id="5.6",
        question="Break it: with a single user, keep one core at nearly 100 % and the others "
        "idle. Then keep all the cores idle while throughput is at its limit.",
        hint="For the first, how many processes are needed? For the second, let the page wait.",
    ),
)
