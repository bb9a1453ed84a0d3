"""What a run says, in words: shared by panel, page and terminal. Pure: records in, text out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labs.records.experiment import Experiment, Server, Workload
from labs.records.format import crowd, digits, duration, listed, percent, rate
from labs.records.results import Machine, Point, PredictedLevel, Prediction
from labs.records.server_facts import WAITS, server_facts

AGREES = 0.02  # no measurement here is finer, so no miss below this is worth a reason
CLOSE = 0.05  # a miss that needs no explanation, if none offers itself
INTERRUPTED = 2.0  # times a request; Locust's waking up does it once or so to one that is alone
DEMAND_MOVED = 0.05  # of the CPU time per request; enough to move the throughput visibly

ASSUMES = "What the forecast assumes"
UNEXPLAINED = "Nothing we measure explains it."  # which accuses neither the model nor the machine
MOST_LISTED = 4  # processes; of more, the least and the most connections are said
EFFECTS = {"interval", "drift", "few", "little"}  # checks that tell of noise, not of its cause

POOLS = {
    "prefork": ("process", "processes"),
    "threaded": ("thread", "threads"),
    "event-loop": ("event loop", "event loops"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a reader is asked to commit to before a run."""

    words: str  # without question mark: how many requests a second will it answer at 8 users
    about: str  # for the sentence with the answer: at 8 users
    unit: str  # of what is typed: ms
    scale: float = 1.0  # what is typed over the value in SI units: 1000
    say: Callable[[float], str] = digits  # a value in SI units, in words with its unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """What the reader expected, committed to before the run."""

    users: int
    quantity: str  # "throughput" or "response time"
    value: float  # req/s or seconds

    def __str__(self) -> str:
        return rate(self.value) if self.quantity == "throughput" else duration(self.value)


def about(experiment: Experiment) -> str:
    """What is about to be tested, in one sentence."""
    users = listed(experiment.load.users)
    plural = "user asks" if users == "1" else "users ask"
    think = experiment.load.think_time_s
    thinking = f", and think for {duration(think)} in between" if think else ""
    return (
        f"{who(experiment.server)} answers requests that {need(experiment.workload)}, "
        f"while {users} {plural}, one request at a time each{thinking}."
    )


def assumed(forecast: Prediction) -> list[str]:
    """What a forecast assumes, in lines below a heading; none where there is nothing to know."""
    return [f"{ASSUMES}:", *(f"- {note}" for note in forecast.notes)] if forecast.notes else []


def verdict(
    experiment: Experiment,
    forecast: Prediction,
    points: Sequence[Point],
    explanation: Prediction | None = None,
    guess: Guess | None = None,
) -> tuple[str, ...]:
    """What limits it, whether the forecast held or which assumption broke, and the guess.

    explanation is the model with each level's own CPU time per request, where there is one.
    """
    if not points:
        return ("Nothing was measured, so there is nothing to say yet.",)
    fit = [point for point in points if point.fit]
    sentences = []
    if fit:
        sentences.append(limit(experiment, forecast.at(fit[-1].users)))
        sentences += agreement(forecast, fit, explanation, experiment)
        if fallen := split(experiment, fit[-1]):
            at = f"At {crowd(fit[-1].users)} connections stayed where they had fallen"
            sentences.append(f"{at}: {fallen}.")
    if unfit := [point for point in points if not point.fit]:
        sentences.append(_unfit(unfit, len(points)))
    if guess is not None:
        sentences.append(on_guess(guess, forecast, points))
    return tuple(sentences)


def limit(experiment: Experiment, level: PredictedLevel) -> str:
    """What holds that level back, and what would help."""
    server, workload = experiment.server, experiment.workload
    times = (workload.cpu_s, workload.cpu_s + workload.wait_s, workload.wait_s)
    cpu, need, wait = (duration(each) if each else "next to nothing" for each in times)
    pool = server.pool or 0
    best = rate(level.bound_rps)
    reasons = {
        "users": "the users themselves are the limit: each gets a core or a worker when it asks, "
        "and more users would get more done.",
        "cpu": f"the CPU is the limit: at {cpu} a request the cores can do {best} and no more. "
        "More users only wait longer.",
        "pool": f"the pool is the limit: {_count(pool, server)} at {need} a request can do "
        f"{best}, whatever the CPU has left. The other users queue.",
        "event loop": "the event loop is the limit: it runs one piece of code at a time, and at "
        f"{cpu} a request that makes {best}."
        if workload.wait_by != "blocking"
        else f"the event loop is the limit: a wait of {wait} that blocks it holds up everybody, "
        f"and at {need} a request that makes {best}.",
        "interpreter lock": "Python's lock is the limit: of each process one thread computes at "
        f"a time, and at {cpu} a request that makes {best}.",
        "load generator": "the load generator is the limit: this measures Locust, not the server.",
        "memory": "memory is the limit: no more workers fit.",
        "listen queue": "the listen queue is the limit: it is full, and connections come back "
        "only after seconds.",
    }
    return f"At {crowd(level.users)} {reasons.get(level.limit, f'the {level.limit} is the limit.')}"


def agreement(
    forecast: Prediction,
    fit: Sequence[Point],
    explanation: Prediction | None = None,
    experiment: Experiment | None = None,
) -> list[str]:
    """Whether the forecast held within the interval, and if not, what it had assumed. With the
    experiment, how connections fell on processes is a reason too."""
    missed = [point for point in fit if not _holds(point, forecast.at(point.users).model_rps)]
    if not missed:
        which = "the point" if len(fit) == 1 else f"all {len(fit)} points"
        return [
            f"The forecast, made before the load began, met {which} within the interval of the "
            "measurement."
        ]
    worst = max(missed, key=lambda point: abs(_off(point, forecast)))
    off = _off(worst, forecast)
    side = "above" if off > 0 else "below"
    measured = f"{crowd(worst.users)}: measured {percent(abs(off))} {side} it."
    if len(fit) == 1:
        told = f"The forecast missed the point at {measured}"
    else:
        met = f"{len(fit) - len(missed)} of {len(fit)} points within their interval"
        told = f"The forecast met {met}, and missed most at {measured}"
    return [told, _reason(worst, forecast, explanation, experiment)]


def on_guess(guess: Guess, forecast: Prediction, points: Sequence[Point]) -> str:
    """The reader's prediction beside the model's and the measurement."""
    level = forecast.at(guess.users)
    measured = next((point for point in points if point.users == guess.users), None)
    if guess.quantity == "throughput":
        model, found = rate(level.model_rps), measured and measured.throughput_rps
        shown = rate(found) if found else ""
    else:
        model = duration(level.model_response_time_s)
        found = measured and measured.mean_response_time_s
        shown = duration(found) if found else ""
    said = f"You said {guess} at {crowd(guess.users)}, the model {model}"
    if not found:
        return f"{said}; that level was not measured."
    return _beside(f"{said}, and it was {shown}", guess.value, found)


def on_answer(question: Question, value: float, model: float | None, found: float | None) -> str:
    """The reader's answer to any question beside the model's, if there is one, and the
    measurement; all in SI units."""
    said = f"You said {question.say(value)} {question.about}"
    if model is not None:
        said += f", the model {question.say(model)}"
    if found is None:
        return f"{said}; that was not measured."
    return _beside(f"{said}, and it was {question.say(found)}", value, found)


def _beside(said: str, value: float, found: float) -> str:
    if not found:
        return f"{said}."
    off = value / found - 1
    if abs(off) <= 0.05:
        return f"{said}. Well predicted!"
    times = f"{percent(abs(off))} too {'high' if off > 0 else 'low'}"
    if abs(off) >= 0.95:
        times = f"{digits(value / found, 2)} times as much"
    return f"{said}: yours was {times}."


def caption(machine: Machine, runs: int = 1) -> str:
    """Which machine a figure is of, and how to add a larger one."""
    many = f" The middle of {runs} runs, and their spread." if runs > 1 else ""
    return (
        f"Recorded on: {machine.caption}.{many} Yours is larger? Record the labs on it "
        "(make record), and send the recording as CONTRIBUTING says."
    )


def split(experiment: Experiment, point: Point) -> str:
    """How kept connections fell on processes with a pool of their own: `54 and 202 connections`;
    nothing where any free worker takes the next request."""
    server, counts = experiment.server, sorted(point.connections.values())
    kept = server.keep_alive and experiment.load.keep_alive
    if server.architecture == "prefork" or server.processes == 1 or not kept or not counts:
        return ""
    counts = [0] * (server.processes - len(counts)) + counts
    if len(counts) > MOST_LISTED:
        return f"{counts[0]} to {counts[-1]} connections on each of {len(counts)} processes"
    return f"{listed(counts)} connections"


def service(server: Server) -> str:
    """What the measured service time includes, in one sentence."""
    includes = {
        "prefork": "waits for a core included",
        "threaded": "waits for a core and for Python's lock included",
        "event-loop": "with the time for which the loop did other things after this one's wait, "
        "but not the time before it took the request up",
    }
    return (
        "Service time is from a request's begin in the application to its end, "
        f"{includes[server.architecture]}; queued is the rest of the response time."
    )


def _reason(
    point: Point,
    forecast: Prediction,
    explanation: Prediction | None,
    experiment: Experiment | None,
) -> str:
    fits = explanation is not None and _holds(point, explanation.at(point.users).model_rps)
    fallen = split(experiment, point) if experiment else ""
    coins = (
        "The assumption that broke: connections were to fall on the processes like coins. They "
        f"fell as {fallen}, and with these the model fits."
    )
    if fits and experiment and fallen and not experiment.workload.cpu_s:
        return coins
    moved = point.demand_s / forecast.demand_s - 1 if forecast.demand_s else 0.0
    if abs(moved) > DEMAND_MOVED:
        sentence = (
            "The assumption that broke: the CPU time of a request was not what an awake, "
            f"unshared core needs. It took {duration(point.demand_s)} instead of "
            f"{duration(forecast.demand_s)}."
        )
        if fits:
            sentence += " With the CPU time that was measured in the load, the model fits."
        return sentence
    if causes := [check.sentence for check in point.checks if check.name not in EFFECTS]:
        return "A check noticed: " + " ".join(causes)
    level = forecast.at(point.users)
    if level.lower_rps is not None and point.throughput_rps < level.model_rps:
        if level.lower_by == "users in step":
            return (
                "Perhaps the users fell in step: all wait together, then all want a core. That can "
                f"go down to {rate(level.lower_rps)}."
            )
        if _shared_a_core(point, level):
            return (
                "Two processes shared a core while another idled: a request cost what it should, "
                f"and was interrupted {digits(point.involuntary_switches or 0, 2)} times, though "
                "nobody else took the cores' time. A core has a run queue of its own, and the "
                f"kernel evens them out only now and then; that can go down to "
                f"{rate(level.lower_rps)}."
            )
    counts = sorted(point.connections.values())
    if fallen and fits:
        return coins
    if fallen and counts[-1] - counts[0] > 1:
        return f"{UNEXPLAINED} The processes had {fallen}, each a pool of its own."
    if fits:
        return (
            "The assumption that broke: the cores were not worth in the load what the burn before "
            "it had found. With whole cores and the CPU time that was measured, the model fits."
        )
    if abs(_off(point, forecast)) < CLOSE:
        return "That is close, and nothing else stood out."
    return UNEXPLAINED


def _shared_a_core(point: Point, level: PredictedLevel) -> bool:
    """Whether it shows that requests waited for one core while another idled: they were
    interrupted, as whoever is alone on a core is not, and of the CPU time that is missing from
    the server's others took less than half."""
    idle = level.model_rps * point.demand_s - point.server_cpu
    others = point.others_cpu + point.page_cpu + point.backend_cpu
    return (point.involuntary_switches or 0.0) >= INTERRUPTED and others < idle / 2


def _unfit(unfit: Sequence[Point], total: int) -> str:
    levels = listed([point.users for point in unfit])
    users = "user" if levels == "1" else "users"
    reasons = dict.fromkeys(check.sentence for point in unfit for check in point.checks)
    first = next(check.sentence for check in unfit[0].checks if check.unfit)
    if len(unfit) == total:
        told = [check.sentence for check in unfit[-1].checks if not check.unfit]
        said = " ".join(dict.fromkeys([first, *told[:1]]))
        if total == 1:
            return f"The point cannot be believed, so it is drawn hollow. {said}"
        return f"None of the {total} points can be believed, so all are drawn hollow. {said}"
    drawn = "is drawn hollow and takes" if len(unfit) == 1 else "are drawn hollow and take"
    count = f"{len(unfit)} of {total} points, at {levels} {users}, {drawn} no part in this."
    others = " The table has the other reasons." if len(reasons) > 1 else ""
    return f"{count} {first}{others}"


def _holds(point: Point, model_rps: float) -> bool:
    low, high = point.throughput_ci_rps
    slack = AGREES * point.throughput_rps
    return (
        min(low, point.throughput_rps - slack)
        <= model_rps
        <= max(high, point.throughput_rps + slack)
    )


def _off(point: Point, forecast: Prediction) -> float:
    model = forecast.at(point.users).model_rps
    return point.throughput_rps / model - 1 if model else 0.0


def who(server: Server) -> str:
    """A server in words: `A prefork server (8 processes run by gunicorn, on all cores)`."""
    cores = {None: "all cores", 1: "one core"}.get(server.cores, f"{server.cores} cores")
    pool = _count(server.processes, server)
    if server.architecture == "threaded":
        each = "thread" if server.threads == 1 else "threads"
        process = "process" if server.processes == 1 else "processes"
        pool = f"{server.processes} {process} with {server.threads} {each}"
        pool += " each" if server.processes > 1 else ""
    if server_facts(server.by).up_to:
        pool = f"up to {pool}"
    article = "An" if server.architecture[0] in "aeiou" else "A"
    return f"{article} {server.architecture} server ({pool} run by {server.by}, on {cores})"


def need(workload: Workload) -> str:
    """What requests do, after "requests that": `need 50 ms of CPU`."""
    needs = ["fetch a small file"] if workload.page == "file" else []
    if workload.cpu_s:
        hashing = " for hashing" if workload.cpu_by == "hashing" else ""
        needs.append(f"need {duration(workload.cpu_s)} of CPU{hashing}")
    if workload.wait_s:
        needs.append(WAITS[workload.wait_by].need.format(duration(workload.wait_s)))
    return " and ".join(needs) or "need next to nothing"


def _count(number: int, server: Server) -> str:
    one, many = POOLS[server.architecture]
    return f"{number} {one if number == 1 else many}"
