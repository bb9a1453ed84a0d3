"""The exercises, a row each, named after their chapter: 0 is `your-machine`.

Fixed rows print the first choice of each number. Rows with `lab` ask about the reader's own
machine. Rows without `answer` are open: break the model.
"""

from __future__ import annotations

from labs.exercises import Exercise, Given, Slip
from labs.findings import Checkup, Clocks
from labs.records import Point, Recording


def _last(recording: Recording) -> Point:
    """The busiest level of the newest run."""
    return recording.runs[-1].points[-1]


def _of_checkup(checkup: Checkup) -> Given:
    calibration = checkup.calibration
    return {
        "cores": checkup.capacity,
        "logical_cores": checkup.machine.logical_cores,
        "noise": calibration.noise_fraction,
        "generator_s": calibration.generator_s,
    }


def _of_both(clocks: Clocks) -> Given:
    page = clocks.page("both")
    return {
        "wall_ms": page.median_wall_s * 1000,
        "cpu_ms": page.median_cpu_s * 1000,
        "spread": (max(page.cpu_s) - min(page.cpu_s)) / page.median_cpu_s / 2,
        "client_ms": (page.client.user_s + page.client.system_s) * 1000,
    }


def _of_last(recording: Recording) -> Given:
    point = _last(recording)
    low, high = point.throughput_ci_rps
    return {
        "users": point.users,
        "throughput": point.throughput_rps,
        "interval": (high - low) / 2 / point.throughput_rps,
        "demand_s": point.demand_s,
        "response_s": point.mean_response_time_s,
        "cores": recording.machine.cores,
    }


def _noise(given: Given) -> float:
    return max(0.05, given["noise"])


def _interval(given: Given) -> float:
    return 0.05 + given["interval"]


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
        read=_of_checkup,
        answer=lambda given: given["cores"] * 1000,
        tolerance=_noise,
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
        read=_of_checkup,
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
        read=_of_both,
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
    # one-core
    Exercise(
        id="2.1",
        question="One worker needs {cpu_ms} ms for a request, and {users} users keep asking. How "
        "many requests a second?",
        unit="req/s",
        given={"cpu_ms": (20, 25, 40, 50), "users": (8, 4, 6, 10)},
        answer=lambda given: 1000 / given["cpu_ms"],
        slips=(
            Slip(
                lambda given: given["users"] * 1000 / given["cpu_ms"],
                "As if each user had a worker; there is one worker for all {users}.",
            ),
            Slip(
                lambda given: 1000 / given["cpu_ms"] / given["users"],
                "That is what one of the users gets; the question is about all of them.",
            ),
        ),
        hint="The worker is never idle. How many requests of {cpu_ms} ms fit into a second?",
    ),
    Exercise(
        id="2.2",
        question="The same worker, {cpu_ms} ms for a request and {users} users: how long does a "
        "user wait for an answer?",
        unit="ms",
        given={"cpu_ms": (20, 25, 40, 50), "users": (8, 4, 6, 10)},
        answer=lambda given: given["users"] * given["cpu_ms"],
        slips=(
            Slip(
                lambda given: given["cpu_ms"],
                "That is the service alone. {users} users share one worker: all queue.",
            ),
            Slip(
                lambda given: (given["users"] - 1) * given["cpu_ms"],
                "That is the queue alone; your own {cpu_ms} ms come on top.",
            ),
        ),
        hint="When you ask, the others are before you. R = N S.",
    ),
    Exercise(
        id="2.3",
        question="Your own run: with the throughput you measured at {users} users, how long would "
        "32 users wait for an answer?",
        unit="ms",
        lab="one-core",
        read=_of_last,
        answer=lambda given: 32 / given["throughput"] * 1000,
        tolerance=_interval,
        slips=(
            Slip(
                lambda given: 1000 / given["throughput"],
                "That is for one user; 32 of them share the worker.",
            ),
            Slip(
                lambda given: given["response_s"] * 1000,
                "That is what {users} users waited; now there are 32.",
            ),
        ),
        hint="N = X R: you have X from your run, and N is 32.",
    ),
    Exercise(
        id="2.4",
        question="Break it: make the throughput of one worker depend on the number of users.",
        hint="Give the users a think time, or the request a wait, and look at where the flat line "
        "begins.",
    ),
    # many-cores
    Exercise(
        id="3.1",
        question="{cores} cores, {cpu_ms} ms of CPU time a request, {users} users, as many workers "
        "as users. How many requests a second?",
        unit="req/s",
        given={"cores": (4, 2, 8), "cpu_ms": (50, 20, 25, 40), "users": (16, 12, 24, 32)},
        answer=lambda given: given["cores"] * 1000 / given["cpu_ms"],
        slips=(
            Slip(lambda given: 1000 / given["cpu_ms"], "That is one core; there are {cores}."),
            Slip(
                lambda given: given["users"] * 1000 / given["cpu_ms"],
                "As if each user had a core; {users} users share {cores}.",
            ),
        ),
        hint="X = min(N, c, W) / D.",
    ),
    Exercise(
        id="3.2",
        question="{cores} cores, {cpu_ms} ms of CPU time a request, {users} users, as many workers "
        "as users. What is the response time?",
        unit="ms",
        given={"cores": (4, 2, 8), "cpu_ms": (50, 20, 25, 40), "users": (16, 12, 24, 32)},
        answer=lambda given: given["users"] * given["cpu_ms"] / given["cores"],
        slips=(
            Slip(
                lambda given: given["users"] * given["cpu_ms"],
                "That is one core; {cores} of them share the work.",
            ),
            Slip(
                lambda given: given["cpu_ms"],
                "That would need a core for each of the {users} users; there are {cores}.",
            ),
        ),
        hint="N = X R, and X you know.",
    ),
    Exercise(
        id="3.3",
        question="Somebody measures that response time, with {users} users on {cores} cores and "
        "{cpu_ms} ms of CPU time a request, and divides cores by response time. What do they get?",
        unit="req/s",
        given={"cores": (4, 2, 8), "cpu_ms": (50, 20, 25, 40), "users": (16, 12, 24, 32)},
        answer=lambda given: given["cores"] ** 2 / given["users"] / given["cpu_ms"] * 1000,
        slips=(
            Slip(
                lambda given: given["cores"] * 1000 / given["cpu_ms"],
                "That is the truth, from the CPU time. They divide by the response time under "
                "load, which holds the queue as well.",
            ),
        ),
        hint="Take the response time of the question before: cores / response time.",
    ),
    Exercise(
        id="3.4",
        question="Your own run: from its throughput and CPU time per request at {users} users, how "
        "many cores' worth of work did the server do?",
        unit="cores",
        lab="many-cores",
        read=_of_last,
        answer=lambda given: given["throughput"] * given["demand_s"],
        tolerance=_interval,
        slips=(
            Slip(
                lambda given: given["throughput"] * given["demand_s"] * 1000,
                "The CPU time is in milliseconds; 50 ms are 0.050 s.",
            ),
            Slip(
                lambda given: given["throughput"] * given["response_s"],
                "That is X R, the users. Cores at work are throughput times CPU time.",
            ),
        ),
        hint="U = X D: CPU seconds spent in each second.",
    ),
    Exercise(
        id="3.5",
        question="Break it: find a setting where twice the cores do not give twice the throughput.",
        hint="Too few users, too few workers, threads in one process, or cores that share parts. "
        "Which of min(N, c, W) was it?",
    ),
)
