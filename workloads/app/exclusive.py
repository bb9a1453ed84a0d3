"""Work of which one request at a time can do its part: on a disk, in a database, under a lock.

Each kind comes in two: as it is often written, and as it should have been. Whoever is first
keeps out the others, in whatever process or thread they are; so all of it is kept in files of a
folder that the processes of a server share, or in a PostgreSQL where there is one. A function
stands still until its part is done, and returns the seconds that are left to wait for, in which
others may have their turn. Connections are lent by a pool of each process, to one request each.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import queue
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from struct import Struct
from threading import Lock, local
from typing import Any

FOLDER = "WALL_TIME_FOLDER"  # environment variable: where the files are
SYNC_S = "WALL_TIME_SYNC_S"  # and the seconds that one small write takes to be on the disk
POSTGRESQL = "WALL_TIME_POSTGRESQL"  # and how to connect to one; where that is empty, SQLite
CONNECTIONS = "WALL_TIME_CONNECTIONS"  # and how many a process has to lend
BLOCK = bytes(4096)
COUNT = Struct("<q")
LOOK_UP = "SELECT pieces FROM stock"
TAKE_ONE = "UPDATE stock SET pieces = pieces - 1"
PRIMARY = 0xFF  # the part of SQLite's error codes that says what, the rest says why
GIVE_UP_S = 60.0
AGAIN = 0.1  # of a transaction's length, until a writer who was turned away tries again
LEAST_AGAIN_S = 0.001
LOOK = 0.05  # of a commit's length, until those it is done for look again
LEAST_LOOK_S = 0.0005

FAILURES: tuple[type[Exception], ...] = (OSError, sqlite3.Error)  # of what was asked, not of ours
if os.environ.get(POSTGRESQL):
    import psycopg  # now, and not in the first request, which would take long then
    import psycopg_pool

    FAILURES += (psycopg.Error,)

mine = local()  # a thread has a connection and locks of its own
making = Lock()  # of what the threads share


def commit(seconds: float) -> float:
    """Write what was asked to the disk, one request after the other: each waits for its own."""
    with locked("journal"):
        sync(seconds)
    return 0.0


def commit_together(seconds: float) -> float:
    """Write what was asked with all who came meanwhile, in one go (group commit).

    Who gets the lock writes for everybody in the queue; the others look whether it is done.
    """
    with locked("queue"):
        place = _count("queue") + 1
        _count("queue", place)
    while _count("done") < place:
        try:
            with locked("journal", patient=False):
                if _count("done") < place:
                    last = _count("queue")
                    sync(seconds)
                    _count("done", last)
        except BlockingIOError:
            time.sleep(max(LEAST_LOOK_S, LOOK * seconds))
    return 0.0


def transaction(seconds: float) -> float:
    """Take one from the stock, and wait for something else before the transaction ends."""
    database = _database()
    _execute("BEGIN" if os.environ.get(POSTGRESQL) else "BEGIN IMMEDIATE", seconds)
    try:
        database.execute(TAKE_ONE)
        time.sleep(seconds)
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")
    return 0.0


def brief_transaction(seconds: float) -> float:
    """Take one from the stock, which is a whole transaction, and only then wait. Nothing of it
    waits for this thread: one that has to queue for a core, or for the interpreter's lock, between
    two statements would keep the others out meanwhile."""
    _execute(TAKE_ONE, LEAST_AGAIN_S)
    return seconds


def hold(seconds: float) -> float:
    """Wait while holding the lock."""
    with locked("counter"):
        _count("counter", _count("counter") + 1)
        time.sleep(seconds)
    return 0.0


def hold_briefly(seconds: float) -> float:
    """Hold the lock for what it guards, and wait without it."""
    with locked("counter"):
        _count("counter", _count("counter") + 1)
    return seconds


def borrow(seconds: float) -> float:
    """Borrow a connection, and wait for something else before giving it back."""
    with _pool().connection() as database:
        database.execute(LOOK_UP)
        time.sleep(seconds)
    return 0.0


ALONE: dict[str, Callable[[float], float]] = {
    "disk": commit,
    "disk-together": commit_together,
    "database": transaction,
    "database-briefly": brief_transaction,
    "lock": hold,
    "lock-briefly": hold_briefly,
    "connections": borrow,
}


def sync(seconds: float) -> None:
    """Force so many small writes to the disk, one by one, as take these seconds: a fixed amount of
    work, like the loops of `units.count`."""
    journal = _opened("journal")
    for _ in range(max(1, round(seconds / float(_setting(SYNC_S))))):
        os.pwrite(journal, BLOCK, 0)
        to_disk(journal)


def to_disk(file: int) -> None:
    """Return when what was written is on the disk. macOS's fsync only hands it to the disk, whose
    own memory loses it with the power; there F_FULLFSYNC is what waits, as fsync(2) says. Some
    file systems don't know that, and then fsync is all there is."""
    if hasattr(fcntl, "F_FULLFSYNC"):
        with contextlib.suppress(OSError):
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)
            return
    os.fsync(file)


@contextlib.contextmanager
def locked(name: str, *, patient: bool = True) -> Iterator[None]:
    """Keep everybody else out, other threads and other processes. BlockingIOError when somebody is
    in, and we are not patient."""
    locks: dict[str, int] = mine.__dict__.setdefault("locks", {})
    if name not in locks:  # opened by each thread, for it is who opened the file that has the lock
        locks[name] = os.open(_folder() / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(locks[name], fcntl.LOCK_EX | (0 if patient else fcntl.LOCK_NB))
    try:
        yield
    finally:
        fcntl.flock(locks[name], fcntl.LOCK_UN)


def _execute(statement: str, seconds: float) -> None:
    """Execute a statement, as soon as no transaction of about that length keeps us out.

    In PostgreSQL, who writes to a row that another has written to stands in line until that one
    ends. In SQLite others are turned away meanwhile, and come again; its own way to do so would
    pause for up to a tenth of a second."""
    database, until = _database(), time.monotonic() + GIVE_UP_S
    pause_s = max(LEAST_AGAIN_S, AGAIN * seconds)
    while True:
        try:
            database.execute(statement)
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & PRIMARY == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > until:
                raise
            time.sleep(pause_s * random.uniform(0.5, 1.5))


def _database() -> Any:
    """Open this thread's connection; its `execute` is the same in both drivers."""
    if not hasattr(mine, "database"):
        address = os.environ.get(POSTGRESQL)
        mine.database = _postgresql(address) if address else _sqlite()
    return mine.database


class Files:
    """Lends connections to SQLite as psycopg_pool does to PostgreSQL: first come, first served."""

    def __init__(self, size: int) -> None:
        self.idle: queue.SimpleQueue[sqlite3.Connection] = queue.SimpleQueue()
        for _ in range(size):
            self.idle.put(_sqlite())

    @contextlib.contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; TimeoutError where none has come back for GIVE_UP_S."""
        try:
            lent = self.idle.get(timeout=GIVE_UP_S)
        except queue.Empty:
            raise TimeoutError(f"No connection was given back for {GIVE_UP_S:g} s.") from None
        try:
            yield lent
        finally:
            self.idle.put(lent)


def _pool() -> Any:
    """Make this process's pool; its `connection` is the same in both drivers."""
    with making:
        return _made()


@cache
def _made() -> Any:
    size, address = int(_setting(CONNECTIONS)), os.environ.get(POSTGRESQL)
    if not address:
        return Files(size)
    return psycopg_pool.ConnectionPool(
        address,
        min_size=size,
        timeout=GIVE_UP_S,
        kwargs={"autocommit": True},
        open=True,
    )


def _postgresql(address: str) -> psycopg.Connection:
    patience = f"-c lock_timeout={1000 * GIVE_UP_S:.0f}"
    return psycopg.connect(address, autocommit=True, options=patience)


def _sqlite() -> sqlite3.Connection:
    """Connect to SQLite; the first of all makes the table."""
    with locked("stock"):
        database = sqlite3.connect(
            _folder() / "stock.db", 0.0, isolation_level=None, check_same_thread=False
        )
        database.execute("PRAGMA journal_mode = WAL")
        if not database.execute("SELECT name FROM sqlite_master").fetchone():
            database.execute("CREATE TABLE stock AS SELECT 1000000 AS pieces")
    database.execute("PRAGMA synchronous = NORMAL")  # the disk is another lab's
    return database


def _count(name: str, number: int | None = None) -> int:
    """Read a number that all share, or write what it shall be."""
    file = _opened(name)
    if number is not None:
        os.pwrite(file, COUNT.pack(number), 0)
        return number
    return int(COUNT.unpack(os.pread(file, COUNT.size, 0) or bytes(COUNT.size))[0])


@cache
def _opened(name: str) -> int:
    return os.open(_folder() / name, os.O_RDWR | os.O_CREAT, 0o600)


def _folder() -> Path:
    return Path(_setting(FOLDER))


def _setting(name: str) -> str:
    if not (value := os.environ.get(name)):
        raise OSError(f"{name} is not set: the labs give a server its folder.")
    return value
