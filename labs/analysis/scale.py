"""A lab of the book at a machine's own scale. Pure.

Chapters are written for two cores. Where cores are what a lab is about, more of them would take
its effect out of the picture: eight users show no bend on sixteen cores. Such a lab (`by_cores` in
its cell) gets more users, workers and threads with the cores. The bend lies at k users or workers
for each core, k = (D + V) / D, so a number grows in proportion up to four times as many; beyond
that, where it is all the same, by no more than those did. On two cores it stays as it is written.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from labs.records.amounts import MOST_USERS
from labs.records.errors import Unusable
from labs.records.experiment import MOST_LEVELS, Experiment, Load, Server, Workload
from labs.records.steps import Step

BOOK_CORES = 2
FAR = 4  # times the bend: so far, all is in proportion
MOST_WORKERS = 512  # a server that would want more keeps to fewer cores, which macOS can't; but of
PAST = 1.5  # times the bend at least, a pool of processes that is compared is cut to that many


def own(number: int, workload: Workload, cores: int) -> int:
    """Scale users, workers or threads of the book to that many cores; 1 stays 1, and what asks
    for no CPU work stays as it is.

    >>> [own(each, Workload(cpu_s=0.05), 8) for each in (1, 2, 4, 8, 16)]
    [1, 8, 16, 32, 40]
    """
    factor = max(cores, BOOK_CORES) / BOOK_CORES
    if number == 1 or not workload.cpu_s:
        return number
    near = FAR * BOOK_CORES * _bend(workload)
    return round(number + min(number, near) * (factor - 1))


def own_levels(users: Sequence[int], workload: Workload, cores: int) -> tuple[int, ...]:
    """The levels of a sweep. What follows a lone user of two cores is a level of its own too,
    unless there are as many as may be.

    >>> own_levels((1, 2, 3, 4, 8), Workload(cpu_s=0.05), 8)
    (1, 4, 8, 12, 16, 32)
    """
    scaled = {own(each, workload, cores) for each in users}
    if users[0] == 1 and len(scaled) < MOST_LEVELS:
        scaled.add(own(2, workload, cores) // 2)
    return tuple(sorted(scaled))


def own_server(server: Server, workload: Workload, cores: int) -> Server:
    """Server with as many processes and threads as suit the cores."""
    start = server.start and own(server.start, workload, cores)
    return replace(
        server,
        processes=own(server.processes, workload, cores),
        threads=own(server.threads, workload, cores),
        start=start,
    )


def own_label(label: str, workload: Workload, cores: int) -> str:
    """The label of a part: `16 workers` of the book are `40 workers` on eight cores."""
    return re.sub(
        r"\d+", lambda found: str(min(own(int(found[0]), workload, cores), MOST_WORKERS)), label
    )


def own_parts(parts: Mapping[str, Experiment], cores: int) -> dict[str, Experiment]:
    """The experiments of a comparison, each under its own label. Pools that are cut to the same
    size are one part."""
    used = _usable(parts.values(), cores, cut=True)
    own = {label: _own(each, used, cores) for label, each in parts.items()}
    return {
        own_label(label, each.workload, used): replace(each, server=_cut(each.server))
        for label, each in own.items()
    }


def own_experiment(experiment: Experiment, cores: int) -> Experiment:
    """A sweep's experiment at the scale of that many cores. Where that would take too many workers,
    the server keeps to fewer of the cores."""
    return _own(experiment, _usable([experiment], cores), cores)


def own_steps(
    server: Server, workload: Workload, steps: Sequence[Step], cores: int
) -> tuple[Server, tuple[Step, ...]]:
    """The server of a timeline and its steps, of users."""
    most = max((step.users or 1) for step in steps)
    used = _usable([Experiment(server, workload, Load([most]))], cores)
    grown = tuple(
        replace(step, users=own(step.users, workload, used)) if step.users else step
        for step in steps
    )
    return _held(own_server(server, workload, used), used, cores), grown


def why_scaled(cores: int) -> str:
    """Say why the numbers are not those of the chapter; nothing on two cores or one."""
    if cores <= BOOK_CORES:
        return ""
    return (
        f"The chapter's numbers are for two cores. On {cores} this lab begins with more users and "
        "workers, so that it shows what it shows on two."
    )


def _bend(workload: Workload) -> float:
    """Users or workers for each core at which the cores are full."""
    return (workload.cpu_s + workload.wait_s) / workload.cpu_s if workload.cpu_s else 1.0


def _own(experiment: Experiment, used: int, cores: int) -> Experiment:
    work, load = experiment.workload, experiment.load
    levels = own_levels(load.users, work, used)
    server = _held(own_server(experiment.server, work, used), used, cores)
    return Experiment(server, work, replace(load, users=levels))


def _held(server: Server, used: int, cores: int) -> Server:
    return replace(server, cores=used) if used < cores and server.cores is None else server


def _cut(server: Server) -> Server:
    return replace(server, processes=min(server.processes, MOST_WORKERS))


def _usable(experiments: Collection[Experiment], cores: int, *, cut: bool = False) -> int:
    """The most of these cores for which all of them can be had; cut: pools of processes may be."""
    held = [each.server.cores for each in experiments if each.server.cores is not None]
    most = max(BOOK_CORES, min([cores, *held]))

    def possible(used: int) -> bool:
        try:
            grown = [own_server(each.server, each.workload, used) for each in experiments]
        except Unusable:
            return False
        users = max(own(each.load.users[-1], each.workload, used) for each in experiments)
        past = max(PAST * used * _bend(each.workload) for each in experiments)
        if cut and past <= MOST_WORKERS:
            grown = [_cut(server) for server in grown]
        pools = [(server.pool or 1) for server in grown]
        return max(pools) <= MOST_WORKERS and users <= MOST_USERS

    return next((used for used in range(most, BOOK_CORES, -1) if possible(used)), BOOK_CORES)
