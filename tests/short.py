"""Every lab of the book in a few seconds: to see that it runs, not to learn from."""

from dataclasses import replace
from typing import Any

from labs.kinds.attach.run import AttachLab
from labs.kinds.classics.run import ClassicLab
from labs.kinds.comparison.run import ComparisonLab
from labs.kinds.generators.run import GeneratorsLab
from labs.kinds.memory.run import MemoryLab
from labs.kinds.mystery.run import MysteryLab
from labs.kinds.race.run import RaceLab
from labs.kinds.sweep.run import SweepLab
from labs.kinds.timeline.run import TimelineLab
from labs.recordings.recorder import Rule
from labs.records.experiment import Experiment, Load, Server

FEW = 4  # workers of a pool
REQUEST_S = 0.01  # work and wait together
STEP_S = 1.5


def short(lab: Any) -> Any:
    """The same lab, cut down; itself, if it is of a kind that is that short."""
    match lab:
        case SweepLab():
            return lab.again(experiment=small(lab.experiment))
        case ComparisonLab():
            return _compared(lab)
        case TimelineLab():
            load = Load([max((step.users or 1) for step in lab.steps)])
            server = small(Experiment(lab.server, lab.workload, load)).server
            raised = f"raise the pool to {2 * FEW}"
            steps = [
                replace(
                    each, seconds=min(each.seconds, STEP_S), do=raised if each.pool else each.do
                )
                for each in lab.steps
            ]
            return lab.again(server=server, steps=steps)
        case MysteryLab():  # the server as it is
            fewer = lab.variant("before", users=(2, 8))
            before = fewer.scenario.before
            before = replace(before, load=replace(before.load, seconds=0.5))
            fewer.scenario = replace(fewer.scenario, before=before)
            return fewer
        case GeneratorsLab():
            return lab.again(seconds=1.0)
        case RaceLab():
            two = lab.again(seconds=1.0)
            two.ways = lab.ways[:2]
            return two
        case MemoryLab():
            small_sizes = MemoryLab()
            small_sizes.sizes = {"process": (1, 4), "thread": (1, 32), "coroutine": (1, 128)}
            return small_sizes
        case AttachLab():
            return lab.again(users=(1, 2))
        case ClassicLab():  # its first server with one row, by ab alone
            first = lab.trials[0]
            users, requests = [*first.ab.items()][-1]
            server = Server(first.server.architecture, by=first.server.by, processes=4)
            few_users = {min(users, 4): requests and 4}
            trial = replace(first, server=server, ab=few_users, locust=())
            return ClassicLab(lab.classic, [trial])
        case _:
            return lab


def _compared(lab: ComparisonLab) -> ComparisonLab:
    """Every part at the first of its levels; of pools, which are to differ, the smallest and the
    largest as they are."""
    parts = dict(lab.parts)
    if pools := lab.over == "pool":
        ranked = sorted(parts, key=lambda label: parts[label].server.pool or 0)
        parts = {label: parts[label] for label in (ranked[0], ranked[-1])}
    for label, asked in parts.items():
        less = small(asked)
        load = replace(less.load, users=less.load.users[:1])
        server = asked.server if pools else less.server
        parts[label] = replace(less, server=server, load=load)
    return lab.again(parts=parts)


def small(experiment: Experiment) -> Experiment:
    """A pool of at most four, the first two levels, a third of a second each, and requests so
    short that this is enough."""
    server, work, load = experiment.server, experiment.workload, experiment.load
    share = min(1.0, REQUEST_S / max(work.cpu_s + work.wait_s, REQUEST_S))
    start = server.start and min(server.start, FEW)
    processes, threads = min(server.processes, FEW), min(server.threads, FEW)
    users = sorted({min(users, 2 * FEW) for users in load.users})[:2]
    think_s = share * load.think_time_s
    return replace(
        experiment,
        server=replace(server, processes=processes, threads=threads, start=start),
        workload=replace(work, cpu_s=share * work.cpu_s, wait_s=share * work.wait_s),
        load=replace(load, users=tuple(users), think_time_s=think_s, seconds=0.3),
    )


TRIAL = Rule(runs=1, tries=1, fit=False, each_s=0, sized=short)
