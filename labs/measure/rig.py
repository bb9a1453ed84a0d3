"""The rig: what every lab does around its load, written once.

The order of a run: wait for the machine's turn; burn (how fast is it now?); start server and load
generator; warm up with trivial requests, which tell what a request costs beside its work, with a
crowd that fills the cores with pieces of it, and with one user alone, who both tell what such a
piece costs the server. What a kind of lab adds, its levels, steps or ways, comes after that.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from labs.analysis.schedule import CALIBRATION_S
from labs.host import hardware
from labs.host.browser import browser
from labs.host.lock import turn
from labs.host.monitor import Sampler
from labs.host.waiting import Stopped, wait_until
from labs.load.locust import Driver, LoadFailed, drive
from labs.measure.burners import Speedometer, speedometer
from labs.measure.calibration import calibrate, keep, language_of
from labs.measure.progress import Pace, Progress
from labs.measure.warmup import crowd_users, warm_up, warm_up_users
from labs.records.experiment import CpuBy, Experiment, Load, Server, Workload
from labs.records.requests import Report
from labs.records.results import Calibration, Machine, Sample
from labs.records.server_facts import asks_backend, asks_database
from labs.servers.serve import Running, serve, versions
from labs.servers.storage import database, shared_folder
from labs.theory.server_model import ServerModel

EVERY_S = 0.5  # between two words on the progress of a pause
MOST_SEEDS = 1_000_000

Found = TypeVar("Found", covariant=True)


class Lab(Protocol[Found]):
    """A lab that a rig can run; see `labs.kinds.base.LabKind`."""

    def seconds(self) -> float: ...
    def check(self, machine: Machine) -> None: ...
    def run(self, rig: Rig) -> Found: ...


class Unit(NamedTuple):
    """A unit to burn: work, its language, and the server's cores, where those are not all."""

    cpu_by: CpuBy = "counting"
    language: str = "Python"
    cores: tuple[int, ...] | None = None


def unit_of(server: Server, workload: Workload) -> Unit:
    """The unit of a workload on that server."""
    cores, _ = split_cores(server)
    cores = None if cores is None else tuple(cores)
    return Unit(workload.cpu_by, language_of(server, workload), cores)


USUAL = Unit()


@dataclass(eq=False, kw_only=True)
class Testbed:
    """A server and a load generator, warm, watched, and with their gate closed."""

    experiment: Experiment
    machine: Machine  # with the versions of what this experiment uses
    running: Running
    driver: Driver
    sampler: Sampler
    calibration: Calibration
    way_there_s: float  # of a lone user's request, until the application begins it
    script: Callable[[Load], float]  # loops of its users' own, see `Rig.script`
    seed: int  # of what varies among the requests
    check: Callable[[], None]  # LoadFailed or ServerFailed if anything of it is gone

    def begin(self) -> None:
        """Ask for the experiment's own work from now on, the same loops to the last request; time
        starts here."""
        load, work = self.experiment.load, self.experiment.workload
        speed, script = self.calibration.loops_per_s[0], self.script(load)
        self.driver.ask_for(work, speed, load.think_time_s, script, self.seed)
        self.sampler.begin()


class Rig:
    """One run on this machine. `on_event` gets Progress, a Sample ten times a second where there
    is something to watch, and what the lab has found so far; `found` keeps the newest of these,
    also when the run breaks off.

    Whoever paints what is told should do so between the levels only, and does if it paints nothing
    from a Progress with `quiet_s` to the next find: the page is painted by the very machine that
    is measured, and some tenths of a core are missing in the point.
    """

    def __init__(
        self,
        on_event: Callable[[Any], None] | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        self.machine = hardware.fingerprint()
        self.seed = random.SystemRandom().randrange(MOST_SEEDS)  # of what the requests draw
        self.stop = stop or threading.Event()
        self.found: Any = None
        self.on_event = on_event or (lambda event: None)
        self._burns: dict[Unit, Calibration] = {}
        self._speedometers: dict[Unit, Speedometer] = {}
        self._open = contextlib.ExitStack()  # what stands ready until the run ends
        self._pace = Pace()

    def perform(self, lab: Lab[Found]) -> Found:
        """Run a lab once, when the machine is free.

        Raises Unusable before anything is started; ServerFailed, LoadFailed or Stopped later.
        """
        lab.check(self.machine)
        self._pace.promise(lab.seconds())
        with turn(self._wait, self.stop), self._open:
            self._pace.begin()
            found = lab.run(self)
        self._pace.end()
        self._tell()
        self.found = found
        return found

    def part(
        self, label: str, *, later_s: float = 0.0, found: Callable[[Any], None] | None = None
    ) -> Rig:
        """Make a rig for a lab in this one: the same turn, burns, draws, Stop. Its progress goes
        under `label`, with `later_s` for what comes after it; what it finds goes to `found`."""

        def on_event(event: Any) -> None:
            if isinstance(event, Progress):
                self.expect(event.seconds_left + later_s)
                stage = f"{label}: {event.stage}" if label else event.stage
                self.measuring(stage, event.quiet_s)
            elif isinstance(event, Sample):
                self.on_event(event)
            elif found is not None:
                found(event)

        inner = Rig(on_event, self.stop)
        inner.machine, inner._burns, inner.seed = self.machine, self._burns, self.seed
        inner._speedometers, inner._open = self._speedometers, self._open
        inner._pace.begin(self._pace.began)
        return inner

    # ---- what is told ------------------------------------------------------------------------

    def expect(self, seconds: float) -> None:
        """Take note of how many seconds are left, as far as one can tell now."""
        self._pace.expect(seconds)

    def progress(self, stage: str) -> None:
        """Tell how far the run is, and with what."""
        self.measuring(stage, None)

    def measuring(self, stage: str, seconds: float | None) -> None:
        """Tell what is measured from now on, and for how long."""
        self._pace.stage(stage, quiet_s=seconds)
        self._tell()

    def _tell(self) -> None:
        self.on_event(self._pace.told())

    def partial(self, found: Any) -> None:
        """Tell what was found so far. It is kept, also when the run breaks off."""
        self.found = found
        self.on_event(found)

    def since_begin_s(self, at: float) -> float:
        """Turn a `time.perf_counter` into seconds since the run was begun."""
        return at - self._pace.began

    def now(self) -> str:
        """Tell when a run is recorded: ISO 8601, UTC."""
        return datetime.now(UTC).isoformat(timespec="seconds")

    def pause(self, seconds: float, check: Callable[[], None] = lambda: None) -> None:
        """Wait, telling progress and calling `check` twice a second; raise Stopped as soon as asked
        to."""
        until = time.perf_counter() + seconds
        while (left_s := until - time.perf_counter()) > 0:
            if self.stop.wait(min(left_s, EVERY_S)):
                raise Stopped
            check()
            if left_s > EVERY_S:
                self._tell()

    def until(self, done: Callable[[], bool], within_s: float, every_s: float = 0.05) -> bool:
        """Wait for something, or so long; tell whether it came. Stopped as soon as asked to."""
        return wait_until(done, within_s, every_s=every_s, stop=self.stop)

    def _wait(self) -> None:
        self.progress(
            "waiting: another page or program is measuring on this machine, and two at once would "
            "disturb each other"
        )

    # ---- what is done ------------------------------------------------------------------------

    def calibrate(self, unit: Unit = USUAL) -> Calibration:
        """Burn a unit, once in a run. A second's work is as many loops in all of a run, on whatever
        cores it was burned first."""
        cpu_by, language, cores = unit
        if unit not in self._burns:
            what = "a core" if unit[:2] == USUAL[:2] else f"{cpu_by} in {language}"
            self.progress(f"calibrating: how fast {what} is right now")
            left_s = self._pace.left_s - CALIBRATION_S
            found = calibrate(
                self.machine, cpu_by=cpu_by, language=language, cores=cores, stop=self.stop
            )
            self.expect(max(left_s, self._pace.left_s))  # burned again, it may be
            self._burns[unit] = found
        first = next(burn for key, burn in self._burns.items() if key[:2] == unit[:2])
        return self._burns[unit].ordered_by(first.loops_per_s[0])

    def speedometer(self, experiment: Experiment) -> Speedometer:
        """The meter of how fast the cores are, until the run ends; the same one in all of a run.
        See `burners.speedometer`."""
        unit = unit_of(experiment.server, experiment.workload)
        if unit not in self._speedometers:
            self._open.callback(self._speedometers.pop, unit, None)  # ended, too
            number = len(unit.cores) if unit.cores else self.machine.cores
            self._speedometers[unit] = self._open.enter_context(
                speedometer(number, *unit, self.stop)
            )
        return self._speedometers[unit]

    def speed(self, server: Server, workload: Workload) -> float:
        """Loops a second of a workload's work on one of the server's cores, in its language; 0
        where there is none to do."""
        if not workload.cpu_s:
            return 0.0
        return self.calibrate(unit_of(server, workload)).loops_per_s[0]

    def script(self, load: Load) -> float:
        """Loops that each user's own script takes: they count in Python, whatever the server
        does."""
        return load.script_s * self.calibrate().loops_per_s[0] if load.script_s else 0.0

    @contextlib.contextmanager
    def drive(self, running: Running, load: Load, workload: Workload) -> Iterator[Driver]:
        """Start a load generator, its gate closed, that will ask that server for that work. It has
        the cores that the server leaves, if it leaves any."""
        _, cores = split_cores(running.server)
        speed, script = self.speed(running.server, workload), self.script(load)
        with drive(load, url=running.url, cores=cores, stop=self.stop) as driver:
            driver.ask_for(workload, speed, load.think_time_s, script, self.seed)
            yield driver

    def answered(self, driver: Driver, within_s: float) -> Report:
        """Close the gate, and report all requests when every one of them has been answered."""
        driver.open(0, 0.0)
        if not self.until(lambda: not driver.report().flying, within_s):
            raise LoadFailed(f"Requests were still unanswered after {within_s:.0f} s.")
        return driver.report()

    def serve(self, server: Server, **how: Any) -> contextlib.AbstractContextManager[Running]:
        """A running server; see `servers.serve.serve`."""
        return serve(server, stop=self.stop, **how)

    @contextlib.contextmanager
    def testbed(
        self,
        experiment: Experiment,
        *,
        at_hand: int = 0,
        warm_up_with: int | None = None,
        draws: int = 0,
    ) -> Iterator[Testbed]:
        """The experiment's server and load generator, warm and watched until the block ends.

        at_hand: users of the load generator, where the levels and the warm-up need fewer.
        warm_up_with: users of the warm-up, where the usual crowd would change the server.
        draws: which of the run's draws; all testbeds with the same number draw the same.
        """
        server, load, workload = experiment.server, experiment.load, experiment.workload
        server_cores, generator_cores = split_cores(server)
        burned = self.calibrate(unit_of(server, workload))
        self.script(load)  # burned before anything runs
        model = ServerModel(experiment, burned, self.machine)
        users = warm_up_users(experiment) if warm_up_with is None else warm_up_with
        crowd = crowd_users(model) if warm_up_with is None else 0
        with contextlib.ExitStack() as stack:
            self.progress("starting the server and the load generator")
            shared = stack.enter_context(shared_folder(workload))
            driver = stack.enter_context(
                drive(load, users=max(at_hand, users, crowd, *load.users), cores=generator_cores)
            )
            running = stack.enter_context(
                self.serve(
                    server,
                    cores=server_cores,
                    backend=asks_backend(workload),
                    page=workload.page,
                    settings=shared.settings if shared else None,
                )
            )
            shown = browser()
            stack.callback(driver.end)  # before the server, which it would else ask in vain
            driver.aim(running.url, self.stop)
            sampler = stack.enter_context(
                Sampler(
                    server=running.pids,
                    generator=driver.pids,
                    workers=running.workers,
                    on_event=self.on_event,
                    backend=running.backend.pids if running.backend else tuple,
                    browser=shown.pids if shown.roots else None,
                    behind=shared.pids if shared else tuple,
                    held=None if server.quota is None else running.pid,
                )
            )

            def check() -> None:
                driver.check()
                if shared:
                    shared.check()
                running.check()

            running.lost()  # from now on each is noticed
            self.progress("warming up: what an empty request costs")
            late_s = running.backend.late_s() if running.backend else burned.timer_s
            tried = warm_up(
                driver,
                sampler,
                model,
                users=users,
                crowd=crowd,
                pause=partial(self.pause, check=check),
            )
            if running.lost():
                raise running.failed("lost a process while it was warmed up")
            running.hold()
            calibration = replace(tried.calibration, timer_s=late_s)
            keep(self.machine, calibration, experiment)
            yield Testbed(
                experiment=experiment,
                machine=self.recorded_on(server, workload),
                running=running,
                driver=driver,
                sampler=sampler,
                calibration=calibration,
                way_there_s=tried.way_there_s,
                script=self.script,
                seed=self.seed + draws,
                check=check,
            )

    def recorded_on(self, server: Server, workload: Workload) -> Machine:
        """The machine, with the versions of a server that pip does not install, and of the
        database where requests need one."""
        more = versions(server)
        if asks_database(workload):
            more = more | {"database": database().name}
        return replace(self.machine, versions=self.machine.versions | more)


def split_cores(server: Server) -> tuple[Sequence[int] | None, Sequence[int] | None]:
    """Cores for the server and for the load generator: apart, where the server leaves any, and as
    far as they go without hyper-threads of the server's."""
    if server.cores is None or server.cores >= len(hardware.usable_cores()):
        return None, None
    taken = hardware.server_cores(server.cores)
    return taken, hardware.apart_from(taken)
