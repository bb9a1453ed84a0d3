"""Load generators as instruments: each is put before a running server, and both are watched."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labs.analysis import window
from labs.host import hardware as this_machine
from labs.host.monitor import Sampler, sampling
from labs.host.supervisor import Stopped
from labs.kinds.generators.record import OURS, Gauge, locusts
from labs.load import tools
from labs.load.locust import LoadFailed, command, drive
from labs.measure.rig import split_cores
from labs.records.experiment import Load, Workload
from labs.records.requests import FAILED, OK
from labs.records.snapshot import Snapshot
from labs.servers.serve import Running, free_port

SETTLE_S = 0.5  # of load before anything is counted
LEAST_REQUESTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A generator to be measured, and about how long that takes."""

    name: str
    kind: str  # driver, plain, tool
    processes: int = 1
    tool: str = ""


def ways(processes: Sequence[int]) -> tuple[Way, ...]:
    """Our driver, plain Locust with these numbers of processes, ab and wrk."""
    plain = (Way(name=locusts(n), kind="plain", processes=n) for n in processes)
    others = (Way(name=tool, kind="tool", tool=tool) for tool in ("ab", "wrk"))
    return (Way(name=OURS, kind="driver"), *plain, *others)


@dataclass(frozen=True, slots=True)
class Use:
    """Two looks at the counters while a generator asked, and the CPU of the busiest process of
    either side in between, in cores."""

    before: Snapshot
    after: Snapshot
    server_fullest: float
    generator_fullest: float

    def of(self, gauge: Gauge) -> Gauge:
        """The gauge with its CPU, in cores."""
        length = self.after.at - self.before.at
        server = (self.after.server_s - self.before.server_s) / length
        generator = (self.after.generator_s - self.before.generator_s) / length
        busy = (self.after.busy_s - self.before.busy_s) / length
        own = (self.after.own_s - self.before.own_s) / length
        return replace(
            gauge,
            seconds=length,
            server_cpu=server,
            generator_cpu=generator,
            server_fullest=self.server_fullest,
            generator_fullest=self.generator_fullest,
            others_cpu=max(0.0, busy - server - generator - own),
            # Interrupts are in none of `busy`, and in the clocks of whoever was interrupted.
            busy=min(1.0, max(busy, server + generator) / this_machine.cores()),
        )


class Bench:
    """A server that answers, and the generators that are put before it in turn."""

    def __init__(
        self,
        running: Running,
        workload: Workload,
        loops_per_s: float,
        users: int,
        seconds: float,
        stop: threading.Event | None = None,
    ) -> None:
        self.running, self.workload, self.loops_per_s = running, workload, loops_per_s
        self.users, self.seconds = users, seconds
        self.stop = stop or threading.Event()
        loops = round(workload.cpu_s * loops_per_s)
        path = "/file" if workload.page == "file" else f"/?loops={loops}&wait={workload.wait_s:.6f}"
        self.url = running.url + path
        self._pids: Callable[[], list[int]] = list
        self._sampler: Sampler | None = None

    @contextlib.contextmanager
    def watching(self, tell: Callable[[Any], None] = lambda told: None) -> Iterator[None]:
        """Sample both sides until the block ends."""
        server = self.running
        with sampling(
            server=server.pids,
            generator=lambda: self._pids(),
            workers=lambda: None,
            tell=tell,
        ) as self._sampler:
            self._sampler.users = self.users
            yield

    def gauge(self, way: Way) -> Gauge:
        """Measure that generator, or say that it is missing."""
        try:
            if way.kind == "driver":
                return self.by_driver()
            if way.kind == "plain":
                return self.by_locust(way.processes)
            return self.by_tool(way.tool)
        finally:
            self._pids = list

    def by_driver(self) -> Gauge:
        """Locust as the labs drive it."""
        load = Load([self.users])
        with drive(self.running.url, load, cores=self._cores(), stop=self.stop) as driver:
            self._pids = driver.pids
            driver.ask_for(self.workload, self.loops_per_s)
            driver.open(self.users, 0.0)
            self._pause(SETTLE_S)
            since = len(driver.records())
            use = self._window()
            self._pause(SETTLE_S)  # so that most of what was asked in the window is answered
            driver.check()
            report = driver.report(since)
            driver.open(0, 0.0)
        records, begin, end = report.records, use.before.at, use.after.at
        done = records[records["kind"] == OK]
        started = np.array([start for start in report.flying.values() if start < end], dtype=float)
        counted = window.count(
            done["start"], done["end"], started, begin=begin, end=end, now=report.at
        )
        if counted.completed < LEAST_REQUESTS:
            raise LoadFailed(f"The load generator made {counted.completed:.0f} requests only.")
        return use.of(
            Gauge(
                name=OURS,
                program=tools.locust_version(),
                command=tools.shown(command(self.running.url, self.users)),
                requests=round(counted.completed),
                failed=int((records["kind"] == FAILED).sum()),
                throughput_rps=counted.throughput_rps,
                mean_response_time_s=counted.mean_response_time_s,
            )
        )

    def by_locust(self, processes: int) -> Gauge:
        """Plain Locust, with so many processes below a master of its own if more than one."""
        with free_port() as held:
            port = held.getsockname()[1]
            argv = tools.locust(
                self.url, self.users, seconds=self.seconds, processes=processes, port=port
            )
            with tools.run(
                argv, self.url, env=tools.locust_page(self.url), cores=self._cores(processes)
            ) as tool:
                self._pids = tool.pids
                tool.wait_for(tools.SPAWNED, tools.START_S, self.stop)
                self._pause(SETTLE_S)
                use = self._window()
                said = tools.read_locust(tool.wait(tools.LATE_S, self.stop))
        program = tools.locust_version()
        return use.of(_gauge(locusts(processes), program, argv, said, processes=processes))

    def by_tool(self, name: str) -> Gauge:
        """ApacheBench or wrk, with one thread."""
        long_s = self.seconds + SETTLE_S
        program = tools.AB if name == "ab" else tools.WRK
        ask = tools.ab if name == "ab" else tools.wrk
        argv = ask(self.url, self.users, seconds=long_s)
        if remedy := tools.missing(program):
            return Gauge(name=name, program=program.name, command=tools.shown(argv), missing=remedy)
        with tools.run(argv, self.url, cores=self._cores()) as tool:
            self._pids = tool.pids
            self._pause(SETTLE_S / 2)
            use = self._window()
            text = tool.wait(tools.LATE_S, self.stop)
        said = tools.read_ab(text) if name == "ab" else tools.read_wrk(text)
        return use.of(_gauge(name, tools.version_of(program), argv, said))

    def _window(self) -> Use:
        """Let it ask for some seconds, and see who used what."""
        assert self._sampler is not None
        groups = self._sampler.server, self._sampler.generator
        before = self._sampler.snapshot()
        used = [dict(group.used) for group in groups]
        self._pause(self.seconds)
        after = self._sampler.snapshot()
        server, generator = (
            max((now - was.get(pid, 0.0) for pid, now in group.used.items()), default=0.0)
            for group, was in zip(groups, used, strict=True)
        )
        length = after.at - before.at
        return Use(before, after, server / length, generator / length)

    def _cores(self, processes: int = 1) -> Sequence[int] | None:
        """For the generator: those that the server leaves, if it leaves enough of them."""
        _, others = split_cores(self.running.server)
        return others if others and processes <= len(others) else None

    def _pause(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise Stopped


def _gauge(
    name: str,
    program: str,
    argv: list[str],
    said: tools.Said,
    *,
    processes: int = 1,
) -> Gauge:
    return Gauge(
        name=name,
        program=program,
        command=tools.shown(argv),
        processes=processes,
        requests=said.requests,
        failed=said.failed,
        throughput_rps=said.throughput_rps,
        mean_response_time_s=said.mean_response_time_s,
    )
