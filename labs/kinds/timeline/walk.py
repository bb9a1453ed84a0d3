"""The walk over a timeline's steps: who asks when, what is done to the server, what is seen."""

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from queue import SimpleQueue
from typing import NamedTuple

import psutil

from labs.host.power import power
from labs.host.process_tree import born
from labs.host.processes import Census
from labs.host.waiting import Stopped
from labs.kinds.timeline import segments, verdict
from labs.kinds.timeline.forecast import course
from labs.kinds.timeline.record import Event, Timeline, TimelineRun
from labs.load.locust import LoadFailed
from labs.measure.rig import Rig, Testbed
from labs.records.errors import Unusable
from labs.records.format import duration
from labs.records.steps import Step
from labs.servers.control import Killed, Raised, ServerControl

LOOK_EVERY_S = 1.0  # whether server and load generator are still there
TAIL_S = 1.0  # at most: the last load stays on until what began in the step is answered


class Order(NamedTuple):
    """An order to the server, as `ServerControl.perform` has it; "" for the end."""

    do: str
    by_reader: bool = False


class Walk:
    """Walk over the steps of one run, and what was found of them so far. The server gets the
    `orders` of the steps and of the reader, see `ServerControl.perform`.

    The rig gets the timeline where a step begins, where the reader has done something within one,
    and once more if it is stopped there.
    """

    def __init__(
        self, rig: Rig, bed: Testbed, steps: Sequence[Step], orders: SimpleQueue[Order]
    ) -> None:
        self.rig, self.bed, self.steps, self.orders = rig, bed, tuple(steps), orders
        self.server, self.workload = bed.experiment.server, bed.experiment.workload
        self.since = len(bed.driver.records())
        self.borders: list[segments.Border] = []
        self.done: list[tuple[Killed | Raised, bool]] = []  # and whether the reader asked for it
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
                self.orders.put(Order(step.do))
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
            shown = len(self.done)
            while (left_s := due_s - self._now_s) > 0:
                rig.pause(min(left_s, LOOK_EVERY_S))
                bed.check()
                if any(by_reader for _, by_reader in self.done[shown:]):  # who waits to see it
                    shown = len(self.done)
                    rig.partial(self._timeline())
                    rig.measuring(step.load, max(0.0, due_s - self._now_s))
        self._border(due_s)

    @property
    def _now_s(self) -> float:
        return time.perf_counter() - self.bed.sampler.started

    def _border(self, at_s: float) -> None:
        """End a step here, and begin another."""
        cores = psutil.cpu_times(percpu=True)
        self.borders.append(
            segments.Border(at_s=at_s, snapshot=self.bed.sampler.snapshot(), cores=cores)
        )

    def _timeline(self) -> Timeline:
        """Sum up what is known now. LoadFailed if the load generator is gone."""
        bed = self.bed
        bed.driver.check()
        began, samples, done = bed.sampler.started, list(bed.sampler.samples), list(self.done)
        requests = segments.requests_of(bed.driver.report(self.since), began=began)
        deaths = [each.at - began for each, _ in done if isinstance(each, Killed)]
        results = []
        for step, before, after in zip(self.steps, self.borders, self.borders[1:], strict=False):
            workers = [each.workers for each in samples if each.at_s <= after.at_s]
            found = segments.step_result(
                step, requests, before, after, workers[-1] if workers else None
            )
            lost = segments.lost(requests, deaths, before.at_s, after.at_s)
            killed = sum(at_s <= after.at_s for at_s in deaths)
            checks = verdict.checks(found, step, self.server, bed.machine, lost, killed)
            results.append(replace(found, checks=tuple(checks)))
        self.so_far = replace(
            self.so_far,
            step_results=tuple(results),
            time_bins=segments.time_bins(
                self.steps, requests, samples, min(self.whole_s, requests.now_s)
            ),
            ramp=segments.ramp([sample for sample in samples if sample.at_s <= self.whole_s]),
            events=tuple(_events(done, began)),
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
            while (order := self.orders.get()).do and not over.is_set():
                with contextlib.suppress(Unusable, OSError, psutil.Error):  # it is gone, or full
                    if done := control.perform(order.do):
                        self.done.append((done, order.by_reader))

        thread = threading.Thread(target=obey, name="server control", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            self.orders.put(Order(""))
            thread.join()


def _events(done: Sequence[tuple[Killed | Raised, bool]], began: float) -> Iterator[Event]:
    """Say what was done."""
    for each, by_reader in done:
        words = raised(each) if isinstance(each, Raised) else killed(each)
        yield Event(at_s=round(each.at - began, 2), words=words, by_reader=by_reader)


def killed(worker: Killed) -> str:
    """Say how a worker died, and who came after it."""
    clients, later = worker.clients, duration(worker.after_s)
    who = {0: "an idle worker", 1: "a worker with a client"}.get(
        clients, f"a worker with {clients} clients"
    )
    then = f"Process {worker.follower} took its place {later} later."
    if worker.follower is None:
        few = ": this server makes another only if too few are idle" * worker.when_needed
        then = f"Nobody had taken its place {later} later{few}."
    return f"Process {worker.pid}, {who}, was killed. {then}"


def raised(pool: Raised) -> str:
    """Say that a pool may be larger, and when it was."""
    before, to = pool.before, pool.to
    if pool.when_needed:
        return f"The limit was raised from {before} to {to} workers; they come as they are needed."
    if pool.after_s is None:
        return f"The pool was to be raised from {before} to {to} workers; not all of them came."
    first, later = f"{before} worker{'s' * (before != 1)}", duration(pool.after_s)
    return f"The pool was raised from {first}; {later} later {to} served."
