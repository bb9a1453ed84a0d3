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
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from labs import machine as this_machine
from labs.backends import ADDRESS, Backend, BackendFailed, serve_backend
from labs.kinds import HOST, KINDS, Kind, kind_of, missing
from labs.records import Architecture, Machine, Server, Unusable
from labs.supervisor import Stopped, Supervised, supervise

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
        self,
        server: Server,
        kind: Kind,
        port: int,
        process: Supervised,
        log: IO[bytes],
        backend: Backend | None = None,
    ) -> None:
        self.server = server
        self.backend = backend  # that it asks, where its requests wait for one
        self.host = HOST
        self.port = port
        self.url = f"http://{HOST}:{port}"
        self.pid = process.pid  # of the root of the server's tree
        self._kind = kind
        self._process = process
        self._log = log
        self._announced: set[int] = set()
        self._read_bytes = 0
        self._reading = threading.Lock()

    def pids(self) -> list[int]:
        """All live processes of the server, the root included."""
        return self._process.pids()

    def serving_pids(self) -> list[int]:
        """Live processes that answer requests: without a master that only watches them."""
        with self._reading:
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
    backend: bool = False,
    kind: Kind | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Running]:
    """Start a server on a free port of this machine; it answers when the block begins.

    `cores` are the ids of the cores to use; without it, the first `server.cores` of those this
    process may use. With `backend`, a slow backend is started before it and ended after it, on
    the other cores if there are any; its processes are not among the server's. `kind` says how
    to start one that is in no table.

    Raises Unusable for what the table does not have, ServerFailed for a server that ends or does
    not answer in time, Stopped as soon as `stop` is set.
    """
    kind = kind or kind_of(server)
    if cores is None and server.cores is not None:
        cores = _first_cores(server.cores)
    nonce = uuid.uuid4().hex
    env = {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}
    env["WALL_TIME_NONCE"] = nonce
    with contextlib.ExitStack() as stack:
        behind = stack.enter_context(_behind(cores, stop)) if backend else None
        if behind is not None:
            env[ADDRESS] = behind.address
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
        running = Running(server, kind, port, process, log, behind)
        _wait_until_ready(running, process, nonce, stop)
        yield running


def check(server: Server, machine: Machine) -> None:
    """Unusable, with a remedy, for a server that this machine cannot run."""
    kind = kind_of(server)
    if remedy := missing(kind):
        raise Unusable(f"by={server.by!r}: not installed. {remedy}")
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
        remedy = missing(kind)
        ours = kind.package is None
        version = None if remedy or ours else importlib.metadata.version(kind.by)
        found.append(Found(kind.architecture, kind.by, version, remedy))
    return tuple(found)


def keeps_alive(server: Server) -> bool:
    """Whether this server leaves connections open; gunicorn's sync workers never do."""
    return server.keep_alive and kind_of(server).keeps_alive


@contextlib.contextmanager
def _behind(cores: Collection[int] | None, stop: threading.Event | None) -> Iterator[Backend]:
    """The backend, away from the server's cores where that leaves any."""
    others = set(this_machine.usable_cores()) - set(cores) if cores else None
    with contextlib.ExitStack() as stack:
        try:
            yield stack.enter_context(serve_backend(cores=others or None, stop=stop))
        except BackendFailed as error:
            raise ServerFailed(str(error)) from None


def _first_cores(number: int) -> tuple[int, ...]:
    usable = this_machine.usable_cores()
    if number > len(usable):
        raise Unusable(f"cores={number}: this process may use {len(usable)}. Give fewer.")
    return usable[:number]


def _wait_until_ready(
    running: Running, process: Supervised, nonce: str, stop: threading.Event | None
) -> None:
    processes = min(running.server.processes, running._kind.first or running.server.processes)
    seconds = START_S + START_WORKER_S * processes
    deadline = time.monotonic() + seconds
    question = _Question(running.port)
    try:
        while not question.heard(nonce) or len(running.serving_pids()) < processes:
            if stop is not None and stop.is_set():
                raise Stopped("the server was stopped while it started")
            if (code := process.poll()) is not None:
                raise _failed(running, f"ended with exit code {code} before it was ready")
            if time.monotonic() > deadline:
                up = f"{len(running.serving_pids())} of {processes} processes were up"
                raise _failed(running, f"was not ready after {seconds:.0f} s: {up}")
    finally:
        question.close()


class _Question:
    """/ready, asked again until the answer is right. Never waits longer than LOOK_S.

    A connect succeeds before any worker runs, so only the answer tells. The connection is
    closed as soon as the server has closed it: gunicorn's worker would wait 2 s for that.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection: socket.socket | None = None
        self._answer = b""
        self._right = False

    def heard(self, nonce: str) -> bool:
        if self._right or self._connection is None:
            time.sleep(LOOK_S)
        if not self._right:
            self._listen()
            self._right = self._connection is None and self._answer.endswith(nonce.encode())
        return self._right

    def _listen(self) -> None:
        try:
            if self._connection is None:
                self._answer = b""
                self._connection = socket.create_connection((HOST, self._port), LOOK_S)
                self._connection.sendall(
                    b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                )
            while said := self._connection.recv(4096):
                self._answer += said
        except TimeoutError:
            return
        except OSError:
            self._answer = b""  # the server is gone, as its process will tell
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _failed(running: Running, what: str) -> ServerFailed:
    server = running.server
    command = shlex.join([sys.executable, "-m", *running._kind.command(server, None)])
    return ServerFailed(
        f"{server.architecture} by {server.by} {what}. Its last lines:\n{running.log()}\n"
        f"To try it by hand: cd {shlex.quote(str(ROOT))} && {command}"
    )
