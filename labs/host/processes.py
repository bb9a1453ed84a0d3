"""Looks at each process of the server's tree and of the load generator's.

A census tells when each lived and what it used. A process monitor looks closer, while the busiest
level is on: as `ps`, `lsof` and `iotop` do. Linux tells what a process wrote, which files and
connections it has open and whether a thread waits for the disk; elsewhere there are only the
processes, their threads and their CPU time.
"""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil

from labs.host.monitor import Pids, Poller, process_cpu_s
from labs.host.run_queue import of_threads
from labs.records.processes import Process, Seen, Who

LINUX = sys.platform.startswith("linux")
CENSUS_EVERY_S, MONITOR_EVERY_S = 0.1, 0.25
MOST_OF_A_CORE = 0.02  # that a monitor's looks take, while what it looks at is measured
MOST_AT_ONCE = 64  # processes looked at so often; of twice as many, every 0.2 s
SHARED = "/wall-time-"  # in the path of a server's own folder, see `labs.servers.storage`
NOT_TOLD = (".lock", "-wal", "-shm")  # files that only go with others
TCP = Path("/proc/net/tcp")  # every IPv4 connection, as proc(5) has it
LOOPBACK = "0100007F"  # 127.0.0.1, as it has it on all machines that turn their bytes around
ESTABLISHED, LISTENING = "01", "0A"
Trees = Mapping[Who, Pids]


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
    """A process since it was first seen. Times on `time.perf_counter`."""

    who: Who
    first: Reading  # when it was first seen, or at its birth
    began: float
    last: Reading
    seen: float
    looks: int = 0
    # What only a process monitor knows:
    written: tuple[int | None, int | None] = None, None  # at its first look, and at its last
    threads: int = 1
    on_disk: int = 0  # threads in a wait for the disk, summed over the looks
    files: set[str] = field(default_factory=set)


class Processes(Poller):
    """The processes of some trees, read again and again. The callables list process ids, now."""

    def __init__(self, trees: Trees, every_s: float) -> None:
        super().__init__(every_s)
        self.trees = trees
        self._lives: dict[tuple[int, object], Life] = {}
        self._lock = threading.Lock()

    def look(self) -> None:
        """Read every process now."""
        self._read()

    def _more(self, pid: int, life: Life) -> None:
        """Look closer at a process that was just read."""

    def _read(self, first: Callable[[Reading], Reading] = lambda reading: reading) -> int:
        """Read all processes now; return how many there are. `first`: from where one is counted
        that was never seen before."""
        with self._lock:
            found = 0
            for who, pids in self.trees.items():
                for pid in pids():
                    with contextlib.suppress(OSError, psutil.Error, IndexError, ValueError):
                        reading, now = read(pid), time.perf_counter()
                        life = self._lives.get((pid, reading.born))
                        if life is None:
                            begin = first(reading)
                            life = Life(who=who, first=begin, began=now, last=reading, seen=now)
                            self._lives[pid, reading.born] = life
                        life.last, life.seen, life.looks = reading, now, life.looks + 1
                        found += 1
                        self._more(pid, life)
            return found


class Census(Processes):
    """Every process since `begin`: when it lived, what it used.

    All are looked at ten times a second, fewer times where there are many. So whoever lives for
    less than a tenth of a second may not be seen, and of the life of anyone who ends, the part
    after the last look is missing. CPU time is exact. How it splits into user and system time is
    told in steps of 10 ms (Linux); who has none yet is taken to be like the whole tree.
    """

    def __init__(self, trees: Trees) -> None:
        super().__init__(trees, CENSUS_EVERY_S)
        self._began = time.perf_counter()

    def begin(self) -> None:
        """The run begins: whoever is there now is counted from here."""
        with self._lock:
            self._lives.clear()
            self._began = time.perf_counter()
        self._read()

    def look(self) -> None:
        """Read every process; of one that is new, all that it ever did is of this run."""
        self.every_s = CENSUS_EVERY_S * max(1.0, self._read(_newborn) / MOST_AT_ONCE)

    def processes(self) -> tuple[Process, ...]:
        """List the processes seen since the run began, in order of appearance."""
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


class ProcessMonitor(Processes):
    """The processes and what they do while `busy` says to look: four times a second, fewer times
    where looks are dear. But the first only tells from where to count, so the second comes soon
    whatever the first took, and what both took is made up for before the third."""

    def __init__(self, trees: Trees, busy: Callable[[], bool]) -> None:
        super().__init__(trees, MONITOR_EVERY_S)
        self.busy = busy
        self._looks, self._owed_s = 0, 0.0  # what looks took that no pause has made up for
        self._ports: Mapping[str, int] | None = None  # by socket, as this look found them

    def look(self) -> None:
        """Read every process, if it is time to."""
        if self.busy():
            begin_s, self._ports = time.thread_time(), None
            super().look()
            self._looks, self._owed_s = self._looks + 1, self._owed_s + time.thread_time() - begin_s
            if self._looks > 1:
                self.every_s = max(MONITOR_EVERY_S, self._owed_s / MOST_OF_A_CORE)
                self._owed_s = 0.0

    def seen(self) -> tuple[Seen, ...]:
        """List who was looked at twice, the server's first; nobody when it was never busy."""
        numbers: dict[Who, dict[int, int]] = {}
        ordered = sorted(self._lives.items(), key=lambda item: item[0][0])
        lives = {pid: life for (pid, _), life in ordered}
        for pid, life in lives.items():
            tree = numbers.setdefault(life.who, {})
            tree[pid] = len(tree) + 1
        return tuple(
            _seen(life, number, tree.get(life.last.parent))
            for tree in numbers.values()
            for pid, number in tree.items()
            if (life := lives[pid]).seen > life.began
        )

    def _more(self, pid: int, life: Life) -> None:
        if not LINUX:
            life.threads = psutil.Process(pid).num_threads()
            return
        written, states = _written(pid), _states(pid)
        life.written = (written if life.looks == 1 else life.written[0]), written
        life.threads, life.on_disk = len(states) or life.threads, life.on_disk + states.count(b"D")
        if life.who == "server":
            life.files |= _files(pid)
            if life.looks & (life.looks - 1) == 0:  # 1, 2, 4, 8: the list may be long
                self._ports = _ports() if self._ports is None else self._ports
                life.files |= _connections(pid, self._ports)


def read(pid: int) -> Reading:
    """Read what the system says of a process; OSError or psutil.Error when it is gone."""
    if not LINUX:
        return _read_psutil(pid)
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()  # see proc(5)
    if fields[0] in (b"Z", b"X"):
        raise ProcessLookupError(pid)
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
    """Turn a process's reading into the one from before it did anything."""
    none = None if reading.minor_faults is None else 0
    return replace(reading, cpu_s=0.0, user=0.0, system=0.0, minor_faults=none, major_faults=none)


def _user_share(lives: Collection[Life]) -> float | None:
    """User ticks of all ticks; None where there was none yet."""
    user = sum(life.last.user - life.first.user for life in lives)
    system = sum(life.last.system - life.first.system for life in lives)
    return user / (user + system) if user + system else None


def _gone(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def _seen(life: Life, number: int, parent: int | None) -> Seen:
    seconds = life.seen - life.began
    written = _gone(*life.written)
    return Seen(
        who=life.who,
        number=number,
        parent=parent,
        threads=life.threads,
        cpu=round((life.last.cpu_s - life.first.cpu_s) / seconds, 4),
        on_disk=round(life.on_disk / life.looks, 3) if LINUX else None,
        written_bps=None if written is None else round(written / seconds, 1),
        files=tuple(sorted(life.files)),
    )


def _written(pid: int) -> int | None:
    """Read the bytes that a process has sent to a disk, ever; None where nobody tells."""
    try:
        fields = Path(f"/proc/{pid}/io").read_text().split()
    except PermissionError:
        return None
    return int(fields[fields.index("write_bytes:") + 1])


def _states(pid: int) -> list[bytes]:
    """Read each thread's state, as proc(5) has it: R runs, S sleeps, D waits for the disk."""
    return [told.rpartition(b")")[2].split()[0] for _, told in of_threads(pid, "stat")]


def _open(pid: int) -> Iterator[str]:
    """List what a process has open: paths of files, and names of sockets."""
    for number in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            yield os.readlink(f"/proc/{pid}/fd/{number}")


def _files(pid: int) -> set[str]:
    """Name what a process has open in the folder that the server's processes share."""
    names = {path.rpartition("/")[2] for path in _open(pid) if SHARED in path}
    return {name for name in names if not name.endswith((*NOT_TOLD, " (deleted)"))}


def _ports() -> dict[str, int]:
    """Map each socket's name to the port that it asked, for whoever asked for a connection on this
    machine. Sockets of whoever answered are left out, as nobody listens where they lead. To tell it
    takes the system milliseconds, and more after a load."""
    listening, found = set(), {}
    for line in TCP.read_text().splitlines()[1:]:
        _, local, remote, state, *more = line.split()
        if state == LISTENING:
            listening.add(local.partition(":")[2])
        elif state == ESTABLISHED and remote.startswith(LOOPBACK):
            found[f"socket:[{more[5]}]"] = remote.partition(":")[2]
    return {name: int(port, 16) for name, port in found.items() if port in listening}


def _connections(pid: int, ports: Mapping[str, int]) -> set[str]:
    """Name the ports of this machine to which a process has asked for connections."""
    return {f"a connection to port {ports[name]}" for name in _open(pid) if name in ports}
