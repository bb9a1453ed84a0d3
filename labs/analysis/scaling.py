"""What a lab begins with where it does not fit: on one core, or on a service that others share.
Pure. Nothing is shortened silently: a sentence says what is changed.
"""

from collections.abc import Sequence
from dataclasses import replace

from labs.records.experiment import Experiment, Workload
from labs.records.format import duration, seconds
from labs.records.steps import Step

MOST_LEVELS = 4  # levels on a small machine
HEAVY_CPU_S = 0.005  # per request; less than this leaves one core room for the load generator
SCALED_STEP_S = 2.0  # of a timeline on a small machine, at most
SCALED_REQUESTS = 10  # of a user in such a step, or arrivals: time for so many stays


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
