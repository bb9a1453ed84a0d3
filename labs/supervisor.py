"""Nothing outlives the kernel.

Every process tree the labs start hangs below a small process of its own, `reaper.py`, in its
own session. A signal to the kernel's process group (Jupyter's interrupt and kill) does not
reach the tree; the death of the kernel, however sudden, ends it. A record of each tree is kept
in a folder of this user, so that `sweep` can end what is left when the reaper was killed too.

Deliberately not PDEATHSIG on the reaper: Linux sends that when the *thread* that started it
ends, and labs are run from short-lived threads. The reaper watches its parent instead.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec
import psutil

REAPER = Path(__file__).with_name("reaper.py")
MARK = "WALL_TIME_TREE"  # environment variable that every process of a tree carries
START_S = 20.0  # for the reaper to report the command's process id, on a very busy machine
ANSWER_S = 0.5  # for the reaper to end a tree; then the owner does it itself


class Stopped(Exception):
    """Somebody pressed Stop."""


class _Tree(msgspec.Struct, frozen=True):
    """The record of one tree in the state folder. Who was born when tells a process id that
    was given to somebody else in the meantime."""

    mark: str
    owner: int
    owner_born: str
    reaper: int = 0  # 0 until it is started; also the id of its session
    reaper_born: str = ""


class Supervised:
    """A running command and everything below it."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, tree: _Tree):
        self.pid = 0  # of the command itself
        self.stdin: IO[bytes] | None = process.stdin
        self.stdout: IO[bytes] | None = process.stdout
        self.stderr: IO[bytes] | None = process.stderr
        self._process = process
        self._control = control
        self._tree = tree
        self._said = b""
        self._code: int | None = None
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        """Exit code of the command once it and its tree are gone; minus the signal if killed."""
        with self._lock:
            if self._code is None and self._hear(0.0):
                self._bury()
            return self._code

    def kill(self) -> None:
        """End the whole tree. On return, within a second, nothing of it is alive."""
        with self._lock:
            if self._code is None:
                with contextlib.suppress(OSError):
                    self._control.send(b"k")
                self._hear(ANSWER_S)
                self._bury()

    def pids(self) -> list[int]:
        """Live process ids of the tree, the reaper left out."""
        return [pid for pid in session(self._tree.reaper) if pid != self._tree.reaper]

    def _started(self, command: str) -> None:
        """Wait for the first words: the command's process id, or why there is none."""
        self._hear(START_S, until=b"\n")
        word, _, number = self._said.partition(b"\n")[0].partition(b" ")
        if word == b"pid":
            self.pid = int(number)
            return
        self._bury()
        if word == b"error":
            raise OSError(int(number), os.strerror(int(number)), command)
        raise OSError(f"the supervisor ended before it started the command ({self._said!r})")

    def _hear(self, seconds: float, until: bytes | None = None) -> bool:
        """Collect what the reaper says; True once it has closed its end."""
        deadline = time.monotonic() + seconds
        while until is None or until not in self._said:
            left = max(0.0, deadline - time.monotonic())
            poller = select.poll()  # select() cannot take a file number above 1023
            poller.register(self._control, select.POLLIN)
            if not poller.poll(left * 1000):
                return False
            try:
                said = self._control.recv(4096)
            except OSError:
                return True
            if not said:
                return True
            self._said += said
        return False

    def _bury(self) -> None:
        """Make sure that nothing is left, and remember how it ended."""
        last = self._said.splitlines()[-1:]
        if last and last[0].startswith(b"exit "):
            self._code = int(last[0][5:])
        else:
            _end(self._tree)
            self._code = -int(signal.SIGKILL)
        self._process.wait()
        self._control.close()
        _forget(self._tree)
        _alive.discard(self)


_alive: set[Supervised] = set()


@contextlib.contextmanager
def supervise(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    stdin: int | IO[Any] | None = subprocess.DEVNULL,
    stdout: int | IO[Any] | None = None,
    stderr: int | IO[Any] | None = None,
    pass_fds: Collection[int] = (),
    cores: Collection[int] | None = None,
) -> Iterator[Supervised]:
    """Run a command until the block ends, then end it and everything it started.

    `env`, `cwd`, `stdin`, `stdout`, `stderr` and `pass_fds` are as for subprocess.Popen;
    `cores` are the ids of the cores that it may run on (Linux only). The command may open as
    many files as the system lets it. OSError when it cannot be started.
    """
    supervised = _start(argv, env, cwd, (stdin, stdout, stderr), pass_fds, cores)
    try:
        yield supervised
    finally:
        supervised.kill()
        for stream in (supervised.stdin, supervised.stdout, supervised.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()


def _start(
    argv: Sequence[str],
    env: Mapping[str, str] | None,
    cwd: str | Path | None,
    standard: tuple[int | IO[Any] | None, ...],
    pass_fds: Collection[int],
    cores: Collection[int] | None,
) -> Supervised:
    mark = uuid.uuid4().hex
    tree = _Tree(mark=mark, owner=os.getpid(), owner_born=born(os.getpid()))
    _remember(tree)
    ours, theirs = socket.socketpair()
    arguments = [
        str(theirs.fileno()),
        str(os.getpid()),
        ",".join(map(str, sorted(cores))) if cores else "-",
        ",".join(map(str, pass_fds)) or "-",
    ]
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(REAPER), *arguments, *argv],
            env={**(os.environ if env is None else env), MARK: mark},
            cwd=cwd,
            stdin=standard[0],
            stdout=standard[1],
            stderr=standard[2],
            pass_fds=(*pass_fds, theirs.fileno()),
            start_new_session=True,
        )
    tree = msgspec.structs.replace(tree, reaper=process.pid, reaper_born=born(process.pid))
    _remember(tree)
    supervised = Supervised(process, ours, tree)
    _alive.add(supervised)
    supervised._started(argv[0])
    return supervised


@atexit.register
def _end_all() -> None:
    for supervised in list(_alive):
        if supervised._tree.owner == os.getpid():  # not in a forked copy of the owner
            supervised.kill()


def descendants(pid: int) -> list[int]:
    """Process ids below `pid`, which need not be ours; empty when it is gone."""
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []


def session(leader: int) -> list[int]:
    """Process ids of a session: far cheaper than looking for descendants (0.3 µs each)."""
    members = []
    for pid in psutil.pids():
        with contextlib.suppress(OSError):
            if os.getsid(pid) == leader:
                members.append(pid)
    return members


def born(pid: int) -> str:
    """When a process was started, in the system's own exact words; empty when it is gone.

    On Linux the clock ticks since boot: unlike psutil's time of day these stay the same when
    the clock is set.
    """
    try:
        if sys.platform == "linux":
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            return "" if fields[0] in (b"Z", b"X") else fields[19].decode()
        return repr(psutil.Process(pid).create_time())
    except (OSError, psutil.Error):
        return ""


def state_folder() -> Path:
    """Where this user's trees are recorded. OSError when somebody else made it."""
    folder = Path(tempfile.gettempdir()) / f"wall-time-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise PermissionError(
            f"{folder}: must be a folder that only you can write. Remove it, or set TMPDIR."
        )
    return folder


def sweep() -> int:
    """End what an earlier owner left when it and its reaper were killed; how many processes.

    A process is taken for a leftover only when the tree's record says so: its owner is gone,
    and the process carries the tree's mark in its environment or is in the tree's session.
    """
    ended = 0
    for path in state_folder().glob("*.json"):
        try:
            tree = msgspec.json.decode(path.read_bytes(), type=_Tree)
        except (OSError, msgspec.DecodeError):
            tree = None
        if tree is not None:
            if born(tree.owner) == tree.owner_born:
                continue
            ended += _end(tree)
        path.unlink(missing_ok=True)
    return ended


def _remember(tree: _Tree) -> None:
    path = state_folder() / f"{tree.mark}.json"
    new = path.with_suffix(".new")
    new.write_bytes(msgspec.json.encode(tree))
    new.replace(path)


def _forget(tree: _Tree) -> None:
    (state_folder() / f"{tree.mark}.json").unlink(missing_ok=True)


def _members(tree: _Tree) -> list[int]:
    """Live processes of a tree whose reaper may be gone."""
    leader = born(tree.reaper) if tree.reaper else ""
    # A session's number is not given away while a member lives. Where a process has that
    # number but was born at another time, the session was over before.
    same_session = tree.reaper != 0 and leader in ("", tree.reaper_born)
    mark = f"{MARK}={tree.mark}".encode()
    found = []
    for pid in psutil.pids():
        try:
            ours = same_session and os.getsid(pid) == tree.reaper
            if not ours and sys.platform == "linux":
                ours = mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            elif not ours:
                ours = psutil.Process(pid).environ().get(MARK) == tree.mark
        except (OSError, psutil.Error):
            continue
        if ours and born(pid) and pid != os.getpid():
            found.append(pid)
    return found


def _end(tree: _Tree) -> int:
    """Kill what is left of a tree without its reaper's help; how many there were."""
    ended: set[int] = set()
    deadline = time.monotonic() + ANSWER_S
    while (left := _members(tree)) and time.monotonic() < deadline:
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        ended.update(left)
        time.sleep(0.002)
    return len(ended)
