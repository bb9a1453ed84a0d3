"""The sweep: serve, drive and watch an experiment, level by level."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Literal, Self, get_args

from labs.analysis import causes, checks, schedule
from labs.analysis.point import count_level
from labs.analysis.scale import own_experiment
from labs.analysis.scaling import scaled_down, smoke_test
from labs.analysis.schedule import Plan
from labs.analysis.time_split import spans, time_split
from labs.analysis.visits import join, judge, visited
from labs.host.hardware import fingerprint
from labs.host.monitor import allowed_cores, pss_bytes
from labs.host.power import power
from labs.kinds.base import LabKind
from labs.kinds.sweep.record import Recording
from labs.measure.calibration import last
from labs.measure.rig import Rig, Testbed
from labs.present.bet import Place, Question
from labs.present.verdict import about
from labs.records.errors import choice, instance
from labs.records.experiment import Experiment
from labs.records.format import crowd, duration, rate, unserved
from labs.records.requests import Report
from labs.records.results import Machine, Point, Power, PredictedLevel, Prediction, Run, Sample
from labs.records.settings import check_named
from labs.records.snapshot import Snapshot
from labs.records.time_split import TimeSplit
from labs.servers.serve import check
from labs.theory.forecast import forecast
from workloads.protocol import OK

SLOWEST = 4.0  # a level is never planned for longer than this many times its forecast
MOST_GROWTH_S = 10.0  # 5 to 256 workers at four looks a second take 3
MOST_PSS = 64  # processes: reading the memory of more takes longer than a level's pause

Ask = Literal["throughput", "response time"]
Beside = Callable[[Testbed], AbstractContextManager[object]]


class SweepLab(LabKind[Recording]):
    """A lab over levels of users. `ask` is what the reader predicts, at the last level. With
    `by_cores` users and workers are meant for two cores, and grow with those there are. `about`
    are the settings that the lab is about."""

    result = Recording

    def __init__(
        self,
        experiment: Experiment,
        *,
        ask: Ask = "throughput",
        by_cores: bool = False,
        about: Sequence[str] = (),
        why: str = "",
    ) -> None:
        instance(
            "experiment", experiment, Experiment, "Give an Experiment(server, workload, load)."
        )
        choice("ask", ask, get_args(Ask))
        self.experiment, self.ask, self.why = experiment, ask, why
        self.written = experiment if by_cores else None  # for two cores
        self.by_cores = by_cores
        self.given = {"experiment": experiment, "ask": ask, "about": about, "why": why}
        self.settings = check_named(about)
        self.question = question(ask, experiment.load.users[-1])

    def about(self) -> str:
        return f"{about(self.experiment)} {self.why}".strip()

    def seconds(self) -> float:
        """As the last calibration of this machine lets one expect. What an empty request costs is
        seen in the first run only: until then it is a way to a local socket and back."""
        machine, load = fingerprint(), self.experiment.load
        calibration = last(machine, self.experiment)
        if not calibration.generator_s:
            calibration = replace(calibration, generator_s=calibration.loopback_s)
        return schedule.duration_s(load, forecast(self.experiment, calibration, machine).levels)

    def check(self, machine: Machine) -> None:
        check(self.experiment.server, machine, self.experiment.workload)

    def run(self, rig: Rig) -> Recording:
        return sweep(rig, self.experiment)

    def matches(self, found: Recording) -> bool:
        """Of this experiment; with `by_cores`, at the scale of the machine that it was made on."""
        return found.experiment.asks_as(self.at_scale(found.machine.cores).experiment)

    def answer(self, found: Recording) -> tuple[float | None, float | None]:
        level, point = found.run.forecast.levels[-1], found.last
        if self.ask == "throughput":
            return level.model_rps, point.throughput_rps if point else None
        return level.model_response_time_s, point.mean_response_time_s if point else None

    def whose(self, found: Recording) -> str:
        last = found.last
        if last is None or not last.never_served or self.ask == "throughput":
            return ""
        return f" for those who were served ({unserved(last.never_served, last.users)})"

    def place(self) -> Place:
        load = self.experiment.load
        users = load.users[-1]
        return Place(at=users, users=users, think_time_s=load.think_time_s, asks=self.ask)

    def settles(self, found: Recording) -> bool:
        return found.last is None or found.last.fit

    def rejection(self, found: Recording) -> str:
        if checks.enough_fit(found.points):
            return checks.impossible(found.points)
        return " ".join(c.sentence for point in found.points for c in point.checks if c.unfit)

    def smoke_test(self) -> Self:
        return self.again(experiment=smoke_test(self.experiment))

    def own(self, cores: int) -> Mapping[str, Any]:
        return {"experiment": own_experiment(self.written, cores)} if self.written else {}

    def scaled_down(self, cores: int, *, shared: bool) -> Self:
        smaller, why = scaled_down(self.experiment, cores, shared=shared)
        return self.again(experiment=smaller, why=why) if why else self

    @property
    def each_s(self) -> float:
        return self.experiment.load.seconds

    def lasting(self, seconds: float) -> Self:
        written = self.written and self.written.lasting(seconds)
        return self.again(experiment=self.experiment.lasting(seconds), written=written)

    def experiments(self) -> Sequence[Experiment]:
        return (self.experiment,)

    def with_experiments(self, experiments: Sequence[Experiment]) -> Self:
        (experiment,) = experiments
        return self.again(experiment=experiment)

    def compares(self, experiment: Experiment, found: Recording) -> bool:
        """Whether a recording is of the same server and work as that experiment, at any levels, or
        both are this lab's at the scales of their machines."""
        server, workload = experiment.server, experiment.workload
        if found.experiment.workload != workload:
            return False
        both_own = server == self.experiment.server and self.matches(found)
        return found.experiment.server == server or both_own


def question(ask: str, users: int) -> Question:
    """What a sweep asks: the throughput or the response time at a level."""
    about = f"at {users} user{'s' if users > 1 else ''}"
    if ask == "throughput":
        words = f"how many requests a second will it answer {about}"
        return Question(words=words, about=about, unit="req/s", say=rate)
    words = f"how long will a user wait for the answer {about}"
    return Question(words=words, about=about, unit="ms", scale=1000.0, say=duration)


def measure(
    experiment: Experiment,
    *,
    on_event: Callable[[Any], None] | None = None,
    stop: threading.Event | None = None,
) -> Recording:
    """Measure every level of the experiment; a recording with one run. See `Rig.perform`."""
    return Rig(on_event, stop).perform(SweepLab(experiment))


def sweep(
    rig: Rig, experiment: Experiment, *, beside: Beside = lambda bed: contextlib.nullcontext()
) -> Recording:
    """Measure every level, up and down again, for whoever holds the machine's turn: a recording
    with one run. The rig gets it as it grows, the first time with the forecast alone, before the
    load begins. `beside` goes on during the load."""
    with rig.testbed(experiment) as bed:
        levels = Levels(rig, bed, after_s=schedule.AFTER_S)
        rig.expect(schedule.walk_s(experiment.load, levels.forecast.levels) + schedule.AFTER_S)
        with beside(bed):
            levels.begin()
            levels.up(back=True)
            levels.down()
    rig.expect(schedule.AFTER_S)
    levels.speed_change = rig.burn_again(experiment)
    return levels.ended()


def walk(rig: Rig, experiment: Experiment, first: Recording | None = None) -> Recording:
    """Half of a sweep: up all levels; or, with what such a walk found, down again, on a server that
    was started anew, to become one run with it. So the walks of others can lie between."""
    with rig.testbed(experiment, draws=0 if first is None else 1) as bed:
        levels = Levels(rig, bed, first)
        rig.expect(
            schedule.half_s(experiment.load, levels.forecast.levels, second=first is not None)
        )
        levels.begin()
        if first is None:
            levels.up()
        else:
            levels.down(anew=True)
    return levels.ended()


class Levels:
    """The levels of one run, and what was found of them so far: `first`, where a walk went before
    this one. `after_s` is what the run takes after its load."""

    def __init__(
        self, rig: Rig, bed: Testbed, first: Recording | None = None, *, after_s: float = 0.0
    ) -> None:
        self.rig, self.bed, self.experiment = rig, bed, bed.experiment
        self.after_s = after_s
        self.speed_change: float | None = None
        self.first = first.run if first is not None else None
        self.forecast: Prediction = (
            self.first.forecast
            if self.first is not None
            else forecast(self.experiment, bed.calibration, rig.machine)
        )
        self.points = {point.users: point for point in self.first.points} if self.first else {}
        self.power: tuple[Power, ...] = self.first.power[:1] if self.first else (power(),)

    def recording(self) -> Recording:
        """What was measured so far."""
        samples = thinned(self.bed.sampler.samples)
        calibration, seed = self.bed.calibration, self.bed.seed
        if self.first is not None:
            samples = following(self.first.samples, samples)
            calibration, seed = self.first.calibration, self.first.seed or 0
        run = Run(
            recorded_at=self.rig.now(),
            calibration=calibration,
            forecast=self.forecast,
            points=tuple(self.points.values()),
            seed=seed,
            samples=samples,
            power=self.power,
            speed_change=self.speed_change,
        )
        return Recording(experiment=self.experiment, machine=self.bed.machine, runs=(run,))

    def ended(self) -> Recording:
        """All of it. How well visits repeat is known only now, so all levels are judged again."""
        self.power += (power(),)
        for point in judge(list(self.points.values())):
            self.points[point.users] = self._checked(point)
        return self.recording()

    def begin(self) -> None:
        """Tell what is there before the load, and ask for the experiment's work from now on."""
        self.rig.partial(self.recording())
        self.bed.begin()

    def up(self, *, back: bool = False) -> None:
        """Visit every level, from few users to many; `back`: the way down comes after that."""
        levels, load, slower = self.forecast.levels, self.experiment.load, 1.0
        for number, level in enumerate(levels):
            plan, *later = schedule.up(load, levels, slower)[number:]
            if back:
                seen = {each.users: self._slower(each) for each in levels[:number]}
                later += schedule.down(load, levels, seen)
            self._visit(plan, level, sum(each.total_s for each in later))
            slower = self._slower(level)

    def down(self, *, anew: bool = False) -> None:
        """Visit every level again, from many users to few, as long as each was seen to take."""
        levels, load = self.forecast.levels, self.experiment.load
        slower = {level.users: self._slower(level) for level in levels}
        plans = schedule.down(load, levels, slower, anew=anew)
        for number, (plan, level) in enumerate(zip(plans, reversed(levels), strict=True), 1):
            self._visit(plan, level, sum(each.total_s for each in plans[number:]))
        self.bed.driver.open(0, 0.0)

    def _visit(self, plan: Plan, level: PredictedLevel, later_s: float) -> None:
        """One window of a level, with so many seconds of others after it. It is counted one
        response time after its end, under the same load, so that whoever asked in it has been
        answered."""
        rig, bed, up = self.rig, self.bed, self.points.get(plan.users)
        if up is not None:  # both windows together are to be enough
            missing_s = schedule.missing_s(
                up.seconds,
                planned_s=schedule.VISITS * plan.window_s,
                completed=up.completed,
                response_s=up.mean_response_time_s,
            )
            plan = replace(plan, window_s=max(plan.window_s, missing_s))
        rig.expect(plan.total_s + later_s + self.after_s)
        rig.measuring(f"{crowd(plan.users)}{'' if up is None else ' again'}", plan.total_s)
        bed.sampler.users = plan.users
        bed.driver.open(plan.users, plan.stagger_s)
        self._let_grow(plan.users)
        rig.pause(plan.stagger_s + plan.settle_s, bed.check)
        since, before = len(bed.driver.records()), bed.sampler.snapshot()
        rig.pause(plan.window_s, bed.check)
        after = bed.sampler.snapshot(ends=True)
        rig.pause(plan.grace_s, bed.check)
        bed.check()
        pids, last = bed.running.pids(), level == self.forecast.levels[-1]
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
        point = replace(point, time_split=split, lost_processes=bed.running.lost())
        at_s = rig.since_begin_s((before.at + after.at) / 2)
        point = visited(point, at_s, anew=self.first is not None)
        self.points[plan.users] = self._checked(point if up is None else join(up, point))
        rig.partial(self.recording())

    def _slower(self, level: PredictedLevel) -> float:
        """How many times as long as forecast responses took there."""
        point = self.points[level.users]
        if point.completed < 1:
            return 1.0
        ratio = point.mean_response_time_s / max(level.model_response_time_s, 1e-6)
        return min(SLOWEST, max(1.0, ratio))

    def _let_grow(self, users: int) -> None:
        """A server that starts workers as they are needed gets the time to have them all."""
        needed, begin = min(users, self.experiment.server.processes), time.perf_counter()

        def grown() -> bool:
            self.bed.check()
            return self.bed.running.workers() >= needed

        self.rig.until(grown, MOST_GROWTH_S, every_s=0.1)
        self.rig.delayed(time.perf_counter() - begin)

    def _split(
        self, point: Point, report: Report, before: Snapshot, after: Snapshot
    ) -> TimeSplit | None:
        """Where the time of that level went."""
        good = report.records[report.records["kind"] == OK]
        return time_split(
            point,
            spans(good, before.at, after.at, self.experiment.server.threads),
            before.until(after).run_delay,
            self.experiment,
            self.bed.calibration,
            self.rig.machine,
        )

    def _checked(self, point: Point) -> Point:
        run = self.recording().run
        found = checks.check(
            point,
            self.experiment,
            self.rig.machine,
            forecast=self.forecast,
            noise_fraction=self.bed.calibration.noise_fraction,
            speed_change=self.speed_change,
            moved=causes.moved(self.experiment, self.rig.machine, run, point),
            dealt=causes.dealt(self.experiment, self.rig.machine, run, point),
        )
        return replace(point, checks=found)


def following(first: Sequence[Sample], then: Sequence[Sample]) -> tuple[Sample, ...]:
    """The samples of two walks, as if the second had begun when the first had ended."""
    begin_s = first[-1].at_s if first else 0.0
    return (*first, *(replace(each, at_s=round(begin_s + each.at_s, 3)) for each in then))


def thinned(samples: Sequence[Sample], most: int = 150) -> tuple[Sample, ...]:
    """Every nth sample, so that a recording stays small enough to read."""
    return tuple(samples[:: -(-len(samples) // most) or 1])
