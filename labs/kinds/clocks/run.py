"""One request, three clocks: on the wall, on the server's CPU, and the wait in between.

A page is fetched several times, one request at a time, and the server's CPU clocks are read
just before and after. Beside it: what `time curl` tells, which is curl's own CPU time.
"""

from __future__ import annotations

import contextlib
import http.client
import math
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Mapping

import psutil

from labs.host.monitor import process_cpu_s
from labs.host.supervisor import unsettled
from labs.host.waiting import Stopped, readable, wait_until
from labs.kinds.base import LabKind
from labs.kinds.clocks.record import ClientClock, Clocks, ClocksRun, PageClock
from labs.load.locust import address
from labs.measure.rig import Rig
from labs.present.bet import Answer, Question
from labs.records.errors import ServerFailed
from labs.records.experiment import Server, Workload
from labs.records.format import duration, percent
from labs.servers.serve import Running

PAGES = {
    "burn": Workload(cpu_s=0.05, wait_cv=0.0),
    "sleep": Workload(wait_s=0.2, wait_cv=0.0),
    "both": Workload(cpu_s=0.05, wait_s=0.15, wait_cv=0.0),
}
BOTH = PAGES["both"]
SERVER = Server("prefork")
FETCHES = 10  # of each page
CURLS = 3  # of each page
STARTUP_S = 2.0
LOOK_S = 0.05  # how often a waiting client looks whether it was stopped
LONGEST_S = 5.0  # for an answer, and so until a stop is heeded


class ClocksLab(LabKind[Clocks]):
    """One request, three clocks: pages that burn, sleep, or do both."""

    result = Clocks
    pages: Mapping[str, Workload] = PAGES
    question = Question(
        words=f"for what part of the wall time of “both” ({duration(BOTH.cpu_s)} of CPU, "
        f"{duration(BOTH.wait_s)} of waiting) will a core work",
        about="of the wall time of “both”",
        unit="%",
        scale=100.0,
        say=percent,
    )

    def about(self) -> str:
        return (
            f"One worker answers {FETCHES} requests to each of its pages "
            f"({', '.join(self.pages)}), one at a time, while three clocks run: on the wall, on "
            "the server's CPU, and the client's own."
        )

    def seconds(self) -> float:
        once = sum(page.cpu_s + page.wait_s for page in self.pages.values())
        return STARTUP_S + once * (FETCHES + CURLS + 1)

    def run(self, rig: Rig) -> Clocks:
        """Fetch each page in turn, several times, then each by another program."""
        paths = {
            name: address("", page, rig.speed(SERVER, page)) for name, page in self.pages.items()
        }
        rig.progress("starting the server")
        with rig.serve(SERVER) as running:
            fetched: dict[str, list[tuple[float, float]]] = {name: [] for name in paths}
            for number in range(-1, FETCHES):  # the first round warms up
                left_s = (self.seconds() - STARTUP_S) * (1 - (number + 1) / (FETCHES + 1))
                rig.expect(left_s)
                rig.measuring("each page in turn", left_s)
                for name, path in paths.items():
                    found = _fetch(running, path, rig.stop)
                    if number >= 0:
                        fetched[name].append(found)
            measured = tuple(
                PageClock(
                    name=name,
                    workload=self.pages[name],
                    wall_s=tuple(wall_s for wall_s, _ in fetched[name]),
                    cpu_s=tuple(cpu_s for _, cpu_s in fetched[name]),
                    client=_client(running.url + path, rig.stop),
                )
                for name, path in paths.items()
            )
        run = ClocksRun(recorded_at=rig.now(), pages=measured)
        return Clocks(server=SERVER, machine=rig.machine, runs=(run,))

    def matches(self, found: Clocks) -> bool:
        """Whether what was found is of these pages."""
        return {page.name: page.workload for page in found.run.pages} == self.pages

    def answer(self, found: Clocks) -> Answer:
        """Answer by the law that wall time is CPU time and waiting."""
        part = BOTH.cpu_s / (BOTH.cpu_s + BOTH.wait_s)
        return Answer(part, found.page("both").cpu_fraction)


def _fetch(running: Running, path: str, stop: threading.Event) -> tuple[float, float]:
    """Fetch once, on an own connection, timed from the first byte sent to the last read: wall time,
    and CPU time of the server's processes."""
    connection = http.client.HTTPConnection(running.host, running.port, timeout=LONGEST_S)
    with contextlib.closing(connection):
        cpu_s, begin = _used_s(running), time.perf_counter()
        try:
            connection.request("GET", path)
            answers = connection.sock.fileno()
            wait_until(lambda: readable(answers, LOOK_S), math.inf, every_s=0.0, stop=stop)
            response = connection.getresponse()
            response.read()
        except OSError as error:
            raise ServerFailed(f"The server broke off: {error}.\n{running.log()}") from None
        wall_s = time.perf_counter() - begin
        cpu_s = max(0.0, _used_s(running) - cpu_s)
        if response.status != http.client.OK:
            raise ServerFailed(f"The server said {response.status} to {path}.\n{running.log()}")
        return wall_s, cpu_s


def _used_s(running: Running) -> float:
    """Add up the CPU seconds of the server's processes."""
    total = 0.0
    for pid in running.pids():
        with contextlib.suppress(OSError, psutil.Error):
            total += process_cpu_s(pid)
    return total


def _client(url: str, stop: threading.Event) -> ClientClock:
    """Take the middle of some fetches by another program, as `time` would show them."""
    program, command = _program()
    runs = [_timed([*command, url], stop) for _ in range(CURLS)]
    real_s = statistics.median(run[0] for run in runs)
    user_s, system_s = (statistics.median(run[at] for run in runs) for at in (1, 2))
    return ClientClock(program=program, real_s=real_s, user_s=user_s, system_s=system_s)


def _program() -> tuple[str, list[str]]:
    if curl := shutil.which("curl"):
        # -q: no configuration of the reader's, --noproxy: straight to this machine
        options = ["-q", "--noproxy", "*", "--silent", "--fail", "--output", os.devnull]
        options += ["--max-time", str(LONGEST_S)]
        return "curl", [curl, *options]
    fetch = (
        "import http.client, sys; from urllib.parse import urlsplit as split; "
        "to = split(sys.argv[1]); "
        f"asked = http.client.HTTPConnection(to.netloc, timeout={LONGEST_S}); "
        "asked.request('GET', to._replace(scheme='', netloc='').geturl()); "
        "asked.getresponse().read()"
    )
    return "python", [sys.executable, "-I", "-c", fetch]


def _timed(command: list[str], stop: threading.Event) -> tuple[float, float, float]:
    """Time a command: real, user and system seconds, as the shell's `time` has them."""
    if stop.is_set():
        raise Stopped
    nothing, begin = subprocess.DEVNULL, time.perf_counter()
    process = subprocess.Popen(
        command, env=unsettled(), stdin=nothing, stdout=nothing, stderr=nothing
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    real_s = time.perf_counter() - begin
    if process.returncode:
        raise ServerFailed(f"{command[0]} ended with exit code {process.returncode}.")
    return real_s, used.ru_utime, used.ru_stime
