"""The lab of the load generators: whom does each of them measure, the server or itself?

One server and the same number of connections; Locust as the labs drive it, Locust as its manual
shows it in one process and in several, ApacheBench and wrk, one after the other. While each asks,
the CPU of both sides is measured. Everything stays on this machine.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from labs.host import hardware as this_machine
from labs.host.lock import turn
from labs.kinds.base import Still
from labs.kinds.generators.instruments import SETTLE_S, Bench, Way, ways
from labs.kinds.generators.record import OURS, Gauge, Gauges, GaugesRun
from labs.load import tools
from labs.measure.calibration import calibrate, language_of
from labs.measure.rig import Progress, split_cores
from labs.present.verdict import Question
from labs.records.errors import Unusable
from labs.records.experiment import Load, Server, Workload
from labs.records.format import digits
from labs.records.results import Machine
from labs.servers.catalogue import kind_of, missing
from labs.servers.serve import check, serve

SERVERS = ("nginx", "uvicorn")  # the first that is here
FILE = Workload(page="file", wait_cv=0.0)
USERS = 16
SECONDS = 3.0  # that each generator's requests and CPU are counted
REDUCED_S = 1.0
STARTS_S = {"driver": 1.4, "plain": 3.5, "tool": 0.6}  # to start and to end one
BURN_S = 1.0
MOST_PROCESSES = 8  # of plain Locust
OTHERS = 0.1  # of the machine used by anyone else: then the comparison is worth nothing


def process_counts(cores: int) -> tuple[int, ...]:
    """1, 2, 4, ... Locust processes, up to the cores that there are; at least two."""
    most = max(2, min(cores, MOST_PROCESSES))
    powers = [2**n for n in range(most.bit_length())]
    return tuple(sorted({1, 2, *powers[-1:], most}))[:3]


class Gauging(Still[Gauges]):
    """Load generators on the same server."""

    result = Gauges

    def __init__(
        self,
        server: Server | None = None,
        workload: Workload = FILE,
        *,
        users: int = USERS,
        seconds: float = SECONDS,
        which: Sequence[Way] | None = None,
    ) -> None:
        if workload.cpu_by != "counting" or workload.wait_by != "sleep":
            raise Unusable("generators: all of them ask for a sleep and for counting only.")
        Load([users])  # refuses what is no number of users
        self.workload = replace(workload, cpu_cv=0.0, wait_cv=0.0)  # tools ask for one page
        self.server = server or _first(self.workload)
        self.any_server = server is None
        self.users, self._each_s = users, seconds
        self.ways = tuple(which or ways(process_counts(this_machine.fingerprint().cores)))
        self.seconds = sum(STARTS_S[way.kind] + seconds + SETTLE_S for way in self.ways)
        self.seconds += BURN_S if self.workload.cpu_s else 0.0
        names = ", ".join(way.name for way in self.ways)
        self.about = (
            f"{self.server.architecture} by {self.server.by} answers {users} connections. They "
            f"are kept busy by one load generator after the other ({names}), and the CPU of both "
            "sides is measured."
        )
        rival = next((way.name for way in reversed(self.ways) if _here(way)), OURS)
        self.rival = rival
        self.question = Question(
            words=f"how many times the throughput of one Locust will {rival} see, on this server",
            about=f"for {rival} over one Locust",
            unit="times",
            say=lambda value: f"{digits(value)} times",
        )

    def measure(self, tell: Callable[[Any], None], stop: threading.Event) -> Gauges:
        """One round; after each generator, tells what it has so far."""
        here = this_machine.fingerprint()
        check(self.server, here, self.workload)
        begin = time.monotonic()
        found: list[Gauge] = []

        def progress(stage: str) -> None:
            gone = time.monotonic() - begin
            left = max(0.0, self.seconds - gone)
            tell(Progress(stage=stage, fraction=min(1.0, gone / self.seconds), seconds_left=left))

        with contextlib.ExitStack() as stack:
            stack.enter_context(turn(lambda: progress("waiting: another page measures"), stop))
            begin = time.monotonic()
            loops_per_s = 0.0
            if self.workload.cpu_s:
                progress("calibrating: how fast is a core right now?")
                language = language_of(self.server, self.workload)
                loops_per_s = calibrate(here, language=language, stop=stop).loops_per_s[0]
            progress("starting the server")
            page = self.workload.page
            cores, _ = split_cores(self.server)
            running = stack.enter_context(serve(self.server, cores=cores, page=page, stop=stop))
            bench = Bench(running, self.workload, loops_per_s, self.users, self._each_s, stop)
            stack.enter_context(bench.watching(tell))
            for way in self.ways:
                progress(f"{way.name} asks")
                found.append(bench.gauge(way))
                running.check()
                if any(not gauge.missing for gauge in found):
                    tell(self._found(here, found))
        return self._found(here, found)

    def _found(self, here: Machine, gauges: Sequence[Gauge]) -> Gauges:
        when = datetime.now(UTC).isoformat(timespec="seconds")
        return Gauges(
            server=self.server,
            workload=self.workload,
            connections=self.users,
            machine=here,
            runs=(GaugesRun(recorded_at=when, gauges=tuple(gauges)),),
        )

    def asked_of(self, found: Gauges) -> bool:
        same = (found.workload, found.connections) == (self.workload, self.users)
        return same and (self.any_server or found.server == self.server)

    def answer(self, found: Gauges) -> tuple[float | None, float | None]:
        try:
            ours, rival = found.gauge(OURS), found.gauge(self.rival)
        except KeyError:
            return None, None
        return None, rival.throughput_rps / ours.throughput_rps if not rival.missing else None

    def unfit(self, found: Gauges) -> str:
        for gauge in found.runs[-1].gauges:
            if gauge.missing:
                return f"{gauge.name}: {gauge.missing}. The book quotes it."
            if gauge.failed:
                return f"{gauge.name}: {gauge.failed} requests failed."
            if gauge.others_cpu > OTHERS * found.machine.cores:
                return f"{gauge.name}: others used {gauge.others_cpu:.2f} cores meanwhile."
        return ""

    def reduced(self) -> Gauging:
        few = [way for way in self.ways if way.name != "1 locust"]
        chosen = [way for way in few if way.processes <= 2]
        return Gauging(
            None if self.any_server else self.server,
            self.workload,
            users=self.users,
            seconds=REDUCED_S,
            which=chosen,
        )


def _here(way: Way) -> bool:
    if way.kind != "tool":
        return way.processes > 1
    return not tools.missing(tools.AB if way.tool == "ab" else tools.WRK)


def _first(workload: Workload) -> Server:
    """The first of the servers that is installed here and can do that, on a core of its own."""
    cores = 1 if hasattr(os, "sched_setaffinity") else None
    for by in SERVERS[:-1] if workload.page == "file" else ():
        server = Server("event-loop", by=by, cores=cores)
        if not missing(kind_of(server), workload.page):
            return server
    return Server("event-loop", by=SERVERS[-1], cores=cores)
