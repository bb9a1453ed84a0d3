"""Who used the CPU: the server's trees, the load generator, a slow backend, everyone else.

Process CPU is read from the process clocks in nanoseconds (Linux); psutil's 10 ms steps are
too coarse over many workers. A thread looks ten times a second for the moving strip; exact
differences over a window come from two snapshots.
"""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Self

import psutil

from labs.host import counters, run_queue
from labs.host.cgroup import throttled_s
from labs.host.hardware import MACHINE
from labs.records.results import Sample
from labs.records.snapshot import Snapshot

EVERY_S = 0.1
COUNT_EVERY = 3  # looks between two listings of the server's processes
MOST_THREADS = 64  # whose run-queue delay is read then too, in case they end before a snapshot
LINUX = sys.platform.startswith("linux")
Pids = Callable[[], Collection[int]]


@dataclass(eq=False)
class Group:
    """CPU seconds of a changing set of processes; those that ended keep what they used."""

    pids: Pids
    used: dict[int, float] = field(default_factory=dict)

    def count(self) -> None:
        """Look which processes there are."""
        for pid in self.pids():
            self.used.setdefault(pid, 0.0)

    def cpu_s(self) -> float:
        for pid in self.used:
            with contextlib.suppress(OSError, psutil.Error):
                self.used[pid] = process_cpu_s(pid)
        return sum(self.used.values())


class Poller:
    """Looks again and again, in a thread of its own, as long as its block lasts."""

    def __init__(self, every_s: float) -> None:
        self.every_s = every_s
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name=type(self).__name__, daemon=True)

    def look(self) -> None:
        """Look once."""
        raise NotImplementedError

    def _run(self) -> None:
        while not self._done.wait(self.every_s):
            self.look()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()


class Sampler(Poller):
    """Samples one run: the callables list process ids, and count workers, now. `users` is set by
    whoever drives; `on_event` gets a Sample per look. What `behind` lists, as a database that was
    started for it, works for the server: its CPU is the server's."""

    def __init__(
        self,
        *,
        server: Pids,
        generator: Pids,
        workers: Callable[[], int | None] = lambda: None,
        on_event: Callable[[Sample], None],
        backend: Pids = tuple,
        browser: Pids | None = None,
        behind: Pids = tuple,
    ) -> None:
        super().__init__(EVERY_S)
        self.server, self.generator, self.backend = map(Group, (server, generator, backend))
        self.browser, self.behind = browser and Group(browser), Group(behind)
        self.delay = run_queue.RunDelay() if run_queue.counted() else None
        self.workers, self.on_event = workers, on_event
        self.users = 0
        self.count_every = COUNT_EVERY
        self.started = time.perf_counter()
        self.samples: list[Sample] = []
        self._reading = threading.Lock()
        self._looks = 0
        self._last = self._now()
        self._workers: int | None = None

    def begin(self) -> None:
        """Time starts here; what was sampled before was the warm-up."""
        self.started = time.perf_counter()
        self.samples.clear()

    def snapshot(self) -> Snapshot:
        """All counters now. Costs about 10 microseconds for each process of the server."""
        with self._reading:
            groups = (self.server, self.behind, self.generator, self.backend, self.browser)
            for group in filter(None, groups):
                group.count()
            voluntary, involuntary = switches(self.server.used)
            own = sum(process_cpu_s(pid) for pid in {os.getpid(), os.getppid()} if pid > 1)
            machine = counters.cpu()
            return Snapshot(
                at=time.perf_counter(),
                server_s=self._server_s(),
                generator_s=self.generator.cpu_s(),
                busy_s=machine.busy_s,
                own_s=own,
                voluntary=voluntary,
                involuntary=involuntary,
                throttled_s=throttled_s(MACHINE),
                listen_overflows=counters.listen_overflows(),
                backend_s=self.backend.cpu_s(),
                browser_s=self.browser.cpu_s() if self.browser else None,
                steal_s=machine.stolen_s,
                group_s=machine.group_s,
                spare_cores=machine.spare_cores,
                run_delay_s=self._run_delay_s(),
            )

    def look(self) -> None:
        """Take a sample of the time since the last look."""
        if self._looks % self.count_every == 0:
            with self._reading:
                for group in (self.server, self.behind, self.generator):
                    group.count()
                if self.delay and self.delay.threads <= MOST_THREADS:
                    self._run_delay_s()
            self._workers = self.workers()
        self._looks += 1
        before, self._last = self._last, self._now()
        at, cores, server_s, generator_s = self._last
        seconds = at - before[0]
        sample = Sample(
            at_s=round(at - self.started, 3),
            users=self.users,
            cores=tuple(map(shares, before[1], cores)),
            workers=self._workers,
            server_cpu=round(max(0.0, server_s - before[2]) / seconds, 3),
            generator_cpu=round(max(0.0, generator_s - before[3]) / seconds, 3),
        )
        self.samples.append(sample)
        self.on_event(sample)

    def _run_delay_s(self) -> float | None:
        """The server's, read now."""
        if self.delay is None:
            return None
        self.delay.look([*self.server.used, *self.behind.used])
        return self.delay.seconds

    def _now(self) -> tuple[float, Sequence[object], float, float]:
        at, cores = time.perf_counter(), psutil.cpu_times(percpu=True)
        with self._reading:
            return at, cores, self._server_s(), self.generator.cpu_s()

    def _server_s(self) -> float:
        return self.server.cpu_s() + self.behind.cpu_s()


def process_cpu_s(pid: int) -> float:
    """User and system seconds of a process, all its threads. OSError or psutil.Error if gone."""
    if LINUX:
        return time.clock_gettime((~pid) << 3 | 2)  # the kernel's name for that process's clock
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def switches(pids: Collection[int]) -> tuple[int, int]:
    """Voluntary and involuntary context switches of all threads of these processes (Linux)."""
    voluntary = involuntary = 0
    for pid in pids if LINUX else ():
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                with contextlib.suppress(OSError):  # that ended meanwhile; the others did not
                    with open(f"/proc/{pid}/task/{thread}/status", "rb") as file:
                        first, second = file.read().split(b"\n")[-3:-1]
                    voluntary += int(first.split()[1])
                    involuntary += int(second.split()[1])
    return voluntary, involuntary


def pss_bytes(pids: Collection[int]) -> int | None:
    """Memory of these processes, each shared page counted once among its sharers (Linux)."""
    total = 0
    for pid in pids if LINUX else ():
        with contextlib.suppress(psutil.Error):
            total += psutil.Process(pid).memory_full_info().pss
    return total or None


def allowed_cores(pids: Collection[int]) -> int | None:
    """How many cores these processes may use together, as things are now; None where the system
    does not say (macOS), and without a process."""
    allowed: set[int] = set()
    for pid in pids if hasattr(os, "sched_getaffinity") else ():
        with contextlib.suppress(OSError):
            allowed |= os.sched_getaffinity(pid)
    return len(allowed) or None


def shares(before: object, after: object) -> tuple[float, float, float, float]:
    """User, system, wait and idle fractions of one core between two psutil readings."""

    def gone(*names: str) -> float:
        return sum(
            max(0.0, getattr(after, name, 0.0) - getattr(before, name, 0.0)) for name in names
        )

    parts = (
        gone("user", "nice"),
        gone("system", "irq", "softirq"),
        gone("iowait", "steal"),
        gone("idle"),
    )
    whole = sum(parts) or 1.0
    user, system, wait, idle = (round(part / whole, 3) for part in parts)
    return user, system, wait, idle
