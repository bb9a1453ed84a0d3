"""Lab of the shared counter: how many additions arrive, and what does a lock cost?

Users ask a threaded server whose requests all add one to the same counter (see
workloads/servers/counter.py). When the last of them has been answered, the counter is asked.
"""

from __future__ import annotations

import contextlib
import http.client
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from labs.analysis import window
from labs.analysis.schedule import CALIBRATION_S
from labs.kinds.base import LabKind
from labs.kinds.race.record import Count, Race, RaceRun
from labs.load.locust import LoadFailed
from labs.measure.rig import Rig
from labs.present.bet import Answer, Question
from labs.records.errors import ServerFailed, real
from labs.records.experiment import Load, Server, Workload
from labs.records.format import percent
from labs.servers.catalogue import ServerRow, from_scratch, row_of
from labs.servers.serve import Running
from workloads.protocol import FAILED, OK

RACERS = 8  # users, and threads: nobody has to queue for a thread
WORK = Workload(cpu_s=0.008, wait_s=0.032, wait_cv=0.1)  # 40 ms between reading and writing
COMPUTING = replace(WORK, wait_s=0.0)
SECONDS = 3.0  # of load for each way to count
SETTLE = 0.2  # of these seconds pass before throughput is counted
STARTUP_S = 1.2  # a server and a load generator, to start and to end
LAST_S = 20.0  # for the last requests to be answered


@dataclass(frozen=True, slots=True)
class Way:
    """A way to count: its name, which lock the server has, and the work of a request."""

    name: str
    lock: str
    workload: Workload = WORK


WAYS = (
    Way("without a lock", "none"),
    Way("with a lock around the write", "write"),
    Way("with a lock around all of it", "long"),
    Way("with the work outside the lock", "outside"),
    Way("computing only, without a lock", "none", COMPUTING),
)


class RaceLab(LabKind[Race]):
    """A counter that threads share, with and without a lock: how many additions arrive?"""

    result = Race
    each = "way"
    ways: Sequence[Way] = WAYS
    question = Question(
        words="without a lock, how many per cent of the additions will be lost",
        about="without a lock",
        unit="%",
        scale=100.0,
        say=percent,
    )

    def __init__(self, seconds: float = SECONDS) -> None:
        real("seconds", seconds, 0.2, 120.0, "Give the seconds to measure each way.")
        self._each_s, self.given = seconds, {"seconds": seconds}

    def about(self) -> str:
        work = f"{WORK.cpu_s * 1000:.0f} ms of computing and {WORK.wait_s * 1000:.0f} ms of waiting"
        return (
            f"{RACERS} users ask a process with {RACERS} threads. Each request reads one shared "
            f"counter, does its work ({work}), and writes back one more than it read: without a "
            "lock, with one around the write, and with one around all of that. Then the work is "
            "moved out of the lock, which is held for reading and writing only. At last there is "
            "no lock again, and the work is computing only."
        )

    def seconds(self) -> float:
        return CALIBRATION_S + len(self.ways) * (self._each_s + STARTUP_S)

    def run(self, rig: Rig) -> Race:
        counts: list[Count] = []
        rig.calibrate()
        for left, way in zip(range(len(self.ways))[::-1], self.ways, strict=True):
            each_s = STARTUP_S + self._each_s
            rig.expect((1 + left) * each_s)
            rig.measuring(way.name, each_s)
            counts.append(self._count(rig, way))
            run = RaceRun(recorded_at=rig.now(), counts=tuple(counts))
            found = Race(racers=RACERS, machine=rig.machine, runs=(run,))
            rig.partial(found)
        return found

    def matches(self, found: Race) -> bool:
        recorded = tuple((count.name, count.workload) for count in found.run.counts)
        return recorded == tuple((way.name, way.workload) for way in self.ways)

    def answer(self, found: Race) -> Answer:
        return Answer(measured=found.run.counts[0].lost_fraction)

    def rejection(self, found: Race) -> str:
        for way, count in zip(self.ways, found.runs[-1].counts, strict=True):
            if (count.lost > 0) != (way.lock in ("none", "write")):
                return f"{count.name}: {count.lost} of {count.asked} additions were lost."
        return ""

    def _count(self, rig: Rig, way: Way) -> Count:
        """Count one way, on a fresh server, so that the counter begins at nought."""
        server = Server("threaded", by="scratch", threads=RACERS)
        with (
            rig.serve(server, row=counter(way.lock)) as running,
            rig.drive(running, Load((RACERS,)), way.workload) as driver,
        ):
            driver.open(RACERS, 0.0)
            rig.pause(SETTLE * self._each_s)
            begin = time.perf_counter()
            rig.pause((1 - SETTLE) * self._each_s)
            end = time.perf_counter()
            report = rig.answered(driver, LAST_S)
            records = report.records
            done = records[records["kind"] == OK]
            if not len(done) or (records["kind"] == FAILED).any():
                raise LoadFailed(f"{way.name}: requests failed.\n{driver.last_lines()}")
            nobody = done["start"][:0]
            counted = window.count(
                done["start"], done["end"], nobody, begin=begin, end=end, now=report.at
            )
            return Count(
                name=way.name,
                workload=way.workload,
                asked=len(done),
                counted=_arrived(running),
                throughput_rps=counted.throughput_rps,
                mean_response_time_s=counted.mean_response_time_s,
            )


def _arrived(running: Running) -> int:
    """Ask the counter how many additions arrived."""
    connection = http.client.HTTPConnection(running.host, running.port, timeout=LAST_S)
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/counter")
            return int(connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ServerFailed(f"The counter does not answer: {error}.\n{running.log()}") from None


def counter(lock: str) -> ServerRow:
    """Make our server with a counter; it is no row of the table, as it counts wrong."""

    usual = row_of(Server("threaded", by="scratch"))
    return replace(usual, command=from_scratch("counter", "--lock", lock))
