"""Process monitor: who is there and what they do, as `ps`, `lsof` and `iotop` show it, of the
server and of the load generator while the busiest level is on.

Linux tells what a process wrote, which files and connections it has open and whether a thread
waits for the disk.
Elsewhere there are only the processes, their threads and their CPU time.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from labs.host.monitor import process_cpu_s
from labs.records.processes import Seen, Who

LINUX = sys.platform.startswith("linux")
EVERY_S = 0.25
SHARED = "/wall-time-"  # in the path of a server's own folder, see `labs.servers.storage`
NOT_TOLD = (".lock", "-wal", "-shm")  # files that only go with others
TCP = Path("/proc/net/tcp")  # every IPv4 connection, as proc(5) has it
LOOPBACK = "0100007F"  # 127.0.0.1, as it has it on all machines that turn their bytes around
ESTABLISHED, LISTENING = "01", "0A"


@dataclass(slots=True, kw_only=True)
class Life:
    """What is known of a process."""

    who: Who
    parent: int
    since: float  # time.perf_counter
    cpu_s: float
    written: int | None
    now: float = 0.0
    cpu_now_s: float = 0.0
    written_now: int | None = None
    threads: int = 1
    looks: int = 0
    on_disk: int = 0  # threads in a wait for the disk, summed over the looks
    files: set[str] = field(default_factory=set)


class ProcessMonitor:
    """Looks while `busy` says so."""

    def __init__(
        self, trees: Mapping[Who, Callable[[], Collection[int]]], busy: Callable[[], bool]
    ) -> None:
        self.trees, self.busy = trees, busy
        self._lives: dict[int, Life] = {}
        self._done = threading.Event()

    def look(self) -> None:
        """Read every process."""
        for who, pids in self.trees.items():
            for pid in pids():
                with contextlib.suppress(OSError, psutil.Error, ValueError, IndexError):
                    self._read(who, pid)

    def seen(self) -> tuple[Seen, ...]:
        """Everyone, the server's first. Empty when it was never busy."""
        numbers: dict[Who, dict[int, int]] = {}
        for pid, life in sorted(self._lives.items()):
            tree = numbers.setdefault(life.who, {})
            tree[pid] = len(tree) + 1
        return tuple(
            _told(life, number, tree.get(life.parent))
            for tree in numbers.values()
            for pid, number in tree.items()
            if (life := self._lives[pid]).now > life.since
        )

    def _read(self, who: Who, pid: int) -> None:
        cpu_s, written, now = process_cpu_s(pid), _written(pid), time.perf_counter()
        life = self._lives.get(pid)
        if life is None:
            parent = psutil.Process(pid).ppid()
            life = Life(who=who, parent=parent, since=now, cpu_s=cpu_s, written=written)
            self._lives[pid] = life
        life.now, life.cpu_now_s, life.written_now = now, cpu_s, written
        life.looks += 1
        if LINUX:
            states = _states(pid)
            life.threads, life.on_disk = len(states), life.on_disk + states.count("D")
            if who == "server":
                life.files |= _files(pid)
                if life.looks & (life.looks - 1) == 0:  # 1, 2, 4, 8: the list may be long
                    life.files |= _connections(pid)
        else:
            life.threads = psutil.Process(pid).num_threads()

    def run(self) -> None:
        while not self._done.wait(EVERY_S):
            if self.busy():
                self.look()

    def end(self) -> None:
        self._done.set()


@contextlib.contextmanager
def monitoring(
    trees: Mapping[Who, Callable[[], Collection[int]]], busy: Callable[[], bool]
) -> Iterator[ProcessMonitor]:
    """Look on until the block ends. The callables list process ids, and say whether to look."""
    monitor = ProcessMonitor(trees, busy)
    thread = threading.Thread(target=monitor.run, name="process-monitor", daemon=True)
    thread.start()
    try:
        yield monitor
    finally:
        monitor.end()
        thread.join()


def _told(life: Life, number: int, parent: int | None) -> Seen:
    seconds = life.now - life.since
    written = None
    if life.written is not None and life.written_now is not None:
        written = (life.written_now - life.written) / seconds
    return Seen(
        who=life.who,
        number=number,
        parent=parent,
        threads=life.threads,
        cpu=round((life.cpu_now_s - life.cpu_s) / seconds, 4),
        on_disk=round(life.on_disk / life.looks, 3) if LINUX else None,
        written_bps=None if written is None else round(written, 1),
        files=tuple(sorted(life.files)),
    )


def _written(pid: int) -> int | None:
    """Bytes that it caused to be sent to a disk, ever; None where the system does not tell."""
    if not LINUX:
        return None
    try:
        fields = Path(f"/proc/{pid}/io").read_text().split()
    except PermissionError:
        return None
    return int(fields[fields.index("write_bytes:") + 1])


def _states(pid: int) -> list[str]:
    """Of each of its threads, as proc(5) has it: R runs, S sleeps, D waits for the disk."""
    states = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError):
            stat = Path(f"/proc/{pid}/task/{thread}/stat").read_text()
            states.append(stat.rpartition(")")[2].split()[0])
    return states


def _files(pid: int) -> set[str]:
    """Names of what it has open in the folder that the server's processes share."""
    found = set()
    for number in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            path = os.readlink(f"/proc/{pid}/fd/{number}")
            name = path.rpartition("/")[2]
            if SHARED in path and not name.endswith((*NOT_TOLD, " (deleted)")):
                found.add(name)
    return found


def _connections(pid: int) -> set[str]:
    """What it is connected to on this machine, as far as it was itself who asked for it: to whom
    it answers, nobody listens there."""
    listening, asked = set(), {}
    for line in TCP.read_text().splitlines()[1:]:
        _, local, remote, state, *more = line.split()
        if state == LISTENING:
            listening.add(local.partition(":")[2])
        elif state == ESTABLISHED and remote.startswith(LOOPBACK):
            asked[f"socket:[{more[5]}]"] = remote.partition(":")[2]
    found = set()
    for number in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            port = asked.get(os.readlink(f"/proc/{pid}/fd/{number}"))
            if port in listening:
                found.add(f"a connection to port {int(str(port), 16)}")
    return found
