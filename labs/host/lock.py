"""One measurement at a time on a machine: two at once would measure each other.

The lock is a file that every user can reach, whatever each one's TMPDIR, so anybody may have put
something else in its place. It is opened for reading only, which is enough to hold a lock; nothing
is ever written to it. Who is kept from it names another file, and waits there for nobody else.
"""

import contextlib
import os
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from labs.host.files import taken
from labs.host.waiting import Stopped
from labs.records.errors import Unusable

SHARED = "/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir()
LOCK = Path(os.environ.get("WALL_TIME_LOCK") or f"{SHARED}/wall-time.lock")
LOOK_EVERY_S = 0.2
PATIENCE_S = 180.0  # the longest lab of the book takes some 110, more on a busy machine
HELD = Path("/proc/locks")  # every lock there is, as Linux tells in proc(5)
OWN = "WALL_TIME_LOCK set to a file in a folder of your own"


@contextlib.contextmanager
def turn(waiting: Callable[[], None], stop: threading.Event) -> Iterator[None]:
    """Hold the machine's lock. While another page or program has it, call `waiting` now and
    then; raise Stopped if `stop` is set first, and after PATIENCE_S Unusable, which names who
    has it. Unusable too where there is no file to lock. It ends with the process that holds it."""
    handle = _open()
    patient_until = time.monotonic() + PATIENCE_S
    try:
        while not taken(handle):
            if time.monotonic() > patient_until:
                raise Unusable(
                    f"After {PATIENCE_S:g} s it is still not our turn: {_holder(handle)} measures "
                    "on this machine, and two at once would measure each other. Run again to wait "
                    f"on, or end that if it hangs. Who starts Wall Time with {OWN} "
                    "waits for nobody else."
                )
            waiting()
            if stop.wait(LOOK_EVERY_S):
                raise Stopped
        yield
    finally:
        os.close(handle)


def _open() -> int:
    """The lock file, shared by every user: a plain file, whoever made it."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # a FIFO must not make us wait
    try:
        try:  # Linux refuses O_CREAT on another user's file in a sticky folder
            handle = os.open(LOCK, flags)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):  # somebody else was faster
                made = os.open(LOCK, flags | os.O_CREAT | os.O_EXCL, 0o666)
                os.fchmod(made, 0o666)  # whatever the umask
                os.close(made)
            handle = os.open(LOCK, flags)
    except OSError as error:
        raise _no_lock(error.strerror) from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _no_lock("Not a plain file")
    return handle


def _no_lock(why: str | None) -> Unusable:
    return Unusable(
        f"{LOCK}: {why}. There, measurements on this machine wait for one another. Have it "
        f"removed, or start Wall Time with {OWN}."
    )


def _holder(handle: int) -> str:
    """Tell in words who has the lock."""
    with contextlib.suppress(psutil.Error, OSError):
        if process := _holding(handle):
            return f"process {process.pid} ({process.name()}, of {process.username()})"
    return f"another program (`lsof {LOCK}` may name it)"


def _holding(handle: int) -> psutil.Process | None:
    """Find the process that has the lock; only Linux tells, and only within one container."""
    file = os.fstat(handle)
    where = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
    with contextlib.suppress(OSError, psutil.Error):
        for line in HELD.read_text().splitlines():
            # as in "1: FLOCK  ADVISORY  WRITE 123 fe:00:456 0 EOF"
            _, kind, _, _, pid, locked, *_ = line.split()
            if (kind, locked) == ("FLOCK", where):
                return psutil.Process(int(pid))
    return None
