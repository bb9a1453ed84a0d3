"""The lab of the load generators: whom does each of them measure, the server or itself?

One server and the same number of connections; Locust as the labs drive it, Locust as its manual
shows it in one process and in several, ApacheBench and wrk, one after the other. While each asks,
the CPU of both sides is measured. Everything stays on this machine.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from labs.analysis.schedule import CALIBRATION_S
from labs.host import hardware
from labs.kinds.base import LabKind, arguments
from labs.kinds.generators.instruments import SETTLE_S, TOOLS, Bench, Way, ways
from labs.kinds.generators.record import OURS, Generators, GeneratorsRun
from labs.load import tools
from labs.measure.rig import Rig
from labs.present.bet import Answer, Question
from labs.records.errors import Unusable, instance
from labs.records.experiment import Load, Server, Workload
from labs.records.format import digits
from labs.records.results import Machine
from labs.records.server_facts import called
from labs.servers.catalogue import missing, row_of
from labs.servers.serve import check

SERVERS = ("nginx", "uvicorn")  # the first that is here
FILE = Workload(page="file", wait_cv=0.0)
USERS = 16
SECONDS = 3.0  # that each generator's requests and CPU are counted
STARTS_S = {"driver": 1.4, "plain": 3.5, "tool": 0.6}  # to start and to end one
MOST_PROCESSES = 8  # of plain Locust
OTHERS = 0.1  # of the machine used by anyone else: then the comparison is worth nothing


def process_counts(cores: int) -> tuple[int, ...]:
    """Numbers of Locust processes: 1, 2, and where there are more cores the largest power of two
    that has one for each, up to 8; on three cores 3."""
    most = max(2, min(cores, MOST_PROCESSES))
    powers = [2**n for n in range(most.bit_length())]
    return tuple(sorted({1, 2, *powers[-1:], most}))[:3]


class GeneratorsLab(LabKind[Generators]):
    """Load generators one after the other on the same server: what each says of it, and what it
    and the server use. Without a server, of a small file; tools that are missing say so."""

    result = Generators
    each = "tool"

    def __init__(
        self,
        server: Server | None = None,
        workload: Workload | None = None,
        *,
        users: int | None = None,
        seconds: float = SECONDS,
        which: Sequence[Way] | None = None,
    ) -> None:
        self.given = arguments(locals())
        if server is not None:
            instance("server", server, Server, "Give a Server(…).")
        if workload is not None:
            instance("workload", workload, Workload, "Give a Workload(…).")
        asked = workload or FILE
        if asked.cpu_by != "counting" or asked.wait_by != "sleep":
            raise Unusable("generators: all of them ask for a sleep and for counting only.")
        self.users, self._each_s = USERS if users is None else users, seconds
        Load([self.users], seconds=seconds)  # refuses what is no number of users, or too long
        self.workload = replace(asked, cpu_cv=0.0, wait_cv=0.0)  # tools ask for one page
        self.server = server or _first(self.workload)
        self.any_server = server is None
        self.ways = tuple(which or ways(process_counts(hardware.fingerprint().cores)))
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
        burn_s = CALIBRATION_S if self.workload.cpu_s else 0.0
        return burn_s + sum(self._of_s(way) for way in self.ways)

    def check(self, machine: Machine) -> None:
        check(self.server, machine, self.workload)

    def run(self, rig: Rig) -> Generators:
        rig.speed(self.server, self.workload)  # burned before anything runs
        rig.progress("starting the server")
        with rig.serve(self.server, page=self.workload.page) as running:
            bench = Bench(rig, running, self.workload, self.users, self._each_s)
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
        same = (found.workload, found.connections) == (self.workload, self.users)
        return same and (self.any_server or found.server == self.server)

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
            workload=self.workload,
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
    """The last generator that measured something: the one to bet on against one Locust."""
    return found.run.measured[-1].name


def _here(way: Way) -> bool:
    if way.kind != "tool":
        return way.processes > 1
    return not tools.missing(TOOLS[way.name][0])


def _first(workload: Workload) -> Server:
    """The first of the servers that is installed here and can do that, on a core of its own."""
    cores = 1 if hasattr(os, "sched_setaffinity") else None
    for by in SERVERS[:-1] if workload.page == "file" else ():
        server = Server("event-loop", by=by, cores=cores)
        if not missing(row_of(server), workload.page):
            return server
    return Server("event-loop", by=SERVERS[-1], cores=cores)
