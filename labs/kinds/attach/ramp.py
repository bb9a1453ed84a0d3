"""One attachment as it grows: what a server costs, its forecast, and its levels up and down."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labs.analysis.failures import too_many
from labs.analysis.point import half_width
from labs.analysis.visits import join, judge
from labs.host import listeners
from labs.host.hardware import cores as usable
from labs.kinds.attach.forecast import Cost, Rates, forecast, levels, rates
from labs.kinds.attach.instruments import (
    LONE_ANSWERS,
    LONGEST_WINDOW_S,
    Asked,
    Watch,
    Windows,
    found_at,
)
from labs.kinds.attach.record import Attached, Attachment, Known
from labs.kinds.attach.verdict import RISES
from labs.load.locust import LoadFailed
from labs.measure.rig import Rig
from labs.records.format import crowd
from labs.records.results import Point
from labs.theory.laws import GENERATOR_FULL
from workloads.protocol import FAILED, OK

IDLE_S = 1.0  # for which nobody asks, to see what the machine does by itself
STEADY_ANSWERS = 3  # answers in a row that agree within
AGREE = 0.1
TOO_LONG = 10.0  # times a lone user's response time, of 19 in 20
WARM = 4000  # answers, after which an engine has compiled what it will, or
WARM_S = 5.0  # seconds, whatever comes first; of answers that take less than
BRIEF_S = 0.5
MORE_LOOKS = 3  # at most, after the first few, of answers so brief
LEAST_RISE = 1.05  # times the throughput of half as many users: less is no rise any more
FLAT_LEVELS = 2  # of those in a row there is no more to see
SLOWEST_S = 10.0  # a lone answer that takes longer can't be measured in a minute


def alike(one: Point, other: Point) -> bool:
    """Whether a request cost server and load generator the same in two looks."""
    for cpu in ("server_cpu", "generator_cpu"):
        costs = [getattr(each, cpu) / max(1e-6, each.throughput_rps) for each in (one, other)]
        if max(costs) > (1 + AGREE) * min(costs):
            return False
    return True


class Ramp(Windows):
    """One attachment as it grows: what was found so far."""

    def __init__(self, asked: Asked, rig: Rig, watch: Watch) -> None:
        super().__init__(asked, rig, watch)
        self.points: dict[int, Point] = {}
        self.looks: list[Point] = []
        self.seen: list[tuple[float, Mapping[int, float]]] = []  # throughput, cores of each process
        self.stopped = ""
        self.began = rig.now()

    # ---- before the load ------------------------------------------------------------------------

    def look(self) -> None:
        """Ask nobody, until it is warm, alone, as many as cores, twice as many; then forecast."""
        watch, rig = self.watch, self.rig
        watch.idle = self._idle()
        rig.progress("asking as one user")
        watch.driver.open(1, 0.0)
        begun = time.perf_counter()
        rig.until(self._steady, SLOWEST_S, every_s=0.02)
        pace_s = self._first_pace(time.perf_counter() - begun)
        self._warm()
        self._ask(1, pace_s)
        self.alone_s = max(1e-6, self.looks[0].mean_response_time_s)
        self._ask_as_a_few()
        if self.asked.locustfile:
            self.think_time_s = self._paused()
        watch.driver.open(0, 0.0)
        rig.pause(min(LONGEST_WINDOW_S, self.looks[-1].mean_response_time_s), watch.driver.check)
        self._meet(self._idle())
        self.found = found_at(
            watch.target,
            watch.answer,
            watch.server,
            watch.behind,
            programs=watch.programs,
            pool=self.asked.workers,
        )
        self._know()
        self._foretell(self.asked.levels or levels(self._rates("value"), self.asked.most))

    def _warm(self) -> None:
        """Ask as a few for some seconds, where answers are brief: what has just begun compiles its
        code meanwhile, or fills its caches, and a request costs it twice as much, say."""
        driver = self.watch.driver
        lives = self._lives()[-STEADY_ANSWERS:]
        if len(lives) < STEADY_ANSWERS or max(lives) > BRIEF_S:
            return
        self.rig.progress("asking until it is warm")
        driver.open(min(2 * self._few(), self.asked.most), 0.0)
        self.rig.until(lambda: len(driver.records()) >= WARM, WARM_S)

    def _ask_as_a_few(self) -> None:
        """Ask as many as cores, as twice as many, and then again until a request costs the same,
        where that takes little time."""
        for users in (self._few(), 2 * self._few()):
            if users <= self.asked.most:
                self._ask_as(users)
        for _ in range(MORE_LOOKS):
            brief = self.looks[-1].mean_response_time_s < BRIEF_S
            if len(self.looks) > 2 and brief and not alike(*self.looks[-2:]):
                self._ask_as(self._more())

    def _few(self) -> int:
        return max(2, math.ceil(usable()))

    def _ask_as(self, users: int) -> None:
        self.rig.progress(f"asking as {crowd(users)}")
        self._ask(users, self.looks[-1].mean_response_time_s)

    def _more(self) -> int:
        """Users of the next look: four times as many as of the last, to half of the knee that its
        costs make; as many as before where something was full. What seldom has anything to do finds
        its caches cold, so each request costs it more than in a crowd."""
        last = self.looks[-1]
        if not self._rises(last):
            return last.users
        both = (last.server_cpu + last.generator_cpu) / usable()
        knee = last.users / max(1e-6, both, last.generator_cpu)
        return max(last.users, min(4 * last.users, round(knee / 2), self.asked.most))

    def _rises(self, point: Point) -> bool:
        """Whether throughput has risen with the users up to that level, so that nothing is full."""
        alone_s = self.alone_s + self.think_time_s
        return point.throughput_rps > RISES * point.users / alone_s

    def _foretell(self, users: tuple[int, ...]) -> None:
        """Forecast these levels from what was found in the looks."""
        self.levels = users
        at, dear, cheap = (self._rates(edge) for edge in ("value", "high", "low"))
        self.forecast = forecast(users, at, dear, cheap, visible=self.found.visible)

    def _idle(self) -> dict[int, float]:
        """Cores that each process of the machine uses when nobody asks."""
        self.rig.progress("looking what it does when nobody asks")
        with self._census() as found:
            self.rig.pause(IDLE_S)
        return found

    @contextlib.contextmanager
    def _census(self) -> Iterator[dict[int, float]]:
        """Tell the cores that each process of the machine uses in the block, once it is over."""
        found: dict[int, float] = {}
        before, begin = listeners.cpu_of_all(), time.perf_counter()
        yield found
        after, seconds = listeners.cpu_of_all(), time.perf_counter() - begin
        found.update(
            {pid: (used - before[pid]) / seconds for pid, used in after.items() if pid in before}
        )

    def _ask(self, users: int, response_s: float) -> None:
        """One look: a window, and what every process of the machine used meanwhile."""
        self._settle(users, response_s)
        with self._census() as cores:
            point = self._count(users, response_s, lone=users == 1)
        if not point.completed:  # nor is anything to be forecast from
            who = self.asked.locustfile or self.watch.target.url
            said = " ".join(self.watch.driver.last_lines().splitlines()[-1:])
            what = "it answered no request well"
            if not point.failed:
                what = "nothing was asked in a whole window. Let the users pause for less"
            raise LoadFailed(f"{who}: asked as {crowd(users)}, {what}. {said}".rstrip())
        self.looks.append(point)
        self.seen.append((point.throughput_rps, cores))

    def _steady(self) -> bool:
        lives = self._lives()
        last = lives[-STEADY_ANSWERS:]
        agree = len(last) == STEADY_ANSWERS and max(last) <= (1 + AGREE) * min(last)
        return bool(agree) or len(lives) >= LONE_ANSWERS

    def _lives(self) -> NDArray[np.float64]:
        """Response times so far, in seconds."""
        records = self.watch.driver.records()
        ended = records[(records["kind"] == OK) | (records["kind"] == FAILED)]
        return np.asarray(ended["end"] - ended["start"])

    def _first_pace(self, seconds: float) -> float:
        """About how long an answer takes; a locustfile's users also show how long they pause."""
        watch = self.watch
        if not self.asked.locustfile:
            return watch.answer.seconds
        lives = self._lives()
        response_s = float(lives.mean()) if len(lives) else 0.0
        self.think_time_s = max(0.0, seconds / max(1, len(lives)) - response_s)
        return response_s

    def _paused(self) -> float:
        """Find the mean time between an answer and the same user's next request, over all looks:
        what is left of the users' time."""
        asked = sum(point.completed for point in self.looks)
        whole_s = sum(point.users * point.seconds for point in self.looks)
        open_s = sum(point.completed * point.mean_response_time_s for point in self.looks)
        return max(0.0, whole_s - open_s) / asked

    def _meet(self, after: Mapping[int, float]) -> None:
        """Find who works when the server is asked, and isn't of it, ours, or known. after: cores
        that each process used when nobody asked any more."""
        watch = self.watch
        known = {*watch.server.pids(), *watch.driver.pids(), *listeners.ours()}
        idle = (watch.idle, after)
        watch.behind.roots += listeners.working(idle, self.seen, but=known)
        watch.programs = tuple(dict.fromkeys(map(listeners.program, watch.behind.roots)))

    def _know(self) -> None:
        """Find D in company and V alone, each between the values that the looks leave it, and what
        a request cost in each look."""
        alone, *few = self.looks
        company = few or [alone]
        self.generator_s = min(
            (point.generator_cpu / point.throughput_rps for point in company if point.completed),
            default=0.0,
        )
        self.demand: Known | None = None
        each = [0.0] * len(self.looks)
        if self.found.visible and alone.completed:
            each = [self._demand(*look) for look in self.seen]
            costs = each[1:][-2:] or each
            value = costs[-1]
            half = max(abs(cost - value) for cost in [*costs, value]) + half_width(alone) * value
            self.demand = Known(value=value, low=max(0.0, value - half), high=value + half)
        wait_s = max(0.0, self.alone_s - each[0])
        half = half_width(alone) * self.alone_s
        self.wait = Known(value=wait_s, low=max(0.0, wait_s - half), high=wait_s + half)
        found = zip(self.looks, each, strict=True)
        costs_by = {p.users: Cost(p.users, D, p.generator_cpu / p.throughput_rps) for p, D in found}
        self.costs = tuple(costs_by.values())

    def _demand(self, throughput_rps: float, cores: Mapping[int, float]) -> float:
        """CPU seconds of a request, without what the server does when nobody asks."""
        pids = {*self.watch.server.pids(), *self.watch.behind.pids()}
        busy = sum(cores.get(pid, 0.0) - self.watch.idle.get(pid, 0.0) for pid in pids)
        return max(0.0, busy) / throughput_rps if throughput_rps else 0.0

    def _rates(self, edge: str) -> Rates:
        return rates(
            self.found,
            self.demand,
            self.wait,
            lone_s=self.alone_s if self.think_time_s else 1 / self.looks[0].throughput_rps,
            few=self.costs,
            Z=self.think_time_s,
            g=self.generator_s,
            cores=usable() if self.watch.target.here else math.inf,
            busy=max(look.server_cpu for look in self.looks),
            edge=edge,
            measured=bool(self.asked.locustfile),
        )

    # ---- the load -------------------------------------------------------------------------------

    def up(self) -> None:
        """Visit the levels from few users to many, until there is no more to see."""
        flat = 0
        for users in self._upwards():
            before = self.points.get(max(self.points, default=0))
            expected_s = self.forecast.at(users).model_response_time_s
            if before is not None:  # as seen, not as forecast
                expected_s = max(expected_s, before.mean_response_time_s)
            self.rig.progress(crowd(users))
            point = self._window(users, expected_s)
            self.points[users] = point
            self.rig.partial(self.attached())
            rises = before is None or point.throughput_rps > LEAST_RISE * before.throughput_rps
            flat = 0 if rises else flat + 1
            self.stopped = self._stop(point, flat)
            if self.stopped:
                return

    def _upwards(self) -> Iterator[int]:
        """The levels; beyond them twice as many users for as long as nothing is full, where nobody
        has said how many."""
        yield from self.levels
        while not self.asked.levels and (more := 2 * self.levels[-1]) <= self.asked.most:
            top = self.points[self.levels[-1]]
            if top.generator_cpu > GENERATOR_FULL or not self._rises(top):
                return
            self._foretell_further(more, top)
            yield more

    def _foretell_further(self, users: int, top: Point) -> None:
        """Forecast one more level with what a request will cost the load generator if that goes on
        falling as it did to the last one. What was forecast before stays as it was."""
        told, below = self.forecast.levels, self.points[self.levels[-2]]
        cost_s, before_s = (each.generator_cpu / each.throughput_rps for each in (top, below))
        self.generator_s = min(self.generator_s, cost_s, cost_s**2 / before_s)
        self._foretell((*self.levels, users))
        self.forecast = replace(self.forecast, levels=(*told, self.forecast.levels[-1]))

    def down(self) -> None:
        """Visit the levels again from many users to few, so that a drift of the machine shows."""
        for users in sorted(self.points, reverse=True):
            up = self.points[users]
            if too_many(up.failed, up.completed):
                continue
            self.rig.progress(f"{crowd(users)} again")
            down = self._window(users, up.mean_response_time_s, leaving=True)
            self.points[users] = self._checked(join(up, down))
        for point in judge(list(self.points.values())):
            self.points[point.users] = self._checked(point)
        self.rig.partial(self.attached())

    def _stop(self, point: Point, flat: int) -> str:
        if too_many(point.failed, point.completed):
            return "errors"
        if flat >= FLAT_LEVELS:
            return "flat"
        longest = point.percentile_s(0.95)
        if flat and isinstance(longest, float) and longest > TOO_LONG * self.alone_s:
            return "long"
        return ""

    def _window(self, users: int, response_s: float, *, leaving: bool = False) -> Point:
        """Count one window under so many users, once they are settled."""
        self._settle(users, response_s, leaving=leaving)
        return self._count(users, response_s)

    def attached(self) -> Attached:
        """Record what was found so far."""
        run = Attachment(
            recorded_at=self.began,
            found=self.found,
            alone_s=self.alone_s,
            demand=self.demand,
            wait=self.wait,
            think_time_s=self.think_time_s,
            locustfile=self.asked.locustfile,
            generator_s=self.generator_s,
            forecast=self.forecast,
            looks=tuple(self.looks),
            points=tuple(self.points.values()),
            stopped=self.stopped,
            generators=len(self.watch.driver.locusts),
        )
        return Attached(machine=self.machine, url=self.asked.url, runs=(run,))
