"""Every process of the server's tree and of the load generator's: when it lived, what it used.

All processes are looked at ten times a second, fewer times where there are many. So whoever lives
for less than a tenth of a second may not be seen, and of the life of anyone who ends, the part
after the last look is missing. CPU time is exact. How it splits into user and system time is told
in steps of 10 ms (Linux); who has none yet is taken to be like the whole tree.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from labs.host.monitor import process_cpu_s
from labs.records.processes import Process, Who

LINUX = sys.platform.startswith("linux")
EVERY_S = 0.1
MOST_AT_ONCE = 64  # processes looked at so often; of twice as many, every 0.2 s


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One look at a process. Counters since its birth."""

    parent: int
    born: object  # with the process id, tells it from another that was given the same
    cpu_s: float  # exactly
    user: float  # of it, in ticks: only the proportion of the two is used
    system: float
    minor_faults: int | None
    major_faults: int | None


@dataclass(slots=True, kw_only=True)
class Life:
    """What is known of a process."""

    who: Who
    first: Reading  # of an old one when the run began; counters of 0 for one that came later
    began: float  # time.perf_counter
    last: Reading
    seen: float


class Census:
    """Keeps watch from `begin` on."""

    def __init__(self, trees: Mapping[Who, Callable[[], Collection[int]]]) -> None:
        self.trees = trees
        self._lives: dict[tuple[int, object], Life] = {}
        self._began = time.perf_counter()
        self._lock = threading.Lock()
        self._done = threading.Event()

    def begin(self) -> None:
        """The run begins: whoever is there now is counted from here."""
        with self._lock:
            self._lives.clear()
            self._began = time.perf_counter()
        self.look(old=True)

    def look(self, *, old: bool = False) -> int:
        """Read every process; how many there are."""
        with self._lock:
            now, found = time.perf_counter(), 0
            for who, pids in self.trees.items():
                for pid in pids():
                    reading = read(pid)
                    if reading is None:
                        continue
                    found += 1
                    life = self._lives.get((pid, reading.born))
                    if life is None:
                        first = reading if old else _newborn(reading)
                        life = Life(who=who, first=first, began=now, last=reading, seen=now)
                        self._lives[pid, reading.born] = life
                    life.last, life.seen = reading, now
            return found

    def processes(self) -> tuple[Process, ...]:
        """Everyone seen since the run began, in order of appearance."""
        with self._lock:
            return tuple(self._told(pid, life) for (pid, _), life in self._lives.items())

    def _told(self, pid: int, life: Life) -> Process:
        first, last = life.first, life.last
        cpu_s = last.cpu_s - first.cpu_s
        tree = [each for each in self._lives.values() if each.who == life.who]
        own = _user_share([life])
        share = own if own is not None else _user_share(tree) or 0.0
        return Process(
            who=life.who,
            pid=pid,
            parent=last.parent,
            began_s=round(life.began - self._began, 2),
            lived_s=round(life.seen - life.began, 2),
            user_s=round(cpu_s * share, 4),
            system_s=round(cpu_s * (1 - share), 4),
            minor_faults=_gone(first.minor_faults, last.minor_faults),
            major_faults=_gone(first.major_faults, last.major_faults),
        )

    def run(self) -> None:
        pause = EVERY_S
        while not self._done.wait(pause):
            pause = EVERY_S * max(1.0, self.look() / MOST_AT_ONCE)

    def end(self) -> None:
        self._done.set()


@contextlib.contextmanager
def watching(trees: Mapping[Who, Callable[[], Collection[int]]]) -> Iterator[Census]:
    """Watch these trees until the block ends. The callables list process ids, now."""
    census = Census(trees)
    thread = threading.Thread(target=census.run, name="census", daemon=True)
    thread.start()
    try:
        yield census
    finally:
        census.end()
        thread.join()


def read(pid: int) -> Reading | None:
    """What the system says of a process; None when it is gone."""
    try:
        return _read_proc(pid) if LINUX else _read_psutil(pid)
    except (OSError, psutil.Error, IndexError, ValueError):
        return None


def _read_proc(pid: int) -> Reading | None:
    """/proc/<pid>/stat, see proc(5)."""
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    if fields[0] in (b"Z", b"X"):
        return None
    return Reading(
        parent=int(fields[1]),
        born=fields[19],
        cpu_s=process_cpu_s(pid),
        user=int(fields[11]),
        system=int(fields[12]),
        minor_faults=int(fields[7]),
        major_faults=int(fields[9]),
    )


def _read_psutil(pid: int) -> Reading:
    process = psutil.Process(pid)
    times, memory = process.cpu_times(), process.memory_info()
    return Reading(
        parent=process.ppid(),
        born=process.create_time(),
        cpu_s=times.user + times.system,
        user=times.user,
        system=times.system,
        minor_faults=getattr(memory, "pfaults", None),  # macOS
        major_faults=getattr(memory, "pageins", None),
    )


def _newborn(reading: Reading) -> Reading:
    """The same process before it did anything."""
    none = None if reading.minor_faults is None else 0
    return replace(reading, cpu_s=0.0, user=0.0, system=0.0, minor_faults=none, major_faults=none)


def _user_share(lives: Collection[Life]) -> float | None:
    """User ticks of all ticks; None where there was none yet."""
    user = sum(life.last.user - life.first.user for life in lives)
    system = sum(life.last.system - life.first.system for life in lives)
    return user / (user + system) if user + system else None


def _gone(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before
