"""The levels of a sweep, walked up and down again: serve, drive and watch."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from statistics import fmean

from labs.analysis import causes, checks, schedule
from labs.analysis.point import count_level
from labs.analysis.schedule import Plan
from labs.analysis.time_split import spans, time_split
from labs.analysis.visits import join, judge, visited
from labs.host.monitor import allowed_cores, pss_bytes
from labs.host.power import power
from labs.kinds.sweep.record import Recording
from labs.measure.burners import Speedometer
from labs.measure.rig import Rig, Testbed
from labs.records.experiment import Experiment
from labs.records.format import crowd
from labs.records.requests import Report
from labs.records.results import Point, PredictedLevel, Run
from labs.records.snapshot import Snapshot
from labs.records.time_split import TimeSplit
from labs.theory.forecast import expected
from labs.theory.server_model import ServerModel
from workloads.protocol import OK

MOST_GROWTH_S = 10.0  # 5 to 256 workers at four looks a second take 3
MOST_PSS = 64  # processes: reading the memory of more takes longer than a level's pause

Beside = Callable[[Testbed], AbstractContextManager[object]]


def sweep(
    rig: Rig, experiment: Experiment, *, beside: Beside = lambda bed: contextlib.nullcontext()
) -> Recording:
    """Measure every level, up and down again, for whoever holds the machine's turn: a recording
    with one run. The rig gets it as it grows, the first time with the forecast alone, before the
    load begins. `beside` goes on during the load."""
    with served(rig, experiment) as levels:
        rig.expect(schedule.walk_s(experiment, levels.run.forecast.levels))
        with beside(levels.bed):
            levels.begin()
            levels.up(back=True)
            levels.down()
    return levels.ended()


def walk(rig: Rig, experiment: Experiment, first: Recording | None = None) -> Recording:
    """Walk half of a sweep: up all levels; or, with what such a walk found, down again, on a server
    that was started anew, to become one run with it. So the walks of others can lie between."""
    with served(rig, experiment, first) as levels:
        forecast = levels.run.forecast.levels
        rig.expect(schedule.half_s(experiment, forecast, second=levels.anew))
        levels.begin()
        if levels.anew:
            levels.down()
        else:
            levels.up()
    return levels.ended()


@contextlib.contextmanager
def served(rig: Rig, experiment: Experiment, first: Recording | None = None) -> Iterator[Levels]:
    """Serve what is asked; the cores are burned before the server is tried."""
    speed = rig.speedometer(experiment)
    before = speed()
    with rig.testbed(experiment, draws=0 if first is None else 1) as bed:
        yield Levels(rig, bed, speed, before, first)


class Levels:
    """The levels of one run, and what was found of them so far: `first`, where a walk went before
    this one. `speed` tells how fast the cores are, and did so `before` the server was tried."""

    def __init__(
        self,
        rig: Rig,
        bed: Testbed,
        speed: Speedometer,
        before: float | None,
        first: Recording | None = None,
    ) -> None:
        self.rig, self.bed, self.experiment = rig, bed, bed.experiment
        self.speed = speed
        self.last_speed = self._burned()
        self.burns_at_each = schedule.burned_at_each(self.experiment.workload)
        self.anew = first is not None
        self.run: Run = first.run if first is not None else self._begun(before)
        self.model = ServerModel(self.experiment, self.run.calibration, rig.machine)
        self.points = {point.users: point for point in self.run.points}

    def _begun(self, before: float | None) -> Run:
        """A run of which nothing is measured yet."""
        bed = self.bed
        return Run(
            recorded_at=self.rig.now(),
            calibration=bed.calibration,
            way_there_s=bed.way_there_s,
            loops_per_s=mean(before, self.last_speed),
            forecast=expected(ServerModel(self.experiment, bed.calibration, bed.machine)),
            points=(),
            seed=bed.seed,
            power=(power(),),
        )

    def recording(self) -> Recording:
        """Record what was measured so far."""
        points = tuple(self.points.values())
        run = replace(self.run, recorded_at=self.rig.now(), points=points)
        return Recording(experiment=self.experiment, machine=self.bed.machine, runs=(run,))

    def ended(self) -> Recording:
        """Record all levels. How well visits repeat is known only now, so all are judged again."""
        self.run = replace(self.run, power=(*self.run.power[:1], power()))
        if not self.burns_at_each:
            speed = self._core_speed()
            for users, point in self.points.items():
                known = [each for each in (point.core_speed, speed) if each is not None]
                self.points[users] = replace(point, core_speed=fmean(known) if known else None)
        for point in judge(list(self.points.values())):
            self.points[point.users] = self._checked(point)
        return self.recording()

    def begin(self) -> None:
        """Tell what is there before the load, and ask for the experiment's work from now on."""
        self.rig.partial(self.recording())
        self.bed.begin()

    def up(self, *, back: bool = False) -> None:
        """Visit every level, from few users to many; `back`: the way down comes after that."""
        levels, load, slower = self.run.forecast.levels, self.experiment.load, 1.0
        for number, level in enumerate(levels):
            plan, *later = schedule.up(load, levels, slower)[number:]
            if back:
                seen = {each.users: self._slower(each) for each in levels[:number]}
                later += schedule.down(load, levels, seen)
            self._visit(plan, level, later)
            slower = self._slower(level)

    def down(self) -> None:
        """Visit every level again, from many users to few, as long as each was seen to take."""
        levels, load = self.run.forecast.levels, self.experiment.load
        slower = {level.users: self._slower(level) for level in levels}
        plans = schedule.down(load, levels, slower, anew=self.anew)
        for number, (plan, level) in enumerate(zip(plans, reversed(levels), strict=True), 1):
            self._visit(plan, level, plans[number:])
        self.bed.driver.open(0, 0.0)

    def _visit(self, plan: Plan, level: PredictedLevel, later: Sequence[Plan]) -> None:
        """Measure one window of a level, with those of others after it. It is counted one response
        time after its end, under the same load, so that whoever asked in it has been answered. Then
        it may be asked how fast the cores are: the last answer is of its begin."""
        rig, bed, up = self.rig, self.bed, self.points.get(plan.users)
        if up is not None:  # both windows together are to be enough
            missing_s = schedule.VISITS * plan.window_s - up.seconds
            plan = replace(plan, window_s=max(plan.window_s, missing_s))
        bed.sampler.users = plan.users
        bed.driver.open(plan.users, plan.stagger_s)
        self._let_grow(plan.users)
        left_s = sum(each.total_s for each in (plan, *later))
        rig.expect(left_s + schedule.burns_s(self.experiment.workload, 1 + len(later)))
        rig.measuring(f"{crowd(plan.users)}{'' if up is None else ' again'}", plan.total_s)
        rig.pause(plan.stagger_s + plan.settle_s, bed.check)
        since, before = len(bed.driver.records()), bed.sampler.snapshot()
        rig.pause(plan.window_s, bed.check)
        after = bed.sampler.snapshot(ends=True)
        rig.pause(plan.grace_s, bed.check)
        bed.check()
        pids, last = bed.running.pids(), level == self.run.forecast.levels[-1]
        report = bed.driver.report(since)
        point = count_level(
            report,
            before,
            after,
            users=plan.users,
            think_time_s=self.experiment.load.think_time_s,
            workers=bed.running.workers(),
            pss=pss_bytes(pids) if up is None and (len(pids) <= MOST_PSS or last) else None,
            server_cores=allowed_cores(bed.running.serving_pids()),
        )
        split = self._split(point, report, before, after)
        point = replace(
            point,
            time_split=split,
            lost_processes=bed.running.lost(),
            core_speed=self._core_speed() if self.burns_at_each else None,
        )
        at_s = rig.since_begin_s((before.at + after.at) / 2)
        point = visited(point, at_s, anew=self.anew)
        self.points[plan.users] = self._checked(point if up is None else join(up, point))
        rig.partial(self.recording())

    def _core_speed(self) -> float | None:
        """Speed of the cores since the last burn, over when the forecast was made."""
        before, self.last_speed = self.last_speed, self._burned()
        then, now = self.run.loops_per_s, mean(before, self.last_speed)
        return now / then if now and then else None

    def _burned(self) -> float | None:
        """Burn to see how fast the cores are. It is no part of the moving strip."""
        with self.bed.sampler.aside():
            return self.speed()

    def _slower(self, level: PredictedLevel) -> float:
        return schedule.seen_slower(self.points[level.users], level)

    def _let_grow(self, users: int) -> None:
        """Wait for a server that starts workers as they are needed to have them all."""
        needed = min(users, self.experiment.server.processes)

        def grown() -> bool:
            self.bed.check()
            return self.bed.running.workers() >= needed

        self.rig.until(grown, MOST_GROWTH_S, every_s=0.1)

    def _split(
        self, point: Point, report: Report, before: Snapshot, after: Snapshot
    ) -> TimeSplit | None:
        """Find where the time of a level went."""
        good = report.records[report.records["kind"] == OK]
        return time_split(
            point,
            spans(good, before.at, after.at, self.experiment.server.threads),
            before.until(after).run_delay,
            self.experiment,
            self.run.calibration,
            self.rig.machine,
            self.run.way_there_s,
        )

    def _checked(self, point: Point) -> Point:
        run = self.recording().run
        found = checks.check(
            point,
            self.experiment,
            self.rig.machine,
            forecast=run.forecast,
            noise_fraction=run.calibration.noise_fraction,
            effects=causes.effects(self.model, run, point),
        )
        return replace(point, checks=found)


def mean(before: float | None, after: float | None) -> float | None:
    """Mean of two speeds, if both are known."""
    return None if before is None or after is None else (before + after) / 2
