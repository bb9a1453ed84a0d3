"""Verdict on what limits a server, by its levels: one cause that the numbers bear, or none. Pure.

A cause is named only where everything that was measured agrees with it. The order is that of
doubt: what spoils the measurement first, then what is seen directly (cores, a quota), then what is
only inferred from the shape of the curve (a pool, one at a time), then nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from labs.analysis.failures import too_many
from labs.analysis.point import half_width
from labs.analysis.timers import timer_s
from labs.kinds.attach.next_step import look_next
from labs.kinds.attach.record import Attached, Attachment
from labs.records.format import cores as so_many_cores
from labs.records.format import crowd, digits, duration, percent, rate
from labs.records.results import Machine, Point
from labs.theory.laws import GENERATOR_FULL

Limit = Literal[
    "cores",
    "load generator",
    "pool",
    "one at a time",
    "quota",
    "listen queue",
    "errors",
    "timer",
    "unknown",
]
PLATEAU_WITHIN = 0.12  # below the highest throughput: so near and more users bring no more
BUSY = 0.88  # of what there is: so much of the cores in use and they are the limit
OTHERS = 0.15  # of the cores: with so much of them in others' hands nothing is said of the cores
IDLE = 0.75  # of them: with less in use they are not
THROTTLED = 0.02  # of the time
TURNED_AWAY = 0.01  # connections that found the listen queue full, over the answers
RISES = 0.9  # of what users alone would bring: so much, and nothing is full
AS_FORECAST = 0.15  # how near the levels below the knee lie to N / (D + V + Z)
PLACES_WITHIN = 0.15  # how near the places in use lie to those that are seen
ONE = 1.15  # places: so few are one
MANY = 8.0  # places: so many are hardly a lock that is held for an eighth of each request
BEYOND = 1.3  # times as many users as places, for the plateau to be one
SOONER, NAPS_S = 0.25, 0.005  # than a lone answer: cold caches and naps explain no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The limit, the size of the pool where it is one, and sentences for the reader."""

    limit: Limit
    pool_size: float | None = None
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """The measured levels of a run, and what is asked of them. Unfit ones count too: a full load
    generator makes a level unfit, and so does an error."""

    run: Attachment
    machine: Machine
    points: tuple[Point, ...]  # with answers, from few users to many

    @property
    def top(self) -> Point:
        """The level with the most users."""
        return self.points[-1]

    @property
    def plateau(self) -> tuple[Point, ...]:
        """The levels from which on more users bring no more, or less; empty where throughput still
        rises at the end."""
        enough = (1 - PLATEAU_WITHIN) * max(point.throughput_rps for point in self.points)
        first = next(i for i, point in enumerate(self.points) if point.throughput_rps >= enough)
        return self.points[first:] if first < len(self.points) - 1 else ()

    def share(self, point: Point) -> float:
        """Divide the throughput by that of so many users if nothing were full."""
        return point.throughput_rps * (self.run.alone_s + self.run.think_time_s) / point.users

    def mean(self, name: str) -> float:
        """The mean of a field of the points on the plateau, or else of the last one."""
        points = self.plateau or (self.top,)
        return math.fsum(getattr(p, name) for p in points) / len(points)


def verdict(attached: Attached) -> Verdict:
    """Name the limit of the drawn run, or say that it isn't known, and where to look next."""
    run = attached.run
    if not run.points:
        return _named("unknown", "No level was measured.")
    found = _limit(run, attached.machine)
    return replace(found, sentences=(*found.sentences, *look_next(found.limit, run)))


def _named(limit: Limit, sentence: str, pool_size: float | None = None) -> Verdict:
    return Verdict(limit=limit, pool_size=pool_size, sentences=(sentence,))


def _limit(run: Attachment, machine: Machine) -> Verdict:
    failed = [p for p in run.points if too_many(p.failed, p.completed)]
    if failed:
        return _errors(failed[0])
    points = tuple(sorted((p for p in run.points if p.completed), key=lambda each: each.users))
    curve = Curve(run, machine, points)
    if sooner := _sooner(curve):
        return _listen_queue(curve) or sooner  # a lone user may have been turned away, too
    full = tuple(p for p in points if p.generator_cpu > GENERATOR_FULL)
    if full and points[-len(full) :] == full:
        below = Curve(run, machine, points[: -len(full)])
        return (below.points and _listen_queue(below)) or _generator(run, full[0])
    if timer := _timer(curve):
        return timer
    if curve.share(curve.top) > RISES:
        return _nothing_full(curve)
    seen = _quota(curve) or _own_cores(curve) or _others(curve) or _cores(curve)
    if not curve.plateau:  # what is seen directly needs none
        return _listen_queue(curve) or seen or _unknown(curve)
    return seen or _places(curve) or _listen_queue(curve) or _unknown(curve)


def _errors(point: Point) -> Verdict:
    part = percent(point.failed / (point.completed + point.failed))
    return _named(
        "errors",
        f"At {crowd(point.users)} {part} of the answers were errors. Whatever else limits this "
        "server, that comes first: an error is often quicker than an answer, so ignore the levels "
        "above.",
    )


def _generator(run: Attachment, point: Point) -> Verdict:
    return _named(
        "load generator",
        f"From {crowd(point.users)} on the load generator's own core was full "
        f"({percent(point.generator_cpu)}): these levels measure Locust, not your server. It "
        f"can do more than {rate(point.throughput_rps)}. Have more workers ask: "
        f"--expect-workers {run.generators + 1}.",
    )


def _sooner(curve: Curve) -> Verdict | None:
    """Doubt a page where a crowd is answered sooner than a lone user: it is another. A locustfile's
    users may ask for others by chance."""
    run = curve.run
    sure_s = run.alone_s * (1 - half_width(run.looks[0])) if run.looks else run.alone_s
    for point in () if run.locustfile else curve.points:
        took_s = point.mean_response_time_s
        if point.users > 1 and took_s < min((1 - SOONER) * sure_s, sure_s - NAPS_S):
            return _named(
                "unknown",
                f"At {crowd(point.users)} an answer took {duration(took_s)}, and a lone one "
                f"{duration(run.alone_s)}. Is it still your page? A refusal, or a cache, "
                "answers quickly. Until every user gets the same page, ignore the levels above.",
            )
    return None


def _timer(curve: Curve) -> Verdict | None:
    """Name a timer where the round time is somebody's round number, however many ask."""
    times = [point.mean_response_time_s for point in curve.points]
    if len(times) < 3 or curve.top.users < 4 * curve.points[0].users or not timer_s(times):
        return None
    said = (
        f"An answer takes {duration(sum(times) / len(times))}, with one user as with "
        f"{curve.top.users}. So round a time, however many ask, is probably somebody's timer: a "
        "sleep, a poll, a keep-alive that the other side waits for."
    )
    return _named("timer", said)


def _nothing_full(curve: Curve) -> Verdict:
    return _named(
        "unknown",
        f"Nothing was full: up to {crowd(curve.top.users)} throughput rose with the users, to "
        f"{rate(curve.top.throughput_rps)}. The limit lies higher; ask with more users.",
    )


def _others(curve: Curve) -> Verdict | None:
    """Doubt all where other programs have cores that the server would show as idle or busy."""
    others, cores = curve.mean("others_cpu"), float(curve.machine.cores)
    if not curve.run.found.visible or others <= OTHERS * cores:
        return None
    return _named(
        "unknown",
        f"Other programs had {digits(others)} of the {so_many_cores(cores)}: what limits this "
        "server can't be told beside them. End them, and ask again.",
    )


def _quota(curve: Curve) -> Verdict | None:
    full = curve.plateau or (curve.top,)
    held = sum(p.throttled_s for p in full) / sum(p.seconds for p in full)
    used, quota = curve.mean("server_cpu"), curve.run.found.quota_cores
    if held < THROTTLED and (quota is None or used < BUSY * quota):
        return None
    whose = "A CPU quota" if quota is None else f"Its cgroup's CPU quota of {so_many_cores(quota)}"
    said = f"{whose} held the server back on the plateau, where it used {so_many_cores(used)}"
    per = f"; {_cost(curve.run)}" if curve.run.demand else ""
    return _named(
        "quota", f"{said}{per}. Only less CPU time a request, or a larger quota, brings more."
    )


def _own_cores(curve: Curve) -> Verdict | None:
    """Name the cores that processes of one core each can use, whoever has the others."""
    found, used = curve.run.found, curve.mean("server_cpu")
    if not _fewer_than_cores(curve) or used < BUSY * found.workers:
        return None
    whose = "its one process has" if found.workers == 1 else f"{found.workers} processes have"
    said = (
        f"The server kept {so_many_cores(used)} busy, as many as {whose}: {found.one_core_each} "
        f"runs its own code on one core in each, and {_cost(curve.run)}. More processes use more "
        "cores."
    )
    return _named("cores", said)


def _cores(curve: Curve) -> Verdict | None:
    """Name the machine's cores as the limit where nearly all are busy; None otherwise."""
    run, machine = curve.run, _machine(curve)
    own = _fewer_than_cores(curve)
    if run.demand is None or own or _in_use(curve) < BUSY * machine:
        return None
    said = (
        f"All {so_many_cores(machine)} were busy, {digits(curve.mean('server_cpu'))} of them with "
        f"the server, and {_cost(run)}. Only less CPU time a request, or more cores, brings more."
    )
    return _named("cores", said)


def _fewer_than_cores(curve: Curve) -> bool:
    """Whether the server has so few processes, of a core each, that cores are left over."""
    found = curve.run.found
    return bool(found.one_core_each) and 0 < found.workers < _machine(curve)


def _cost(run: Attachment) -> str:
    cost = run.demand.value if run.demand else 0.0
    return f"a request takes {duration(cost)} of one"


def _places(curve: Curve) -> Verdict | None:
    """Name a pool, or one at a time: a plateau with idle cores, and a straight line before it.

    With W places that a request holds for h seconds the plateau is W/h, and h is at most what a
    lone answer takes: so X times that is the most places that there can be. Fewer that are held
    for a shorter time look the same from outside.
    """
    run = curve.run
    if _busy(curve) > IDLE:
        return None
    most = max(p.throughput_rps for p in curve.plateau)
    size = most * curve.run.alone_s
    below = [p for p in curve.points if p.users <= 0.6 * size * _round(run) and p.fit]
    straight = all(curve.share(p) >= 1 - AS_FORECAST for p in below)
    if not straight or curve.top.users < BEYOND * size * _round(run):
        return None
    stays = (
        f"Throughput stays at {rate(most)} however many ask{_idle_words(curve)}, and a "
        f"lone answer takes {duration(curve.run.alone_s)}."
    )
    if not run.found.visible:
        return _named(
            "unknown",
            f"{stays} By Little's law {digits(size)} are in service: as many cores, workers or "
            "connections may be full, or fewer that a request holds for a part of its time. Its "
            "processes aren't seen from here, so attach on its machine, as its user or as root.",
            size,
        )
    if size <= ONE:
        return _named(
            "one at a time",
            f"{stays} One answer every {duration(1 / most)}: requests are served one at a "
            "time. One worker, one connection, or a lock around all of it.",
            1.0,
        )
    if whose := _whose(size, run):
        return _named(
            "pool", f"{stays} By Little's law {digits(size)} are in service: {whose}.", size
        )
    if turned_away := _listen_queue(curve):
        return turned_away
    if size >= MANY:
        return _named(
            "pool",
            f"{stays} By Little's law {digits(size)} are in service: a pool of about "
            f"{round(size)} places is full, or of fewer that are held for a part of each "
            "request. Workers, threads, or connections to what is behind.",
            size,
        )
    return _named(
        "unknown",
        f"{stays} Either about {round(size)} requests are served at once, or something that "
        f"only one at a time may have is held for {duration(1 / most)} of each. From outside the "
        "two look the same.",
        size,
    )


def _whose(size: float, run: Attachment) -> str:
    """Say which places, seen in the server, are as many as are full; "" for none."""
    found = run.found
    if found.pool and _near(size, found.pool):
        return f"the {found.pool} places that its command line, or you, gave it are full"
    if found.workers > 1 and _near(size, found.workers):
        return f"its {found.workers} workers are all it has"
    return ""


def _near(size: float, places: int) -> bool:
    return abs(size / places - 1) <= PLACES_WITHIN


def _listen_queue(curve: Curve) -> Verdict | None:
    """Name the listen queue where connections are turned away while cores idle, from the first such
    level on. The kernel counts for the machine, so the server has to be seen."""
    away = [p for p in curve.points if p.listen_overflows > TURNED_AWAY * p.completed]
    if curve.top not in away or not curve.run.found.visible or _busy(curve) > IDLE:
        return None
    return _named(
        "listen queue",
        f"Connections found the listen queue full, first at {crowd(away[0].users)}, and at "
        f"{curve.top.users} users {curve.top.listen_overflows} for {round(curve.top.completed)}"
        " answers. Each tries again only after a second, then after longer, while the server "
        f"uses {so_many_cores(curve.mean('server_cpu'))} of {curve.machine.cores}. A longer "
        "queue lets them wait at the door, and connections that stay open knock once.",
    )


def _unknown(curve: Curve) -> Verdict:
    top = curve.top
    why = "There is no plateau yet: ask with more users to see what it comes to."
    if curve.plateau:
        why = "None of the causes that this lab knows agrees with all levels, so it names none."
    return _named(
        "unknown",
        f"At {crowd(top.users)} the server answered {rate(top.throughput_rps)}, "
        f"{percent(curve.share(top))} of what so many would ask for if nothing were full. {why}",
    )


def _machine(curve: Curve) -> float:
    """Cores for server and load generator together."""
    return curve.machine.quota_cores or float(curve.machine.cores)


def _in_use(curve: Curve) -> float:
    """Cores in use on the plateau, by anybody."""
    return sum(curve.mean(f"{who}_cpu") for who in ("server", "generator", "others"))


def _busy(curve: Curve) -> float:
    """The part of what the server may use that is in use; 0 where no process of it is seen."""
    found, machine = curve.run.found, _machine(curve)
    if not found.visible:
        return 0.0
    whole = _in_use(curve) / machine
    if found.quota_cores:
        whole = max(whole, curve.mean("server_cpu") / found.quota_cores)
    if found.one_core_each and found.workers:
        return max(curve.mean("server_cpu") / min(machine, found.workers), whole)
    return whole


def _idle_words(curve: Curve) -> str:
    if not curve.run.found.visible:
        return ""
    used = curve.mean("server_cpu")
    return f", while the server uses {so_many_cores(used)} of {curve.machine.cores}"


def _round(run: Attachment) -> float:
    """Users for each place: more where they pause between two requests."""
    return 1 + run.think_time_s / run.alone_s if run.alone_s else 1.0
