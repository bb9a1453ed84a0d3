"""Walk: serve, drive and sample a timeline, one load after the other, and do to the server what
its steps and its reader say.

The order of a run is that of a sweep (see `labs.kinds.sweep.run`), up to the load. Then each step
begins when its time has come, whatever the one before has left behind.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from queue import SimpleQueue

import psutil

from labs.host.census import watching
from labs.host.monitor import Sampler
from labs.host.process_tree import born
from labs.host.supervisor import Stopped
from labs.kinds.sweep.run import Measurement, Told
from labs.kinds.timeline import verdict
from labs.kinds.timeline.forecast import course
from labs.kinds.timeline.record import Happening, Timeline, TimelineRun
from labs.kinds.timeline.segments import Border, Requests, moments, ramp, requests_of, stretch
from labs.load.locust import Driver, LoadFailed
from labs.measure.rig import Progress
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration, Machine
from labs.records.steps import KILL, RAISE, Step, check_steps
from labs.servers.catalogue import kind_of
from labs.servers.control import Killed, Levers, Raised, check_steps_for
from labs.servers.serve import Running

LOOK_EVERY_S = 1.0  # whether the load generator is still there
FAILS_WITHIN_S = 1.0  # of a worker's death, what it was answering has failed
TAIL_S = 1.0  # at most: the last load stays on until what began in the step is answered
MORE = "more workers"  # twice as many as there may be
AT_HAND = 20  # users of the load generator beyond those that arrivals are expected to need
MOST_AT_HAND = 2048


@dataclass(eq=False)
class Stage:
    """Who plays, and what was seen of it so far."""

    driver: Driver
    sampler: Sampler
    since: int  # number of the driver's first record
    borders: list[Border] = field(default_factory=list)
    done: list[Killed | Raised] = field(default_factory=list)

    @property
    def now_s(self) -> float:
        return time.perf_counter() - self.sampler.started

    def border(self, at_s: float) -> None:
        """A step ends here, and another begins."""
        cores = psutil.cpu_times(percpu=True)
        self.borders.append(Border(at_s=at_s, snapshot=self.sampler.snapshot(), cores=cores))

    def requests(self) -> Requests:
        """All there were."""
        self.driver.check()
        return requests_of(self.driver.report(self.since), began=self.sampler.started)


class Walk(Measurement):
    """One run of a timeline. After an error, `timeline()` has what was found by then.

    tell gets Progress, and the Timeline so far where a step begins: the page is painted by the
    machine that is measured. What is put into `pulled` is done to the server: words as of
    `Step.do`, or MORE.
    """

    def __init__(
        self,
        server: Server,
        workload: Workload,
        steps: Sequence[Step],
        *,
        tell: Callable[[Progress | Timeline], None] | None = None,
        stop: threading.Event | None = None,
        pulled: SimpleQueue[str] | None = None,
    ) -> None:
        check_steps(steps)
        check_steps_for(server, steps)
        groups = sorted({step.users for step in steps if step.users is not None})
        experiment = Experiment(server, workload, Load(groups or [1]))
        super().__init__(experiment, tell=self._told, stop=stop)
        self.steps = tuple(steps)
        self.whole_s = sum(step.seconds for step in steps)
        self.say = tell or (lambda told: None)
        self.pulled = pulled or SimpleQueue()
        self.so_far: TimelineRun | None = None
        self.at_hand = max(self.at_hand, users_for(server, workload, steps, self.machine))
        if kind_of(server).first is not None:
            self.warm_up_users = 1  # a crowd would leave it with more workers than it begins with

    def walk(self) -> Timeline:
        """Wait for the machine's turn, burn, and walk every step."""
        self.run()
        found = self.timeline()
        assert found is not None
        return found

    def timeline(self) -> Timeline | None:
        """What was found so far; None before the load."""
        if self.so_far is None:
            return None
        experiment = self.experiment
        return Timeline(
            server=experiment.server,
            workload=experiment.workload,
            steps=self.steps,
            machine=self.recorded_on(),
            runs=(self.so_far,),
        )

    def _told(self, told: Told) -> None:
        if isinstance(told, Progress):
            self.say(told)

    def _duration_s(self) -> float:
        return self.whole_s + TAIL_S

    def _levels(self, driver: Driver, running: Running, sampler: Sampler) -> None:
        assert self.calibration is not None
        server, workload = self.experiment.server, self.experiment.workload
        self.so_far = TimelineRun(
            recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
            calibration=self.calibration,
            forecast=course(server, workload, self.steps, self.calibration, self.machine),
        )
        sampler.count_every = 1
        sampler.workers = lambda: sum(bool(born(pid)) for pid in running.serving_pids())
        stage = Stage(driver, sampler, len(driver.records()))
        with watching({"server": running.pids, "generator": driver.process.pids}) as census:
            with self._obeying(running, stage):
                sampler.begin()
                census.begin()
                try:
                    self._walk(stage)
                except Stopped:  # within a step, which is shown up to there
                    with contextlib.suppress(LoadFailed):
                        self._say_found(stage)
                    raise
            census.look()
            self.so_far = replace(self.so_far, processes=census.processes())
        self._finish(stage)

    def _walk(self, stage: Stage) -> None:
        due_s = 0.0
        for number, step in enumerate(self.steps):
            stage.border(due_s)
            if step.do:
                self.pulled.put(step.do)
            if step.rate is not None:
                stage.driver.let_come(step.rate, seed=number)
            else:
                assert step.users is not None
                stage.driver.open(step.users, min(self._alone_s, step.seconds / 10))
            stage.sampler.users = step.users or 0
            due_s += step.seconds
            self._say_found(stage)
            self._quiet_until = stage.sampler.started + due_s
            self._progress(step.load)
            while (left_s := due_s - stage.now_s) > 0:
                self._pause(min(left_s, LOOK_EVERY_S), step.load)
                stage.driver.check()
        stage.border(due_s)

    def _say_found(self, stage: Stage) -> None:
        self._find(stage)
        found = self.timeline()
        assert found is not None
        self.say(found)

    def _finish(self, stage: Stage) -> None:
        """The last load stays on for about one response time, and is counted then."""
        step, last = self.steps[-1], self.so_far
        assert last is not None
        if step.users is not None and last.forecast:
            self._pause(min(TAIL_S, step.users / max(last.forecast[-1].throughput_rps, 1e-9)))
        self._find(stage)
        stage.driver.open(0, 0.0)

    def _find(self, stage: Stage) -> None:
        """Put together what is known now."""
        assert self.so_far is not None
        requests, samples, done = stage.requests(), list(stage.sampler.samples), list(stage.done)
        began = stage.sampler.started
        deaths = [each.at - began for each in done if isinstance(each, Killed)]
        stretches = []
        borders = stage.borders
        for step, before, after in zip(self.steps, borders, borders[1:], strict=False):
            workers = [each.workers for each in samples if each.at_s <= after.at_s]
            found = stretch(step, requests, before, after, workers[-1] if workers else None)
            killed = any(before.at_s <= at < after.at_s for at in deaths)
            checks = verdict.check(found, step, self.machine, killed=killed)
            stretches.append(replace(found, checks=checks))
        self.so_far = replace(
            self.so_far,
            stretches=tuple(stretches),
            moments=moments(self.steps, requests, samples, min(self.whole_s, requests.now_s)),
            ramp=ramp([sample for sample in samples if sample.at_s <= self.whole_s]),
            happenings=tuple(_happening(each, requests, began) for each in done),
        )

    @property
    def _alone_s(self) -> float:
        return self.experiment.workload.cpu_s + self.experiment.workload.wait_s

    @contextlib.contextmanager
    def _obeying(self, running: Running, stage: Stage) -> Iterator[None]:
        """Do to the server what is pulled, one after the other, until the block ends."""
        over = threading.Event()
        levers = Levers(running, over)

        def obey() -> None:
            while (do := self.pulled.get()) and not over.is_set():
                with contextlib.suppress(Unusable, OSError, psutil.Error):  # it is gone, or full
                    if result := _pull(levers, do):
                        stage.done.append(result)

        thread = threading.Thread(target=obey, name="levers", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            self.pulled.put("")
            thread.join()


def users_for(server: Server, workload: Workload, steps: Sequence[Step], machine: Machine) -> int:
    """How many users the load generator should have at hand, so that arrivals find one: half as
    many again as an ideal machine would have under way. 0 where all steps are groups."""
    if all(step.rate is None for step in steps):
        return 0
    ideal = Calibration(
        loops_per_s=tuple(float(n) for n in range(1, machine.cores + 1)),
        noise_fraction=0.0,
        overhead_s=0.001,
        generator_s=0.0005,
    )
    parts = course(server, workload, steps, ideal, machine)
    most = max(max(part.in_flight) for part in parts)
    return min(MOST_AT_HAND, math.ceil(1.5 * most + 4 * math.sqrt(most)) + AT_HAND)


def _pull(levers: Levers, do: str) -> Killed | Raised | None:
    if do == KILL:
        return levers.kill_a_worker()
    if do == MORE:
        return levers.raise_pool(2 * levers.limit)
    pool = RAISE.fullmatch(do)
    return levers.raise_pool(int(pool[1])) if pool else None


def _happening(done: Killed | Raised, requests: Requests, began: float) -> Happening:
    at_s = done.at - began
    if isinstance(done, Raised):
        words = verdict.raised(done.before, done.to, done.after_s, when_needed=done.when_needed)
    else:
        late = requests.failed_ends - at_s
        failed = int(((late >= 0) & (late < FAILS_WITHIN_S)).sum())
        words = verdict.killed(
            done.pid, busy=done.busy, failed=failed, follower=done.follower, after_s=done.after_s
        )
    return Happening(at_s=round(at_s, 2), words=words)
