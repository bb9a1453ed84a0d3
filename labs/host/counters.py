"""Counters of the machine that only rise: what its cores spent on whom, and what was held back.

Of the machine is counted what this process may use of it. In a container on a shared host
/proc/stat is the host's, and under `taskset` most cores of it are nobody's business here.
"""

import math
import os
from dataclasses import dataclass
from pathlib import Path

import psutil

from labs.host import cgroup
from labs.host.cgroup import read
from labs.host.hardware import MACHINE, quota_cores, usable_cores

TICKS_PER_S = os.sysconf("SC_CLK_TCK")  # of /proc/stat
USER, NICE, SYSTEM, STOLEN = 0, 1, 2, 7  # its columns, see proc(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cpu:
    """CPU seconds on the cores that this process may use, so far."""

    busy_s: float  # of anyone
    stolen_s: float  # a core had work, and another virtual machine had the core
    group_s: float | None = None  # of these `busy_s`: of all under the quota that we are under
    spare_cores: float = math.inf  # that others may have before they take from that quota


def cpu(root: Path = MACHINE) -> Cpu:
    """Read who had the usable cores, in CPU seconds.

    Interrupts are left out: on loopback they are the labs' own packets, and nobody's process pays
    for them. Where a quota is all that we have of the cores, it also says what was used under it.
    """
    busy_s, stolen_s = _cores_s(root)
    quota = quota_cores(root)
    if quota is None:
        return Cpu(busy_s=busy_s, stolen_s=stolen_s)
    return Cpu(
        busy_s=busy_s,
        stolen_s=stolen_s,
        group_s=cgroup.used_s(root),
        spare_cores=len(usable_cores(root)) - quota,
    )


def listen_overflows(root: Path = MACHINE) -> int:
    """Connections that ever found a full listen queue on this machine (Linux; else 0)."""
    lines = [line.split() for line in read(root / "proc/net/netstat").splitlines()]
    for names, values in zip(lines[::2], lines[1::2], strict=False):
        if "ListenOverflows" in names:
            return int(values[names.index("ListenOverflows")])
    return 0


def _cores_s(root: Path) -> tuple[float, float]:
    """Busy and stolen seconds of the usable cores together."""
    lines = [line.split() for line in read(root / "proc/stat").splitlines()]
    told = {name: [int(each) for each in rest] for name, *rest in lines if name.startswith("cpu")}
    if not told:
        times = psutil.cpu_times()
        return float(times.user + times.system + times.nice), 0.0
    names = [f"cpu{core}" for core in usable_cores(root)]
    if any(name not in told for name in names):  # numbered for a container that sees only its own
        names = ["cpu"]
    found = [told[name] for name in names]
    busy = sum(each[USER] + each[NICE] + each[SYSTEM] for each in found)
    stolen = sum(each[STOLEN] for each in found if len(each) > STOLEN)
    return busy / TICKS_PER_S, stolen / TICKS_PER_S
