"""What computer is this, and how much of it may we use? Reads only; burns nothing.

"Cores" is never `os.cpu_count()`: a container's quota and a process's affinity hide from it
(cpython#80235, psutil#2100), and a prediction made with the wrong c is wrong everywhere. Nor is
a core always a core: hyper-threads share one, and of some processors only a part of them is fast.
Everything is read from files below a root, where Linux has them, so that other machines can be
looked at here; where there are none, as on macOS, psutil is asked.
"""

import importlib.metadata
import math
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil

from labs.host import cgroup
from labs.host.cgroup import number, read
from labs.host.programs import printing
from labs.records.results import Machine

MACHINE = Path("/")
SHOWN_VERSIONS = ("gunicorn", "uvicorn", "locust", "psutil", "wall-time")
UNLIMITED_BYTES = 2**60  # cgroup v1 writes "no limit" as a number near 2**63
CPUS = "sys/devices/system/cpu"
# Intel's kinds of core, the fastest first, as the kernel names the counters of each.
KINDS = ("cpu_core", "cpu_atom", "cpu_lowpower")
ANOTHER_KIND = 0.9  # of the next faster core's speed; favoured cores of one kind are closer
NEARLY_ALL = 0.98  # of the usable cores; WSL leaves its users all but a hundredth of one


def fingerprint(root: Path = MACHINE) -> Machine:
    """The machine as a reader of the recording needs to know it. No host, no user."""
    return Machine(
        system=system(root),
        processor=processor(root),
        cores=max(1, math.ceil(cores(root) - 1e-9)),
        logical_cores=len(_online(root)),
        physical_cores=_count_physical(root),
        quota_cores=quota_cores(root),
        memory_bytes=memory_bytes(root),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        gil=getattr(sys, "_is_gil_enabled", lambda: True)(),
        versions=versions(),
        core_kinds=core_kinds(root),
    )


def system(root: Path = MACHINE) -> str:
    """Name the system and its version: Linux 6.18, Linux 6.6 (WSL2), Darwin 25.1."""
    release = read(root / "proc/sys/kernel/osrelease") or platform.release()
    windows = " (WSL2)" if "wsl2" in release.lower() else ""
    return f"{platform.system()} {'.'.join(release.split('.')[:2])}{windows}"


def cores(root: Path = MACHINE) -> float:
    """Cores this process may use at once: affinity, then the tightest quota above it."""
    return min(float(len(usable_cores(root))), quota_cores(root) or math.inf)


def usable_cores(root: Path = MACHINE) -> tuple[int, ...]:
    """Numbers of the cores this process may run on: as the kernel itself answers, whose files a
    container may have replaced (lxcfs numbers the cores anew)."""
    if root == MACHINE and hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    online = _online(root)
    status = read(root / "proc/thread-self/status") or read(root / "proc/self/status")
    for line in status.splitlines():
        if line.startswith("Cpus_allowed_list:"):  # with those that are not there
            return tuple(sorted(set(online) & set(_listed(line.partition(":")[2]))))
    return online


def physical_cores(root: Path = MACHINE) -> tuple[tuple[int, ...], ...]:
    """Group the usable cores by the physical core that they are hyper-threads of, the fastest kind
    first. Where nothing tells of hyper-threads, each is by itself."""
    return tuple(each for kind in _physical(root) for each in kind)


def core_kinds(root: Path = MACHINE) -> tuple[int, ...]:
    """Count the usable cores of each kind, the fastest first; nothing where all are
    alike, or nobody knows."""
    if sys.platform == "darwin" and root == MACHINE:  # "performance" and "efficiency"
        found = [sysctl(f"hw.perflevel{level}.logicalcpu") or 0.0 for level in (0, 1)]
    else:
        found = [len(each) for each in _kinds(root)]
    return tuple(map(int, found)) if len([each for each in found if each]) > 1 else ()


def server_cores(most: int | None, root: Path = MACHINE) -> tuple[int, ...]:
    """Choose the cores of a server that is held to so many of them; without a number, all.

    Whole physical cores of one kind, the fastest that has so many, and only where none has, of
    several: what a core is worth depends on it. So hyper-threads come in pairs, and of the last
    pair one may stay idle (see `apart_from`).
    """
    kinds = _physical(root)
    for group in (*kinds, [each for kind in kinds for each in kind]):
        found = [core for each in group for core in each]
        if most is not None and len(found) >= most:
            return tuple(sorted(found[:most]))
    return usable_cores(root)


def apart_from(taken: Sequence[int], root: Path = MACHINE) -> tuple[int, ...]:
    """List the usable cores that share nothing with those; else their hyper-threads."""
    physical = physical_cores(root)
    whole = [core for each in physical if not set(each) & set(taken) for core in each]
    rest = [core for core in usable_cores(root) if core not in taken]
    return tuple(sorted(whole or rest))


def quota_cores(root: Path = MACHINE) -> float | None:
    """CPU quota in cores: the tightest of all cgroups above this process and of CPU_LIMIT, which
    JupyterHub's spawners set. None where that leaves all usable cores, or nearly all."""
    told = number(os.environ.get("CPU_LIMIT", "")) or math.inf
    tightest = min([told, *(quota for quota, _ in cgroup.quotas(root))])
    return tightest if 0 < tightest < NEARLY_ALL * len(usable_cores(root)) else None


def memory_bytes(root: Path = MACHINE) -> int:
    """Memory this process may use, in bytes: the machine's, or the container's limit."""
    limits = [
        _memory(root, "MemTotal") or float(psutil.virtual_memory().total),
        number(os.environ.get("MEM_LIMIT", "")),
    ]
    for folder in cgroup.folders(root, "memory"):
        limits += [number(read(folder / name)) for name in ("memory.max", "memory.limit_in_bytes")]
    return int(min(limit for limit in limits if limit and 0 < limit < UNLIMITED_BYTES))


def available_memory_bytes(root: Path = MACHINE) -> int:
    """Memory free for the taking now, in bytes, without pushing anything out."""
    free = [_memory(root, "MemAvailable") or float(psutil.virtual_memory().available)]
    free.append(memory_bytes(root))
    for folder in cgroup.folders(root, "memory"):
        for most, used in (
            ("memory.max", "memory.current"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ):
            limit, usage = number(read(folder / most)), number(read(folder / used))
            if limit and limit < UNLIMITED_BYTES:
                free.append(limit - (usage or 0.0))
    return max(0, int(min(free)))


def processor(root: Path = MACHINE) -> str:
    """The processor's name, as its maker writes it; of Arm's the board's, where files tell it."""
    for line in read(root / "proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model") and value.strip():
            return " ".join(value.split())
    board = read(root / "sys/firmware/devicetree/base/model").rstrip("\0")
    return board or platform.processor() or platform.machine() or "unknown processor"


def on_binder() -> bool:
    """Whether this is a shared, short-lived machine lent by a Binder."""
    return "BINDER_SERVICE_HOST" in os.environ or "BINDER_LAUNCH_HOST" in os.environ


def versions() -> dict[str, str]:
    """Versions of what can change a measurement, as installed."""
    found = {}
    for name in SHOWN_VERSIONS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def sysctl(name: str) -> float | None:
    """A number that macOS tells of itself."""
    ran = printing(["sysctl", "-n", name])
    return number(ran.stdout) if ran else None


def _online(root: Path) -> tuple[int, ...]:
    """Numbers of the machine's cores."""
    online = _listed(read(root / CPUS / "online"))
    return online or tuple(range(psutil.cpu_count() or 1))


def _physical(root: Path) -> list[list[tuple[int, ...]]]:
    """The usable physical cores of each kind, the fastest first, as their hyper-threads."""
    return [
        sorted({tuple(sorted(_siblings(root, core) & set(kind) | {core})) for core in kind})
        for kind in _kinds(root)
    ]


def _count_physical(root: Path) -> int | None:
    """Physical cores that the machine has, whether we may use them or not."""
    online = _online(root)
    if not (root / CPUS / f"cpu{online[0]}/topology").is_dir():
        return psutil.cpu_count(logical=False) if root == MACHINE else None
    return len({_siblings(root, core) | {core} for core in online})


def _siblings(root: Path, core: int) -> frozenset[int]:
    """The hyper-threads of the physical core to which a core belongs."""
    return frozenset(_listed(read(root / CPUS / f"cpu{core}/topology/thread_siblings_list")))


def _kinds(root: Path) -> list[tuple[int, ...]]:
    """The usable cores of each kind, the fastest first. Intel's are named, of which one name may
    stand for two kinds: Meteor Lake's `cpu_atom` has the low-power ones too."""
    usable = usable_cores(root)
    named = [_listed(read(root / f"sys/devices/{kind}/cpus")) for kind in KINDS]
    groups = [tuple(core for core in usable if core in each) for each in named]
    found = [each for each in groups if each] or [usable]
    return [kind for each in found for kind in _by_speed(root, each)]


def _by_speed(root: Path, cores: Sequence[int]) -> list[tuple[int, ...]]:
    """Part cores into kinds, the fastest first, by their capacity of at most 1024; else the highest
    frequency tells, where it differs by more than a little."""
    for file in ("cpu_capacity", "cpufreq/cpuinfo_max_freq"):
        speeds = {core: number(read(root / CPUS / f"cpu{core}" / file)) or 0.0 for core in cores}
        found: list[list[int]] = []
        last = math.inf
        for core in sorted(cores, key=lambda core: (-speeds[core], core)):
            if not found or speeds[core] < ANOTHER_KIND * last:
                found.append([])
            found[-1].append(core)
            last = speeds[core]
        if len(found) > 1:
            return [tuple(sorted(each)) for each in found]
    return [tuple(cores)]


def _listed(text: str) -> tuple[int, ...]:
    """The numbers in a list as the kernel writes it: 0-3,8."""
    found: list[int] = []
    for part in text.strip().split(",") if text.strip() else ():
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


def _memory(root: Path, name: str) -> float | None:
    """Read an entry of /proc/meminfo, in bytes; None where there is none."""
    for line in read(root / "proc/meminfo").splitlines():
        if line.startswith(f"{name}:"):
            return (number(line.split()[1]) or 0.0) * 1024
    return None
