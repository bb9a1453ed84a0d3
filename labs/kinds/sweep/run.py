"""The sweep: serve, drive and watch an experiment, level by level."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal, Self, get_args

from labs.analysis import causes, checks
from labs.analysis.point import count_level
from labs.analysis.scaling import scaled_down, smoke_test
from labs.analysis.schedule import STARTUP_S, WARM_UP_S, duration_s, plans
from labs.analysis.time_split import spans, time_split
from labs.host.hardware import fingerprint
from labs.host.monitor import allowed_cores, pss_bytes
from labs.host.power import power
from labs.kinds.base import LabKind
from labs.kinds.sweep.record import Recording
from labs.measure.calibration import last
from labs.measure.rig import Rig, Testbed
from labs.present.verdict import Question, about
from labs.records.errors import Unusable
from labs.records.experiment import Experiment
from labs.records.format import duration, rate
from labs.records.requests import Report
from labs.records.results import Machine, Point, Power, Prediction, Run, Sample
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
    """A lab over levels of users. `ask` is what the reader predicts, at the last level."""

    result = Recording

    def __init__(self, experiment: Experiment, *, ask: Ask = "throughput", why: str = "") -> None:
        if ask not in get_args(Ask):
            raise Unusable(f"ask={ask!r}: choose one of {', '.join(get_args(Ask))}.")
        self.experiment, self.ask, self.why = experiment, ask, why
        self.question = question(ask, experiment.load.users[-1])

    def about(self) -> str:
        return f"{about(self.experiment)} {self.why}".strip()

    def seconds(self) -> float:
        """As the last calibration of this machine lets one expect."""
        machine, load = fingerprint(), self.experiment.load
        calibration = last(machine, self.experiment.server, self.experiment.workload)
        return duration_s(load, forecast(self.experiment, calibration, machine).levels)

    def check(self, machine: Machine) -> None:
        check(self.experiment.server, machine, self.experiment.workload)

    def run(self, rig: Rig) -> Recording:
        return sweep(rig, self.experiment)

    def matches(self, found: Recording) -> bool:
        return found.experiment == self.experiment

    def answer(self, found: Recording) -> tuple[float | None, float | None]:
        level = found.run.forecast.levels[-1]
        point = next((each for each in found.points if each.users == level.users), None)
        if self.ask == "throughput":
            return level.model_rps, point.throughput_rps if point else None
        return level.model_response_time_s, point.mean_response_time_s if point else None

    def rejection(self, found: Recording) -> str:
        if checks.enough_fit(found.points):
            return ""
        return " ".join(c.sentence for point in found.points for c in point.checks if c.unfit)

    def smoke_test(self) -> Self:
        return self.with_experiment(smoke_test(self.experiment))

    def scaled_down(self, cores: int, *, shared: bool) -> Self:
        smaller, why = scaled_down(self.experiment, cores, shared=shared)
        return type(self)(smaller, ask=self.ask, why=why)

    def with_experiment(self, experiment: Experiment) -> Self:
        """The same lab of another experiment."""
        return type(self)(experiment, ask=self.ask, why=self.why)


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
    """Measure every level, for whoever holds the machine's turn: a recording with one run. The
    rig gets it as it grows, the first time with the forecast alone, before the load begins.
    `beside` goes on during the load."""
    with rig.testbed(experiment) as bed:
        levels = Levels(rig, bed)
        with beside(bed):
            levels.walk()
    return levels.judged()


class Levels:
    """The levels of one run, and what was found of them so far."""

    def __init__(self, rig: Rig, bed: Testbed) -> None:
        self.rig, self.bed, self.experiment = rig, bed, bed.experiment
        self.forecast: Prediction = forecast(self.experiment, bed.calibration, rig.machine)
        self.points: list[Point] = []
        self.first_again: Point | None = None
        self.power: tuple[Power, ...] = (power(),)

    def recording(self) -> Recording:
        """What was measured so far."""
        run = Run(
            recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
            calibration=self.bed.calibration,
            forecast=self.forecast,
            points=tuple(self.points),
            first_again=self.first_again,
            samples=thinned(self.bed.sampler.samples),
            power=self.power,
        )
        return Recording(experiment=self.experiment, machine=self.bed.machine, runs=(run,))

    def walk(self) -> None:
        """Walk the levels up, then the first again. A level is counted one response time
        after its window, while the load of the next one is already on."""
        levels, load, rig, bed = self.forecast.levels, self.experiment.load, self.rig, self.bed
        rig.partial(self.recording())
        rig.expect(duration_s(load, levels) - STARTUP_S - WARM_UP_S)
        bed.begin()
        slower = 1.0
        for number in range(len(plans(load, levels))):
            plan = plans(load, levels, slower)[number]
            again = number == len(levels)
            level = levels[0 if again else number]
            grace_s = level.model_response_time_s * slower
            users = f"{plan.users} user{'s' if plan.users > 1 else ''}{' again' if again else ''}"
            rig.measuring(users, plan.total_s + grace_s)
            bed.sampler.users = plan.users
            bed.driver.open(plan.users, plan.stagger_s)
            self._let_grow(plan.users)
            rig.pause(plan.stagger_s + plan.settle_s)
            since, before = len(bed.driver.records()), bed.sampler.snapshot()
            rig.pause(plan.window_s)
            after = bed.sampler.snapshot()
            rig.pause(grace_s)
            bed.check()
            pids = bed.running.pids()
            report = bed.driver.report(since)
            point = count_level(
                report,
                before,
                after,
                users=plan.users,
                think_time_s=load.think_time_s,
                workers=bed.running.workers(),
                pss=pss_bytes(pids) if len(pids) <= MOST_PSS or number + 1 == len(levels) else None,
                server_cores=allowed_cores(bed.running.serving_pids()),
            )
            point = replace(point, time_split=self._split(point, report, before, after))
            if again:
                self.first_again = point
                continue
            found = self._checked(point)
            self.points.append(found)
            rig.partial(self.recording())
            if point.completed >= 1:
                ratio = point.mean_response_time_s / max(level.model_response_time_s, 1e-6)
                slower = min(SLOWEST, max(1.0, ratio))
        bed.driver.open(0, 0.0)

    def judged(self) -> Recording:
        """All of it. The first level may only now turn out to be disturbed."""
        if self.points:
            self.points[0] = self._checked(self.points[0], self.first_again)
        self.power += (power(),)
        return self.recording()

    def _let_grow(self, users: int) -> None:
        """A server that starts workers as they are needed gets the time to have them all."""
        needed = min(users, self.experiment.server.processes)
        self.rig.until(lambda: self.bed.running.workers() >= needed, MOST_GROWTH_S, every_s=0.1)

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

    def _checked(self, point: Point, again: Point | None = None) -> Point:
        run = self.recording().run
        found = checks.check(
            point,
            self.experiment,
            self.rig.machine,
            forecast=self.forecast,
            noise_fraction=self.bed.calibration.noise_fraction,
            again=again,
            moved=causes.moved(self.experiment, self.rig.machine, run, point),
        )
        return replace(point, checks=found)


def thinned(samples: Sequence[Sample], most: int = 150) -> tuple[Sample, ...]:
    """Every nth sample, so that a recording stays small enough to read."""
    step = -(-len(samples) // most) or 1
    return tuple(samples[::step])
