"""Find the processes that listen at a port of this machine, and those that work behind them.

Nothing here starts, stops or signals anything: a reader's own server is looked at from outside, as
`ss` and `ps` do. A process of another user may be read (its CPU time is everybody's to see); that
it is the one who listens only its own user and root are told.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from labs.host import cgroup
from labs.host.hardware import MACHINE
from labs.host.monitor import process_cpu_s
from labs.host.supervisor import descendants

ANY = ("0.0.0.0", "::")
FORWARDERS = (  # carry bytes, serve nothing
    *("docker-proxy", "rootlessport", "slirp4netns", "pasta"),
    *("ssh", "kubectl", "socat"),
)
ONE_THREAD_AT_A_TIME = {  # runtimes in which a process uses one core for its own code
    "python": "Python",
    "node": "Node.js",
    "ruby": "Ruby",
    "php": "PHP",
}
ONE_AT_A_TIME_PROGRAMS = ("gunicorn", "uvicorn", "hypercorn", "php-fpm", "puma", "uwsgi")
LEAST_CPU_S = 100e-6  # of a request, for a program to be told as working behind the server
ALIKE = 1.5  # times the least of them: so far a request's costs to a program may lie apart
RESTS = 0.2  # of the most cores that it uses: a program that is busier unasked has its own affairs


@dataclass(eq=False, slots=True)
class Family:
    """Some processes and all that descend from them, now and later. `roots`: process ids, which
    may become more while it is watched."""

    roots: list[int] = field(default_factory=list)

    def pids(self) -> list[int]:
        """List its live processes; one look at the machine's table of processes for each root."""
        there = filter(psutil.pid_exists, self.roots)
        return list(dict.fromkeys(pid for root in there for pid in (root, *descendants(root))))

    def leaves(self) -> list[int]:
        """List those of its processes that have no child: as a rule, the workers."""
        pids = self.pids()
        parents = set(map(parent_of, pids))
        return [pid for pid in pids if pid not in parents]


def listening(host: str, port: int) -> Family:
    """Find who listens at that port of this machine: the oldest process of each tree that does.

    Empty where nobody is seen: another user's process, a container's, or nobody at all.
    """
    found = {pid for pid in listeners(host, port) if name_of(pid) not in FORWARDERS}
    return Family(sorted(pid for pid in found if parent_of(pid) not in found))


def listeners(host: str, port: int) -> list[int]:
    """List the processes with a listening TCP socket at that port, as far as they may be read."""
    addresses = {host, *ANY, *(("127.0.0.1", "::1") if host == "localhost" else ())}
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            for each in process.net_connections(kind="tcp"):
                where = each.status == psutil.CONN_LISTEN and each.laddr
                if where and where.port == port and where.ip in addresses:
                    found.append(process.pid)
                    break
    return found


def parent_of(pid: int) -> int:
    """Tell the process that started another, or has it since; 0 when it is gone."""
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).ppid()
    return 0


def name_of(pid: int) -> str:
    """Name a process's program, without a version; "" when it is gone or not told."""
    with contextlib.suppress(psutil.Error, OSError):
        process = psutil.Process(pid)
        name = process.name()
        with contextlib.suppress(psutil.Error, OSError):
            name = os.path.basename(process.exe()) or name
        return name
    return ""


def command_of(pid: int) -> list[str]:
    """Tell the command line of a process; [] when it is gone or not told."""
    with contextlib.suppress(psutil.Error, OSError):
        return psutil.Process(pid).cmdline()
    return []


def program(pid: int) -> str:
    """Name what a process runs, as people call it: gunicorn rather than python3.11."""
    command, name = " ".join(command_of(pid)[:4]).lower(), name_of(pid)
    for known in ONE_AT_A_TIME_PROGRAMS:
        if known in command or known in name:
            return known
    return runtime(pid) or name


def runtime(pid: int) -> str:
    """Name the runtime of a process that keeps one core at most with its own code; "" for others.

    Assumes an interpreter's usual build: Python with its global lock.
    """
    name = name_of(pid).lower()
    for start, said in ONE_THREAD_AT_A_TIME.items():
        if name.startswith(start):
            return said
    return ""


def cpu_of_all() -> dict[int, float]:
    """Read the CPU seconds of every process of this machine, so far."""
    found = {}
    for pid in psutil.pids():
        with contextlib.suppress(OSError, psutil.Error):
            found[pid] = process_cpu_s(pid)
    return found


def working(
    idle: Sequence[Mapping[int, float]],
    looks: Sequence[tuple[float, Mapping[int, float]]],
    *,
    but: Collection[int],
) -> tuple[int, ...]:
    """Pick the programs that work for the server, each by its oldest process: they rest whenever
    it isn't asked, and each request costs them about the same, however many there are.

    idle: cores that each process used when nobody asked, by its id, before the looks and after
    them. looks: requests a second, and cores that each process used meanwhile. `but` leaves out
    those known already. A program that is busy for itself has no reason to begin and to end with
    the requests, nor to be twice as busy when twice as many are served.
    """
    programs: dict[int, set[int]] = {}
    for pid in {pid for _, cores in looks for pid in cores} - set(but):
        if command_of(pid):  # no thread of the kernel
            programs.setdefault(oldest_of_program(pid), set()).add(pid)
    found = []
    for root, pids in programs.items():
        rest = max(sum(each.get(pid, 0.0) for pid in pids) for each in idle)
        used = [(rps, sum(cores.get(pid, 0.0) for pid in pids)) for rps, cores in looks if rps]
        if not used or rest > RESTS * max(cores for _, cores in used):
            continue
        costs = [(cores - rest) / rps for rps, cores in used]
        if min(costs) > LEAST_CPU_S and max(costs) <= ALIKE * min(costs):
            found.append(root)
    return tuple(found)


def ancestors(pid: int) -> list[int]:
    """List the parents of a process, from its own to the first of the machine's."""
    with contextlib.suppress(psutil.Error):
        return [parent.pid for parent in psutil.Process(pid).parents()]
    return []


def oldest_of_program(pid: int) -> int:
    """Find the oldest process of the same program above: php-fpm for one of its workers."""
    name = name_of(pid)
    same = itertools.takewhile(lambda above: name_of(above) == name, ancestors(pid))
    return [pid, *same][-1]


def ours() -> set[int]:
    """List this process and those it descends from."""
    return {os.getpid(), *ancestors(os.getpid())}


def quota_of(pid: int, root: Path = MACHINE) -> float | None:
    """Tell how many cores the tightest CPU quota above a process lets it use; None without one."""
    return min((quota for quota, _ in cgroup.quotas(root, pid)), default=None)


def threads_of(pid: int) -> int:
    """Count a process's threads; 0 when it is gone."""
    with contextlib.suppress(psutil.Error):
        return int(psutil.Process(pid).num_threads())
    return 0


def pool(pid: int, workers: int) -> int | None:
    """Tell how many requests a server holds at once, where its command line leaves no doubt.

    pid: its oldest process; workers: processes that answer. None for all but gunicorn's sync and
    gthread workers (gunicorn 20 to 27), and where settings may lie elsewhere: in a file, also the
    gunicorn.conf.py of its folder, or in the environment.
    """
    words = command_of(pid)
    if not any(os.path.basename(word) == "gunicorn" for word in words[:3]) or _set_elsewhere(pid):
        return None
    told = argparse.ArgumentParser(add_help=False)
    for names in (("-c", "--config"), ("--chdir",), ("-k", "--worker-class"), ("--threads",)):
        told.add_argument(*names, default="")
    options, _ = told.parse_known_args(words)
    kind, threads = options.worker_class, options.threads or "1"
    if options.config or options.chdir or not threads.isdigit():
        return None
    if kind not in ("", "sync", "gthread"):
        return None
    each = int(threads) if kind == "gthread" or (not kind and int(threads) > 1) else 1
    return workers * each


def _set_elsewhere(pid: int) -> bool:
    """Whether a gunicorn has, or may have, settings that its command line doesn't hold."""
    try:
        process = psutil.Process(pid)
        file = Path(process.cwd(), "gunicorn.conf.py")
        return "GUNICORN_CMD_ARGS" in process.environ() or file.exists()
    except (psutil.Error, OSError):
        return True
