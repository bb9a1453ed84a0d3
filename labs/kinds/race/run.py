"""The lab of the shared counter: how many additions arrive, and what does a lock cost?

Users ask a threaded server whose requests all add one to the same counter (see
workloads/servers/counter.py). When the last of them has been answered, the counter is asked.
"""

from __future__ import annotations

import contextlib
import http.client
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from labs.analysis.window import count as in_window
from labs.host import hardware as this_machine
from labs.host.lock import turn
from labs.host.supervisor import Stopped
from labs.kinds.base import Still
from labs.kinds.race.record import Count, Race, RaceRun
from labs.load.locust import Driver, LoadFailed, drive
from labs.measure.calibration import calibrate
from labs.measure.rig import Progress
from labs.present.verdict import Question
from labs.records.experiment import Load, Server, Workload
from labs.records.format import percent
from labs.records.requests import FAILED, OK, Report
from labs.servers.catalogue import Kind
from labs.servers.serve import Running, ServerFailed, serve

RACERS = 8  # users, and threads: nobody has to queue for a thread
WORK = Workload(cpu_s=0.008, wait_s=0.032, wait_cv=0.1)  # 40 ms between reading and writing
COMPUTING = replace(WORK, wait_s=0.0)
SECONDS = 3.0  # of load for each way to count
REDUCED_S = 1.0
SETTLE = 0.2  # of these seconds pass before throughput is counted
STARTUP_S = 1.2  # a server and a load generator, to start and to end
BURN_S = 1.3  # calibration
LAST_S = 20.0  # for the last requests to be answered
LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Way:
    """A way to count: its name, which lock the server has, and the work of a request."""

    name: str
    lock: str
    workload: Workload = WORK


WAYS = (
    Way("without a lock", "none"),
    Way("with a lock", "long"),
    Way("with a short lock", "short"),
    Way("computing only, without a lock", "none", COMPUTING),
)


class Racing(Still[Race]):
    """A counter that threads share, with and without a lock."""

    result = Race

    def __init__(self, ways: Sequence[Way] = WAYS, seconds: float = SECONDS) -> None:
        self.ways, self._each_s = tuple(ways), seconds
        self.seconds = BURN_S + len(ways) * (seconds + STARTUP_S)
        work = f"{WORK.cpu_s * 1000:.0f} ms of computing and {WORK.wait_s * 1000:.0f} ms of waiting"
        self.about = (
            f"{RACERS} users ask a process with {RACERS} threads. Each request reads one shared "
            f"counter, does its work ({work}), and writes back one more than it read: without a "
            "lock, with a lock around all of that, with one around the addition alone, and once "
            "more without a lock, only computing."
        )
        self.question = Question(
            words="without a lock, which part of the additions will be lost, in per cent",
            about="without a lock",
            unit="%",
            scale=100.0,
            say=percent,
        )

    def measure(self, tell: Callable[[Any], None], stop: threading.Event) -> Race:
        """One round; after each way to count, tells what it has so far."""
        here = this_machine.fingerprint()
        begin = time.monotonic()
        counts: list[Count] = []

        def progress(stage: str) -> None:
            gone = time.monotonic() - begin
            left = max(0.0, self.seconds - gone)
            tell(Progress(stage=stage, fraction=min(1.0, gone / self.seconds), seconds_left=left))

        def found() -> Race:
            when = datetime.now(UTC).isoformat(timespec="seconds")
            run = RaceRun(recorded_at=when, counts=tuple(counts))
            return Race(racers=RACERS, machine=here, runs=(run,))

        with turn(lambda: progress("waiting: another page is measuring"), stop):
            begin = time.monotonic()
            progress("calibrating: how fast is a core right now?")
            loops_per_s = calibrate(here, stop=stop).loops_per_s[0]
            for way in self.ways:
                progress(way.name)
                counts.append(_count(way, loops_per_s, self._each_s, stop))
                tell(found())
        return found()

    def asked_of(self, found: Race) -> bool:
        recorded = tuple((count.name, count.workload) for count in found.run.counts)
        return recorded == tuple((way.name, way.workload) for way in self.ways)

    def answer(self, found: Race) -> tuple[float | None, float | None]:
        return None, found.run.counts[0].lost_fraction

    def unfit(self, found: Race) -> str:
        for way, count in zip(self.ways, found.runs[-1].counts, strict=True):
            if (count.lost > 0) != (way.lock == "none"):
                return f"{count.name}: {count.lost} of {count.asked} additions were lost."
        return ""

    def reduced(self) -> Racing:
        return Racing(self.ways[:2], REDUCED_S)


def _count(way: Way, loops_per_s: float, seconds: float, stop: threading.Event) -> Count:
    """One way, on a fresh server, so that the counter begins at nought."""
    server = Server("threaded", by="scratch", threads=RACERS)
    load = Load((RACERS,))
    with contextlib.ExitStack() as stack:
        running = stack.enter_context(serve(server, kind=counter(way.lock), stop=stop))
        driver = stack.enter_context(drive(running.url, load, stop=stop))
        driver.ask_for(way.workload, loops_per_s)
        driver.open(RACERS, 0.0)
        _pause(SETTLE * seconds, stop)
        begin = time.perf_counter()
        _pause((1 - SETTLE) * seconds, stop)
        end = time.perf_counter()
        driver.open(0, 0.0)
        quiet = _until_quiet(driver, stop)
        records = quiet.records
        done = records[records["kind"] == OK]
        if not len(done) or (records["kind"] == FAILED).any():
            raise LoadFailed(f"{way.name}: requests failed.\n{driver.last_lines()}")
        window = in_window(
            done["start"],
            done["end"],
            done["start"][:0],
            begin=begin,
            end=end,
            now=quiet.at,
        )
        return Count(
            name=way.name,
            workload=way.workload,
            asked=len(done),
            counted=_arrived(running),
            throughput_rps=window.throughput_rps,
            mean_response_time_s=window.mean_response_time_s,
        )


def _until_quiet(driver: Driver, stop: threading.Event) -> Report:
    """All requests, when every one of them has been answered."""
    deadline = time.monotonic() + LAST_S
    while (report := driver.report()).flying:
        if time.monotonic() > deadline:
            raise LoadFailed(f"Requests were still unanswered after {LAST_S:.0f} s.")
        _pause(LOOK_S, stop)
    return report


def _arrived(running: Running) -> int:
    """What the counter says."""
    connection = http.client.HTTPConnection(running.host, running.port, timeout=LAST_S)
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/counter")
            return int(connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ServerFailed(f"The counter does not answer: {error}.\n{running.log()}") from None


def _pause(seconds: float, stop: threading.Event) -> None:
    if stop.wait(seconds):
        raise Stopped


def counter(lock: str) -> Kind:
    """How our server with a counter is started; it is no row of the table, as it counts wrong."""

    def command(server: Server, fd: int | None) -> list[str]:
        where = [] if fd is None else ["--fd", str(fd)]
        threads = ["--threads", str(server.threads), "--lock", lock]
        return ["workloads.servers.counter", *where, *threads]

    return Kind(
        architecture="threaded",
        by="scratch",
        package=None,
        command=command,
        up=r"serving in process (\d+)",
        base_mib=10,
        process_mib=3,
    )
