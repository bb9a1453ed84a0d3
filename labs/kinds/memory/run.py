"""Memory lab: how much does it take to wait for one more request?

For each kind of worker a server is started in several sizes. It serves a few requests, because
a worker that has served is larger than one that has not. Then as many requests as it has workers
wait in it at once, and its memory is read meanwhile.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import psutil

from labs.host.monitor import pss_bytes
from labs.kinds.base import LabKind
from labs.kinds.memory.record import SEVERAL, Memory, MemoryCurve, MemoryRun, Waiting
from labs.load.locust import Driver, LoadFailed, drive
from labs.measure.rig import Rig
from labs.present.bet import Answer, Question
from labs.records.experiment import Load, Server, Workload
from labs.records.format import percent, size
from labs.records.results import Machine
from labs.servers.serve import Running, check
from workloads.protocol import FAILED

SIZES: Mapping[Waiting, Sequence[int]] = {
    "process": (1, 2, 4, 8, 16, 32),
    "thread": (1, 8, 32, 128, 256),
    "coroutine": (1, 64, 256, 512, 1024),
}
WARM_UPS = 3  # requests for each worker before it is weighed
WARM_UP_S = 0.05  # for which they wait then, so that each worker gets one
WORK_S = 0.0001  # in each request; more would only delay the last to come
LOOPS_PER_S = 2e7  # of any core, about
WAIT_S = 0.5  # for which requests wait while the memory is read; longer for a large crowd
WAIT_EACH_S = 0.0015
SERVER_S = 1.2  # to start a server, let it serve, and end it (on 2 cores, on average: 0.7 to 1.1)
TRIES = 4  # each with twice the wait
LATE_S = 20.0  # beyond what the requests wait for, on a very busy machine
STRAIGHT = 0.25  # of the growth: how far a size may lie off the line in a recording

Found = TypeVar("Found")


class MemoryLab(LabKind[Memory]):
    """Measure what one more process, thread or coroutine takes of the memory, and how many fit."""

    result = Memory
    sizes: Mapping[Waiting, Sequence[int]] = SIZES
    question = Question(
        words="how much more memory will each further process of a server take",
        about="for each further process",
        unit="MiB",
        scale=1 / 2**20,
        say=size,
    )

    def about(self) -> str:
        ends = {kind: f"{sizes[0]} to {sizes[-1]}" for kind, sizes in self.sizes.items()}
        return (
            f"Servers with {ends['process']} processes, then one process with {ends['thread']} "
            f"threads, then an event loop with {ends['coroutine']} requests: each serves a while, "
            "and its memory is read while every one of them waits."
        )

    def seconds(self) -> float:
        return _seconds(*self.sizes.values())

    def check(self, machine: Machine) -> None:
        for server in self._largest().values():
            check(server, machine)

    def run(self, rig: Rig) -> Memory:
        """Measure each kind of worker, and tell after each what is found so far."""
        curves: list[MemoryCurve] = []
        most = max(numbers[-1] for numbers in self.sizes.values())
        with drive(Load((most,), keep_alive=False)) as driver:
            later = list(self.sizes.values())
            for kind, numbers in self.sizes.items():
                later.remove(numbers)
                curves.append(_curve(rig, kind, numbers, driver, _seconds(*later)))
                run = MemoryRun(recorded_at=rig.now(), growths=tuple(curves))
                found = Memory(waiters=self._largest(), machine=rig.machine, runs=(run,))
                rig.partial(found)
        return found

    def matches(self, found: Memory) -> bool:
        return {growth.kind: growth.sizes for growth in found.run.growths} == self.sizes

    def answer(self, found: Memory) -> Answer:
        return Answer(measured=found.run.growth("process").each_bytes)

    def rejection(self, found: Memory) -> str:
        for growth in found.runs[-1].growths:
            if growth.each_bytes <= 0 or growth.off_line > STRAIGHT:
                return (
                    f"The memory over {SEVERAL[growth.kind]} is no straight line: one size lies "
                    f"{percent(growth.off_line)} of the growth off it."
                )
        return ""

    def _largest(self) -> dict[Waiting, Server]:
        """Make the server of each kind, at its largest size."""
        return {kind: server_of(kind, sizes[-1]) for kind, sizes in self.sizes.items()}


def server_of(kind: Waiting, number: int) -> Server:
    """Make a server that can hold so many requests at once, with a worker of a kind for each."""
    if kind == "process":
        return Server("prefork", processes=number)
    return Server("threaded", threads=number) if kind == "thread" else Server("event-loop")


def hold_s(number: int) -> float:
    """Choose how long requests wait, so that all have come before the first one goes."""
    return WAIT_S + WAIT_EACH_S * number


def _seconds(*sizes: Sequence[int]) -> float:
    """Estimate for how many seconds servers of all these sizes run."""
    return sum(SERVER_S + hold_s(number) for each in sizes for number in each)


def _curve(
    rig: Rig,
    kind: Waiting,
    numbers: Sequence[int],
    driver: Driver,
    later_s: float,
) -> MemoryCurve:
    """Start a fresh server for each size: what one has once taken, it hardly ever gives back. After
    all of them come so many seconds of others."""
    pss, rss = [], []
    for done, number in enumerate(numbers):
        rig.expect(_seconds(numbers[done:]) + later_s)
        rig.progress(f"{number} {SEVERAL[kind] if number > 1 else kind}")
        with rig.serve(server_of(kind, number)) as running:
            driver.aim(running.url, rig.stop)
            _warm_up(rig, driver, number)
            shared_once, counted_again = held(
                rig, driver, number, hold_s(number), lambda: weighed(running)
            )
        pss.append(shared_once)
        rss.append(counted_again)
    told = tuple(each for each in pss if each is not None)
    return MemoryCurve(kind=kind, sizes=tuple(numbers), pss_bytes=told, rss_bytes=tuple(rss))


def _warm_up(rig: Rig, driver: Driver, number: int) -> None:
    """Let so many users ask until each of as many workers has served, on average, a few times."""
    since = len(driver.records())
    _ask(driver, number, WARM_UP_S)
    rig.until(lambda: len(driver.records(since)) >= WARM_UPS * number, LATE_S)
    rig.answered(driver, LATE_S)


def held(rig: Rig, driver: Driver, number: int, wait_s: float, look: Callable[[], Found]) -> Found:
    """Return what `look` does while so many requests wait in the server at once.

    By the server's own word all of them were in it while `look` looked. If not, again with longer
    waits; LoadFailed after some tries.
    """
    for _ in range(TRIES):
        _ask(driver, number, wait_s)
        rig.pause(wait_s / 2, driver.check)
        begin = time.perf_counter()
        found = look()
        end = time.perf_counter()
        done = rig.answered(driver, wait_s + LATE_S).records
        if (done["kind"] == FAILED).any():
            raise LoadFailed(f"Requests failed.\n{driver.last_lines()}")
        if ((done["service_start"] <= begin) & (done["service_end"] >= end)).sum() == number:
            return found
        wait_s *= 2
    raise LoadFailed(
        f"{number} requests did not wait all at once, not even when each waited "
        f"{wait_s / 2:.0f} s. Close what else is running, and try again."
    )


def _ask(driver: Driver, number: int, wait_s: float) -> None:
    """Have so many users ask, again and again, for requests that wait so long."""
    driver.ask_for(Workload(cpu_s=WORK_S, wait_s=wait_s, wait_cv=0.0), LOOPS_PER_S)
    driver.open(number, 0.0)


def weighed(running: Running) -> tuple[int | None, int]:
    """Read PSS and RSS of a server now, all its processes, in bytes. Without PSS, None."""
    pids, rss = running.pids(), 0
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            rss += psutil.Process(pid).memory_info().rss
    return pss_bytes(pids), rss
