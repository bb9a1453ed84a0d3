"""The lab over time: a load in steps, and what is done to the server meanwhile.

Each step begins when its time has come, whatever the one before has left behind.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from queue import SimpleQueue
from typing import Self, get_args

import psutil

from labs.analysis.scale import own_steps, why_scaled
from labs.analysis.scaling import FEW, scaled_down_timeline, smoke_test
from labs.analysis.schedule import STARTUP_S, WARM_UP_S
from labs.host.power import power
from labs.host.process_tree import born
from labs.host.processes import Census
from labs.host.supervisor import Stopped
from labs.kinds.base import LabKind
from labs.kinds.timeline import segments, verdict
from labs.kinds.timeline.forecast import course, users_for
from labs.kinds.timeline.question import Ask, asked_step, between, least_obvious, question
from labs.kinds.timeline.record import Event, Timeline, TimelineRun
from labs.load.locust import LoadFailed
from labs.measure.rig import Rig, Testbed
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Machine
from labs.records.steps import KILL, Step, check_steps
from labs.servers.catalogue import row_of
from labs.servers.control import (
    MORE,
    Killed,
    Raised,
    ServerControl,
    check_kill,
    check_raise,
    check_steps_for,
)
from labs.servers.serve import check

SHORT_S = 1.5  # a step of a smoke test
LOOK_EVERY_S = 1.0  # whether server and load generator are still there
TAIL_S = 1.0  # at most: the last load stays on until what began in the step is answered
CONTROLS = {"Kill a worker": KILL, "Add workers": MORE}


class TimelineLab(LabKind[Timeline]):
    """One load after the other, and what is done to the server meanwhile. `ask` is what the
    reader predicts: the throughput of the last step, the workers at the end, or the requests
    under way when the most have arrived; without it, what is least obvious. On one core and on
    a shared service heavy work is made light, and the lab says so; `whole` keeps it as it is. With
    `by_cores` users and workers are meant for two cores, and grow with those there are."""

    result = Timeline

    def __init__(
        self,
        server: Server,
        workload: Workload,
        steps: Sequence[Step],
        *,
        ask: Ask | None = None,
        whole: bool = False,
        by_cores: bool = False,
        why: str = "",
    ) -> None:
        check_steps(steps)
        self.ask: Ask = ask or least_obvious(server, steps)
        if self.ask not in get_args(Ask):
            raise Unusable(f"ask={ask!r}: choose one of {', '.join(get_args(Ask))}.")
        self.server, self.workload, self.steps = server, workload, tuple(steps)
        self.whole, self.why = whole, why
        self.written = (server, self.steps) if by_cores else None  # for two cores
        self.by_cores = by_cores
        self.question = question(self.ask, self.steps)
        self.controls = _controls(server)
        self._orders: SimpleQueue[str] | None = None  # for the run that goes on

    def about(self) -> str:
        return f"{verdict.about(self.server, self.workload, self.steps)} {self.why}".strip()

    def seconds(self) -> float:
        return STARTUP_S + WARM_UP_S + sum(step.seconds for step in self.steps) + TAIL_S

    def check(self, machine: Machine) -> None:
        check_steps_for(self.server, self.steps)
        check(self.server, machine, self.workload)

    def run(self, rig: Rig) -> Timeline:
        server, workload, steps = self.server, self.workload, self.steps
        groups = {step.users for step in steps if step.users is not None}
        experiment = Experiment(server, workload, Load(sorted(groups) or [1]))
        at_hand = users_for(server, workload, steps, rig.machine)
        # A crowd would leave a server that grows with more workers than it begins with.
        alone = 1 if row_of(server).first is not None else None
        self._orders = SimpleQueue()
        try:
            with rig.testbed(experiment, at_hand=at_hand, warm_up_with=alone) as bed:
                return Walk(rig, bed, steps, self._orders).walk()
        finally:
            self._orders = None

    def perform(self, control: str) -> None:
        if self._orders is not None:
            self._orders.put(CONTROLS[control])

    def matches(self, found: Timeline) -> bool:
        """Of this load; with `by_cores`, at the scale of the machine that it was made on."""
        server, steps = self._on(found.machine.cores)
        return (found.server, found.workload, found.steps) == (server, self.workload, steps)

    def answer(self, found: Timeline) -> tuple[float | None, float | None]:
        run, number = found.run, asked_step(self.ask, self.steps)
        begin_s, end_s = between(self.steps, number)
        if len(run.stretches) <= number:
            return None, None
        result = run.stretches[number]
        if self.ask == "workers":
            return None, result.workers
        if self.ask == "under way":
            return run.expected_at(end_s).in_flight[1], result.in_flight
        return run.expected_rps(begin_s, end_s), result.throughput_rps

    def settles(self, found: Timeline) -> bool:
        return all(each.fit for each in found.run.stretches[asked_step(self.ask, self.steps) :][:1])

    def rejection(self, found: Timeline) -> str:
        run = found.runs[-1]
        if len(run.stretches) < len(self.steps):
            return "Not all steps were walked."
        return verdict.unfit_steps(run, self.workload)

    def smoke_test(self) -> Self:
        load = Load([max((step.users or 1) for step in self.steps)])
        server = smoke_test(Experiment(self.server, self.workload, load)).server
        steps = [
            replace(
                step,
                seconds=min(step.seconds, SHORT_S),
                do=f"raise the pool to {2 * FEW}" if step.pool else step.do,
            )
            for step in self.steps
        ]
        return type(self)(server, self.workload, steps, ask=self.ask, whole=self.whole)

    def at_scale(self, cores: int) -> Self:
        server, steps = self._on(cores)
        if self.written is None or (server, steps) == self.written:
            return self
        why = why_scaled(cores)
        grown = type(self)(server, self.workload, steps, ask=self.ask, whole=self.whole, why=why)
        grown.written, grown.by_cores = self.written, True
        return grown

    def scaled_down(self, cores: int, *, shared: bool) -> Self:
        if self.whole:
            return self
        smaller, shorter, why = scaled_down_timeline(
            self.workload, self.steps, cores, shared=shared
        )
        return type(self)(self.server, smaller, shorter, ask=self.ask, why=why) if why else self

    def _on(self, cores: int) -> tuple[Server, tuple[Step, ...]]:
        if self.written is None:
            return self.server, self.steps
        server, steps = self.written
        return own_steps(server, self.workload, steps, cores)


class Walk:
    """The steps of one run, and what was found of them so far. The server gets the `orders` of
    the steps and of the reader, see `ServerControl.perform`.

    The rig gets the timeline where a step begins, and once more if it is stopped within one.
    """

    def __init__(
        self, rig: Rig, bed: Testbed, steps: Sequence[Step], orders: SimpleQueue[str]
    ) -> None:
        self.rig, self.bed, self.steps, self.orders = rig, bed, tuple(steps), orders
        self.server, self.workload = bed.experiment.server, bed.experiment.workload
        self.since = len(bed.driver.records())
        self.borders: list[segments.Border] = []
        self.done: list[Killed | Raised] = []
        self.whole_s = sum(step.seconds for step in steps)
        self.so_far = TimelineRun(
            recorded_at=rig.now(),
            calibration=bed.calibration,
            forecast=course(self.server, self.workload, steps, bed.calibration, bed.machine),
            seed=bed.seed,  # of sizes and arrivals: chance differs from run to run, as it would
            power=(power(),),
        )

    def walk(self) -> Timeline:
        """Walk every step. After the last, its load stays on for about one response time."""
        rig, bed = self.rig, self.bed
        running, sampler = bed.running, bed.sampler
        sampler.count_every = 1
        sampler.workers = lambda: sum(bool(born(pid)) for pid in running.serving_pids())
        with Census({"server": running.pids, "generator": bed.driver.pids}) as census:
            with self._obeying():
                rig.expect(self.whole_s + TAIL_S)
                bed.begin()
                census.begin()
                try:
                    self._steps()
                except Stopped:  # within a step, which is shown up to there
                    with contextlib.suppress(LoadFailed):
                        rig.partial(self._timeline())
                    raise
            census.look()
            self.so_far = replace(
                self.so_far,
                processes=census.processes(),
                power=(*self.so_far.power, power()),
            )
        users, forecast = self.steps[-1].users, self.so_far.forecast
        if users is not None and forecast:
            rig.pause(min(TAIL_S, users / max(forecast[-1].throughput_rps, 1e-9)))
        found = self._timeline()
        bed.driver.open(0, 0.0)
        return found

    def _steps(self) -> None:
        rig, bed, due_s = self.rig, self.bed, 0.0
        alone_s = self.workload.cpu_s + self.workload.wait_s
        for number, step in enumerate(self.steps):
            self._border(due_s)
            if step.do:
                self.orders.put(step.do)
            if step.rate is not None:
                bed.driver.let_come(step.rate, self.so_far.arrivals_seed(number))
            else:
                assert step.users is not None
                bed.driver.open(step.users, min(alone_s, step.seconds / 10))
            bed.sampler.users = step.users or 0
            due_s += step.seconds
            rig.partial(self._timeline())
            rig.expect(self.whole_s - self._now_s + TAIL_S)
            rig.measuring(step.load, due_s - self._now_s)
            while (left_s := due_s - self._now_s) > 0:
                rig.pause(min(left_s, LOOK_EVERY_S))
                bed.check()
        self._border(due_s)

    @property
    def _now_s(self) -> float:
        return time.perf_counter() - self.bed.sampler.started

    def _border(self, at_s: float) -> None:
        """A step ends here, and another begins."""
        cores = psutil.cpu_times(percpu=True)
        self.borders.append(
            segments.Border(at_s=at_s, snapshot=self.bed.sampler.snapshot(), cores=cores)
        )

    def _timeline(self) -> Timeline:
        """What is known now. LoadFailed if the load generator is gone."""
        bed = self.bed
        bed.driver.check()
        began, samples, done = bed.sampler.started, list(bed.sampler.samples), list(self.done)
        requests = segments.requests_of(bed.driver.report(self.since), began=began)
        deaths = {each.pid: each.at - began for each in done if isinstance(each, Killed)}
        losses = segments.lost_with(requests, deaths)
        results = []
        for step, before, after in zip(self.steps, self.borders, self.borders[1:], strict=False):
            workers = [each.workers for each in samples if each.at_s <= after.at_s]
            found = segments.step_result(
                step, requests, before, after, workers[-1] if workers else None
            )
            lost = segments.lost_between(losses, before.at_s, after.at_s)
            checks = verdict.check(found, step, self.server, bed.machine, lost=lost)
            results.append(replace(found, checks=checks))
        self.so_far = replace(
            self.so_far,
            stretches=tuple(results),
            moments=segments.time_bins(
                self.steps, requests, samples, min(self.whole_s, requests.now_s)
            ),
            ramp=segments.ramp([sample for sample in samples if sample.at_s <= self.whole_s]),
            happenings=tuple(_events(done, losses, began)),
        )
        return Timeline(
            server=self.server,
            workload=self.workload,
            steps=self.steps,
            machine=bed.machine,
            runs=(self.so_far,),
        )

    @contextlib.contextmanager
    def _obeying(self) -> Iterator[None]:
        """Do to the server what is ordered, one after the other, until the block ends."""
        over = threading.Event()
        control = ServerControl(self.bed.running, over)

        def obey() -> None:
            while (order := self.orders.get()) and not over.is_set():
                with contextlib.suppress(Unusable, OSError, psutil.Error):  # it is gone, or full
                    if done := control.perform(order):
                        self.done.append(done)

        thread = threading.Thread(target=obey, name="server control", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            self.orders.put("")
            thread.join()


def _controls(server: Server) -> dict[str, str]:
    """What a reader may do to the server while it runs: the button's name, and what it does."""
    found = {}
    with contextlib.suppress(Unusable):
        check_kill(server)
        found["Kill a worker"] = "End one of its processes without warning; a busy one if there is"
        check_raise(server, 2 * server.processes, server.processes)
        found["Add workers"] = "Let it have twice as many"
    return found


def _events(
    done: Sequence[Killed | Raised], losses: segments.Losses, began: float
) -> Iterator[Event]:
    """What was done, in words; losses: of each worker that was killed, see `segments.lost_with`."""
    for each in done:
        if isinstance(each, Raised):
            words = verdict.raised(each.before, each.to, each.after_s, when_needed=each.when_needed)
        else:
            words = verdict.killed(
                each.pid,
                clients=each.clients,
                failed=len(losses[each.pid]),
                follower=each.follower,
                after_s=each.after_s,
            )
        yield Event(at_s=round(each.at - began, 2), words=words)
