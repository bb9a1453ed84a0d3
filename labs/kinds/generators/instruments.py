"""Load generators as instruments: each is put before a running server, and both are watched."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict

from labs.host.hardware import cores
from labs.host.monitor import Sampler
from labs.host.programs import Program, named
from labs.kinds.generators.record import LOCUSTS, GeneratorResult
from labs.load import tools
from labs.load.locust import address
from labs.measure.rig import Rig, split_cores
from labs.records.experiment import Workload
from labs.servers.serve import Running, free_port

FILE = Workload(page="file", wait_cv=0.0)  # that each of them asks for
SETTLE_S = 0.5  # of load before anything is counted
TOOLS: Mapping[str, tuple[Program, Callable[..., list[str]], Callable[[str], tools.Said]]] = {
    "ab": (tools.AB, tools.ab, tools.read_ab),
    "wrk": (tools.WRK, tools.wrk, tools.read_wrk),
}


WAYS = (*LOCUSTS, *TOOLS)


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

    def measure(self, name: str) -> GeneratorResult:
        """Measure a generator, or say that it is missing."""
        try:
            return self._by_locust(name) if name in LOCUSTS else self._by_tool(name)
        finally:
            self._pids = list

    def _by_locust(self, name: str) -> GeneratorResult:
        """Measure Locust as its manual shows it, below a master if it has several processes."""
        processes = LOCUSTS[name]
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
        return _result(name, tools.locust_version(), argv, said, asking, processes)

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
        return _result(name, named(program), argv, said, asking)

    def _window(self) -> dict[str, float]:
        """Let the generator ask for some seconds, and see who used what: fields of a result."""
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
        # Interrupts are in none of `busy_cpu`, and in the clocks of whoever was interrupted.
        busy = max(used.busy_cpu + used.steal_cpu, used.server_cpu + used.generator_cpu)
        return {
            "seconds": used.seconds,
            "server_cpu": used.server_cpu,
            "generator_cpu": used.generator_cpu,
            "server_fullest": server / used.seconds,
            "generator_fullest": generator / used.seconds,
            "others_cpu": used.others_cpu + used.steal_cpu,
            "busy": min(1.0, busy / cores()),
        }

    def _cores(self, processes: int = 1) -> Sequence[int] | None:
        """Choose the generator's cores: those that the server leaves, if they are enough."""
        _, others = split_cores(self.running.server)
        return others if others and processes <= len(others) else None


def _result(
    name: str,
    program: str,
    argv: list[str],
    said: tools.Said,
    asking: dict[str, float],
    processes: int = 1,
) -> GeneratorResult:
    return GeneratorResult(
        name=name,
        program=program,
        command=tools.shown(argv),
        processes=processes,
        **(asdict(said) | asking),  # in the seconds of the window, not of all it asked
    )
