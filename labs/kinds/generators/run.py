"""The lab of the load generators: whom does each of them measure, the server or itself?

One server and the same number of connections; Locust in one process and in two, ApacheBench and
wrk, one after the other. While each asks, the CPU of both sides is measured. Everything stays on
this machine.
"""

from __future__ import annotations

import os

from labs.kinds.base import LabKind
from labs.kinds.generators.instruments import FILE, SETTLE_S, TOOLS, WAYS, Bench
from labs.kinds.generators.record import LOCUST, LOCUSTS, Generators, GeneratorsRun
from labs.load import tools
from labs.measure.rig import Rig
from labs.present.bet import Answer, Question
from labs.records.experiment import Load, Server
from labs.records.format import digits
from labs.records.server_facts import called
from labs.servers.catalogue import missing, row_of

USERS = 16
SECONDS = 3.0  # that each generator's requests and CPU are counted
LOCUST_STARTS_S, TOOL_STARTS_S = 3.5, 0.6  # to start and to end one
OTHERS = 0.1  # of the machine used by anyone else: then the comparison is worth nothing


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
        here = (name for name in WAYS if name in LOCUSTS or not tools.missing(TOOLS[name][0]))
        self.question = _question([*here][-1])

    def about(self) -> str:
        return (
            f"{self.server.architecture} by {called(self.server.by)} answers {self.users} "
            f"connections. They are kept busy by one load generator after the other "
            f"({', '.join(WAYS)}), and the CPU of both sides is measured."
        )

    def seconds(self) -> float:
        return sum(map(self._of_s, WAYS))

    def run(self, rig: Rig) -> Generators:
        rig.progress("starting the server")
        with rig.serve(self.server, page=FILE.page) as running:
            bench = Bench(rig, running, self.users, self._each_s)
            with bench.watching():
                gauges = []
                for number, name in enumerate(WAYS):
                    rig.expect(sum(map(self._of_s, WAYS[number:])))
                    rig.measuring(f"{name} asks", self._of_s(name))
                    gauges.append(bench.measure(name))
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
        whole = found.run.gauges[-1].name == WAYS[-1]  # else it was stopped
        if LOCUST not in seen or not whole:
            return Answer()
        return Answer(measured=seen[_rival(found)] / seen[LOCUST])

    def rejection(self, found: Generators) -> str:
        for each in found.runs[-1].gauges:
            if each.missing:
                return f"{each.name}: {each.missing}. The book quotes it."
            if each.failed:
                return f"{each.name}: {each.failed} requests failed."
            if each.others_cpu > OTHERS * found.machine.cores:
                return f"{each.name}: others used {each.others_cpu:.2f} cores meanwhile."
        return ""

    def _of_s(self, name: str) -> float:
        starts_s = LOCUST_STARTS_S if name in LOCUSTS else TOOL_STARTS_S
        return starts_s + self._each_s + SETTLE_S

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


def _server() -> Server:
    """Choose nginx on a core of its own, where it is installed; else uvicorn."""
    cores = 1 if hasattr(os, "sched_setaffinity") else None
    nginx = Server("event-loop", by="nginx", cores=cores)
    return Server("event-loop", cores=cores) if missing(row_of(nginx), FILE.page) else nginx
