"""The lab of the load generators: whom does each of them measure, the server or itself?

One server and the same number of connections; Locust as the labs drive it, Locust as its manual
shows it in one process and in several, ApacheBench and wrk, one after the other. While each asks,
the CPU of both sides is measured. Everything stays on this machine.
"""

from __future__ import annotations

import os

from labs.host import hardware
from labs.kinds.base import LabKind
from labs.kinds.generators.instruments import FILE, SETTLE_S, TOOLS, Bench, Way, ways
from labs.kinds.generators.record import OURS, Generators, GeneratorsRun
from labs.load import tools
from labs.measure.rig import Rig
from labs.present.bet import Answer, Question
from labs.records.experiment import Load, Server
from labs.records.format import digits
from labs.records.server_facts import called
from labs.servers.catalogue import missing, row_of

USERS = 16
SECONDS = 3.0  # that each generator's requests and CPU are counted
STARTS_S = {"driver": 1.4, "plain": 3.5, "tool": 0.6}  # to start and to end one
MOST_PROCESSES = 8  # of plain Locust
OTHERS = 0.1  # of the machine used by anyone else: then the comparison is worth nothing


def process_counts(cores: int) -> tuple[int, ...]:
    """Choose numbers of Locust processes: 1, 2, and where there are more cores the largest power of
    two that has one for each, up to 8; on three cores 3."""
    most = max(2, min(cores, MOST_PROCESSES))
    powers = [2**n for n in range(most.bit_length())]
    return tuple(sorted({1, 2, *powers[-1:], most}))[:3]


class GeneratorsLab(LabKind[Generators]):
    """Load generators one after the other on the same server: what each says of it, and what it
    and the server use for a small file. Tools that are missing say so."""

    result = Generators
    each = "tool"

    def __init__(self, *, users: int = USERS, seconds: float = SECONDS) -> None:
        Load([users], seconds=seconds)  # refuses what is no number of users, or too long
        self.users, self._each_s = users, seconds
        self.given = {"users": users, "seconds": seconds}
        self.server = _server()
        self.ways = ways(process_counts(hardware.fingerprint().cores))
        here = (way.name for way in reversed(self.ways) if _here(way))
        self.question = _question(next(here, OURS))

    def about(self) -> str:
        names = ", ".join(way.name for way in self.ways)
        return (
            f"{self.server.architecture} by {called(self.server.by)} answers {self.users} "
            f"connections. They are kept busy by one load generator after the other ({names}), and "
            "the CPU of both sides is measured."
        )

    def seconds(self) -> float:
        return sum(self._of_s(way) for way in self.ways)

    def run(self, rig: Rig) -> Generators:
        rig.progress("starting the server")
        with rig.serve(self.server, page=FILE.page) as running:
            bench = Bench(rig, running, self.users, self._each_s)
            with bench.watching():
                gauges = []
                for number, way in enumerate(self.ways):
                    rig.expect(sum(self._of_s(each) for each in self.ways[number:]))
                    rig.measuring(f"{way.name} asks", self._of_s(way))
                    gauges.append(bench.measure(way))
                    running.check()
                    run = GeneratorsRun(recorded_at=rig.now(), gauges=tuple(gauges))
                    if run.measured:
                        rig.partial(self._found(rig, run))
        return self._found(rig, run)

    def matches(self, found: Generators) -> bool:
        return (found.workload, found.connections) == (FILE, self.users)

    def asks(self, found: Generators) -> Question:
        return _question(_rival(found))

    def answer(self, found: Generators) -> Answer:
        seen = {each.name: each.throughput_rps for each in found.run.measured}
        whole = found.run.gauges[-1].name == self.ways[-1].name  # else it was stopped
        if OURS not in seen or not whole:
            return Answer()
        return Answer(measured=seen[_rival(found)] / seen[OURS])

    def rejection(self, found: Generators) -> str:
        for each in found.runs[-1].gauges:
            if each.missing:
                return f"{each.name}: {each.missing}. The book quotes it."
            if each.failed:
                return f"{each.name}: {each.failed} requests failed."
            if each.others_cpu > OTHERS * found.machine.cores:
                return f"{each.name}: others used {each.others_cpu:.2f} cores meanwhile."
        return ""

    def _of_s(self, way: Way) -> float:
        return STARTS_S[way.kind] + self._each_s + SETTLE_S

    def _found(self, rig: Rig, run: GeneratorsRun) -> Generators:
        return Generators(
            server=self.server,
            workload=FILE,
            connections=self.users,
            machine=rig.machine,
            runs=(run,),
        )


def _question(rival: str) -> Question:
    return Question(
        words=f"how many times the throughput of one Locust will {rival} see, on this server",
        about=f"for {rival} over one Locust",
        unit="times",
        say=lambda value: f"{digits(value)} times",
    )


def _rival(found: Generators) -> str:
    """Name the last generator that measured something: the one to bet on against one Locust."""
    return found.run.measured[-1].name


def _here(way: Way) -> bool:
    if way.kind != "tool":
        return way.processes > 1
    return not tools.missing(TOOLS[way.name][0])


def _server() -> Server:
    """Choose nginx on a core of its own, where it is installed; else uvicorn."""
    cores = 1 if hasattr(os, "sched_setaffinity") else None
    nginx = Server("event-loop", by="nginx", cores=cores)
    return Server("event-loop", cores=cores) if missing(row_of(nginx), FILE.page) else nginx
