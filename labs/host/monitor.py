"""Who used the CPU: the server's tree, the load generator, a slow backend, everyone else.

Process CPU is read from the process clocks in nanoseconds (Linux); psutil's 10 ms steps are
too coarse over many workers. A thread looks ten times a second for the moving strip; exact
differences over a window come from two snapshots.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

import psutil

from labs.host import hardware
from labs.records.results import Sample
from labs.records.snapshot import Snapshot

EVERY_S = 0.1
COUNT_EVERY = 3  # looks between two listings of the server's processes
LINUX = sys.platform.startswith("linux")


@dataclass(eq=False)
class Group:
    """CPU seconds of a changing set of processes; those that ended keep what they used."""

    pids: Callable[[], Collection[int]]
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


class Sampler:
    """Samples one run. `users` is set by whoever drives; `tell` gets a Sample per look."""

    def __init__(
        self,
        server: Callable[[], Collection[int]],
        generator: Callable[[], Collection[int]],
        workers: Callable[[], int | None],
        tell: Callable[[Sample], None],
        backend: Callable[[], Collection[int]] = tuple,
    ) -> None:
        self.server, self.generator = Group(server), Group(generator)
        self.backend = Group(backend)
        self.workers, self.tell = workers, tell
        self.users = 0
        self.count_every = COUNT_EVERY
        self.started = time.perf_counter()
        self.samples: list[Sample] = []
        self._reading = threading.Lock()
        self._done = threading.Event()

    def begin(self) -> None:
        """Time starts here; what was sampled before was the warm-up."""
        self.started = time.perf_counter()
        self.samples.clear()

    def snapshot(self) -> Snapshot:
        """All counters now. Costs about 10 microseconds for each process of the server."""
        with self._reading:
            self.server.count()
            self.generator.count()
            self.backend.count()
            voluntary, involuntary = switches(self.server.used)
            own = sum(process_cpu_s(pid) for pid in {os.getpid(), os.getppid()} if pid > 1)
            return Snapshot(
                at=time.perf_counter(),
                server_s=self.server.cpu_s(),
                generator_s=self.generator.cpu_s(),
                busy_s=busy_s(),
                own_s=own,
                voluntary=voluntary,
                involuntary=involuntary,
                throttled_s=hardware.throttled_s(),
                listen_overflows=hardware.listen_overflows(),
                backend_s=self.backend.cpu_s(),
            )

    def run(self) -> None:
        looks, workers = 0, None
        at, cores = time.perf_counter(), psutil.cpu_times(percpu=True)
        server_s, generator_s = self._cpu_s()
        while not self._done.wait(EVERY_S):
            if looks % self.count_every == 0:
                with self._reading:
                    self.server.count()
                    self.generator.count()
                workers = self.workers()
            looks += 1
            before, at = at, time.perf_counter()
            cores_before, cores = cores, psutil.cpu_times(percpu=True)
            (server_before, server_s), (generator_before, generator_s) = zip(
                (server_s, generator_s), self._cpu_s(), strict=True
            )
            sample = Sample(
                at_s=round(at - self.started, 3),
                users=self.users,
                cores=tuple(map(shares, cores_before, cores)),
                workers=workers,
                server_cpu=round(max(0.0, server_s - server_before) / (at - before), 3),
                generator_cpu=round(max(0.0, generator_s - generator_before) / (at - before), 3),
            )
            self.samples.append(sample)
            self.tell(sample)

    def _cpu_s(self) -> tuple[float, float]:
        with self._reading:
            return self.server.cpu_s(), self.generator.cpu_s()

    def end(self) -> None:
        self._done.set()


@contextlib.contextmanager
def sampling(
    *,
    server: Callable[[], Collection[int]],
    generator: Callable[[], Collection[int]],
    workers: Callable[[], int | None],
    tell: Callable[[Sample], None],
    backend: Callable[[], Collection[int]] = tuple,
) -> Iterator[Sampler]:
    """Sample until the block ends. The callables list process ids, and count workers, now."""
    sampler = Sampler(server, generator, workers, tell, backend)
    thread = threading.Thread(target=sampler.run, name="sampling", daemon=True)
    thread.start()
    try:
        yield sampler
    finally:
        sampler.end()
        thread.join()


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


def busy_s() -> float:
    """Seconds the machine's cores spent on anyone's work. Interrupts are left out: on
    loopback they are the labs' own packets, and nobody's process pays for them."""
    times = psutil.cpu_times()
    return float(times.user + times.system + times.nice + getattr(times, "steal", 0.0))


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
