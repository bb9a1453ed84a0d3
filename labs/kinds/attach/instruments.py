"""A server that somebody else started: who answers, and windows of so many users, checked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from labs.analysis import checks
from labs.analysis.failures import failures
from labs.analysis.point import count_level
from labs.analysis.schedule import LEAST_COMPLETIONS, PAINT_S, SETTLE
from labs.analysis.visits import visited
from labs.host import listeners
from labs.host.listeners import Family
from labs.host.monitor import Sampler, allowed_cores
from labs.kinds.attach.record import Found
from labs.load.locust import Driver, LoadFailed
from labs.load.target import Answer, Target
from labs.measure.rig import Rig
from labs.records.format import crowd
from labs.records.results import Check, Machine, Point

LONE_ANSWERS = 20  # answers of one user, or
LONE_S = 5.0  # seconds, whatever comes first; and no less than
LEAST_LONE_S = 1.0
MOST_STAGGER_S = 2.0  # over which new users start
EACH_S = 1.0  # of a level's windows, together
EACH_ANSWERS = 48  # that they should have
LONGEST_WINDOW_S = 8.0  # of one window


@dataclass(eq=False)
class Watch:
    """A server that somebody else started, watched and asked."""

    target: Target
    answer: Answer
    driver: Driver
    sampler: Sampler
    server: Family
    behind: Family
    programs: tuple[str, ...] = ()  # those behind it
    idle: dict[int, float] = field(default_factory=dict)  # cores of each process then


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A reader's question about a server, with what they know of it."""

    url: str = ""  # as they gave it; "" for the book's own server
    levels: tuple[int, ...] = ()  # none: as the look suggests
    most: int  # users
    think_time_s: float = 0.0
    workers: int | None = None  # requests it holds at once
    locustfile: str = ""  # its name, where its users ask


def family_at(target: Target) -> Family:
    """Find the processes that listen at that address; none on another machine."""
    return listeners.listening(target.host, target.port) if target.here else Family()


def found_at(
    target: Target,
    answer: Answer,
    server: Family,
    behind: Family,
    *,
    programs: Sequence[str] = (),
    pool: int | None = None,
) -> Found:
    """Say what can be seen of a server. `behind` and their `programs` work when it is asked; `pool`
    is how many requests it holds at once, where its owner told that."""
    pids, roots, leaves = server.pids(), server.roots, server.leaves()
    port = set(listeners.listeners(target.host, target.port)) if target.here else set()
    serving = [pid for pid in leaves if pid in port] or leaves
    everyone = pids + behind.pids()
    cores = allowed_cores(everyone) or 0
    quota = listeners.quota_of(serving[0]) if serving else None
    return Found(
        program=listeners.program(roots[0]) if roots else "",
        processes=len(everyone),
        threads=sum(map(listeners.threads_of, pids)),
        cores=cores,
        quota_cores=quota if quota and quota < (cores or math.inf) else None,
        one_core_each=listeners.runtime(roots[0]) if roots and not programs else "",
        workers=len(serving),
        pool=pool or (listeners.pool(roots[0], len(serving)) if roots else None),
        behind=tuple(programs),
        server=answer.server,
    )


class Windows:
    """Has so many users ask a watched server, and counts what they are answered."""

    def __init__(self, asked: Asked, rig: Rig, watch: Watch) -> None:
        self.asked, self.rig, self.watch = asked, rig, watch
        self.machine: Machine = rig.machine
        self.think_time_s = asked.think_time_s  # of a locustfile's users, as far as is known

    def _settle(self, users: int, response_s: float, *, leaving: bool = False) -> None:
        """Have so many users ask, spread over one round, until they are under way."""
        watch = self.watch
        watch.sampler.users = users
        cycle_s = response_s + self.think_time_s
        watch.driver.open(users, 0.0 if leaving else min(cycle_s, MOST_STAGGER_S))
        settle_s = max(PAINT_S, (1 + SETTLE) * cycle_s)
        self.rig.pause(min(LONGEST_WINDOW_S, settle_s), watch.driver.check)

    def _count(self, users: int, response_s: float, *, lone: bool = False) -> Point:
        """Count one window, one response time after its end."""
        watch, rig = self.watch, self.rig
        think_time_s = self.think_time_s
        cycle_s = response_s + think_time_s
        if watch.driver.elsewhere:
            watch.driver.report()  # what its workers use is counted from here on
        since, before = len(watch.driver.records()), watch.sampler.snapshot()
        twice = 2 if think_time_s else 1  # pauses scatter more than answers do
        window_s = max(twice * EACH_S / 2, 3 * cycle_s, twice * EACH_ANSWERS / 2 * cycle_s / users)
        if lone:
            window_s = min(max(LEAST_LONE_S, LONE_ANSWERS * cycle_s), max(LONE_S, 3 * cycle_s))
        rig.pause(min(LONGEST_WINDOW_S, window_s), watch.driver.check)
        after = watch.sampler.snapshot(ends=True)
        rig.pause(min(LONGEST_WINDOW_S, response_s), watch.driver.check)
        if watch.server.roots and not watch.server.pids():
            raise LoadFailed(f"{watch.target.url}: the process that served it has ended.")
        patience_s = max(LONGEST_WINDOW_S, 3 * cycle_s)

        def answered() -> bool:
            watch.driver.check()
            return len(watch.driver.records()) > since

        if not rig.until(answered, patience_s) and watch.driver.report(since).flying:  # none pauses
            raise LoadFailed(
                f"{watch.target.url}: asked as {crowd(users)}, not one answer came in "
                f"{patience_s:.0f} s. Is the server up?"
            )
        report = watch.driver.report(since)
        point = count_level(report, before, after, users=users, think_time_s=think_time_s)
        if watch.driver.elsewhere:
            point = replace(point, generator_cpu=watch.driver.busiest())
        return self._checked(visited(point, rig.since_begin_s((before.at + after.at) / 2)))

    def _checked(self, point: Point) -> Point:
        return replace(point, checks=tuple(self._checks(point)))

    def _checks(self, point: Point) -> Iterator[Check]:
        if point.failed:
            yield failures(point.failed, no_port=point.no_port)
        if point.completed >= LEAST_COMPLETIONS / 2:
            yield from checks.disturbances(point)
        if self.watch.target.here and self.watch.server.roots:
            around = checks.surroundings(point, self.machine)
            yield from (check for check in around if check.name != "throttled")  # as forecast
