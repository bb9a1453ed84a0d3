"""The experiments of the five sources, made again on the very servers that they used.

Apache with its prefork workers and PHP inside for S1, S2 and S3, prefork and worker for S4, PHP
behind a web server for S5; by ApacheBench, as they did, and by Locust. A server or a tool that is
missing makes its rows say so. What each source printed is in `labs.kinds.classics.published`.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import psutil

from labs.host import hardware as this_machine
from labs.host.census import Census, watching
from labs.host.lock import turn
from labs.host.monitor import process_cpu_s
from labs.host.programs import PHP, lacking
from labs.host.supervisor import Stopped
from labs.kinds.base import Still
from labs.kinds.classics.published import NAMES, QUEUE_OF_128, S1, S2, S3_USERS, S4, S5
from labs.kinds.classics.record import AB, LOCUST, Retrial, RetrialRun, Tried
from labs.kinds.sweep.run import Measurement
from labs.load import tools
from labs.measure.calibration import calibrate
from labs.measure.rig import Progress
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration
from labs.servers.catalogue import kind_of, missing
from labs.servers.serve import Running, available, serve

FILE_S = 2.5  # that ab asks for a file: some 10,000 requests of S4 took it two seconds
TREE_S = 8.0  # of S3's load, which took 40
LONG = 4096  # places in a listen queue: nobody finds it full
LOOK_S = 0.02
START_S = 4.0  # for a server, a burn and Locust to begin and to end


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One server of a source, and what is tried on it."""

    setup: str
    server: Server
    workload: Workload
    ab: Mapping[int, int] = field(default_factory=dict)  # users -> requests; 0: for `ab_s`
    ab_s: float = FILE_S
    locust: Sequence[int] = ()  # users

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        each_s = self.workload.cpu_s + self.workload.wait_s
        cores = this_machine.cores()
        at_once = [
            min(users, self.server.pool or users, cores if self.workload.cpu_s else users)
            for users in self.ab
        ]
        ab_s = sum(
            requests * each_s / many if requests else self.ab_s
            for requests, many in zip(self.ab.values(), at_once, strict=True)
        )
        levels = [max(1.0, 24 * each_s / min(users, 12)) + 3 * each_s for users in self.locust]
        return ab_s + sum(levels) + sum(levels[:1]) + START_S * (1 + bool(self.locust))


def _apache(processes: int, **more: Any) -> Server:
    return Server("prefork", by="apache", processes=processes, **more)


BURN = Workload(cpu_s=S1.cpu_s)
SLEEP = Workload(wait_s=S2.wait_s, wait_cv=0.0)
FILE = Workload(page="file")
PRIMES = Workload(cpu_s=S5.cpu_s)
FILE_USERS = (1, 2, 5, 10, 20, 50)

TRIALS: dict[str, tuple[Trial, ...]] = {
    "s1": (
        Trial(
            setup="",
            server=_apache(32),
            workload=BURN,
            ab={1: 25, 2: 60, 3: 60, 4: 60, 8: 60},
            locust=(1, 2, 3, 4, 8),
        ),
    ),
    "s2": (
        Trial(
            setup="",
            server=_apache(256, backlog=LONG),
            workload=SLEEP,
            ab={4: 80, 8: 160, 32: 640, 128: 2560, 256: 5120, 512: 10_000},
            locust=(4, 8, 32, 128, 256, 512),
        ),
        Trial(
            setup=QUEUE_OF_128,
            server=_apache(256, backlog=128),
            workload=SLEEP,
            ab={512: 10_000},
        ),
    ),
    "s3": (
        Trial(setup="", server=_apache(150, start=5), workload=FILE, ab={S3_USERS: 0}, ab_s=TREE_S),
    ),
    "s4": tuple(
        Trial(
            setup=setup,
            server=server,
            workload=FILE,
            ab=dict.fromkeys(FILE_USERS, 0),
            locust=FILE_USERS,
        )
        for setup, server in (
            ("prefork", _apache(S4.pools["prefork"])),
            ("worker", Server("threaded", by="apache-worker", processes=6, threads=25)),
        )
    ),
    "s5": tuple(
        Trial(
            setup=setup,
            server=Server("prefork", by="nginx-fpm", processes=workers),
            workload=PRIMES,
            ab=dict.fromkeys(users, 10),  # as S5; too few, which is a lesson of its own
            locust=users,
        )
        for setup, workers, users in (("2 workers", 2, (1, 2, 4)), ("4 workers", 4, (4,)))
    ),
}


class Classics(Still[Retrial]):
    """One source's experiment, made again."""

    result = Retrial

    def __init__(self, classic: str, trials: Sequence[Trial] | None = None) -> None:
        if classic not in NAMES:
            raise Unusable(f"classic={classic!r}: choose one of {', '.join(NAMES)}.")
        self.classic = classic
        self.trials = tuple(TRIALS[classic] if trials is None else trials)
        self.seconds = 1.0 + sum(trial.seconds for trial in self.trials)
        servers = dict.fromkeys(
            f"{trial.server.architecture} by {trial.server.by}" for trial in self.trials
        )
        self.about = (
            f"The experiment of {classic.upper()}, made again on {' and '.join(servers)}, by "
            "ApacheBench and, where requests cost more than their asking, by Locust too."
        )

    def measure(self, tell: Callable[[Any], None], stop: threading.Event) -> Retrial:
        """One round; after each row, tells what it has so far."""
        round = Round(self, tell, stop)
        with turn(lambda: round.progress("waiting: another page is measuring"), stop):
            round.begin()
            for trial in self.trials:
                round.make(trial)
        return round.found()

    def asked_of(self, found: Retrial) -> bool:
        return found.classic == self.classic

    def unfit(self, found: Retrial) -> str:
        missing = [each.missing for each in found.runs[-1].tries if each.missing]
        return missing[0] if missing else ""

    def reduced(self) -> Classics:
        """Its first server with one row, by ab alone."""
        first = self.trials[0]
        few = {users: requests and 4 for users, requests in [*first.ab.items()][-1:]}
        few = {min(users, 4): requests for users, requests in few.items()}
        server = Server(first.server.architecture, by=first.server.by, processes=4)
        trial = replace(first, server=server, ab=few, ab_s=1.0, locust=())
        return Classics(self.classic, [trial])


class Round:
    """One round of a source's experiment, as far as it is."""

    def __init__(self, lab: Classics, tell: Callable[[Any], None], stop: threading.Event) -> None:
        self.lab, self.tell, self.stop = lab, tell, stop
        self.machine = this_machine.fingerprint()
        self.tries: list[Tried] = []
        self.burned: Calibration | None = None
        self.census: Census | None = None
        self.workers: int | None = None
        self._began = time.monotonic()

    def found(self) -> Retrial:
        """What there is."""
        run = RetrialRun(
            recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
            noise_fraction=self.burned.noise_fraction if self.burned else 0.0,
            capacity=self.burned.capacity if self.burned else (),
            tries=tuple(self.tries),
            processes=self.census.processes() if self.census else (),
            workers=self.workers,
        )
        return Retrial(classic=self.lab.classic, machine=self.machine, runs=(run,))

    def begin(self) -> None:
        """How fast is PHP? Where there is none, the servers say so."""
        self._began = time.monotonic()
        self.progress("calibrating: how fast is a core right now?")
        language = "PHP" if not lacking(PHP) else "Python"
        self.burned = calibrate(self.machine, language=language, stop=self.stop)

    def make(self, trial: Trial) -> None:
        """Every row of one server, by ab and by Locust."""
        kind = kind_of(trial.server)
        remedy = missing(kind, trial.workload.page)
        if remedy:
            for by, users in [*((AB, n) for n in trial.ab), *((LOCUST, n) for n in trial.locust)]:
                self._add(trial, users, by, missing=f"{trial.server.by}: {_lower(remedy)}")
            return
        if remedy := tools.missing(tools.AB):
            for users in trial.ab:
                self._add(trial, users, AB, missing=f"ab: {remedy}")
        else:
            self._by_ab(trial)
        if trial.locust:
            self._by_locust(trial)

    def _by_ab(self, trial: Trial) -> None:
        assert self.burned is not None
        loops = round(trial.workload.cpu_s * self.burned.loops_per_s[0])
        path = f"/?loops={loops}&wait={trial.workload.wait_s:.6f}"
        path = "/file" if trial.workload.page == "file" else path
        page = trial.workload.page
        with serve(trial.server, page=page, stop=self.stop) as running:
            for users, requests in trial.ab.items():
                self.progress(f"{trial.setup} {users} users by ab".strip())
                seconds = None if requests else trial.ab_s
                self._one_by_ab(trial, users, running, running.url + path, requests, seconds)
                running.check()

    def _one_by_ab(
        self,
        trial: Trial,
        users: int,
        running: Running,
        url: str,
        requests: int,
        seconds: float | None,
    ) -> None:
        many = requests or tools.MOST_REQUESTS
        argv = tools.ab(url, users, requests=many, seconds=seconds, keep_alive=False)
        with contextlib.ExitStack() as stack:
            overflows, server = this_machine.listen_overflows(), _cpu_s(running.pids())
            began = time.perf_counter()
            tool = stack.enter_context(tools.run(argv, url))
            if self.lab.classic == "s3":
                trees: Any = {"server": running.pids, "generator": tool.pids}
                self.census = stack.enter_context(watching(trees))
                self.census.begin()
            cpu, seen = 0.0, began
            while tool.process.poll() is None:
                cpu, seen = max(cpu, sum(_cpu_s(tool.pids()).values())), time.perf_counter()
                if self.stop.wait(LOOK_S):
                    raise Stopped
            after = _cpu_s(running.pids())
            if self.census:
                self.census.look()
                self.workers = running.workers()
            ended = time.perf_counter()
            said = tools.read_ab(tool.wait(1.0))
        used = sum(now - server.get(pid, 0.0) for pid, now in after.items())
        self._add(
            trial,
            users,
            AB,
            command=tools.shown(argv),
            requests=said.requests,
            failed=said.failed,
            seconds=said.seconds,
            throughput_rps=said.throughput_rps,
            mean_response_time_s=said.mean_response_time_s,
            sd_s=said.sd_s,
            longest_s=said.longest_s,
            generator_cpu=cpu / (seen - began),
            server_cpu=used / (ended - began),
            overflows=this_machine.listen_overflows() - overflows,
            backlog=trial.server.backlog,
        )

    def _by_locust(self, trial: Trial) -> None:
        """The same by Locust, with the labs' own protocol, and without keeping connections."""
        assert self.burned is not None
        load = Load(trial.locust, keep_alive=False)

        def told(what: object) -> None:
            if isinstance(what, Progress):
                stage = f"{trial.setup} {what.stage}, by Locust".strip()
                self.progress(stage, quiet_s=what.quiet_s)

        measured = Measurement(
            Experiment(trial.server, trial.workload, load), tell=told, stop=self.stop
        ).in_turn(self.burned)
        for point in measured.points:
            self._add(
                trial,
                point.users,
                LOCUST,
                requests=round(point.completed),
                failed=point.failed,
                seconds=point.seconds,
                throughput_rps=point.throughput_rps,
                interval_rps=point.throughput_ci_rps,
                mean_response_time_s=point.mean_response_time_s,
                generator_cpu=point.generator_cpu,
                server_cpu=point.server_cpu,
                overflows=point.listen_overflows,
                backlog=trial.server.backlog,
            )

    def _add(self, trial: Trial, users: int, by: str, **found: Any) -> None:
        server = versions().get((trial.server.architecture, trial.server.by), trial.server.by)
        self.tries.append(Tried(setup=trial.setup, users=users, by=by, server=server, **found))
        self.tell(self.found())

    def progress(self, stage: str, quiet_s: float | None = None) -> None:
        """How far it is."""
        gone, whole_s = time.monotonic() - self._began, self.lab.seconds
        left, done = max(0.0, whole_s - gone), min(1.0, gone / whole_s)
        self.tell(Progress(stage=stage, fraction=done, seconds_left=left, quiet_s=quiet_s))


def versions() -> dict[tuple[str, str], str]:
    """Every server here, with its version."""
    return {
        (each.architecture, each.by): f"{each.by} {each.version}"
        for each in available()
        if each.version
    }


def _cpu_s(pids: Sequence[int]) -> dict[int, float]:
    """CPU seconds of each process that is still there."""
    return dict(_readings(pids))


def _readings(pids: Sequence[int]) -> Iterator[tuple[int, float]]:
    for pid in pids:
        with contextlib.suppress(OSError, psutil.Error):
            yield pid, process_cpu_s(pid)


def _lower(remedy: str) -> str:
    """`Install it with: …` after a colon."""
    return remedy[:1].lower() + remedy[1:]


def in_a_line(tried: Tried) -> str:
    """A row for the terminal."""
    first = f"{tried.users:>4} users by {tried.by:<7}{tried.setup:<24}"
    if tried.missing:
        return f"{first} {tried.missing}"
    return (
        f"{first} {tried.throughput_rps:10.2f} req/s {1000 * tried.mean_response_time_s:10.2f} ms"
    )
