"""The memory lab: how much does it take to wait for one more request?

For each kind of worker a server is started in several sizes. It serves a few requests, because
a worker that has served is larger than one that has not. Then as many requests as it has workers
wait in it at once, and its memory is read meanwhile.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import psutil

from labs.host import hardware as this_machine
from labs.host.lock import turn
from labs.host.monitor import pss_bytes
from labs.kinds.base import Still
from labs.kinds.memory.record import Growth, Memory, MemoryRun, Waiting
from labs.load.concurrent import Crowd, crowd
from labs.measure.rig import Progress
from labs.present.verdict import Question
from labs.records.experiment import Server
from labs.records.format import percent, size
from labs.servers.serve import Running, check, serve

SIZES: Mapping[Waiting, Sequence[int]] = {
    "process": (1, 2, 4, 8, 16, 32),
    "thread": (1, 8, 32, 128, 256),
    "coroutine": (1, 64, 256, 512, 1024),
}
REDUCED: Mapping[Waiting, Sequence[int]] = {
    "process": (1, 4),
    "thread": (1, 32),
    "coroutine": (1, 128),
}
SEVERAL = {"process": "processes", "thread": "threads", "coroutine": "coroutines"}
WARM_UPS = 3  # requests each worker serves before it is weighed
WARM_UP_S = 0.05  # for which they wait then, so that each worker gets one
PATH = "/?loops=20000"  # about a millisecond of work in each
WAIT_S = 0.5  # for which requests wait while the memory is read; longer for a large crowd
WAIT_EACH_S = 0.0015
SERVER_S = 1.45  # to start a server, let it serve, and end it (seen on 2 cores)
STRAIGHT = 0.25  # of the growth: how far a size may lie off the line in a recording


class Weighing(Still[Memory]):
    """The memory of processes, threads and coroutines, over how many of them wait."""

    result = Memory

    def __init__(self, sizes: Mapping[Waiting, Sequence[int]] = SIZES) -> None:
        self.sizes = {kind: tuple(numbers) for kind, numbers in sizes.items()}
        self.seconds = sum(
            SERVER_S + hold_s(number) for numbers in self.sizes.values() for number in numbers
        )
        ends = {kind: numbers[-1] for kind, numbers in self.sizes.items()}
        self.about = (
            f"Servers with 1 to {ends['process']} processes, then one process with 1 to "
            f"{ends['thread']} threads, then an event loop with 1 to {ends['coroutine']} requests: "
            "each serves a while, and its memory is read while every one of them waits."
        )
        self.question = Question(
            words="how much more memory will each further process of a server take",
            about="for each further process",
            unit="MiB",
            scale=1 / 2**20,
            say=size,
        )

    def measure(self, tell: Callable[[Any], None], stop: threading.Event) -> Memory:
        """One round; after each kind of worker, tells what it has so far."""
        here = this_machine.fingerprint()
        servers = {kind: server_of(kind, numbers[-1]) for kind, numbers in self.sizes.items()}
        for server in servers.values():
            check(server, here)
        memory: Memory | None = None
        begin = time.monotonic()

        def progress(stage: str) -> None:
            gone = time.monotonic() - begin
            left = max(0.0, self.seconds - gone)
            tell(Progress(stage=stage, fraction=min(1.0, gone / self.seconds), seconds_left=left))

        def waiting() -> None:
            progress("waiting: another page is measuring")

        with turn(waiting, stop), crowd(stop) as asking:
            begin = time.monotonic()
            taken = here.memory_bytes - this_machine.available_memory_bytes()
            for kind, numbers in self.sizes.items():
                growth = _growth(kind, numbers, asking, progress, stop)
                when = datetime.now(UTC).isoformat(timespec="seconds")
                so_far = (*(memory.run.growths if memory else ()), growth)
                run = MemoryRun(recorded_at=when, taken_bytes=max(0, taken), growths=so_far)
                memory = Memory(waiters=servers, machine=here, runs=(run,))
                tell(memory)
        assert memory is not None
        return memory

    def asked_of(self, found: Memory) -> bool:
        return {growth.kind: growth.sizes for growth in found.run.growths} == self.sizes

    def answer(self, found: Memory) -> tuple[float | None, float | None]:
        return None, found.growth("process").each_bytes

    def unfit(self, found: Memory) -> str:
        for growth in found.runs[-1].growths:
            if growth.each_bytes <= 0 or growth.off_line > STRAIGHT:
                return (
                    f"The memory over {SEVERAL[growth.kind]} is no straight line: one size lies "
                    f"{percent(growth.off_line)} of the growth off it."
                )
        return ""

    def reduced(self) -> Weighing:
        return Weighing(REDUCED)


def server_of(kind: Waiting, number: int) -> Server:
    """A server that can hold so many requests at once, with a worker of that kind for each."""
    if kind == "process":
        return Server("prefork", processes=number)
    return Server("threaded", threads=number) if kind == "thread" else Server("event-loop")


def hold_s(number: int) -> float:
    """How long so many requests wait, so that all have come before the first one goes."""
    return WAIT_S + WAIT_EACH_S * number


def _growth(
    kind: Waiting,
    numbers: Sequence[int],
    asking: Crowd,
    progress: Callable[[str], None],
    stop: threading.Event,
) -> Growth:
    """A fresh server for each size: what one has once taken, it hardly ever gives back."""
    pss, rss = [], []
    for number in numbers:
        progress(f"{number} {SEVERAL[kind] if number > 1 else kind}")
        with serve(server_of(kind, number), stop=stop) as running:
            for _ in range(WARM_UPS):
                asking.ask(running.port, number, f"{PATH}&wait={WARM_UP_S}")
            shared_once, counted_again = asking.hold(
                running.port, number, PATH, hold_s(number), lambda: weighed(running)
            )
        pss.append(shared_once)
        rss.append(counted_again)
    told = tuple(each for each in pss if each is not None)
    return Growth(kind=kind, sizes=tuple(numbers), pss_bytes=told, rss_bytes=tuple(rss))


def weighed(running: Running) -> tuple[int | None, int]:
    """PSS and RSS of a server now, all its processes together, in bytes. Without PSS, None."""
    pids, rss = running.pids(), 0
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            rss += psutil.Process(pid).memory_info().rss
    return pss_bytes(pids), rss
