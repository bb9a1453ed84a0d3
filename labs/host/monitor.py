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
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import psutil

from labs.host import counters, run_queue
from labs.host.cgroup import throttled_s
from labs.host.hardware import MACHINE
from labs.host.process_tree import one_look
from labs.records.results import Sample
from labs.records.snapshot import Snapshot, shares

EVERY_S = 0.1
COUNT_EVERY = 3  # looks between two listings of the server's processes
LINUX = sys.platform.startswith("linux")
Pids = Callable[[], Collection[int]]


@dataclass(eq=False)
class Group:
    """CPU seconds of a changing set of processes; those that ended keep what they used."""

    pids: Pids
    used: dict[int, float] = field(default_factory=dict)

    def count(self) -> None:
        """Look which processes there are. Of those that are new, all that they used is read."""
        new = [pid for pid in self.pids() if pid not in self.used]
        self.used |= dict.fromkeys(new, 0.0)
        self._read(new)

    def cpu_s(self) -> float:
        """Read the CPU seconds of all that are known, now."""
        self._read(list(self.used))
        return self.sum_s

    @property
    def sum_s(self) -> float:
        """CPU seconds as they were read last."""
        return sum(self.used.values())

    def _read(self, pids: Sequence[int]) -> None:
        for pid in pids:
            with contextlib.suppress(OSError, psutil.Error):
                self.used[pid] = process_cpu_s(pid)


class Poller:
    """Looks again and again, in a thread of its own, as long as its block lasts."""

    def __init__(self, every_s: float) -> None:
        self.every_s = every_s
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name=type(self).__name__, daemon=True)

    def look(self) -> None:
        """Look once, at what the poller is for."""
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
    started for it, works for the server: its CPU is the server's. `held` is whose quota counts, if
    it isn't our own."""

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
        held: int | None = None,
    ) -> None:
        super().__init__(EVERY_S)
        self.server, self.generator, self.backend = map(Group, (server, generator, backend))
        self.browser, self.behind = browser and Group(browser), Group(behind)
        self.delay = run_queue.RunDelay() if run_queue.counted() else None
        self.workers, self.on_event, self.held = workers, on_event, held
        self.users = 0
        self.count_every = COUNT_EVERY
        self.started = time.perf_counter()
        self.samples: list[Sample] = []
        self._reading = threading.Lock()
        self._busy = self._set_aside = False  # with what is in no sample; since the last look
        self._looks = 0
        self._last = self._now()
        self._workers: int | None = None

    def begin(self) -> None:
        """Time starts here; what was sampled before was the warm-up."""
        self.started = time.perf_counter()
        self.samples.clear()

    def snapshot(self, *, ends: bool = False) -> Snapshot:
        """Read all counters now. To list the processes and to read of each of their threads takes
        some milliseconds of a core: that comes first or, where what is measured `ends`, last, so
        that it is no part of that."""
        with self._reading:
            threads = None if ends else self._threads()
            own = sum(process_cpu_s(pid) for pid in {os.getpid(), os.getppid()} if pid > 1)
            machine, at = counters.cpu(), time.perf_counter()
            for group in self._groups():
                group.cpu_s()
            throttled, overflows = throttled_s(MACHINE, self.held), counters.listen_overflows()
            threads = threads or self._threads()
            return Snapshot(
                at=at,
                server_s=self.server.sum_s + self.behind.sum_s,
                generator_s=self.generator.sum_s,
                busy_s=machine.busy_s,
                own_s=own,
                throttled_s=throttled,
                listen_overflows=overflows,
                backend_s=self.backend.sum_s,
                browser_s=self.browser.sum_s if self.browser else None,
                steal_s=machine.stolen_s,
                group_s=machine.group_s,
                spare_cores=machine.spare_cores,
                **threads,
            )

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Leave what goes on in the block out of every sample."""
        self._busy = self._set_aside = True
        try:
            yield
        finally:
            self._busy = False

    def look(self) -> None:
        """Take a sample of the time since the last look, unless any of it was set aside."""
        if self._set_aside:
            self._set_aside, self._last = self._busy, self._now()
            return
        if self._looks % self.count_every == 0:
            with one_look():
                with self._reading:
                    for group in (self.server, self.behind, self.generator):
                        group.count()
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

    def _groups(self) -> tuple[Group, ...]:
        watched = (self.server, self.behind, self.generator, self.backend, self.browser)
        return tuple(group for group in watched if group is not None)

    def _threads(self) -> dict[str, Any]:
        """Look who is there, and read what a snapshot has of the server's threads."""
        with one_look():
            for group in self._groups():
                group.count()
        at, (voluntary, involuntary) = time.perf_counter(), switches(self.server.used)
        if self.delay is not None:
            self.delay.look([*self.server.used, *self.behind.used])
        return {
            "threads_at": at,
            "voluntary": voluntary,
            "involuntary": involuntary,
            "run_delay_s": self.delay and self.delay.seconds,
        }

    def _now(self) -> tuple[float, Sequence[object], float, float]:
        at, cores = time.perf_counter(), psutil.cpu_times(percpu=True)
        with self._reading:
            server_s = self.server.cpu_s() + self.behind.cpu_s()
            return at, cores, server_s, self.generator.cpu_s()


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
        for _, status in run_queue.of_threads(pid, "status"):
            first, second = status.split(b"\n")[-3:-1]
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
    """Count the cores that these processes may use together, as things are now; None where the
    system does not say (macOS), and without a process."""
    allowed: set[int] = set()
    for pid in pids if hasattr(os, "sched_getaffinity") else ():
        with contextlib.suppress(OSError):
            allowed |= os.sched_getaffinity(pid)
    return len(allowed) or None
