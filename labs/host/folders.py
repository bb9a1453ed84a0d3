"""Temporary folders that do not outlive whoever made them, even if that is killed.

Python removes its own on leaving, which a killed process never does. So each is recorded beside
the process trees (`labs.host.process_tree`): the reaper of any tree of the same owner removes it
when the owner is gone, or else the next sweep.
"""

import contextlib
import os
import resource
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import msgspec

from labs.host.files import write_whole
from labs.host.process_tree import FOLDER, Folder, born, here, state_folder
from labs.host.reaper import MOST_FILES


@contextlib.contextmanager
def own_folder(prefix: str = "wall-time-", dir: str | Path | None = None) -> Iterator[Path]:
    """Make a folder of this process's own, for this user only, gone with the block. OSError where
    none can be made, Unusable as of `state_folder`."""
    record = state_folder() / f"{uuid.uuid4().hex}{FOLDER}"
    owner, path = os.getpid(), tempfile.mkdtemp(prefix=prefix, dir=dir)
    folder = Folder(path=path, where=here(), owner=owner, owner_born=born(owner))
    try:
        write_whole(record, msgspec.json.encode(folder))
        _held[record] = folder
        yield Path(path)
    finally:
        _held.pop(record, None)
        _remove(folder, record)


_held: dict[Path, Folder] = {}  # whose block has not ended


def remove_all() -> None:
    """Remove all, at the end of a process whose threads are cut off in their blocks."""
    for record, folder in list(_held.items()):
        if folder.owner == os.getpid():  # not in a forked copy of the owner
            _remove(folder, record)


def _remove(folder: Folder, record: Path) -> None:
    """Remove a folder, also when this process has as many files open as it may: for a moment it may
    have more. The record stays as long as the folder does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    more = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, more), hard))
    shutil.rmtree(folder.path, ignore_errors=True)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if not os.path.exists(folder.path):
        record.unlink(missing_ok=True)
