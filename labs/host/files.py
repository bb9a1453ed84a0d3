"""Files that others may use at the same time: written whole or not at all, and in turn.

What is read may have been put there by somebody else, too: a pipe would make us wait for ever, and
a file of gigabytes would take the memory.
"""

import errno
import fcntl
import os
import stat
import tempfile
from pathlib import Path

MOST_BYTES = 64 * 2**20  # the largest recording of the book has less than one of them


def read_whole(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Read all that an ordinary file holds. OSError where there is none, or it is larger."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe must not make us wait
    except ValueError:  # a nought in its name
        raise OSError(errno.EINVAL, "it is no file's name", str(path)) from None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it is no ordinary file", str(path))
        data = file.read(most_bytes + 1) or b""  # the kernel's log has None while it says nothing
    if len(data) > most_bytes:
        what = f"it holds more than {most_bytes / 2**20:.0f} MiB"
        raise OSError(errno.EFBIG, what, str(path))
    return data


def write_whole(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file whole or not at all: a file that was there stays until the new one is. OSError
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
    """Take an open file's lock until we end, if it is free; tell whether it was."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
