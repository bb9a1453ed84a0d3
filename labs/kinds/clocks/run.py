"""One request, three clocks: on the wall, on the server's CPU, and the wait in between.

A page is fetched several times, one request at a time, and the server's CPU clocks are read
just before and after. Beside it: what `time curl` tells, which is curl's own CPU time.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import select
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import psutil

from labs.host import hardware as this_machine
from labs.host.lock import turn
from labs.host.monitor import process_cpu_s
from labs.host.supervisor import Stopped
from labs.kinds.base import Still
from labs.kinds.clocks import run as stopwatch
from labs.kinds.clocks.record import ClientClock, Clocks, ClocksRun, PageClock
from labs.measure.calibration import calibrate
from labs.measure.rig import Progress
from labs.records.errors import Unusable
from labs.records.experiment import Server, Workload
from labs.servers.serve import Running, ServerFailed, check, serve

PAGES = {
    "burn": Workload(cpu_s=0.05),
    "sleep": Workload(wait_s=0.2),
    "both": Workload(cpu_s=0.05, wait_s=0.15),
}
FETCHES = 10  # of each page
CURLS = 3  # of each page
STARTUP_S = 2.0
LEAST_SPLIT_S = 0.05  # CPU seconds; the system counts user and system in steps of 10 ms
LOOK_S = 0.05  # how often a waiting client looks whether it was stopped
LONGEST_S = 120.0  # for the whole lab; nobody watches a clock for longer


@dataclass(frozen=True, slots=True)
class Fetched:
    """One request."""

    wall_s: float
    cpu_s: float  # of the server's processes


def clock(
    pages: dict[str, Workload] | None = None,
    *,
    server: Server | None = None,
    tell: Callable[[Progress], None] | None = None,
    stop: threading.Event | None = None,
) -> Clocks:
    """Fetch each page several times and read the three clocks; one run of about 8 s.

    Raises Unusable before anything is started; ServerFailed or Stopped later.
    """
    pages, server = pages or PAGES, server or Server("prefork")
    tell, stop = tell or (lambda told: None), stop or threading.Event()
    here = this_machine.fingerprint()
    check(server, here)
    whole_s = duration_s(pages)
    if whole_s > LONGEST_S:
        raise Unusable(
            f"pages: {FETCHES + CURLS} requests to each would take {whole_s:.0f} s. Give pages "
            "that work and wait for less."
        )

    def waiting() -> None:
        tell(Progress(stage="waiting: another page is measuring", fraction=0, seconds_left=whole_s))

    with turn(waiting, stop):
        tell(Progress(stage="starting the server", fraction=0, seconds_left=whole_s))
        loops_per_s = {
            unit: calibrate(here, cpu_by=unit, stop=stop).loops_per_s[0]
            for unit in {page.cpu_by for page in pages.values()}
        }
        asks = any(page.wait_by == "backend" for page in pages.values())
        with serve(server, backend=asks, stop=stop) as running:
            paths = {
                name: f"/?loops={round(page.cpu_s * loops_per_s[page.cpu_by])}&wait={page.wait_s}"
                f"&cpu_by={page.cpu_by}&wait_by={page.wait_by}"
                for name, page in pages.items()
            }
            fetched: dict[str, list[Fetched]] = {name: [] for name in pages}
            system: dict[str, list[float]] = {name: [] for name in pages}
            for number in range(-1, FETCHES):  # the first round warms up
                gone = (number + 1) / (FETCHES + 1)
                left = (whole_s - STARTUP_S) * (1 - gone)
                stage = "each page in turn"
                tell(Progress(stage=stage, fraction=gone, seconds_left=left, quiet_s=left))
                for name, path in paths.items():
                    before = _user_and_system(running)
                    found = _fetch(running, path, stop)
                    after = _user_and_system(running)
                    if number >= 0:
                        fetched[name].append(found)
                        system[name].append(after[1] - before[1])
            measured = tuple(
                PageClock(
                    name=name,
                    workload=pages[name],
                    wall_s=tuple(each.wall_s for each in fetched[name]),
                    cpu_s=tuple(each.cpu_s for each in fetched[name]),
                    system_fraction=_fraction(system[name], fetched[name]),
                    client=_client(running.url + path, stop),
                )
                for name, path in paths.items()
            )
    when = datetime.now(UTC).isoformat(timespec="seconds")
    run = ClocksRun(recorded_at=when, pages=measured)
    return Clocks(server=server, machine=here, runs=(run,))


def duration_s(pages: dict[str, Workload]) -> float:
    """How long the lab takes, about."""
    once = sum(page.cpu_s + page.wait_s for page in pages.values())
    return STARTUP_S + once * (FETCHES + CURLS + 1)


def _fetch(running: Running, path: str, stop: threading.Event) -> Fetched:
    """One request on a connection of its own, timed from the first byte sent to the last read."""
    connection = http.client.HTTPConnection(running.host, running.port, timeout=LONGEST_S)
    with contextlib.closing(connection):
        cpu_s, begin = _cpu_s(running), time.perf_counter()
        try:
            connection.request("GET", path)
            _wait_for(connection.sock, stop)
            response = connection.getresponse()
            response.read()
        except OSError as error:
            raise ServerFailed(f"The server broke off: {error}.\n{running.log()}") from None
        wall_s = time.perf_counter() - begin
        if response.status != http.client.OK:
            raise ServerFailed(f"The server said {response.status} to {path}.\n{running.log()}")
        return Fetched(wall_s, max(0.0, _cpu_s(running) - cpu_s))


def _wait_for(source: Any, stop: threading.Event) -> None:
    """Until there is something to read, or Stopped."""
    while not select.select([source], [], [], LOOK_S)[0]:
        if stop.is_set():
            raise Stopped


def _cpu_s(running: Running) -> float:
    total = 0.0
    for pid in running.pids():
        with contextlib.suppress(OSError, psutil.Error):
            total += process_cpu_s(pid)
    return total


def _user_and_system(running: Running) -> tuple[float, float]:
    user = system = 0.0
    for pid in running.pids():
        with contextlib.suppress(psutil.Error):
            times = psutil.Process(pid).cpu_times()
            user, system = user + times.user, system + times.system
    return user, system


def _fraction(system: Sequence[float], fetched: Sequence[Fetched]) -> float | None:
    whole = sum(each.cpu_s for each in fetched)
    return min(1.0, sum(system) / whole) if whole >= LEAST_SPLIT_S else None


def _client(url: str, stop: threading.Event) -> ClientClock:
    """The middle one of some fetches by another program, as `time` would show them."""
    program, command = _program()
    runs = [_timed([*command, url], stop) for _ in range(CURLS)]
    real_s = statistics.median(run[0] for run in runs)
    user_s, system_s = (statistics.median(run[at] for run in runs) for at in (1, 2))
    return ClientClock(program=program, real_s=real_s, user_s=user_s, system_s=system_s)


def _program() -> tuple[str, list[str]]:
    if curl := shutil.which("curl"):
        # -q: no configuration of the reader's, --noproxy: straight to this machine
        options = ["-q", "--noproxy", "*", "--silent", "--fail", "--output", os.devnull]
        return "curl", [curl, *options]
    fetch = (
        "import http.client, sys; from urllib.parse import urlsplit as split; "
        "to = split(sys.argv[1]); asked = http.client.HTTPConnection(to.netloc); "
        "asked.request('GET', to.path + '?' + to.query); asked.getresponse().read()"
    )
    return "python", [sys.executable, "-I", "-c", fetch]


def _timed(command: list[str], stop: threading.Event) -> tuple[float, float, float]:
    """Real, user and system seconds of a command, as the shell's `time` has them."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    with process.stdout as ended:  # the pipe closes as the program ends
        try:
            _wait_for(ended, stop)
        except BaseException:
            process.kill()
            raise
        finally:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    real_s = time.perf_counter() - begin
    if process.returncode:
        raise ServerFailed(f"{command[0]} ended with exit code {process.returncode}.")
    return real_s, used.ru_utime, used.ru_stime


class OneRequest(Still[Clocks]):
    """One request, three clocks."""

    result = Clocks

    def __init__(self, pages: Mapping[str, Workload] | None = None) -> None:
        self.pages = dict(pages) if pages else stopwatch.PAGES
        self.seconds = stopwatch.duration_s(self.pages)
        self.about = (
            f"One worker answers {stopwatch.FETCHES} requests to each of its pages "
            f"({', '.join(self.pages)}), one at a time, while three clocks run: on the wall, on "
            "the server's CPU, and the client's own."
        )

    def measure(self, tell: Callable[[Any], None], stop: threading.Event) -> Clocks:
        return stopwatch.clock(self.pages, tell=tell, stop=stop)

    def asked_of(self, found: Clocks) -> bool:
        return {page.name: page.workload for page in found.run.pages} == self.pages
