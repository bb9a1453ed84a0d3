"""The exercises of `the-launch`: ranges, laws and slips."""

from __future__ import annotations

import math

from labs.exercises.exercise import Exercise, Formula
from labs.exercises.readings import of_queue

LAW: dict[str, Formula] = {
    "throughput": "ceiling(workers, wait_s)",  # always full
    "response_s": "response_time_bound(N=users, D=0, V=wait_s, W=workers)",
    "line_s": "queued(R=response_s, D=0, V=wait_s)",
}

EXERCISES = (
    Exercise(
        id="12.1",
        kind="compute",
        level="warm-up",
        minutes=3,
        unit="s",
        given={"workers": (16, 25, 40), "wait_s": (0.4, 0.5, 0.8), "users": (120, 100, 200)},
        answer="response_s",
        also=LAW,
        slips={
            "wait_s": "That is what the application sees. There are more users than threads.",
            "users * wait_s": "As if there were one thread; {workers} of them work side by side.",
            "line_s": "That is the time in line; being served comes on top.",
        },
    ),
    Exercise(
        id="12.2",
        kind="compute",
        level="standard",
        minutes=3,
        unit="s",
        given={"workers": (10, 30, 16), "wait_s": (0.2, 1.5), "users": (40, 90, 240)},
        answer="line_s",
        also={
            **LAW,
            "outside": "users - workers",
            "line": "outside / users",
        },
        slips={
            "response_s": "That is all of the response time; {wait_s} s of it are spent being "
            "served.",
            "line": "That is the fraction; this asks for the seconds.",
        },
    ),
    Exercise(
        id="12.3",
        kind="compute",
        level="standard",
        minutes=4,
        unit="requests",
        given={
            "workers": (24, 30),
            "wait_s": (0.6, 0.8),
            "arrivals": (60, 75, 90),  # more than the best pool's 50
            "minutes": (5, 2, 10),
        },
        answer="backlog(arrivals, throughput, seconds)",
        also={
            "throughput": LAW["throughput"],
            "seconds": "minutes * 60",
            "surplus": "arrivals - throughput",
            "last_s": "response_time(N=answer, X=throughput)",
        },
        slips={
            "surplus * minutes": "That is with minutes as seconds: a minute has 60 of them.",
            "arrivals * seconds": "So many arrive; the pool serves some of them meanwhile.",
            "backlog(arrivals, workers, seconds)": "{workers} is the size of the pool; it "
            "finishes W / V requests a second.",
            "surplus": "So many more each second. For {minutes} minutes?",
        },
    ),
    Exercise(
        id="12.4",
        kind="compute",
        level="standard",
        minutes=5,
        unit="req/s",
        given={"cpu_ms": (40, 20), "wait_ms": (360, 480, 760), "workers": (20, 25, 40)},
        answer="ceiling(workers, held_s)",
        also={
            "faster_ms": "cpu_ms / 2",
            "held_ms": "faster_ms + wait_ms",
            "before": "ceiling(workers, (cpu_ms + wait_ms) / 1000)",
            "gain": "100 * (answer / before - 1)",  # per cent
        },
        tolerance="0.01",  # what was gained is 2 %, and must be seen
        slips={
            "2 * before": "As if the whole page were twice as fast; only its {cpu_ms} ms are.",
            "before": "That was before. The {cpu_ms} ms are half as many now.",
            "ceiling(workers, faster_s)": "The wait holds a thread as well: {wait_ms} ms of it.",
        },
    ),
    Exercise(
        id="12.5",
        kind="your machine",
        level="standard",
        minutes=4,
        unit="as a fraction",
        lab="the-launch",
        read=of_queue("25 threads"),
        answer="line_s / response_s",
        also={"line_s": "queued(R=response_s, D=service_s)"},
        slips={
            "1 - answer": "That is the part in service; the question is about the rest.",
            "line_s": "Those are the seconds; divide them by the response time.",
        },
    ),
    Exercise(id="12.6", kind="break the model", level="hard", minutes=12),
    Exercise(
        id="12.7",
        kind="compute",
        level="standard",
        minutes=5,
        unit="s",
        given={
            "waiting": (1800, 2400),
            "workers": (48, 60),
            "wait_s": (0.8, 1.2),
            "arrivals": (35, 24),
        },
        answer="waiting / spare",
        also={
            "throughput": "ceiling(workers, wait_s)",
            "spare": "throughput - arrivals",
        },
        slips={
            "waiting / throughput": "As if nobody came meanwhile. {arrivals} do, in each second.",
            "waiting / arrivals": "So quickly they come. How quickly does the line get shorter?",
            lambda waiting, workers, arrivals: (
                waiting / (workers - arrivals) if workers > arrivals else math.nan
            ): "{workers} is the size of the pool; it finishes W / V requests a second.",
        },
    ),
    Exercise(id="12.8", kind="your application", level="standard", minutes=15),
    Exercise(id="12.9", kind="proof", level="hard", minutes=10),
)
