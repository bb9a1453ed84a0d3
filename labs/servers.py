"""Real servers, started and ended: a table of them, and one context manager.

The socket is bound and listening before the server starts, and is handed to it: no port is
guessed, none is taken twice. A server is ready when it answers with this run's nonce and all
of its workers have said in its log that they are up. It runs below a supervisor, so nothing
of it is left when the block ends, however that happens.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import math
import os
import re
import shlex
import socket
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from labs import machine as this_machine
from labs.records import Architecture, Machine, Server, Unusable
from labs.supervisor import Stopped, Supervised, supervise

HOST = "127.0.0.1"
ROOT = Path(__file__).resolve().parent.parent  # where `workloads` is found
START_S = 20.0  # to the first answer, on a busy machine
START_WORKER_S = 0.5  # more for each process
LOOK_S = 0.01  # how often a starting server is looked at
LAST_LINES = 12  # of its log, when it failed
NOT_PASSED_ON = {  # settings of the reader's shell that would change what is measured
    *("WEB_CONCURRENCY", "GUNICORN_CMD_ARGS"),
    *("PYTHONDEVMODE", "PYTHONASYNCIODEBUG", "PYTHONTRACEMALLOC", "PYTHONMALLOC"),
    *("PYTHONPROFILEIMPORTTIME", "COVERAGE_PROCESS_START"),
}


class ServerFailed(RuntimeError):
    """A server that did not start. Says its last words and the command to try by hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One row of the table: who serves an architecture, and how it is called."""

    architecture: Architecture
    by: str
    package: str | None  # what pip installs; None for the book's own
    command: Callable[[Server, int | None], list[str]]  # of a file number, or to try by hand
    up: str  # how its log announces a worker: a pattern with the process id in it
    # Memory in MiB, measured after load (Linux, PSS) and rounded up for what PSS leaves out.
    base_mib: float  # whatever the size of the pool
    process_mib: float  # for each process
    thread_mib: float = 0.1  # for each thread beyond the first of a process
    keeps_alive: bool = True  # whether it can leave connections open at all


def _gunicorn(worker: str) -> Callable[[Server, int | None], list[str]]:
    def command(server: Server, fd: int | None) -> list[str]:
        options = {
            "--bind": f"{HOST}:8000" if fd is None else f"fd://{fd}",
            "--worker-class": worker,
            "--workers": server.processes,
            "--backlog": server.backlog,
            # Long, not 0: an idle worker wakes up twice a second when there is no time-out.
            "--timeout": 3600,
            "--config": "python:workloads.app.gunicorn_start",
        }
        if worker == "gthread":
            options["--threads"] = server.threads
            options["--keep-alive"] = 75 if server.keep_alive else 0
            # Connections beyond the threads wait inside the worker, not in the listen queue.
            options["--worker-connections"] = 8192 + server.threads
        if sys.platform == "linux":
            options["--worker-tmp-dir"] = "/dev/shm"  # the heartbeat file, off the disk
        words = [word for option, value in options.items() for word in (option, str(value))]
        return ["gunicorn", *words, "--preload", "--no-control-socket", "workloads.app.wsgi:app"]

    return command


# As uvicorn itself chooses; httptools takes half the CPU time per request. The loop is asyncio's
# and not uvloop's, which is not everywhere and is no Python that a reader could open.
HTTP = "httptools" if importlib.util.find_spec("httptools") else "h11"


def _uvicorn(server: Server, fd: int | None) -> list[str]:
    where = ["--host", HOST, "--port", "8000"] if fd is None else ["--fd", str(fd)]
    many = ["--workers", str(server.processes), "--timeout-worker-healthcheck", "3600"]
    return [
        "uvicorn",
        *where,
        *["--backlog", str(server.backlog), "--loop", "asyncio", "--http", HTTP],
        *["--lifespan", "off", "--ws", "none", "--no-access-log", "--no-proxy-headers"],
        *["--no-use-colors", "--timeout-keep-alive", "75"],
        *(many if server.processes > 1 else []),
        *([] if server.keep_alive else ["--header", "Connection:close"]),
        "workloads.app.asgi:app",
    ]


def _scratch(module: str) -> Callable[[Server, int | None], list[str]]:
    def command(server: Server, fd: int | None) -> list[str]:
        where = ["--port", "8000"] if fd is None else ["--fd", str(fd)]
        return [
            f"workloads.servers.{module}",
            *where,
            *["--backlog", str(server.backlog), "--processes", str(server.processes)],
            *(["--threads", str(server.threads)] if module == "threaded" else []),
            *([] if server.keep_alive else ["--no-keep-alive"]),
        ]

    return command


_GUNICORN_UP = r"Booting worker with pid: (\d+)"
_UVICORN_UP = r"Started server process \[(\d+)\]"
_SCRATCH_UP = r"serving in process (\d+)"
KINDS: tuple[Kind, ...] = (
    Kind(
        architecture="prefork",
        by="gunicorn",
        package="gunicorn>=27,<28",
        command=_gunicorn("sync"),
        up=_GUNICORN_UP,
        keeps_alive=False,
        base_mib=20,
        process_mib=5,
    ),
    Kind(
        architecture="threaded",
        by="gunicorn",
        package="gunicorn>=27,<28",
        command=_gunicorn("gthread"),
        up=_GUNICORN_UP,
        base_mib=20,
        process_mib=8,
    ),
    Kind(
        architecture="event-loop",
        by="uvicorn",
        package="uvicorn>=0.54,<0.55",
        command=_uvicorn,
        up=_UVICORN_UP,
        base_mib=30,
        process_mib=25,
    ),
    Kind(
        architecture="prefork",
        by="scratch",
        package=None,
        command=_scratch("prefork"),
        up=_SCRATCH_UP,
        base_mib=10,
        process_mib=2,
    ),
    Kind(
        architecture="threaded",
        by="scratch",
        package=None,
        command=_scratch("threaded"),
        up=_SCRATCH_UP,
        base_mib=10,
        process_mib=3,
    ),
    Kind(
        architecture="event-loop",
        by="scratch",
        package=None,
        command=_scratch("event_loop"),
        up=_SCRATCH_UP,
        base_mib=10,
        process_mib=3,
    ),
)


@dataclass(frozen=True, slots=True)
class Found:
    """A row of the table, and whether it can be used here."""

    architecture: Architecture
    by: str
    version: str | None  # None when missing, and for the book's own
    missing: str | None  # what to do to have it; None when it is there


class Running:
    """A server that answers."""

    def __init__(
        self, server: Server, kind: Kind, port: int, process: Supervised, log: IO[bytes]
    ) -> None:
        self.server = server
        self.host = HOST
        self.port = port
        self.url = f"http://{HOST}:{port}"
        self.pid = process.pid  # of the root of the server's tree
        self._kind = kind
        self._process = process
        self._log = log
        self._announced: set[int] = set()
        self._read_bytes = 0

    def pids(self) -> list[int]:
        """All live processes of the server, the root included."""
        return self._process.pids()

    def serving_pids(self) -> list[int]:
        """Live processes that answer requests: without a master that only watches them."""
        new = os.pread(self._log.fileno(), 1 << 22, self._read_bytes)
        whole = new[: new.rfind(b"\n") + 1]
        self._read_bytes += len(whole)
        self._announced.update(map(int, re.findall(self._kind.up.encode(), whole)))
        return [pid for pid in self.pids() if pid in self._announced]

    def workers(self) -> int:
        """How many serve: processes, or where each has a pool of threads, threads."""
        return len(self.serving_pids()) * self.server.threads

    def log(self) -> str:
        """The last lines of what it said."""
        size = os.fstat(self._log.fileno()).st_size
        text = os.pread(self._log.fileno(), 1 << 16, max(0, size - (1 << 16)))
        return "\n".join(text.decode(errors="replace").splitlines()[-LAST_LINES:])


@contextlib.contextmanager
def serve(
    server: Server,
    *,
    cores: Collection[int] | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Running]:
    """Start a server on a free port of this machine; it answers when the block begins.

    `cores` are the ids of the cores to use; without it, the first `server.cores` of those this
    process may use. Raises Unusable for what the table does not have, ServerFailed for a server
    that ends or does not answer in time, Stopped as soon as `stop` is set.
    """
    kind = _kind(server)
    if cores is None and server.cores is not None:
        cores = _first_cores(server.cores)
    nonce = uuid.uuid4().hex
    env = {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}
    env["WALL_TIME_NONCE"] = nonce
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(tempfile.TemporaryFile())
        listening = stack.enter_context(socket.socket())
        # Inherited by every connection. uvicorn cannot set it on a socket that it is given.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.bind((HOST, 0))
        listening.listen(server.backlog)
        port = listening.getsockname()[1]
        process = stack.enter_context(
            supervise(
                [sys.executable, "-m", *kind.command(server, listening.fileno())],
                env=env,
                cwd=ROOT,
                stdout=log,
                stderr=log,
                pass_fds=[listening.fileno()],
                cores=cores,
            )
        )
        listening.close()  # so that connections are refused when the server is gone
        running = Running(server, kind, port, process, log)
        _wait_until_ready(running, process, nonce, stop)
        yield running


def check(server: Server, machine: Machine) -> None:
    """Unusable, with a remedy, for a server that this machine cannot run."""
    kind = _kind(server)
    if missing := _missing(kind):
        raise Unusable(f"by={server.by!r}: not installed. {missing}")
    if server.cores is not None:
        if not hasattr(os, "sched_setaffinity"):
            raise Unusable(
                f"cores={server.cores}: {machine.system} cannot hold a server to some cores. "
                "Leave cores= out."
            )
        if server.cores > machine.cores:
            raise Unusable(
                f"cores={server.cores}: this machine offers {machine.cores}. "
                f"Give 1 to {machine.cores}, or leave it out to use them all."
            )
    free_mib = min(machine.memory_bytes, this_machine.available_memory_bytes()) / 2**20
    each_mib = kind.process_mib + kind.thread_mib * (server.threads - 1)
    if kind.base_mib + server.processes * each_mib > free_mib:
        fitting = max(0, math.floor((free_mib - kind.base_mib) / each_mib))
        raise Unusable(
            f"processes={server.processes}: they need about {server.processes * each_mib:.0f} MiB "
            f"and {free_mib:.0f} MiB are free. About {fitting} would fit."
        )


def available() -> tuple[Found, ...]:
    """Every row of the table, with the version that is installed or how to have it."""
    found = []
    for kind in KINDS:
        missing = _missing(kind)
        own = kind.package is None
        version = None if missing or own else importlib.metadata.version(kind.by)
        found.append(Found(kind.architecture, kind.by, version, missing))
    return tuple(found)


def keeps_alive(server: Server) -> bool:
    """Whether this server leaves connections open; gunicorn's sync workers never do."""
    return server.keep_alive and _kind(server).keeps_alive


def _kind(server: Server) -> Kind:
    rows = [kind for kind in KINDS if kind.architecture == server.architecture]
    for kind in rows:
        if kind.by == server.by:
            return kind
    raise Unusable(
        f"by={server.by!r}: does not run {server.architecture} here. "
        f"Choose one of {', '.join(kind.by for kind in rows)}."
    )


def _missing(kind: Kind) -> str | None:
    if kind.package is None or importlib.util.find_spec(kind.by):
        return None
    return f"Install it with: {shlex.join(['python', '-m', 'pip', 'install', kind.package])}"


def _first_cores(number: int) -> tuple[int, ...]:
    usable = this_machine.usable_cores()
    if number > len(usable):
        raise Unusable(f"cores={number}: this process may use {len(usable)}. Give fewer.")
    return usable[:number]


def _wait_until_ready(
    running: Running, process: Supervised, nonce: str, stop: threading.Event | None
) -> None:
    seconds = START_S + START_WORKER_S * running.server.processes
    deadline = time.monotonic() + seconds
    answered = False
    with contextlib.ExitStack() as stack:
        question = stack.enter_context(_ask(running))
        while not answered or len(running.serving_pids()) < running.server.processes:
            if stop is not None and stop.is_set():
                raise Stopped("the server was stopped while it started")
            if (code := process.poll()) is not None:
                raise _failed(running, f"ended with exit code {code} before it was ready")
            if time.monotonic() > deadline:
                up = len(running.serving_pids())
                why = f"{up} of {running.server.processes} processes were up"
                raise _failed(running, f"was not ready after {seconds:.0f} s: {why}")
            if answered:
                time.sleep(LOOK_S)
                continue
            try:
                answer = question.recv(4096)
            except TimeoutError:
                continue
            except OSError:
                answer = b""
            answered = answer.endswith(nonce.encode())
            if not answered:
                question = stack.enter_context(_ask(running))
                time.sleep(LOOK_S)


def _ask(running: Running) -> socket.socket:
    """A connection on which /ready was asked; the answer fits one packet."""
    question = socket.socket()
    question.settimeout(LOOK_S)
    with contextlib.suppress(OSError):  # refused: the server is gone, as its process will say
        question.connect((HOST, running.port))
        question.sendall(b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return question


def _failed(running: Running, what: str) -> ServerFailed:
    server = running.server
    command = shlex.join([sys.executable, "-m", *running._kind.command(server, None)])
    return ServerFailed(
        f"{server.architecture} by {server.by} {what}. Its last lines:\n{running.log()}\n"
        f"To try it by hand: cd {shlex.quote(str(ROOT))} && {command}"
    )
