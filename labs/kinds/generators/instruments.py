"""Load generators as instruments: each is put before a running server, and both are watched."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from labs.analysis import window
from labs.host.hardware import cores
from labs.host.monitor import Sampler
from labs.host.programs import Program, named
from labs.kinds.generators.record import OURS, GeneratorResult, locusts
from labs.load import tools
from labs.load.locust import LoadFailed, address, command
from labs.measure.rig import Rig, split_cores
from labs.records.experiment import Load, Workload
from labs.records.snapshot import Usage
from labs.servers.serve import Running, free_port
from workloads.protocol import FAILED, OK

FILE = Workload(page="file", wait_cv=0.0)  # that each of them asks for
SETTLE_S = 0.5  # of load before anything is counted
LEAST_REQUESTS = 20
TOOLS: Mapping[str, tuple[Program, Callable[..., list[str]], Callable[[str], tools.Said]]] = {
    "ab": (tools.AB, tools.ab, tools.read_ab),
    "wrk": (tools.WRK, tools.wrk, tools.read_wrk),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Way to ask: a generator to be measured."""

    name: str
    kind: str  # driver, plain, tool
    processes: int = 1


def ways(processes: Sequence[int]) -> tuple[Way, ...]:
    """List our driver, plain Locust with these numbers of processes, ab and wrk."""
    plain = (Way(name=locusts(n), kind="plain", processes=n) for n in processes)
    others = (Way(name=tool, kind="tool") for tool in TOOLS)
    return (Way(name=OURS, kind="driver"), *plain, *others)


@dataclass(frozen=True, slots=True)
class Window:
    """Window in which a generator asked: who used what, and the CPU of the busiest process of
    either side, in cores."""

    begin: float  # time.perf_counter
    end: float
    used: Usage
    server_fullest: float
    generator_fullest: float

    def of(self, found: GeneratorResult) -> GeneratorResult:
        """Give a generator's result its CPU, in cores."""
        used = self.used
        busy = used.busy_cpu + used.steal_cpu
        return replace(
            found,
            seconds=used.seconds,
            server_cpu=used.server_cpu,
            generator_cpu=used.generator_cpu,
            server_fullest=self.server_fullest,
            generator_fullest=self.generator_fullest,
            others_cpu=used.others_cpu + used.steal_cpu,
            # Interrupts are in none of `busy`, and in the clocks of whoever was interrupted.
            busy=min(1.0, max(busy, used.server_cpu + used.generator_cpu) / cores()),
        )


class Bench:
    """A server that answers, and the generators that are put before it in turn."""

    _sampler: Sampler  # while `watching`

    def __init__(self, rig: Rig, running: Running, users: int, seconds: float) -> None:
        self.rig, self.running, self.users, self.seconds = rig, running, users, seconds
        self.url = address(running.url, FILE, 0.0)
        self._pids: Callable[[], list[int]] = list

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Sample both sides until the block ends."""
        with Sampler(
            server=self.running.pids,
            generator=lambda: self._pids(),
            on_event=self.rig.on_event,
        ) as self._sampler:
            self._sampler.users = self.users
            yield

    def measure(self, way: Way) -> GeneratorResult:
        """Measure a generator, or say that it is missing."""
        try:
            if way.kind == "driver":
                return self._by_driver()
            if way.kind == "plain":
                return self._by_locust(way.processes)
            return self._by_tool(way.name)
        finally:
            self._pids = list

    def _by_driver(self) -> GeneratorResult:
        """Measure Locust as the labs drive it."""
        with self.rig.drive(self.running, Load([self.users]), FILE) as driver:
            self._pids = driver.pids
            driver.open(self.users, 0.0)
            self.rig.pause(SETTLE_S)
            since = len(driver.records())
            asking = self._window()
            self.rig.pause(SETTLE_S)  # so that most of what was asked in the window is answered
            driver.check()
            report = driver.report(since)
            driver.open(0, 0.0)
        records, begin, end = report.records, asking.begin, asking.end
        done = records[records["kind"] == OK]
        started = np.array([start for start in report.flying.values() if start < end], dtype=float)
        counted = window.count(
            done["start"], done["end"], started, begin=begin, end=end, now=report.at
        )
        if counted.completed < LEAST_REQUESTS:
            raise LoadFailed(f"The load generator made {counted.completed:.0f} requests only.")
        return asking.of(
            GeneratorResult(
                name=OURS,
                program=tools.locust_version(),
                command=tools.shown(command(self.running.url, self.users)),
                requests=round(counted.completed),
                failed=int((records["kind"] == FAILED).sum()),
                throughput_rps=counted.throughput_rps,
                mean_response_time_s=counted.mean_response_time_s,
            )
        )

    def _by_locust(self, processes: int) -> GeneratorResult:
        """Measure plain Locust, with so many processes, below a master if more than one."""
        with free_port() as port:
            argv = tools.locust(
                self.url, self.users, seconds=self.seconds, processes=processes, port=port
            )
            with tools.run(
                argv, self.url, env=tools.locust_page(self.url), cores=self._cores(processes)
            ) as tool:
                self._pids = tool.pids
                tool.wait_for(tools.SPAWNED, tools.START_S, self.rig.stop)
                self.rig.pause(SETTLE_S)
                asking = self._window()
                said = tools.read_locust(tool.wait(tools.LATE_S, self.rig.stop))
        program = tools.locust_version()
        return asking.of(_result(locusts(processes), program, argv, said, processes))

    def _by_tool(self, name: str) -> GeneratorResult:
        """Measure ApacheBench or wrk, with one thread."""
        program, ask, read = TOOLS[name]
        argv = ask(self.url, self.users, seconds=self.seconds + SETTLE_S)
        if remedy := tools.missing(program):
            command = tools.shown(argv)
            return GeneratorResult(name=name, program=program.name, command=command, missing=remedy)
        with tools.run(argv, self.url, cores=self._cores()) as tool:
            self._pids = tool.pids
            self.rig.pause(SETTLE_S / 2)
            asking = self._window()
            said = read(tool.wait(tools.LATE_S, self.rig.stop))
        return asking.of(_result(name, named(program), argv, said))

    def _window(self) -> Window:
        """Let the generator ask for some seconds, and see who used what."""
        groups = self._sampler.server, self._sampler.generator
        before = self._sampler.snapshot()
        spent = [dict(group.used) for group in groups]
        self.rig.pause(self.seconds)
        after = self._sampler.snapshot()
        server, generator = (
            max((now - was.get(pid, 0.0) for pid, now in group.used.items()), default=0.0)
            for group, was in zip(groups, spent, strict=True)
        )
        used = before.until(after)
        each = server / used.seconds, generator / used.seconds
        return Window(before.at, after.at, used, *each)

    def _cores(self, processes: int = 1) -> Sequence[int] | None:
        """Choose the generator's cores: those that the server leaves, if they are enough."""
        _, others = split_cores(self.running.server)
        return others if others and processes <= len(others) else None


def _result(
    name: str, program: str, argv: list[str], said: tools.Said, processes: int = 1
) -> GeneratorResult:
    return GeneratorResult(
        name=name,
        program=program,
        command=tools.shown(argv),
        processes=processes,
        **asdict(said),
    )
