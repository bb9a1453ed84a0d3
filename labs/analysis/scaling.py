"""What to offer when an experiment does not fit: into a reader's patience, or on one core.

Pure. Nothing is shortened silently: each offer says what it changes and how long it takes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from labs.analysis.schedule import duration_s
from labs.records.experiment import Experiment, Workload
from labs.records.format import duration, listed, seconds
from labs.records.results import PredictedLevel, Prediction
from labs.records.steps import Step

PATIENCE_S = 25.0  # a run up to this long needs no question
DIVISORS = (2, 5, 10, 20, 50, 100)
MOST_LEVELS = 4  # levels on a small machine
HEAVY_CPU_S = 0.005  # per request; less than this leaves one core room for the load generator
SCALED_STEP_S = 2.0  # of a timeline on a small machine, at most
SCALED_REQUESTS = 10  # of a user in such a step, or arrivals: time for so many stays

Forecast = Callable[[Experiment], Prediction]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """An experiment to choose."""

    label: str
    experiment: Experiment
    forecast: Prediction
    seconds: float
    changed: str = ""  # said wherever its results are shown


def variants(experiment: Experiment, forecast: Forecast) -> list[Variant]:
    """The experiment itself; where that takes too long, also with everything divided by k, and
    with three levels around the knee only."""
    full = _variant(experiment, forecast, "")
    if full.seconds <= PATIENCE_S:
        return [full]
    return [full, *_divided(experiment, forecast), *_knee(full, forecast)]


def _divided(experiment: Experiment, forecast: Forecast) -> list[Variant]:
    work, load = experiment.workload, experiment.load
    for k in DIVISORS:
        smaller = replace(
            experiment,
            workload=replace(work, cpu_s=work.cpu_s / k, wait_s=work.wait_s / k),
            load=replace(load, think_time_s=load.think_time_s / k),
        )
        made = _variant(smaller, forecast, f"work and wait divided by {k}")
        if made.seconds <= PATIENCE_S:
            break
    return [made]


def _knee(full: Variant, forecast: Forecast) -> list[Variant]:
    users = around_knee(full.forecast.levels)
    if len(users) == len(full.experiment.load.users):
        return []
    shorter = replace(full.experiment, load=replace(full.experiment.load, users=users))
    return [_variant(shorter, forecast, f"only {listed(users)} users")]


def around_knee(levels: Sequence[PredictedLevel]) -> tuple[int, ...]:
    """The first level that something else than the users limits, with its neighbours."""
    knee = next((at for at, level in enumerate(levels) if level.limit != "users"), len(levels))
    first = max(0, min(knee - 1, len(levels) - 3))
    return tuple(level.users for level in levels[first : first + 3])


def _variant(experiment: Experiment, forecast: Forecast, changed: str) -> Variant:
    prediction = forecast(experiment)
    whole_s = duration_s(experiment, prediction.levels)
    label = f"{changed or 'all of it'}: {seconds(whole_s)}"
    return Variant(
        label=label,
        experiment=experiment,
        forecast=prediction,
        seconds=whole_s,
        changed=changed,
    )


def scaled_down(
    experiment: Experiment, cores: int, *, shared: bool = False
) -> tuple[Experiment, str]:
    """The experiment as a small machine should begin with, and the sentence why; unchanged and
    no sentence where it fits. shared: a free service that others use as well (Binder)."""
    work = experiment.workload
    if (cores > 1 and not shared) or work.cpu_s <= HEAVY_CPU_S:
        return experiment, ""
    users = experiment.load.users
    step = -(-len(users) // MOST_LEVELS)
    kept = tuple(sorted({*users[::step], users[-1]}))[-MOST_LEVELS:]
    smaller = replace(
        experiment, workload=_waiting(work), load=replace(experiment.load, users=kept)
    )
    why = (
        f"{_whose(shared)}, and {_too_much(work)}. So the lab begins with a wait of the "
        "same length and a short sweep. What more cores do is in the recorded run; the sliders "
        "bring the CPU work back."
    )
    return smaller, why


def scaled_down_timeline(
    workload: Workload, steps: Sequence[Step], cores: int, *, shared: bool = False
) -> tuple[Workload, tuple[Step, ...], str]:
    """Requests and steps with which a timeline should begin on a small machine, and the sentence
    why; unchanged and no sentence where they fit. A wait of the same length takes the place of
    the CPU work, and what would keep the core busy without a pause lasts a few seconds."""
    heavy = workload.cpu_s > HEAVY_CPU_S
    alone_s = workload.cpu_s + workload.wait_s
    if (cores > 1 and not shared) or not (heavy or alone_s <= HEAVY_CPU_S):
        return workload, tuple(steps), ""
    shorter = tuple(replace(step, seconds=_scaled_s(step, alone_s)) for step in steps)
    full_s, short_s = (sum(step.seconds for step in each) for each in (steps, shorter))
    if heavy:
        trouble = _too_much(workload)
    else:
        trouble = "requests that are over at once would keep it busy without a pause"
    changed = ["the requests wait for as long instead"] * heavy
    if short_s < full_s:
        changed.append(f"the steps last {seconds(short_s)} together instead of {seconds(full_s)}")
    if not changed:
        return workload, tuple(steps), ""
    why = (
        f"{_whose(shared)}, and {trouble}. So here {' and '.join(changed)}. The recorded run is "
        "of all of it; add whole=True to the lab's code to run that here."
    )
    return _waiting(workload) if heavy else workload, shorter, why


def _scaled_s(step: Step, alone_s: float) -> float:
    """Seconds of that step on a small machine: enough for a few requests of alone_s seconds."""
    each_s = alone_s if step.rate is None else max(alone_s, 1 / step.rate)
    return min(step.seconds, max(SCALED_STEP_S, SCALED_REQUESTS * each_s))


def _waiting(workload: Workload) -> Workload:
    """Requests that take as long, and no CPU."""
    return replace(workload, cpu_s=0.0, wait_s=workload.cpu_s + workload.wait_s)


def _too_much(workload: Workload) -> str:
    return f"{duration(workload.cpu_s)} of CPU a request would leave nothing for the load generator"


def _whose(shared: bool) -> str:
    return "This is a free service that others share" if shared else "This machine has one core"
