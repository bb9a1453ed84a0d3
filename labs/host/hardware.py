"""What computer is this, and how much of it may we use? Reads only; burns nothing.

"Cores" is never `os.cpu_count()`: a container's quota and a process's affinity hide from it
(cpython#149452, psutil#2100), and a prediction made with the wrong c is wrong everywhere.
"""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import sys
from pathlib import Path

import psutil

from labs.records.results import Machine

SHOWN_VERSIONS = ("gunicorn", "uvicorn", "locust", "psutil", "wall-time")
UNLIMITED_BYTES = 2**60  # cgroup v1 writes "no limit" as a number near 2**63


def fingerprint(root: Path = Path("/")) -> Machine:
    """The machine as a reader of the recording needs to know it. No host, no user."""
    return Machine(
        system=f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        processor=processor(root),
        cores=max(1, math.ceil(cores(root) - 1e-9)),
        logical_cores=psutil.cpu_count() or 1,
        physical_cores=psutil.cpu_count(logical=False),
        quota_cores=quota_cores(root),
        memory_bytes=memory_bytes(root),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        gil=getattr(sys, "_is_gil_enabled", lambda: True)(),
        versions=versions(),
    )


def cores(root: Path = Path("/")) -> float:
    """Cores this process may use at once: affinity, then the tightest quota above it."""
    return min(float(len(usable_cores())), quota_cores(root) or math.inf)


def usable_cores() -> tuple[int, ...]:
    """Numbers of the cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(psutil.cpu_count() or 1))


def quota_cores(root: Path = Path("/")) -> float | None:
    """CPU quota in cores: the tightest of all cgroups above this process and of CPU_LIMIT.

    `cpu.shares` and `cpu.weight` are no limits: they only decide who goes first.
    """
    quotas = [_number(os.environ.get("CPU_LIMIT", ""))]  # set by JupyterHub's spawners
    for folder in _cgroup_folders(root, "cpu"):
        quota, _, period = _read(folder / "cpu.max").partition(" ")  # v2: "max 100000"
        if not quota:
            quota = _read(folder / "cpu.cfs_quota_us")  # v1: -1 is none
            period = _read(folder / "cpu.cfs_period_us")
        most, per = _number(quota), _number(period)
        quotas.append(most / per if most and per and most > 0 else None)
    return min((quota for quota in quotas if quota and quota > 0), default=None)


def memory_bytes(root: Path = Path("/")) -> int:
    """Memory this process may use, in bytes: the machine's, or the container's limit."""
    limits = [float(psutil.virtual_memory().total), _number(os.environ.get("MEM_LIMIT", ""))]
    for folder in _cgroup_folders(root, "memory"):
        limits += [
            _number(_read(folder / name)) for name in ("memory.max", "memory.limit_in_bytes")
        ]
    return int(min(limit for limit in limits if limit and 0 < limit < UNLIMITED_BYTES))


def available_memory_bytes(root: Path = Path("/")) -> int:
    """Memory free for the taking now, in bytes, without pushing anything out."""
    free = [float(psutil.virtual_memory().available)]
    for folder in _cgroup_folders(root, "memory"):
        for most, used in (
            ("memory.max", "memory.current"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ):
            limit, usage = _number(_read(folder / most)), _number(_read(folder / used))
            if limit and limit < UNLIMITED_BYTES:
                free.append(limit - (usage or 0.0))
    return max(0, int(min(free)))


def throttled_s(root: Path = Path("/")) -> float:
    """Seconds for which a CPU quota has held this process's cgroups back, so far."""
    held = 0.0
    for folder in _cgroup_folders(root, "cpu"):
        for line in _read(folder / "cpu.stat").splitlines():
            name, _, value = line.partition(" ")
            scale = {"throttled_usec": 1e-6, "throttled_time": 1e-9}.get(name)  # v2, v1
            held = max(held, (_number(value) or 0.0) * scale if scale else 0.0)
    return held


def listen_overflows(root: Path = Path("/")) -> int:
    """Connections that ever found a full listen queue on this machine (Linux; else 0)."""
    lines = [line.split() for line in _read(root / "proc/net/netstat").splitlines()]
    for names, values in zip(lines[::2], lines[1::2], strict=False):
        if "ListenOverflows" in names:
            return int(values[names.index("ListenOverflows")])
    return 0


def processor(root: Path = Path("/")) -> str:
    """The processor's name, as its maker writes it."""
    for line in _read(root / "proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model") and value.strip():
            return " ".join(value.split())
    return platform.processor() or platform.machine() or "unknown processor"


def on_binder() -> bool:
    """Whether this is a shared, short-lived machine lent by a Binder."""
    return "BINDER_SERVICE_HOST" in os.environ or "BINDER_LAUNCH_HOST" in os.environ


def versions() -> dict[str, str]:
    """Of what can change a measurement, as installed."""
    found = {}
    for name in SHOWN_VERSIONS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _cgroup_folders(root: Path, controller: str) -> list[Path]:
    """This process's cgroup folder and all above it, innermost first, v2 and v1."""
    folders = []
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        mount = root / "sys/fs/cgroup" / (controller if controllers else "")
        inner = Path(path.lstrip("/"))
        # In a container the path may be the host's: then only the mount itself is ours to see.
        for part in (inner, *inner.parents):
            if (mount / part).is_dir() and mount / part not in folders:
                folders.append(mount / part)
    return folders


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
