"""The sources' experiments, made again on the very servers that they used.

Apache with its prefork workers and PHP inside for S1 and S2, prefork and worker for S4, PHP behind
a web server for S5; by ApacheBench, as they did, and by Locust. A server or a tool that is
missing makes its rows say so. What each source printed is in `labs.kinds.classics.published`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from labs.analysis.schedule import CALIBRATION_S
from labs.host.monitor import Sampler
from labs.host.programs import PHP, lacking
from labs.kinds.base import LabKind
from labs.kinds.classics.published import QUEUE_OF_128, S1, S2, S4, S5, TABLES
from labs.kinds.classics.record import AB, LOCUST, Replication, ReplicationRun, Tried
from labs.kinds.sweep.walk import sweep
from labs.load import tools
from labs.load.locust import address
from labs.measure.rig import Rig, Unit
from labs.records.errors import choice
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.servers.catalogue import missing, row_of
from labs.servers.serve import Running, available

FILE_S = 2.0  # that ab asks for a file: as some 10,000 requests of S4 took it
LONG = 4096  # places in a listen queue: nobody finds it full
LOOK_S = 0.02
START_S = 2.0  # for a server to begin and to end
ALIKE = (  # what a try and a point call the same
    "failed", "seconds", "throughput_rps", "mean_response_time_s", "generator_cpu", "server_cpu",
    "others_cpu", "never_served",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One server of a source, and what is tried on it."""

    setup: str = ""
    server: Server
    workload: Workload
    ab: Mapping[int, int] = field(default_factory=dict)  # users -> requests; 0: for `FILE_S`
    locust: Sequence[int] = ()  # users
    row_s: float  # seconds that a row takes, on average (seen on 2 cores)

    @property
    def seconds(self) -> float:
        """Estimate the seconds that the trial takes."""
        return START_S + self.row_s * (len(self.ab) + len(self.locust))


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
            server=_apache(32),
            workload=BURN,
            ab={1: 25, 2: 60, 3: 60, 4: 60, 8: 60},
            locust=(1, 2, 3, 4, 8),
            row_s=5.6,
        ),
    ),
    "s2": (
        Trial(
            server=_apache(256, backlog=LONG),
            workload=SLEEP,
            ab={4: 80, 8: 160, 32: 640, 128: 2560, 256: 5120, 512: 10_000},
            locust=(4, 8, 32, 128, 256, 512),
            row_s=3.8,
        ),
        Trial(
            setup=QUEUE_OF_128,
            server=_apache(256, backlog=128),
            workload=SLEEP,
            ab={512: 10_000},
            row_s=14.0,
        ),
    ),
    "s4": tuple(
        Trial(
            setup=setup,
            server=server,
            workload=FILE,
            ab=dict.fromkeys(FILE_USERS, 0),
            locust=FILE_USERS,
            row_s=2.1,
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
            row_s=11.0,
        )
        for setup, workers, users in (("2 workers", 2, (1, 2, 4)), ("4 workers", 4, (4,)))
    ),
}


class ClassicLab(LabKind[Replication]):
    """The experiment of a source, s1, s2, s4 or s5, made again on the servers that it used.
    `make classics` records them; see `labs.kinds.classics.run`."""

    result = Replication
    rounds = 1
    recorded_by = "make classics"

    def __init__(self, source: str, trials: Sequence[Trial] | None = None) -> None:
        choice("source", source, tuple(TABLES))
        self.classic = source
        self.trials = tuple(TRIALS[source] if trials is None else trials)

    def about(self) -> str:
        servers = dict.fromkeys(
            f"{trial.server.architecture} by {trial.server.by}" for trial in self.trials
        )
        return (
            f"The experiment of {self.classic.upper()}, made again on {' and '.join(servers)}, by "
            "ApacheBench and by Locust."
        )

    def seconds(self) -> float:
        return CALIBRATION_S + sum(trial.seconds for trial in self.trials)

    def run(self, rig: Rig) -> Replication:
        round = Round(self, rig)
        for number, trial in enumerate(self.trials, 1):
            round.make(trial, later_s=sum(each.seconds for each in self.trials[number:]))
        return round.found()

    def at_scale(self, cores: int) -> Self:
        """Add rows beyond the bend to S1, which ends at eight users, on more than four cores."""
        more = [users for users in (cores, 2 * cores) if users > 8]
        if self.trials != TRIALS["s1"] or not more:
            return self
        (trial,) = self.trials
        rounds = trial.ab[8] / 8
        pool = replace(trial.server, processes=max(trial.server.processes, 2 * cores))
        own = replace(trial, server=pool, locust=(*trial.locust, *more))
        asked = {**trial.ab, **{users: round(rounds * users) for users in more}}
        return type(self)(self.classic, (replace(own, ab=asked),))

    def matches(self, found: Replication) -> bool:
        return found.classic == self.classic

    def rejection(self, found: Replication) -> str:
        return next((each.missing for each in found.runs[-1].tries if each.missing), "")

    def in_a_line(self, found: Replication) -> str:
        """Say the newest row in a line."""
        tried = found.run.tries[-1]
        first = f"{tried.users:>4} users by {tried.by:<7}{tried.setup:<24}"
        if tried.missing:
            return f"{first} {tried.missing}"
        mean_ms = 1000 * tried.mean_response_time_s
        return f"{first} {tried.throughput_rps:10.2f} req/s {mean_ms:10.2f} ms"


class Round:
    """One round of a source's experiment, as far as it is."""

    def __init__(self, lab: ClassicLab, rig: Rig) -> None:
        """Begin with a burn: how fast is PHP? Where there is none, the servers say so."""
        self.lab, self.rig = lab, rig
        self.burned = rig.calibrate(Unit(language="Python" if lacking(PHP) else "PHP"))
        self.versions = {
            (each.architecture, each.by): f"{each.by} {each.version}"
            for each in available()
            if each.version
        }
        self.tries: list[Tried] = []

    def found(self) -> Replication:
        """Make a result of the rows there are."""
        run = ReplicationRun(
            recorded_at=self.rig.now(),
            capacity=self.burned.capacity,
            tries=tuple(self.tries),
        )
        return Replication(classic=self.lab.classic, machine=self.rig.machine, runs=(run,))

    def make(self, trial: Trial, later_s: float) -> None:
        """Try every row of one server, by ab and by Locust."""
        if remedy := missing(row_of(trial.server), trial.workload.page):
            said = f"{trial.server.by}: {remedy[:1].lower()}{remedy[1:]}"
            for by, users in [*((AB, n) for n in trial.ab), *((LOCUST, n) for n in trial.locust)]:
                self._add(trial, users, by, missing=said)
            return
        if remedy := tools.missing(tools.AB):
            for users in trial.ab:
                self._add(trial, users, AB, missing=f"ab: {remedy}")
        else:
            self._by_ab(trial)
        if trial.locust:
            self._by_locust(trial, later_s)

    def _by_ab(self, trial: Trial) -> None:
        with self.rig.serve(trial.server, page=trial.workload.page) as running:
            url = address(running.url, trial.workload, self.burned.loops_per_s[0])
            for users in trial.ab:
                stage = f"{trial.setup} {users} users by ab".strip()
                self.rig.measuring(stage, trial.row_s)
                self._one_by_ab(trial, users, running, url)
                running.check()

    def _one_by_ab(self, trial: Trial, users: int, running: Running, url: str) -> None:
        requests = trial.ab[users]
        argv = tools.ab(
            url,
            users,
            requests=requests or tools.MOST_REQUESTS,
            seconds=None if requests else FILE_S,
            keep_alive=False,
        )
        asking: list[tools.Tool] = []
        sampler = Sampler(
            server=running.pids,
            generator=lambda: [pid for tool in asking for pid in tool.pids()],
            on_event=self.rig.on_event,
        )
        before = sampler.snapshot()
        with tools.run(argv, url) as tool:
            asking.append(tool)

            def over() -> bool:
                if tool.process.poll() is not None:
                    return True
                sampler.generator.count()
                sampler.generator.cpu_s()  # kept, for when it is gone
                return False

            self.rig.until(over, trial.row_s + tools.LATE_S, every_s=LOOK_S)
            used = before.until(sampler.snapshot())
            said = tools.read_ab(tool.wait(1.0))
        self._add(
            trial,
            users,
            AB,
            command=tools.shown(argv),
            **asdict(said),
            generator_cpu=used.generator_cpu,
            server_cpu=used.server_cpu,
            others_cpu=used.others_cpu,
            overflows=used.listen_overflows,
        )

    def _by_locust(self, trial: Trial, later_s: float) -> None:
        """Try a server's rows by Locust, with the labs' own protocol, not keeping connections."""
        load = Load(trial.locust, keep_alive=False)
        part = self.rig.part(f"{trial.setup} by Locust".strip(), later_s=later_s)
        part.expect(trial.row_s * len(trial.locust))
        for point in sweep(part, Experiment(trial.server, trial.workload, load)).points:
            self._add(
                trial,
                point.users,
                LOCUST,
                requests=round(point.completed),
                overflows=point.listen_overflows,
                **{name: getattr(point, name) for name in ALIKE},
            )

    def _add(self, trial: Trial, users: int, by: str, **found: Any) -> None:
        server = self.versions.get((trial.server.architecture, trial.server.by), trial.server.by)
        if "missing" not in found:
            found["backlog"] = trial.server.backlog
        self.tries.append(Tried(setup=trial.setup, users=users, by=by, server=server, **found))
        self.rig.partial(self.found())
