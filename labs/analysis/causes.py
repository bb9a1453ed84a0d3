"""Causes of a level's miss of its forecast, found by substitution. Pure: names and values.

A candidate counts only if there is evidence for it besides the miss, and if the model with it comes
at least half of the way to the measurement. So it has moved the model in the miss's direction.
What came from outside is tried first, then what the model took for granted of the server, and the
CPU time of a request last: where the cores are full, X D is what they can do, and the D that was
measured explains everything. Other programs that were there from the beginning are in the forecast,
but not how they waver: a core more or less, or a dearer request, is theirs as long as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import mul
from typing import Any

from labs.records.results import Calibration, Point, PredictedLevel, Prediction, Run
from labs.records.server_facts import asks_backend
from labs.theory.demand import Cores, Demand
from labs.theory.server_model import ServerModel

SYMPTOMS = {"interval", "drift", "few", "repeated"}  # checks that say what came of a cause
AGREES = 0.02  # no measurement here is finer, so no miss below this is worth a reason
UNSTEADY = 0.10  # of a speed or a throughput: no point that changes by more can be believed
NEAR_MISS = 0.05  # a miss that a changed CPU time is not blamed for: it varies by as much
HALF = 0.5  # of the miss, that a cause has to remove
NOTICED = 0.03  # of the machine's cores; on a quiet one the others use some thousandths
MOVED = 0.05  # of a time, or of the cores' speed; less is within what is known of it
LONE = 0.3  # of the cores in use: up to here a request finds one free
HARD = 0.5  # of its core: from here on a load generator's own queue is felt
FULL = 0.9  # of the cores: with more of them in use, nobody leaves one idle
INTERRUPTED = 2.0  # times a request; Locust's waking up does it once or so to one that is alone
SAME_UP_TO = 1.15  # times as much is still the same, of what a process does by turns


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A cause that explains a miss."""

    name: str
    measured: float  # the evidence, in the unit of what is named
    expected: float  # where the forecast had that
    model_rps: float  # of the model with it
    removed: float = 0.0  # part of the miss that is gone with it


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """Relative changes of the model's X at a point, by what went on around its measurement."""

    surroundings: Mapping[str, float] = field(default_factory=dict)  # by names of `Cause`
    connection_split: float = 0.0  # of the second visit, over the first
    speed_alone: float = 0.0  # of unsteady cores, where it explains the miss by itself


def holds(point: Point, level: PredictedLevel) -> bool:
    """Whether what the measurement can tell, and the forecast's band, have something in common."""
    low, high = point.throughput_ci_rps
    slack = AGREES * point.throughput_rps
    least, most = level.band_rps or (level.model_rps, level.model_rps)
    return min(low, point.throughput_rps - slack) <= most and least <= max(
        high, point.throughput_rps + slack
    )


def off(point: Point, forecast: Prediction) -> float:
    """Relative miss: measured over forecast, less one."""
    model = forecast.at(point.users).model_rps
    return point.throughput_rps / model - 1 if model else 0.0


def worst(points: Sequence[Point], forecast: Prediction) -> Point:
    """The point that is farthest from its forecast."""
    return max(points, key=lambda point: abs(off(point, forecast)))


def looked_at(run: Run) -> Point | None:
    """The point whose miss is to be explained: the worst of the fit ones that missed, or where all
    of these held, of those that are unfit for no other reason than noise."""
    for points in (
        [point for point in run.points if point.fit],
        [point for point in run.points if not point.fit and _is_only_noisy(point)],
    ):
        missed = [each for each in points if not holds(each, run.forecast.at(each.users))]
        if missed:
            return worst(missed, run.forecast)
    return None


def _is_only_noisy(point: Point) -> bool:
    return all(check.name in SYMPTOMS for check in point.checks if check.unfit)


def cause(model: ServerModel, run: Run, point: Point) -> Cause | None:
    """Find what explains that this point of the run missed its forecast; None if nothing does. Of
    several of the same rank, what removes most of the miss."""
    level = Level(model, run, point)
    for rank in (level.surroundings, level.outside, level.taken_for_granted, level.cpu_time):
        found = [made for each in rank() if (made := _removes(each, level)).removed >= HALF]
        if found:
            return max(found, key=lambda each: each.removed)
    return None


def effects(model: ServerModel, run: Run, point: Point) -> Effects:
    """Find how far what went on around a point's measurement moves the model."""
    level = Level(model, run, point)
    return Effects(
        surroundings={each.name: level.change(each.model_rps) for each in level.surroundings()},
        connection_split=_connection_split(level),
        speed_alone=_speed_alone(level),
    )


def _connection_split(level: Level) -> float:
    """Find what connections that fell otherwise on the processes change, where the server was
    started anew between the visits. 0 where they fell once, or it isn't known of all users."""
    point = level.point
    first, *anew = point.splits
    if len(anew) != 1 or any(sum(each.values()) != point.users for each in (first, *anew)):
        return 0.0
    return level.rps_of(anew[0]) / level.rps_of(first) - 1


def _speed_alone(level: Level) -> float:
    """Find what the CPU time of a request changes, where that removes the miss and burns say that
    no speed of the cores could be relied on; else 0."""
    if swing(level.run) <= UNSTEADY or abs(off(level.point, level.forecast)) <= UNSTEADY:
        return 0.0
    found = [_removes(each, level) for each in level.cpu_time()]
    return sum(level.change(each.model_rps) for each in found if each.removed >= HALF)


def swing(run: Run) -> float:
    """Largest change of the cores' speed in a run, as burns tell: the fastest over the slowest,
    less one, of the calibration's equal burns and of those around the windows."""
    speeds = [1.0]
    for point in run.points:
        visits = [visit.core_speed for visit in point.visits]
        speeds += [each for each in (point.core_speed, *visits) if each]
    return max(run.calibration.noise_fraction, max(speeds) / min(speeds) - 1)


def _removes(candidate: Cause, level: Level) -> Cause:
    measured, model = level.point.throughput_rps, level.expected.model_rps
    left = abs(measured - candidate.model_rps) / abs(measured - model) if measured != model else 1.0
    return replace(candidate, removed=1 - left)


class Level:
    """One level of a run, with what the model says of it if something was otherwise."""

    def __init__(self, model: ServerModel, run: Run, point: Point) -> None:
        self.model, self.run, self.point = model, run, point
        self.server, self.workload, self.load = model.server, model.workload, model.load
        self.machine, self.calibration, self.forecast = model.machine, run.calibration, run.forecast
        self.expected = run.forecast.at(point.users)
        self._as_forecast = 0.0

    def change(self, rps: float) -> float:
        """Relative change of the forecast that this X would be."""
        return rps / self.expected.model_rps - 1

    def rps_of(self, connections: dict[str, int]) -> float:
        """The model's X, with so many of the users on each process."""
        return self._model_rps(split=replace(self.point, connections=connections, visits=()))

    # ---- candidates, rank by rank ------------------------------------------------------------

    def surroundings(self) -> Iterator[Cause]:
        """Yield what went on around the measurement: cores that somebody else had, or that became
        slower or faster."""
        point, cores = self.point, self.machine.cores
        page_cpu = point.page_cpu + (point.browser_cpu or 0.0)
        busy = point.server_cpu + point.generator_cpu + point.backend_cpu
        taken = (("others", point.others_cpu), ("page", page_cpu))
        for name, used in taken:
            if used > NOTICED * cores:
                # Who uses what was idle takes nothing: one that wants a core gets its fair share.
                left = max(cores - used, cores / (1 + used))
                yield self._with(name, used, 0.0, cores=_each(partial(min, left)))
        lost = {"throttled": point.throttled_s / point.seconds, "steal": point.steal_cpu}
        if self.machine.quota_cores is not None or self.server.quota is not None:
            del lost["throttled"]  # the forecast knows of it
        for name, each in lost.items():
            if each > NOTICED * cores:
                part = busy / (busy + each)
                yield self._with(name, each, 0.0, cores=_each(partial(mul, part)))
        if point.core_speed and abs(point.core_speed - 1) > MOVED:
            D = self.forecast.at(point.users).demand_s / point.core_speed
            yield self._with("core speed", point.core_speed, 1.0, D=D)
        wanted = min(self.server.cores or cores, cores)
        if point.server_cores is not None and point.server_cores < wanted:
            tied = replace(self.server, cores=point.server_cores)
            yield self._with("affinity", point.server_cores, wanted, server=tied)

    def outside(self) -> Iterator[Cause]:
        """Yield what lies outside the server: who asks it, and what it asks."""
        point, calibration = self.point, self.calibration
        if point.generator_cpu > HARD * self.load.generators and point.throughput_rps:
            each_s = point.generator_cpu / point.throughput_rps
            before_s = calibration.generator_s + self.load.script_s
            own_s = each_s - self.load.script_s
            slow = replace(calibration, generator_s=own_s)
            if each_s > (1 + MOVED) * before_s:
                yield self._with("load generator", each_s, before_s, calibration=slow)
        if point.listen_overflows and point.never_served < point.users:
            served = point.users - point.never_served
            yield self._with("listen queue", point.never_served, 0, users=served)
        may_queue = self.expected.lower_rps is not None  # in step, even on idle cores
        lone = self.workload.wait_s and self._is_idle() and not may_queue
        if lone and point.service_time_s is not None:
            waited_s, wanted_s = self._waited_s(point.service_time_s), self.forecast.wait_s
            if waited_s > (1 + MOVED) * wanted_s:
                asks = asks_backend(self.workload)
                more_s = waited_s - self.workload.wait_s
                late = replace(calibration, timer_s=more_s)
                name = "backend" if asks else "wait"
                yield self._with(name, waited_s, wanted_s, calibration=late)

    def taken_for_granted(self) -> Iterator[Cause]:
        """Yield what the model assumes of the server and was seen to be otherwise."""
        point, server, workload = self.point, self.server, self.workload
        if all(sum(each.values()) == point.users for each in point.splits):
            fullest = max(max(each.values()) for each in point.splits)
            yield self._with("split", fullest, point.users / server.processes, split=point)
        cores, lower = self.machine.cores, self.expected.lower_rps
        in_step = self.expected.lower_by == "users in step"
        others_cpu = point.others_cpu + point.page_cpu + point.backend_cpu
        if lower is not None and in_step and point.server_cpu + others_cpu < FULL * cores:
            rps = max(lower, self._without_a_core_rps(lower))
            yield Cause(name="in step", measured=lower, expected=lower, model_rps=rps)
        wanted = self.expected.model_rps * point.demand_s
        idle = min(wanted, cores - point.generator_cpu) - point.server_cpu
        interrupted = point.involuntary_switches or 0.0
        alone = others_cpu < idle / 2  # nobody else took what is missing
        if lower is not None and not in_step and interrupted >= INTERRUPTED and alone:
            filled = self.expected.model_rps - idle / point.demand_s
            rps = max(filled, self._without_a_core_rps(0.0))
            yield Cause(name="run queues", measured=interrupted, expected=lower, model_rps=rps)
        inside = point.throughput_rps * (point.service_time_s or 0.0)
        waits_in_a_loop = (
            server.architecture == "event-loop" and workload.wait_s and self._is_idle()
        )
        here = point.littles_law > FULL  # the others queue at the server, not in the generator
        if waits_in_a_loop and here and 0 < inside <= SAME_UP_TO * server.processes < point.users:
            blocking = replace(workload, wait_by="blocking")
            yield self._with("blocking", inside, point.users, workload=blocking)
        most = min(server.processes, cores)
        if workload.cpu_by == "hashing" and 1 / SAME_UP_TO < point.server_cpu / most < SAME_UP_TO:
            takes_turns = replace(workload, cpu_by="counting")
            yield self._with("interpreter lock", point.server_cpu, most, workload=takes_turns)
        busy, found = self._crowd_used()
        if busy > (1 + AGREES) * found:
            more = busy / found
            name = "left by others" if self._others_stay() else "burn"
            yield self._with(name, busy, found, cores=lambda had: _whole(had, more))

    def cpu_time(self) -> Iterator[Cause]:
        """Yield what a request took of the CPU, where that is more or less than noise."""
        now_s, then_s = self.point.demand_s, self.forecast.at(self.point.users).demand_s
        if not (now_s and then_s) or abs(now_s / then_s - 1) < MOVED:
            return
        if abs(off(self.point, self.forecast)) < NEAR_MISS:
            return
        theirs = self._others_stay() and now_s > then_s  # nobody makes it cheaper by being there
        yield self._with("beside others" if theirs else "demand", now_s, then_s, D=now_s)

    # ---- the model ---------------------------------------------------------------------------

    def _with(self, name: str, measured: float, expected: float, **changed: Any) -> Cause:
        """Make a candidate. Relative to the model as it was, so that it holds for the forecast
        of an earlier one, too."""
        self._as_forecast = self._as_forecast or self._model_rps()
        rps = self.expected.model_rps * self._model_rps(**changed) / self._as_forecast
        return Cause(name=name, measured=measured, expected=expected, model_rps=rps)

    def _model_rps(
        self,
        *,
        calibration: Calibration | None = None,
        cores: Callable[[Cores], Cores] | None = None,
        users: int | None = None,
        D: float | None = None,
        split: Point | None = None,
        **changed: Any,  # of the experiment
    ) -> float:
        model = self.model
        if changed or calibration or cores:
            experiment = replace(model.experiment, **changed)
            model = ServerModel(experiment, calibration or self.calibration, self.machine)
        if cores is not None:
            model.full = cores(model.full)
            if model.quota is not None:
                model.evened = cores(model.evened)
        N = users or self.point.users
        return model.level(N, Demand.measured(D) if D else model.demand(N), split).model_rps

    def _without_a_core_rps(self, unseen: float) -> float:
        """Reckon X with requests as long ready without a core as they were seen to be; `unseen`
        where nothing tells how long. It may lie below the `lower` curve: blindly placed, two
        requests share one of two cores for a third of the time, and tied ones may do so always."""
        point, split = self.point, self.point.time_split
        if split is None or split.missing:
            return unseen
        D = self.model.demand(point.users).expected
        return min(self.model.by_rounds(point.users, D + split.ready_s), self.expected.model_rps)

    def _crowd_used(self) -> tuple[float, float]:
        """Cores that were kept busy, and those that the calibration's crowd could: the server's
        own, where it has some to itself. A quota is not found by a calibration."""
        point, model = self.point, self.model
        if model.quota is not None:
            return 0.0, 1.0
        if not model.shares_cores:
            return point.server_cpu, model.full.most
        return point.server_cpu + point.generator_cpu, model.full.all

    def _others_stay(self) -> bool:
        """Whether other programs had so much of the cores that these could not be full of work."""
        return self.point.others_cpu > (1 - FULL) * self.machine.cores

    def _waited_s(self, service_time_s: float) -> float:
        """Tell for how long a request in service had nothing to do but wait. Where the parts of its
        time are known: what it asked for, and what neither a core nor one who serves by turns
        accounts for; a loop or a lock is idle here, so that its turns are late waits as well."""
        rest_s, split = service_time_s - self.point.demand_s, self.point.time_split
        if split is None or split.missing:
            return rest_s
        late_s = split.turn_s if split.turn_at in ("event loop", "interpreter") else 0.0
        return min(rest_s, split.asked_s + late_s + split.unexplained_s)

    def _is_idle(self) -> bool:
        """Whether so little of the cores is used that a request does not wait for one."""
        places = min(self.machine.cores, self.server.cores or self.machine.cores)
        if self.server.architecture != "prefork":
            places = min(places, self.server.processes)
        return self.point.server_cpu < LONE * places


def _each(change: Callable[[float], float]) -> Callable[[Cores], Cores]:
    """Make a change of all cores, however many requests are on them."""
    return lambda had: Cores(
        server=tuple(map(change, had.server)), most=change(had.most), all=change(had.all)
    )


def _whole(had: Cores, more: float) -> Cores:
    """Widen cores as if so many times as much of their time were to be had."""
    return replace(had, most=had.most * more, all=had.all * more)
