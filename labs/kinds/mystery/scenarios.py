"""The hidden limits of the mystery lab, as data: what server, what work, what is seen, and two
fixes, one that people try and one that helps. Pure.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from labs.kinds.mystery.record import Variant
from labs.records.errors import Unusable, whole
from labs.records.experiment import Experiment, Load, Server, WaitBy, Workload
from labs.records.format import duration

LEVEL_S = 2.0  # at least; who queues for a database by trying again may wait for long
LEAST_LEVEL = 32  # users at the last of the usual levels, so that every limit is reached
WAITS_S = (0.016, 0.02, 0.025)  # a seed's wait is one of them
POOLS = (6, 8, 10)
MANY = 16  # workers, where the pool is not to be the limit
MORE = 4  # times as many, when somebody raises a pool
HUGE = 64  # workers of a pool that is only doubled
SCRIPT_S = 0.001  # CPU time of the users' own script, where they are the limit
CODE_S = 0.001  # CPU time of a request whose limit is elsewhere


@dataclass(frozen=True, slots=True)
class Fix:
    """Something to change, and what comes of it."""

    label: str  # what is done, as a button says it
    name: str  # in two words, for a figure
    experiment: Experiment
    why: str  # it helps, or does not


Drawn = Callable[[random.Random, int, Load], Experiment]  # for so many cores
Repair = Callable[[Experiment, random.Random], Fix]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One thing that may hold a server back, and what is done about it."""

    name: str  # as in `PredictedLevel.limit`
    called: str  # to choose from a list
    does: str  # what a request does there
    law: str  # what it makes of the throughput
    symptoms: str  # what is seen when it is the limit
    before: Drawn
    wrong: Repair
    right: Repair

    @property
    def small(self) -> str:
        """Name of the limit within a sentence."""
        return self.called[0].lower() + self.called[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A seed's server, its hidden limit, and a wrong and a right fix."""

    seed: int
    limit: Limit
    before: Experiment
    wrong: Fix
    right: Fix

    def fix(self, variant: Variant) -> Fix:
        """Find what is done to the server; nothing to the server as it is."""
        nothing = Fix("As it is", "as it is", self.before, "")
        return {"before": nothing, "wrong": self.wrong, "right": self.right}[variant]

    def experiment(self, variant: Variant) -> Experiment:
        """Experiment on the server as it is, or with a fix."""
        return self.fix(variant).experiment


def draw(
    seed: int, cores: int, users: Sequence[int] | None = None, seconds: float | None = None
) -> Scenario:
    """Draw the server of a seed, for a machine of so many cores, asked by those levels of users,
    each measured for so many seconds at least.

    Seven seeds in a row, from 1, have seven limits. Unusable for a seed that is no whole number,
    or for levels that are none.
    """
    whole("seed", seed, 1, 1_000_000, "Any whole number from 1 on is another server.")
    number = len(LIMITS)
    order = random.Random(f"which {(seed - 1) // number}").sample(LIMITS, number)
    limit = order[(seed - 1) % number]
    load = Load(usual_users(cores) if users is None else users, seconds=seconds or LEVEL_S)
    dice = random.Random(f"details {seed}")
    before = limit.before(dice, cores, load)
    wrong, right = limit.wrong(before, dice), limit.right(before, dice)
    return Scenario(seed=seed, limit=limit, before=before, wrong=wrong, right=right)


def usual_users(cores: int) -> tuple[int, ...]:
    """Choose levels that reach any limit on such a machine."""
    levels = [1]
    while levels[-1] < max(LEAST_LEVEL, 2 * cores):
        levels.append(2 * levels[-1])
    return tuple(levels)


def named(name: str) -> Limit:
    """Find the limit of that name; Unusable says which there are."""
    limits = {limit.name: limit for limit in LIMITS}
    if name not in limits:
        raise Unusable(f"{name!r}: no such limit. There are {', '.join(limits)}.")
    return limits[name]


def _workers(dice: random.Random, number: int) -> Server:
    """Draw processes or threads for so many workers: that must not tell the limit."""
    if dice.random() < 0.5:
        return Server("prefork", processes=number)
    return Server("threaded", by="scratch", threads=number)


def larger_pool(why: str) -> Repair:
    """Repair with more of the server's processes or threads."""

    def fix(before: Experiment, dice: random.Random) -> Fix:
        server, pool = before.server, before.server.pool or 1
        more = pool * (MORE if pool < HUGE else 2)
        what = "processes" if server.architecture == "prefork" else "threads"
        larger = replace(server, **{what: more})  # type: ignore[arg-type]
        label = f"Raise the pool from {pool} to {more} {what}"
        return Fix(label, "larger pool", replace(before, server=larger), why)

    return fix


def faster_code(why: str) -> Repair:
    """Repair with half the CPU time."""

    def fix(before: Experiment, dice: random.Random) -> Fix:
        whole_s = before.workload.cpu_s
        half = replace(before.workload, cpu_s=whole_s / 2)
        label = (
            f"Make the code faster: {duration(half.cpu_s)} of CPU instead of {duration(whole_s)}"
        )
        return Fix(label, "faster code", replace(before, workload=half), why)

    return fix


def other_wait(wait_by: WaitBy, *, label: str, name: str, why: str) -> Repair:
    """Repair with the same wait in another way."""

    def fix(before: Experiment, dice: random.Random) -> Fix:
        other = replace(before.workload, wait_by=wait_by)
        return Fix(label, name, replace(before, workload=other), why)

    return fix


def _another_server(before: Experiment, dice: random.Random) -> Fix:
    return Fix(
        "Exchange the server for one that spends less on a request",
        "another server",
        replace(before, server=Server("event-loop", by="scratch")),
        "The server's own share of a request was a fraction of a millisecond. The loop still "
        "stands still through every wait.",
    )


def _more_processes(before: Experiment, dice: random.Random) -> Fix:
    more = dice.choice((3, 4))
    return Fix(
        f"Give the server {more} processes",
        "more processes",
        replace(before, server=replace(before.server, processes=more)),
        "The server was not what was slow. Its processes now share the little that it has to do.",
    )


def _two_generators(before: Experiment, dice: random.Random) -> Fix:
    return Fix(
        "Let two Locust processes ask",
        "two Locusts",
        replace(before, load=replace(before.load, generators=2)),
        "Nothing was done to the server. It could do this all the time; nobody asked.",
    )


LIMITS: tuple[Limit, ...] = (
    Limit(
        name="cpu",
        called="The CPU",
        does="computes",
        law="X ≤ c/D",
        symptoms="The throughput grows until all cores are busy, and no further.",
        before=lambda dice, cores, load: Experiment(
            server=Server("prefork", processes=max(8, 2 * cores)),
            workload=Workload(cpu_s=dice.choice((0.016, 0.02))),
            load=load,
        ),
        wrong=larger_pool(
            "There was a worker for every core already. More of them share the same cores."
        ),
        right=faster_code(
            "The cores do as much work a second as before, and a request takes half of it."
        ),
    ),
    Limit(
        name="pool",
        called="The pool of workers",
        does="waits, and holds a worker meanwhile",
        law="X ≤ W/(D+V)",
        symptoms="The throughput grows until there are as many users as workers. From there on "
        "requests queue before they are begun, and the time in service stays what it was.",
        before=lambda dice, cores, load: Experiment(
            server=_workers(dice, dice.choice(POOLS)),
            workload=Workload(cpu_s=2 * CODE_S, wait_s=5 * dice.choice(WAITS_S)),
            load=load,
        ),
        wrong=faster_code(
            "A worker is held for the whole request, and nearly all of that is waiting."
        ),
        right=larger_pool("Each worker more is one request more that can wait at the same time."),
    ),
    Limit(
        name="disk",
        called="The disk",
        does="forces what it writes to the disk, one request after another",
        law="X ≤ 1/V",
        symptoms="More users than one get hardly more done, and the time in service grows with "
        "them: they queue inside the application. Each request hands much to the disk, and "
        "most of the time some thread waits for it.",
        # In processes: a thread that has written would first have to wait for Python's lock.
        before=lambda dice, cores, load: Experiment(
            server=Server("prefork", processes=MANY),
            workload=Workload(cpu_s=CODE_S / 2, wait_s=dice.choice(WAITS_S), wait_by="disk"),
            load=load,
        ),
        wrong=larger_pool(
            "All workers were busy, but with queueing for the disk. Now more of them do."
        ),
        right=other_wait(
            "disk-together",
            label="Write to the disk for all who wait, in one go",
            name="written together",
            why="The disk is as slow as before, but each of its writes now serves many requests. "
            "Databases call it group commit.",
        ),
    ),
    Limit(
        name="database",
        called="The database",
        does="waits for something while its transaction is open, and all write the same row",
        law="X ≤ 1/V",
        symptoms="More users than one get hardly more done, and the time in service grows with "
        "them: they queue inside the application. Every process has the file of a database open, "
        "or a connection to one, and writes little.",
        before=lambda dice, cores, load: Experiment(
            workload=Workload(cpu_s=CODE_S, wait_s=dice.choice(WAITS_S), wait_by="database"),
            server=_workers(dice, MANY),
            load=load,
        ),
        wrong=faster_code(
            "The code was hardly ever what anybody waited for: another writer's transaction was."
        ),
        right=other_wait(
            "database-briefly",
            label="End the transaction before the wait, not after it",
            name="brief transaction",
            why="Writers of one row still exclude each other, but each for an instant. The waits, "
            "which need no transaction, now overlap.",
        ),
    ),
    Limit(
        name="lock",
        called="A lock in the application",
        does="waits for something while it holds a lock",
        law="X ≤ 1/V",
        symptoms="More users than one get hardly more done, and the time in service grows with "
        "them: they queue inside the application. And neither a disk nor a database has "
        "anything to do.",
        before=lambda dice, cores, load: Experiment(
            workload=Workload(cpu_s=CODE_S, wait_s=dice.choice(WAITS_S), wait_by="lock"),
            server=_workers(dice, MANY),
            load=load,
        ),
        wrong=larger_pool("There is one lock, however many workers stand in front of it."),
        right=other_wait(
            "lock-briefly",
            label="Let go of what is shared before the wait",
            name="lock let go",
            why="What the lock guards takes microseconds. The wait did not need it.",
        ),
    ),
    Limit(
        name="event loop",
        called="A blocked event loop",
        does="waits without giving the loop back",
        law="X ≤ 1/(D+V)",
        symptoms="More users than one get hardly more done, and the time in service stays what it "
        "was: requests queue before they are begun. The server is one process with one thread, "
        "which is idle most of the time.",
        before=lambda dice, cores, load: Experiment(
            server=Server("event-loop"),
            workload=Workload(cpu_s=CODE_S, wait_s=dice.choice(WAITS_S), wait_by="blocking"),
            load=load,
        ),
        wrong=_another_server,
        right=other_wait(
            "sleep",
            label="Await the wait, instead of standing still in it",
            name="awaited",
            why="The loop goes on with others meanwhile, until its one core is full.",
        ),
    ),
    Limit(
        name="load generator",
        called="The load generator",
        does="needs next to nothing, and the users' own script looks through each answer",
        law="X ≤ 1/g",
        symptoms="One core is full, and not of the server: the load generator's only thread asks "
        "as fast as it can. The server has time left.",
        before=lambda dice, cores, load: Experiment(
            server=Server("event-loop", by="scratch"),
            workload=Workload(),
            load=replace(load, script_s=SCRIPT_S),
        ),
        wrong=_more_processes,
        right=_two_generators,
    ),
)
