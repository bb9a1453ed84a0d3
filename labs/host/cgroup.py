"""Control group: what Linux gives to a container or a service, and one with a CPU quota, made for
a server. Versions 1 and 2.

The formats are those of the kernel's documents `admin-guide/cgroup-v2` and `admin-guide/cgroup-v1`.
"""

import contextlib
import os
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from labs.records.errors import refused

OOM_COUNTED = ("memory.events", "memory.oom_control")  # of version 2, of version 1
OF_THE_MACHINE = "release_agent"  # a file that only the root of version 1 has
PERIOD_S = 0.1  # over which a quota is accounted, as containers have it
MADE = "wall-time-lab-"  # how the groups that are made here begin


def read(path: Path) -> str:
    """Read a file of the kernel's; "" where there is none, or it is not for us."""
    try:
        return path.read_text(errors="replace").strip()
    except (OSError, ValueError):
        return ""


def number(text: str) -> float | None:
    """Read a text as a number; None where it is none."""
    try:
        return float(text)
    except ValueError:
        return None


def folders(root: Path, controller: str, pid: int | None = None) -> list[Path]:
    """Find the cgroup folder of a process, or this one's, and all above it, innermost first, v2 and
    v1."""
    found = []
    for line in read(root / f"proc/{pid or 'self'}/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        mount = root / "sys/fs/cgroup" / (controller if controllers else "")
        inner = Path(path.lstrip("/"))
        # In a container the path may be the host's: then only the mount itself is ours to see.
        for part in (inner, *inner.parents):
            if (mount / part).is_dir() and mount / part not in found:
                found.append(mount / part)
    return found


def quotas(root: Path, pid: int | None = None) -> list[tuple[float, Path]]:
    """List the CPU quotas above a process, or this one, in cores, and whose they are. `cpu.shares`
    and `cpu.weight` are no limits: they only decide who goes first."""
    found = []
    for folder in folders(root, "cpu", pid):
        quota, _, period = read(folder / "cpu.max").partition(" ")  # v2: "max 100000"
        if not quota:
            quota = read(folder / "cpu.cfs_quota_us")  # v1: -1 is none
            period = read(folder / "cpu.cfs_period_us")
        most, per = number(quota), number(period)
        if most and per and most > 0:
            found.append((most / per, folder))
    return found


@contextlib.contextmanager
def with_quota(root: Path, cores: float | None) -> Iterator[Path | None]:
    """Make a group that can be held to so many cores' worth of CPU time (`hold`), to be entered by
    `into`, and remove it when the block ends; by then its processes have to be gone. Unusable
    where this user or this system makes none, as within most containers. None without cores."""
    if cores is None:
        yield None
        return
    mount = root / "sys/fs/cgroup"
    first = (mount / "cpu/cpu.shares").exists()
    above = mount / "cpu" if first else mount
    for left in above.glob(f"{MADE}*"):
        owner = left.name.removeprefix(MADE).partition("-")[0]
        if not (root / "proc" / owner).exists():  # it was killed
            with contextlib.suppress(OSError):
                left.rmdir()
    folder = above / f"{MADE}{os.getpid()}-{uuid.uuid4().hex}"
    with contextlib.ExitStack() as stack:
        try:
            if not first:
                (above / "cgroup.subtree_control").write_text("+cpu")
            folder.mkdir()
            stack.callback(folder.rmdir)
            hold(folder, cores)  # whether it can be
            hold(folder, None)
        except OSError as error:
            rule = (
                "only Linux has one, and as a rule only root may make it, outside of a container "
                f"({error.strerror}). Leave it out, or set cores= instead."
            )
            raise refused("quota", cores, rule) from None
        yield folder


def hold(folder: Path, cores: float | None) -> None:
    """Let the group have so many cores' worth of CPU time from now on; None: as much as it can
    get. OSError where that can't be set."""
    period_us = round(PERIOD_S * 1e6)
    quota_us = None if cores is None else round(cores * period_us)
    if (folder / "cpu.cfs_quota_us").exists():
        (folder / "cpu.cfs_period_us").write_text(str(period_us))
        (folder / "cpu.cfs_quota_us").write_text(str(-1 if quota_us is None else quota_us))
    else:
        (folder / "cpu.max").write_text(f"{'max' if quota_us is None else quota_us} {period_us}")


def into(folder: Path, argv: Sequence[str]) -> list[str]:
    """Command that enters the group, and then becomes the one that is given."""
    enter = 'echo $$ > "$0" && exec "$@"'
    return ["sh", "-c", enter, str(folder / "cgroup.procs"), *argv]


def used_s(root: Path) -> float | None:
    """CPU seconds used by all in the cgroup that has the tightest quota or, where no file tells
    of one, in the innermost. None where that is the whole machine, or where nobody counts."""
    limited = sorted(quotas(root), key=lambda each: each[0])[:1]
    for folder in [folder for _, folder in limited] or folders(root, "cpu"):
        used = _field(folder / "cpu.stat", "usage_usec")
        if used is not None:  # version 2; its root has no events
            return used / 1e6 if limited or (folder / "cgroup.events").exists() else None
        # Of version 1 another controller counts, as a rule in the same folder.
        inner = folder.relative_to(root / "sys/fs/cgroup").parts[1:]
        counted = (root / "sys/fs/cgroup/cpuacct").joinpath(*inner)
        used = number(read(counted / "cpuacct.usage"))
        if used is not None:  # nanoseconds
            return None if (counted / OF_THE_MACHINE).exists() else used / 1e9
    return None


def throttled_s(root: Path, pid: int | None = None) -> float:
    """Seconds for which a CPU quota has held back the cgroups of a process, or of this one."""
    held = 0.0
    for folder in folders(root, "cpu", pid):
        v2 = _field(folder / "cpu.stat", "throttled_usec") or 0.0
        v1 = _field(folder / "cpu.stat", "throttled_time") or 0.0
        held = max(held, v2 / 1e6, v1 / 1e9)
    return held


def oom_kills(root: Path) -> float:
    """Processes killed for want of memory so far, in this process's cgroups or on the machine."""
    found = [_field(root / "proc/vmstat", "oom_kill")]
    for folder in folders(root, "memory"):
        found += [_field(folder / name, "oom_kill") for name in OOM_COUNTED]
    return max(each or 0.0 for each in found)


def _field(path: Path, name: str) -> float | None:
    """Read the number behind a name, in a file with a name and a number a line."""
    for line in read(path).splitlines():
        first, _, value = line.partition(" ")
        if first == name:
            return number(value)
    return None
