"""What to offer when an experiment does not fit: into a reader's patience, or on one core.

Pure. Nothing is shortened silently: each offer says what it changes and how long it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from labs.plan import duration_s
from labs.records import Experiment, PredictedLevel, Prediction
from labs.words import duration, seconds

PATIENCE_S = 25.0  # a run up to this long needs no question
DIVISORS = (2, 5, 10, 20, 50, 100)
MOST_MODEST = 4  # levels on a small machine
FEW = 4  # workers of a reduced pool
HEAVY_CPU_S = 0.005  # per request; less than this leaves one core room for the load generator

Forecast = Callable[[Experiment], Prediction]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An experiment to choose."""

    label: str
    experiment: Experiment
    forecast: Prediction
    seconds: float
    changed: str = ""  # said wherever its results are shown


def offers(experiment: Experiment, forecast: Forecast) -> list[Offer]:
    """The experiment itself; where that takes too long, also with everything divided by k, and
    with three levels around the knee only."""
    full = _offer(experiment, forecast, "")
    if full.seconds <= PATIENCE_S:
        return [full]
    return [full, *_divided(experiment, forecast), *_knee(full, forecast)]


def _divided(experiment: Experiment, forecast: Forecast) -> list[Offer]:
    made = None
    for k in DIVISORS:
        work = experiment.workload
        load = experiment.load
        smaller = replace(
            experiment,
            workload=replace(work, cpu_s=work.cpu_s / k, wait_s=work.wait_s / k),
            load=replace(load, think_time_s=load.think_time_s / k),
        )
        made = _offer(smaller, forecast, f"work and wait divided by {k}")
        if made.seconds <= PATIENCE_S:
            break
    return [made] if made else []


def _knee(full: Offer, forecast: Forecast) -> list[Offer]:
    users = around_knee(full.forecast.levels)
    if len(users) == len(full.experiment.load.users):
        return []
    shorter = replace(full.experiment, load=replace(full.experiment.load, users=users))
    return [_offer(shorter, forecast, f"only {_listed(users)} users")]


def around_knee(levels: Sequence[PredictedLevel]) -> tuple[int, ...]:
    """The first level that something else than the users limits, with its neighbours."""
    knee = next((at for at, level in enumerate(levels) if level.limit != "users"), len(levels) - 1)
    first = max(0, min(knee - 1, len(levels) - 3))
    return tuple(level.users for level in levels[first : first + 3])


def _offer(experiment: Experiment, forecast: Forecast, changed: str) -> Offer:
    prediction = forecast(experiment)
    whole_s = duration_s(experiment.load, prediction.levels)
    label = f"{changed or 'all of it'}: {seconds(whole_s)}"
    return Offer(
        label=label,
        experiment=experiment,
        forecast=prediction,
        seconds=whole_s,
        changed=changed,
    )


def modest(experiment: Experiment, cores: int, *, shared: bool = False) -> tuple[Experiment, str]:
    """The experiment as a small machine should begin with, and the sentence why; unchanged and
    no sentence where it fits. shared: a free service that others use as well (Binder)."""
    work = experiment.workload
    if (cores > 1 and not shared) or work.cpu_s <= HEAVY_CPU_S:
        return experiment, ""
    users = experiment.load.users
    step = -(-len(users) // MOST_MODEST)
    kept = tuple(sorted({*users[::step], users[-1]}))[-MOST_MODEST:]
    waits = replace(work, cpu_s=0.0, wait_s=work.cpu_s + work.wait_s)
    smaller = replace(experiment, workload=waits, load=replace(experiment.load, users=kept))
    whose = "This is a free service that others share" if shared else "This machine has one core"
    why = (
        f"{whose}, and {duration(work.cpu_s)} of CPU a request would leave nothing for the load "
        "generator. So the lab begins with a wait of the same length and a short sweep. "
        "What more cores do is in the recorded run; the sliders bring the CPU work back."
    )
    return smaller, why


def reduced(experiment: Experiment) -> Experiment:
    """The same kind of server, work and load in a few seconds: to see that it runs, not to
    learn from. A pool of at most four, the first two levels, half a second each at least."""
    server, load = experiment.server, experiment.load
    fewer = replace(
        server,
        processes=min(server.processes, FEW),
        threads=min(server.threads, FEW),
        start=server.start and min(server.start, FEW),
    )
    users = sorted({min(users, 2 * FEW) for users in load.users})[:2]
    return replace(experiment, server=fewer, load=replace(load, users=tuple(users), seconds=0.5))


def _listed(users: Sequence[int]) -> str:
    *most, last = map(str, users)
    return f"{', '.join(most)} and {last}" if most else last
