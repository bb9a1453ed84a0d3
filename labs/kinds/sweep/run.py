"""measure(): serve, drive and sample an experiment, level by level, into a recording.

The order of a run: wait for the machine's turn; burn (how fast is it now?); start server and
Locust; warm up with trivial requests, which tell what a request costs beside its work, and with
one user alone, who tells how fast the server does a piece of it; make the forecast, and only then
start the load.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from labs.analysis import checks as validity
from labs.analysis.point import count_level
from labs.analysis.schedule import STARTUP_S, WARM_UP_S, duration_s, plans
from labs.host import hardware as this_machine
from labs.host.lock import turn
from labs.host.monitor import Sampler, pss_bytes, sampling
from labs.host.supervisor import Stopped
from labs.kinds.sweep.record import Recording
from labs.load.drivers import start_all
from labs.load.locust import Driver
from labs.measure.calibration import calibrate, keep, language_of
from labs.measure.rig import Progress, split_cores, thinned
from labs.measure.warmup import warm_up, warm_up_users
from labs.records.experiment import Experiment
from labs.records.results import Calibration, Machine, Point, Prediction, Run, Sample
from labs.servers.serve import Running, check, serve, versions
from labs.servers.storage import database, shared_folder
from labs.theory.forecast import forecast

SLOWEST = 4.0  # a level is never planned for longer than this many times its forecast
MOST_GROWTH_S = 10.0  # 5 to 256 workers at four looks a second take 3
MOST_PSS = 64  # processes: reading the memory of more takes longer than a level's pause


Told = Prediction | Sample | Point | Progress


def measure(
    experiment: Experiment,
    *,
    tell: Callable[[Told], None] | None = None,
    stop: threading.Event | None = None,
) -> Recording:
    """Measure every level of the experiment; a recording with one run.

    tell gets the forecast once, a Sample ten times a second, each Point as its level ends, and
    Progress. Whoever paints what it is told paints nothing from a Progress with `quiet_s` to the
    next Point: the page is painted by the very machine that is measured. Raises Unusable before
    anything is started; ServerFailed, LoadFailed or Stopped later. To keep what a broken run had
    measured, use `Measurement` and ask its `recording()`.
    """
    return Measurement(experiment, tell=tell, stop=stop).run()


class Measurement:
    """One run of an experiment. After an error, `recording()` has what was measured by then."""

    def __init__(
        self,
        experiment: Experiment,
        *,
        tell: Callable[[Told], None] | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        self.experiment = experiment
        self.machine = this_machine.fingerprint()
        self.tell = tell or (lambda told: None)
        self.stop = stop or threading.Event()
        self.calibration: Calibration | None = None
        self.forecast: Prediction | None = None
        self.points: list[Point] = []
        self.first_again: Point | None = None
        self.samples: list[Sample] = []
        self.warm_up_users = warm_up_users(experiment)
        # Users of the load generator:
        self.at_hand = max(self.warm_up_users, *experiment.load.users)
        self._began = time.perf_counter()
        self._whole_s = STARTUP_S + WARM_UP_S
        self._quiet_until: float | None = None  # perf_counter; once there is a level

    def recording(self) -> Recording | None:
        """What was measured so far; None before the forecast."""
        if self.calibration is None or self.forecast is None:
            return None
        run = Run(
            recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
            calibration=self.calibration,
            forecast=self.forecast,
            points=tuple(self.points),
            first_again=self.first_again,
            samples=thinned(self.samples),
        )
        return Recording(experiment=self.experiment, machine=self.recorded_on(), runs=(run,))

    def recorded_on(self) -> Machine:
        """The machine, with the versions of a server that pip does not install, and of the
        database where requests need one."""
        more = versions(self.experiment.server)
        if self.experiment.workload.wait_by.startswith("database"):
            more = more | {"database": database().name}
        return replace(self.machine, versions=self.machine.versions | more)

    def run(self) -> Recording:
        """Wait for the machine's turn, burn, and measure every level."""
        server, workload = self.experiment.server, self.experiment.workload
        check(server, self.machine, workload)
        with turn(self._wait_for_turn, self.stop):
            self._began = time.perf_counter()
            self._progress("calibrating: how fast is a core right now?")
            return self.in_turn(self._burn())

    def in_turn(self, burned: Calibration) -> Recording:
        """Measure every level, for whoever holds the machine's turn and has burned just now. What
        was burned is burned again where it was another unit than this experiment asks for."""
        server, load = self.experiment.server, self.experiment.load
        workload = self.experiment.workload
        language = language_of(server, workload)
        if (burned.cpu_by, burned.language) != (workload.cpu_by, language):
            self._progress(f"calibrating: how fast is {workload.cpu_by} in {language} right now?")
            burned = self._burn()
        server_cores, generator_cores = split_cores(server)
        with contextlib.ExitStack() as stack:
            self._progress("starting the server and the load generator")
            asks = workload.wait_by == "backend" and workload.wait_s > 0
            shared = stack.enter_context(shared_folder(workload))
            driver = stack.enter_context(start_all(load, users=self.at_hand, cores=generator_cores))
            running = stack.enter_context(
                serve(
                    server,
                    cores=server_cores,
                    backend=asks,
                    page=workload.page,
                    settings=shared.settings if shared else None,
                    stop=self.stop,
                )
            )
            stack.callback(driver.end)  # before the server, which it would else ask in vain
            driver.aim(running.url, self.stop)
            sampler = stack.enter_context(
                sampling(
                    server=running.pids,
                    generator=driver.pids,
                    workers=running.workers,
                    tell=self.tell,
                    backend=running.backend.pids if running.backend else tuple,
                )
            )
            self._progress("warming up: what does an empty request cost?")
            late_s = running.backend.late_s() if running.backend else 0.0
            burned = replace(burned, backend_late_s=late_s)
            self.calibration = warm_up(
                driver, sampler, workload, burned, users=self.warm_up_users, pause=self._pause
            )
            keep(self.machine, self.calibration, server, workload)
            self.forecast = forecast(self.experiment, self.calibration, self.machine)
            self.tell(self.forecast)
            self._began = time.perf_counter()
            self._whole_s = self._duration_s()
            speed = self.calibration.loops_per_s[0]
            driver.ask_for(workload, speed, load.think_time_s, load.script_s)
            sampler.begin()
            self._levels(driver, running, sampler)
            self.samples = sampler.samples
        self._judge_first()
        recording = self.recording()
        assert recording is not None
        return recording

    def _burn(self) -> Calibration:
        server, workload = self.experiment.server, self.experiment.workload
        return calibrate(
            self.machine,
            cpu_by=workload.cpu_by,
            language=language_of(server, workload),
            stop=self.stop,
        )

    def _duration_s(self) -> float:
        """Of the load, from its first request."""
        assert self.forecast is not None
        whole_s = duration_s(self.experiment.load, self.forecast.levels)
        return whole_s - STARTUP_S - WARM_UP_S

    def _levels(self, driver: Driver, running: Running, sampler: Sampler) -> None:
        """Walk the levels up, then the first again. A level is counted one response time
        after its window, while the load of the next one is already on."""
        assert self.forecast is not None
        levels, load = self.forecast.levels, self.experiment.load
        slower = 1.0
        for number in range(len(plans(load, levels))):
            plan = plans(load, levels, slower)[number]
            again = number == len(levels)
            level = levels[0 if again else number]
            text = f"{plan.users} user{'s' if plan.users > 1 else ''}{' again' if again else ''}"
            grace_s = level.model_response_time_s * slower
            self._quiet_until = time.perf_counter() + plan.total_s + grace_s
            self._progress(text)
            sampler.users = plan.users
            driver.open(plan.users, plan.stagger_s)
            self._let_grow(running, plan.users)
            self._pause(plan.stagger_s + plan.settle_s, text)
            since, before = len(driver.records()), sampler.snapshot()
            self._pause(plan.window_s, text)
            after = sampler.snapshot()
            self._pause(grace_s, text)
            driver.check()
            running.check()
            report = driver.report(since)
            pids = running.pids()
            point = count_level(
                report,
                before,
                after,
                users=plan.users,
                think_time_s=load.think_time_s,
                workers=running.workers(),
                pss=pss_bytes(pids) if len(pids) <= MOST_PSS or number + 1 == len(levels) else None,
            )
            if again:
                self.first_again = point
            else:
                self._add(point, level.model_response_time_s)
            if point.completed >= 1 and not again:
                ratio = point.mean_response_time_s / max(level.model_response_time_s, 1e-6)
                slower = min(SLOWEST, max(1.0, ratio))
        driver.open(0, 0.0)

    def _let_grow(self, running: Running, users: int) -> None:
        """A server that starts workers as they are needed gets the time to have them all."""
        needed = min(users, self.experiment.server.processes)
        until = time.perf_counter() + MOST_GROWTH_S
        while running.workers() < needed and time.perf_counter() < until:
            self._pause(0.1)

    def _add(self, point: Point, response_time_s: float) -> None:
        assert self.forecast is not None
        checks = validity.check(
            point, self.experiment, self.machine, forecast_demand_s=self.forecast.demand_s
        )
        point = replace(point, checks=checks)
        self.points.append(point)
        self.tell(point)

    def _judge_first(self) -> None:
        """The first level may only now turn out to be disturbed."""
        if self.first_again is None or not self.points:
            return
        assert self.forecast is not None
        checks = validity.check(
            self.points[0],
            self.experiment,
            self.machine,
            forecast_demand_s=self.forecast.demand_s,
            again=self.first_again,
        )
        if checks != self.points[0].checks:
            self.points[0] = replace(self.points[0], checks=checks)
            self.tell(self.points[0])

    def _wait_for_turn(self) -> None:
        self._progress("waiting: another page or program is measuring on this machine")

    def _progress(self, stage: str) -> None:
        now = time.perf_counter()
        gone = now - self._began
        left = max(0.0, self._whole_s - gone)
        fraction = min(1.0, gone / self._whole_s) if self.forecast else 0.0
        quiet = None if self._quiet_until is None else max(0.0, self._quiet_until - now)
        self.tell(Progress(stage=stage, fraction=fraction, seconds_left=left, quiet_s=quiet))

    def _pause(self, seconds: float, stage: str | None = None) -> None:
        """Wait, telling progress twice a second; raise Stopped as soon as asked to."""
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            if self.stop.wait(min(left, 0.5)):
                raise Stopped
            if stage:
                self._progress(stage)
