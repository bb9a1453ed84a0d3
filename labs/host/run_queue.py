"""Run-queue delay: how long threads were ready to run, and no core was free for them (Linux).

The kernel counts it for each thread, in nanoseconds, beside the time it ran:
/proc/PID/task/TID/schedstat holds run time, run-queue delay and turns on a core (Linux manual,
Documentation/scheduler/sched-stats). Three things to know. A delay is counted when the thread gets
its core at last, so a reading lags by the waits that go on. What ends takes its numbers with it:
what was read last stays counted, and what came after is lost. A thread that waits for Python's lock
or for its event loop sleeps: no delay is counted for that.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator

MOST_BYTES = 4096  # of a file about a thread; the longest has some 1500


class RunDelay:
    """Run-queue delay of all threads of a changing set of processes, since each was first seen to
    begin."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, str], int] = {}  # (process, thread) -> nanoseconds
        self._ended_ns = 0  # of threads whose number another has now

    def look(self, pids: Iterable[int]) -> None:
        """Read the counters of these processes' threads: about 10 microseconds for each."""
        for pid in pids:
            for thread, counters in of_threads(pid, "schedstat"):
                delay_ns = int(counters.split()[1])
                before_ns = self._seen.get((pid, thread), 0)
                if delay_ns < before_ns:
                    self._ended_ns += before_ns
                self._seen[pid, thread] = delay_ns

    @property
    def seconds(self) -> float:
        """The delay of all threads so far, in seconds; that of ended threads as last read."""
        return (sum(self._seen.values()) + self._ended_ns) / 1e9


def of_threads(pid: int, name: str) -> Iterator[tuple[str, bytes]]:
    """Read a file of /proc for each thread of a process, beside the thread's number; nothing for a
    process that has ended."""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):  # that ended meanwhile; the others did not
                yield thread, _read(f"/proc/{pid}/task/{thread}/{name}")


def _read(path: str) -> bytes:
    """A short file, at half the cost of `open`: there are many, and the machine is measured."""
    handle = os.open(path, os.O_RDONLY)
    try:
        return os.read(handle, MOST_BYTES)
    finally:
        os.close(handle)


def counted() -> bool:
    """Whether this system counts run-queue delay."""
    try:
        with open("/proc/self/schedstat", "rb") as file:
            return int(file.read().split()[0]) > 0
    except (OSError, ValueError, IndexError):
        return False
