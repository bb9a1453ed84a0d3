"""Files that others may use at the same time: written whole or not at all, and in turn."""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write it whole or not at all: a file that was there stays until the new one is. OSError
    where the folder cannot be written."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def taken(handle: int) -> bool:
    """Whether the lock of that open file is ours now; it ends with the process that holds it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
