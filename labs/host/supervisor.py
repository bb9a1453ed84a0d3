"""Start processes, and end them: none of a server's or a load generator's outlives the kernel.

Every process tree the labs start hangs below a small process of its own, `reaper.py`, in its
own session. A signal to the kernel's process group (Jupyter's interrupt and kill) does not
reach the tree; the death of the kernel, however sudden, ends it. A record of each tree is kept
in a folder of this user, so that `sweep` can end what is left when the reaper was killed too.

Deliberately not PDEATHSIG on the reaper: Linux sends that when the *thread* that started it
ends, and labs are run from short-lived threads. The reaper watches its parent instead.
"""

import atexit
import contextlib
import functools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec
import psutil

from labs.host.cgroup import oom_kills
from labs.host.folders import remove_all
from labs.host.hardware import MACHINE
from labs.host.process_tree import (
    MARK,
    Tree,
    born,
    end,
    forget,
    here,
    remember,
    session,
    state_folder,
    sweep,
)
from labs.host.waiting import readable
from labs.records.errors import Failed

REAPER = Path(__file__).with_name("reaper.py")
START_S = 20.0  # for the reaper to report the command's process id, on a very busy machine
LEFT_OUT = (  # settings of the reader's shell that would change what is measured, by prefix
    *("GUNICORN_", "LOCUST_", "PG", "UVICORN_", "WEB_CONCURRENCY"),
    *("PYTHONDEVMODE", "PYTHONASYNCIODEBUG", "PYTHONTRACEMALLOC", "PYTHONMALLOC"),
    *("PYTHONPROFILEIMPORTTIME", "COVERAGE_PROCESS_START"),
    *("NODE_OPTIONS", "NODE_CLUSTER_SCHED_POLICY", "UV_THREADPOOL_SIZE", "PHPRC"),
)
ADDED = {  # by system: on a Mac a server that has met Objective-C would die in fork()
    "darwin": {"OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES"},
}
ANSWER_S = 0.5  # for the reaper to end a tree; then the owner does it itself


def unsettled(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment, as given or ours, without the reader's settings for what the labs start, and
    with what the system asks for."""
    env = os.environ if env is None else env
    kept = {name: value for name, value in env.items() if not name.startswith(LEFT_OUT)}
    return kept | ADDED.get(sys.platform, {})


class NotStarted(Failed, OSError):
    """The supervisor of a command was gone, or silent for long, before the command ran."""


class Supervised:
    """A running command and everything below it."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, tree: Tree):
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
        self._oom_kills = oom_kills(MACHINE)

    def poll(self) -> int | None:
        """Exit code of the command once it and its tree are gone; minus the signal if killed."""
        with self._lock:
            if self._code is None and self._hear(0.0):
                self._bury()
            return self._code

    def ended(self) -> str:
        """Say how the command ended: `ended with exit code 1`; "" while it runs."""
        code = self.poll()
        return "" if code is None else f"ended with {self.ending(code)}"

    def ending(self, code: int) -> str:
        """Exit code in words, and what it tells of why."""
        if code != -signal.SIGKILL:
            return f"exit code {code}"
        if oom_kills(MACHINE) > self._oom_kills:
            return f"exit code {code} (memory was full, and the system killed it: ask for less)"
        return f"exit code {code} (somebody killed it; the system does where memory is full)"

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
        gone = self._hear(START_S, until=b"\n")
        word, _, number = self._said.partition(b"\n")[0].partition(b" ")
        if word == b"error":
            raise OSError(int(number), os.strerror(int(number)), command)
        if word != b"pid" and gone:
            raise NotStarted(
                f"{command} was not started: what watches over it was ended first. Run again."
            )
        if word != b"pid":
            raise NotStarted(
                f"{command} was not started within {START_S:g} s. Is the machine very busy?"
            )
        self.pid = int(number)

    def _hear(self, seconds: float, until: bytes | None = None) -> bool:
        """Collect what the reaper says; True once it has closed its end."""
        deadline = time.monotonic() + seconds
        while until is None or until not in self._said:
            if not readable(self._control.fileno(), max(0.0, deadline - time.monotonic())):
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
            end(self._tree)
            self._code = -int(signal.SIGKILL)
        self._process.wait()
        self._control.close()
        forget(self._tree)
        _alive.discard(self)


_alive: set[Supervised] = set()
_sweep_once = functools.cache(lambda: sweep())


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

    `env` (by `unsettled`), `cwd`, `stdin`, `stdout`, `stderr` and `pass_fds` are as for Popen;
    `cores` are the ids of the cores that it may run on (Linux only). The command may open as
    many files as the system lets it. OSError when it cannot be started (NotStarted when that is
    not the command's fault), ValueError for cores that this process may not use. The first call
    sweeps (see `sweep`).
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
    if cores is not None:
        _check_cores(cores)
    _sweep_once()
    mark = uuid.uuid4().hex
    tree = Tree(mark=mark, where=here(), owner=os.getpid(), owner_born=born(os.getpid()))
    ours, theirs = socket.socketpair()
    with contextlib.ExitStack() as undo, theirs:
        undo.callback(ours.close)
        undo.callback(forget, tree)
        remember(tree)
        process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", str(REAPER)),
                *(str(theirs.fileno()), str(os.getpid())),
                ",".join(map(str, sorted(cores))) if cores else "-",
                ",".join(map(str, pass_fds)) or "-",
                str(state_folder()),
                *argv,
            ],
            env={**unsettled(env), MARK: mark},
            cwd=cwd,
            stdin=standard[0],
            stdout=standard[1],
            stderr=standard[2],
            pass_fds=(*pass_fds, theirs.fileno()),
            start_new_session=True,
        )
        undo.pop_all()
    tree = msgspec.structs.replace(tree, reaper=process.pid, reaper_born=born(process.pid))
    supervised = Supervised(process, ours, tree)
    _alive.add(supervised)
    try:
        remember(tree)
        supervised._started(argv[0])
    except BaseException:
        supervised.kill()
        raise
    return supervised


def _check_cores(cores: Collection[int]) -> None:
    if not hasattr(os, "sched_setaffinity"):
        raise ValueError(
            f"cores={sorted(cores)}: {sys.platform} cannot hold a process to some cores. "
            "Leave cores= out."
        )
    usable = os.sched_getaffinity(0)
    if not cores or not set(cores) <= usable:
        raise ValueError(f"cores={sorted(cores)}: give some of {sorted(usable)}.")


@atexit.register
def _end_all() -> None:
    for supervised in list(_alive):
        if supervised._tree.owner == os.getpid():  # not in a forked copy of the owner
            supervised.kill()
    remove_all()


def descendants(pid: int) -> list[int]:
    """Process ids below `pid`, which need not be ours; empty when it is gone."""
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []
