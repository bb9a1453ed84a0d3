"""A PostgreSQL of the labs' own: made for one run, on a free port of this machine, gone after it.

Its cluster is made by `initdb` in a folder of its own; nothing of the system's own cluster is
read or touched. PostgreSQL refuses to be root's, so as root it is given to `nobody`. Whoever
asks needs a password that only this run knows: a superuser of a database may run commands.
It is set up like the SQLite that it stands for: a commit is in the log and does not wait for the
disk (`synchronous_commit = off`, as SQLite's `synchronous = NORMAL`), which is another lab's.
"""

import contextlib
import os
import pwd
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from labs.host.programs import INITDB, POSTGRESQL, SETPRIV, lacking
from labs.host.supervisor import Supervised, descendants, supervise
from labs.host.waiting import wait_until
from labs.records.errors import ServerFailed
from labs.servers.catalogue import HOST
from labs.servers.products import folder_for_a_server
from labs.servers.serve import LAST_LINES, free_port

USER = "wall"  # of the database
UNPRIVILEGED = "nobody"  # of the system, where we are root
DRIVER = "psycopg[binary,pool]>=3.2,<4"
TABLE = b"CREATE TABLE stock AS SELECT 1000000 AS pieces\n"
READY = b"database system is ready to accept connections"  # in its log
MOST_CONNECTIONS = 300  # one for each worker of a large pool
MAKE_S = 60.0  # for initdb, which takes one or two seconds, on a very busy machine
START_S = 30.0
STOP_S = 3.0  # to let go of what the system keeps for it; then it is killed
LOOK_S = 0.01
SETTINGS = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": str(MOST_CONNECTIONS),
    "shared_buffers": "16MB",
    "dynamic_shared_memory_type": "mmap",  # in its folder: in /dev/shm it would outlive a kill
    "synchronous_commit": "off",
    "autovacuum": "off",  # there is one row, and a run is brief
    "max_wal_senders": "0",
    "wal_level": "minimal",
    "logging_collector": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


def missing() -> str | None:
    """Tell what to do to have PostgreSQL, server and driver; None when both are here."""
    if remedy := lacking(POSTGRESQL):
        return remedy
    if _initdb() is None:
        return lacking(INITDB)
    try:
        import psycopg  # noqa: F401
        import psycopg_pool  # noqa: F401
    except ImportError:  # also where it is there without the library that it needs
        return f"Install its driver with: pip install '{DRIVER}'"
    if os.geteuid() == 0:
        try:
            pwd.getpwnam(UNPRIVILEGED)
        except KeyError:
            return f"It refuses to be root's, and there is no user {UNPRIVILEGED}."
        if sys.platform != "linux":
            return "It refuses to be root's: run as another user."
        return (
            lacking(SETPRIV)
            and "It refuses to be root's. Install util-linux's setpriv, 2.33 or newer."
        )
    return None


@dataclass(frozen=True, slots=True)
class Postgresql:
    """A PostgreSQL that answers."""

    address: str  # what libpq needs to connect to it
    process: Supervised
    log: IO[bytes]

    def check(self) -> None:
        """Raise ServerFailed if the database has ended."""
        _check(self.process, self.log, "under load")

    def pids(self) -> list[int]:
        """List the database's live processes: one for each connection, and some of its own. Each is
        in a session of its own, so the supervisor doesn't list them."""
        return [self.process.pid, *descendants(self.process.pid)]


@contextlib.contextmanager
def serve_postgresql() -> Iterator[Postgresql]:
    """A PostgreSQL with a table `stock` of one row, for as long as the block. Takes about two
    seconds.

    ServerFailed, with its last lines, when it cannot be made or started.
    """
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(folder_for_a_server())
        log = stack.enter_context(tempfile.TemporaryFile())
        password = secrets.token_hex(16)
        data = _make(folder, password, log)
        port = stack.enter_context(free_port())
        address = (
            f"hostaddr={HOST} port={port} user={USER} password={password} dbname=postgres "
            "sslmode=disable gssencmode=disable"
        )
        settings = {**SETTINGS, "port": str(port)}
        options = [f"--{key.replace('_', '-')}={value}" for key, value in settings.items()]
        argv = [POSTGRESQL.command, "-D", str(data), *options]
        process = stack.enter_context(_run(argv, folder, log))
        stack.callback(_stop, process)
        _wait_until_ready(process, log)
        yield Postgresql(address, process, log)


def _make(folder: Path, password: str, log: IO[bytes]) -> Path:
    """Make a cluster of the labs' own, and return its folder."""
    data, secret = folder / "data", folder / "password"
    data.mkdir(mode=0o700)
    with open(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(password)
    if os.geteuid() == 0:
        who = pwd.getpwnam(UNPRIVILEGED)
        for path in (data, secret):
            os.chown(path, who.pw_uid, who.pw_gid)
    argv = [
        *(_initdb() or INITDB.command, f"--pgdata={data}", f"--username={USER}"),
        *(f"--pwfile={secret}", "--auth=scram-sha-256", "--locale=C", "--encoding=UTF8"),
        "--no-sync",
    ]
    _done("initdb", argv, folder, log)
    secret.unlink()
    # By itself, alone: a client in this process would have the reader's settings (PGOPTIONS, say).
    alone = [POSTGRESQL.command, "--single", "-c", "exit_on_error=on", "-D", str(data), "postgres"]
    with tempfile.TemporaryFile() as asked:
        asked.write(TABLE)
        asked.seek(0)
        _done("its first statement", alone, folder, log, asked)
    log.seek(0)
    log.truncate()  # what comes is the database's own
    return data


def _done(
    what: str, argv: Sequence[str], folder: Path, log: IO[bytes], asked: IO[bytes] | None = None
) -> None:
    """Wait until a command has ended well; ServerFailed if it doesn't."""
    with _run(argv, folder, log, asked) as process:
        if not wait_until(lambda: process.poll() is not None, MAKE_S, every_s=LOOK_S):
            raise _failed(f"was not made within {MAKE_S:g} s", log)
        if code := process.poll():
            raise _failed(f"could not be made: {what} ended with {process.ending(code)}", log)


def _run(
    argv: Sequence[str], folder: Path, log: IO[bytes], asked: IO[bytes] | None = None
) -> contextlib.AbstractContextManager[Supervised]:
    """Run under the supervisor, as an ordinary user, and with next to nothing of our environment:
    whoever else is `nobody` may read it. Words are read by us, so they are English."""
    env = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    if os.geteuid() == 0:
        who = pwd.getpwnam(UNPRIVILEGED)
        user = [f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups"]
        # Linux forgets, when a process changes its user, that it shall die with its parent.
        argv = [SETPRIV.command, *user, "--pdeathsig=KILL", *argv]
    stdin = subprocess.DEVNULL if asked is None else asked
    return supervise(argv, env=env, cwd=folder, stdin=stdin, stdout=log, stderr=log)


def _wait_until_ready(process: Supervised, log: IO[bytes]) -> None:
    def ready() -> bool:
        _check(process, log, "before it was ready")
        return READY in os.pread(log.fileno(), 1 << 20, 0)

    if not wait_until(ready, START_S, every_s=LOOK_S):
        raise _failed(f"was not ready after {START_S:g} s", log)


def _check(process: Supervised, log: IO[bytes], when: str) -> None:
    if how := process.ended():
        raise _failed(f"{how} {when}", log)


def _stop(process: Supervised) -> None:
    """Stop the database without saving anything; it gives back what the system keeps for it."""
    with contextlib.suppress(OSError):
        os.kill(process.pid, signal.SIGQUIT)  # its "immediate shutdown"
        wait_until(lambda: process.poll() is not None, STOP_S, every_s=LOOK_S)


def _initdb() -> str | None:
    """Find the initdb that belongs to the server: of several versions, no other will do."""
    beside = Path(POSTGRESQL.command).resolve().with_name("initdb")
    return str(beside) if os.access(beside, os.X_OK) else INITDB.path()


def _failed(what: str, log: IO[bytes]) -> ServerFailed:
    """Make the error that says what failed, with the last lines of the log."""
    said = os.pread(log.fileno(), 1 << 20, 0).decode(errors="replace").splitlines()
    lines = "\n".join(said[-LAST_LINES:])
    return ServerFailed(f"{POSTGRESQL.name} {what}. Its last lines:\n{lines}")
