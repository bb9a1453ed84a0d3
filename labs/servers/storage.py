"""A folder for what a server's processes share, and how long a small write to it takes.

Where temporary files are kept in memory, forcing one to the disk takes no time, and there is no
disk to measure. Then the reader's cache folder is tried. Where they share a database, it is
PostgreSQL if that is installed with its driver, else SQLite, a file of the folder.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from labs.host.folders import own_folder
from labs.host.programs import POSTGRESQL, named
from labs.records.errors import Unusable, refused
from labs.records.experiment import Workload
from labs.records.server_facts import WAITS
from labs.servers import postgresql
from labs.servers.postgresql import Postgresql
from workloads.app.exclusive import to_disk

BLOCK = bytes(4096)
TIMES = 60  # small writes of which the median is taken
WARM = 20  # before them
CHOICE = "WALL_TIME_DATABASE"  # environment variable: sqlite or postgresql, to have no other
LEAST_SYNC_S = 10e-6  # memory takes less than 2 of these microseconds; no disk so few


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A folder that is there as long as a run."""

    path: Path
    sync_s: float  # until a small write is on its disk; 0 where nobody asked
    database: Postgresql | None = None  # where there is none, it is a file
    connections: int = 0  # of each process, where requests hold one

    @property
    def settings(self) -> dict[str, str]:
        """Environment with which the application finds folder and database."""
        return {
            "WALL_TIME_FOLDER": str(self.path),
            "WALL_TIME_SYNC_S": f"{self.sync_s:.9f}",
            "WALL_TIME_POSTGRESQL": self.address,
            "WALL_TIME_CONNECTIONS": str(self.connections),
        }

    @property
    def address(self) -> str:
        """Address of a PostgreSQL, as libpq needs it."""
        return self.database.address if self.database else ""

    def check(self) -> None:
        """Raise ServerFailed if the database has ended."""
        if self.database:
            self.database.check()

    def pids(self) -> list[int]:
        """Live processes that do a part of the server's work."""
        return self.database.pids() if self.database else []


@dataclass(frozen=True, slots=True)
class Database:
    """The database behind the requests that need one."""

    name: str  # with its version
    instead: str = ""  # why it is not PostgreSQL, in a sentence


def database() -> Database:
    """Choose the database of a run. Unusable for a WALL_TIME_DATABASE that is not here."""
    choice = os.environ.get(CHOICE, "")
    if choice not in ("", "sqlite", "postgresql"):
        raise Unusable(f"{CHOICE}={choice!r}: no such database. Set sqlite or postgresql.")
    sqlite = f"SQLite {sqlite3.sqlite_version}"
    if choice == "sqlite":
        return Database(sqlite, f"{CHOICE}=sqlite asks for it.")
    remedy = postgresql.missing()
    if remedy and choice == "postgresql":
        raise Unusable(f"{CHOICE}={choice!r}: it is not here. {remedy}")
    if remedy:
        return Database(sqlite, f"With PostgreSQL here it would have been that. {remedy}")
    return Database(named(POSTGRESQL))


@contextlib.contextmanager
def shared_folder(workload: Workload) -> Iterator[Shared | None]:
    """Make a folder for requests of that kind, and a database; None where they need none. Gone with
    the block.

    Unusable where they need a disk and there is only memory, or for a database that is not here;
    ServerFailed when a database does not start.
    """
    kind = WAITS[workload.wait_by].needs
    if not kind:
        yield None
        return
    with contextlib.ExitStack() as stack:
        for place in _places():
            try:
                path = stack.enter_context(own_folder(dir=place))
            except OSError:
                continue
            found_s = sync_s(path) if kind == "disk" else 0.0
            if kind != "disk" or found_s >= LEAST_SYNC_S:
                served = None
                if kind == "database" and not database().instead:
                    served = stack.enter_context(postgresql.serve_postgresql())
                yield Shared(
                    path=path,
                    sync_s=found_s,
                    database=served,
                    connections=workload.connections,
                )
                return
    raise refused(
        "wait_by",
        workload.wait_by,
        "the temporary files here are kept in memory, so no write has to wait for a disk. Set "
        "TMPDIR to a folder on a disk.",
    )


def sync_s(folder: Path) -> float:
    """Seconds until 4 KiB are on the disk of that folder: the median of some, one after another."""
    took = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(WARM + TIMES):
            os.pwrite(file.fileno(), BLOCK, 0)
            begin = time.perf_counter()
            to_disk(file.fileno())
            took.append(time.perf_counter() - begin)
    return statistics.median(took[WARM:])


def _places() -> Iterator[Path]:
    yield Path(tempfile.gettempdir())
    cache = Path(platformdirs.user_cache_dir("wall-time"))
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        yield cache
