"""One measurement at a time on a machine: two at once would measure each other."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from labs.supervisor import Stopped

LOCK = Path(tempfile.gettempdir()) / "wall-time.lock"
LOOK_EVERY_S = 0.2


@contextlib.contextmanager
def turn(waiting: Callable[[], None], stop: threading.Event) -> Iterator[None]:
    """Hold the machine's lock. While another page or program has it, call `waiting` now and
    then; raise Stopped if `stop` is set first. The lock ends with the process that holds it."""
    handle = _open()
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waiting()
                if stop.wait(LOOK_EVERY_S):
                    raise Stopped from None
        yield
    finally:
        os.close(handle)


def _open() -> int:
    """The lock file, shared by every user. Reading rights are enough to hold a lock, and
    Linux refuses O_CREAT on another user's file in a sticky folder, so try without first."""
    try:
        return os.open(LOCK, os.O_RDONLY)
    except FileNotFoundError:
        handle = os.open(LOCK, os.O_RDONLY | os.O_CREAT, 0o666)
        with contextlib.suppress(PermissionError):
            os.chmod(LOCK, 0o666)
        return handle
