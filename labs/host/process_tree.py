"""What is known of each process tree the labs start, and how to end one without its reaper.

A record per tree lies in a folder of this user, from before the tree starts until it is gone; and
one for each temporary folder (`labs.host.folders`), so that these go too when an owner is killed.
A process is only ever taken for a member when the record says so: it carries the tree's mark in
its environment, or is in the tree's session. Never by its name.
"""

import contextlib
import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
import platformdirs
import psutil

from labs.host.files import write_whole
from labs.records.errors import Unusable

MARK = "WALL_TIME_TREE"  # environment variable that every process of a tree carries
FOLDER = ".folder"  # how the records of temporary folders end, as `reaper.py` looks for them
END_S = 5.0  # for the kernel to let go of killed processes, on a very busy machine
LINUX = sys.platform == "linux"


class Tree(msgspec.Struct, frozen=True):
    """The record of one tree in the state folder. When a process was born tells it from another
    that was given its number later; where, from one of another container or before a restart."""

    mark: str
    where: str
    owner: int
    owner_born: str
    reaper: int = 0  # 0 until it is started; also the id of its session
    reaper_born: str = ""


class Folder(msgspec.Struct, frozen=True):
    """The record of a temporary folder, as `reaper.py` reads it too."""

    path: str
    where: str
    owner: int
    owner_born: str


Record = TypeVar("Record", Tree, Folder)
_looking = threading.local()  # `sessions`: all of them, while a thread looks once for several


def session(leader: int) -> list[int]:
    """Process ids of a session: far cheaper than looking for descendants (0.3 µs each)."""
    known: dict[int, list[int]] | None = getattr(_looking, "sessions", None)
    return list((_sessions() if known is None else known).get(leader, ()))


@contextlib.contextmanager
def one_look() -> Iterator[None]:
    """Look once: until the block ends, whichever sessions this thread asks for are as they are now:
    the list of all processes is read once, and not for each."""
    _looking.sessions = _sessions()
    try:
        yield
    finally:
        del _looking.sessions


def _sessions() -> dict[int, list[int]]:
    """The processes of every session, by its leader."""
    found: dict[int, list[int]] = {}
    for pid in psutil.pids():
        with contextlib.suppress(OSError):
            found.setdefault(os.getsid(pid), []).append(pid)
    return found


def born(pid: int) -> str:
    """Tell when a process was started, in the system's own exact words; empty when it is gone.

    On Linux the clock ticks since boot: unlike psutil's time of day these stay the same when
    the clock is set.
    """
    try:
        if LINUX:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            return "" if fields[0] in (b"Z", b"X") else fields[19].decode()
        return repr(psutil.Process(pid).create_time())
    except (OSError, psutil.Error):
        return ""


def here() -> str:
    """Name what process ids belong to here: this start of the machine and this container."""
    if not LINUX:
        return repr(psutil.boot_time() // 60)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot} {os.readlink('/proc/self/ns/pid')}"


def state_folder() -> Path:
    """Find the folder with the records of this user's trees: below XDG_RUNTIME_DIR, or in the
    folder for temporary files; where somebody else has made one of that name there, in the user's
    cache. Unusable where none of them can be had."""
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    cache = Path(platformdirs.user_cache_dir("wall-time"))
    places = [Path(tempfile.gettempdir()) / f"wall-time-{os.getuid()}", cache / "running"]
    if runtime.is_absolute() and _private(runtime):
        places.insert(0, runtime / "wall-time")
    for folder in places:
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True)
        if _private(folder):
            return folder
    raise Unusable(
        f"{' and '.join(map(str, places))}: one must be a folder of yours that only you can enter. "
        "Start Wall Time with TMPDIR set to a folder of your own."
    )


def _private(folder: Path) -> bool:
    """Whether a path is a folder, this user's own, closed to all others, and no link to one."""
    with contextlib.suppress(OSError):
        found = folder.lstat()
        ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
        return ours and found.st_mode & 0o777 == 0o700
    return False


def sweep() -> int:
    """End what an earlier owner left when it and its reaper were killed; count the processes."""
    ended = sum(end(tree) for tree in _left("*.json", Tree))
    for folder in _left(f"*{FOLDER}", Folder):
        shutil.rmtree(folder.path, ignore_errors=True)
    return ended


def _left(pattern: str, kind: type[Record]) -> Iterator[Record]:
    """Yield the records of owners who are gone, each removed when it has been seen to."""
    for path in state_folder().glob(pattern):
        try:
            record = msgspec.json.decode(path.read_bytes(), type=kind)
        except FileNotFoundError:
            continue  # its tree has just ended, or its block
        except (OSError, msgspec.DecodeError):
            path.unlink(missing_ok=True)
            continue
        if record.where == here() and born(record.owner) != record.owner_born:
            yield record
            path.unlink(missing_ok=True)


def remember(tree: Tree) -> None:
    """Write the tree's record, whole or not at all."""
    write_whole(state_folder() / f"{tree.mark}.json", msgspec.json.encode(tree))


def forget(tree: Tree) -> None:
    """Remove the tree's record."""
    (state_folder() / f"{tree.mark}.json").unlink(missing_ok=True)


def members(tree: Tree) -> list[int]:
    """Live processes of a tree whose reaper may be gone."""
    # A session's number is not given away while a member lives. Where a process has that
    # number but was born at another time, the session was over before.
    leader = born(tree.reaper) if tree.reaper else "none"
    same_session = leader in ("", tree.reaper_born)
    found = []
    for pid in psutil.pids():
        with contextlib.suppress(OSError, psutil.Error):
            ours = same_session and os.getsid(pid) == tree.reaper
            if (ours or mark_of(pid) == tree.mark) and born(pid) and pid != os.getpid():
                found.append(pid)
    return found


def mark_of(pid: int) -> str | None:
    """Read the mark in a process's environment, as it was when it was started."""
    if not LINUX:
        return psutil.Process(pid).environ().get(MARK)
    start = MARK.encode() + b"="
    for setting in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
        if setting.startswith(start):
            return setting.removeprefix(start).decode()
    return None


def end(tree: Tree) -> int:
    """Kill what is left of a tree without its reaper's help; how many there were."""
    ended: set[int] = set()
    deadline = time.monotonic() + END_S
    while (left := members(tree)) and time.monotonic() < deadline:
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        ended.update(left)
        time.sleep(0.002)
    return len(ended)
