"""Real servers of the table (`labs.servers.catalogue`), started and ended by one context manager.

One in Python is handed a socket that listens already. The others get a port that is free, and
another if somebody took it meanwhile. A server is ready when it answers with this run's nonce and
all of its workers have said in its log that they are up. It runs below a supervisor, so nothing of
it is left when the block ends, however that happens.
"""

from __future__ import annotations

import contextlib
import errno
import importlib.metadata
import importlib.util
import math
import os
import re
import socket
import sys
import tempfile
import threading
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from labs.host import cgroup
from labs.host import hardware as this_machine
from labs.host.programs import version
from labs.host.project import ROOT
from labs.host.supervisor import Supervised, supervise
from labs.host.waiting import wait_until
from labs.records.errors import USED_UP, Failed, ServerFailed, Unusable, refused, used_up
from labs.records.experiment import Architecture, Page, Server, Workload
from labs.records.results import Machine
from labs.records.server_facts import server_facts
from labs.servers.backend import ADDRESS, Backend, serve_backend
from labs.servers.catalogue import (
    CATALOGUE,
    HOST,
    ServerRow,
    missing,
    refuse,
    row_of,
    start_s,
)
from labs.servers.products import Launch, Place, folder_for_a_server
from labs.servers.readiness import LOOK_S, READY, answers

PORTS = 3  # that are tried for a server that finds its own taken
PORT_TAKEN = "(?i)address already in use|EADDRINUSE|could not bind"
LAST_LINES = 12  # of its log, when it failed


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
        row: ServerRow,
        log: IO[bytes],
        backend: Backend | None = None,
    ) -> None:
        """Describe a server that `begin` starts, once its port is known."""
        self.server = server
        self.row = row
        self.backend = backend  # that it asks, where its requests wait for one
        self.host = HOST
        self.port = 0
        self.launch: Launch | None = None  # of a server that pip does not install
        self._processes: list[Supervised] = []
        self._log = log
        self._announced: set[int] = set()
        self.group: Path | None = None  # the control group of one that has a quota
        self._seen: set[int] = set()  # its processes when `lost` was asked last
        self._read_bytes = 0
        self._reading = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        """Process id of the root of the server's tree; of several, of the tree that has the
        workers."""
        return self._pool.pid

    @property
    def _pool(self) -> Supervised:
        return self._processes[self.launch.pool if self.launch else 0]

    def pids(self) -> list[int]:
        """All live processes of the server, the root included."""
        return [pid for process in self._processes for pid in process.pids()]

    def serving_pids(self) -> list[int]:
        """Live processes that answer requests: without a master that only watches them."""
        if not self.row.up:  # Apache, nginx and php-fpm announce none, and fork nothing else
            return [pid for pid in self._pool.pids() if pid != self.pid]
        with self._reading:
            new = os.pread(self._log.fileno(), 1 << 22, self._read_bytes)
            whole = new[: new.rfind(b"\n") + 1]
            self._read_bytes += len(whole)
            self._announced.update(map(int, re.findall(self.row.up.encode(), whole)))
        return [pid for pid in self.pids() if pid in self._announced]

    def workers(self) -> int:
        """Count who serves: processes, or where each has a pool of threads, threads."""
        return len(self.serving_pids()) * self.server.threads

    def lost(self) -> int:
        """Count its processes that have ended since this was asked last. 0 of a server that has
        more or fewer of them as they are needed."""
        before, self._seen = self._seen, set(self.pids())
        adapts = self.server.start is not None or server_facts(self.server.by).first is not None
        return 0 if adapts else len(before - self._seen)

    def log(self) -> str:
        """Read the last lines of what the server said."""
        size = os.fstat(self._log.fileno()).st_size
        said = [os.pread(self._log.fileno(), 1 << 16, max(0, size - (1 << 16)))]
        for log in self.launch.logs if self.launch else ():
            with contextlib.suppress(OSError):
                said.append(log.read_bytes()[-(1 << 16) :])
        lines = [line for text in said for line in text.decode(errors="replace").splitlines()]
        return "\n".join(lines[-LAST_LINES:])

    def begin(
        self, stack: contextlib.ExitStack, argv: Sequence[str], how: Begin, **more: Any
    ) -> None:
        """Start one of its programs, to be ended with the stack."""
        try:
            argv = argv if self.group is None else cgroup.into(self.group, argv)
            process = supervise(
                argv, env=how.env, stdout=self._log, stderr=self._log, cores=how.cores, **more
            )
            self._processes.append(stack.enter_context(process))
        except OSError as error:
            if used_up(error) or isinstance(error, Failed):  # said as it is
                raise
            raise self.failed(f"cannot be started ({error})") from None

    def hold(self) -> None:
        """Let the quota count from now on, if there is one: it may start and warm up without."""
        if self.group is not None:
            cgroup.hold(self.group, self.server.quota)

    def forget(self) -> None:
        """Begin anew, with an empty log."""
        self._processes.clear()
        self._log.seek(0)
        self._log.truncate()
        self._read_bytes = 0

    def check(self, when: str = "under load") -> None:
        """Raise ServerFailed if one of its programs has ended, or the backend that it asks."""
        if self.backend is not None and (how := self.backend.process.ended()):
            raise ServerFailed(f"The slow backend {how} {when}.")
        for process in self._processes:
            if how := process.ended():
                raise self.failed(f"{how} {when}")

    def failed(self, what: str) -> ServerFailed:
        """Make the error that says what failed, with the last lines of its log."""
        log = self.log()
        no_disk = not os.fstatvfs(self._log.fileno()).f_bavail  # then its log has nothing of that
        if no_disk or os.strerror(errno.EAGAIN) in log:  # which is what a fork says
            lack, remedy = USED_UP[errno.ENOSPC if no_disk else errno.EAGAIN]
            what = f"{what}: {lack}. {remedy}, then run again"
        last = f" Its last lines:\n{log}" if log else ""
        return ServerFailed(f"{self.server.architecture} by {self.server.by} {what}.{last}")


@contextlib.contextmanager
def serve(
    server: Server,
    *,
    cores: Collection[int] | None = None,
    backend: bool = False,
    page: Page = "work",
    row: ServerRow | None = None,
    settings: Mapping[str, str] | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Running]:
    """Start a server on a free port of this machine; it answers when the block begins.

    `cores` are the ids of the cores to use; without it, `server.cores` of those this process may
    use, as `hardware.server_cores` chooses them. With `backend`, a slow backend is started before
    it and ended after it, on the other cores if there are any; its processes are not among the
    server's. With `page` as of a `Workload`, one that is only asked for files is set up without a
    language. `row` says how to start one that is in no table; `settings` are more variables of
    its environment.

    Raises Unusable for what the table does not have, ServerFailed for a server that ends or does
    not answer in time, Stopped as soon as `stop` is set.
    """
    row = row or row_of(server)
    if cores is None and server.cores is not None:
        cores = _first_cores(server.cores)
    nonce = uuid.uuid4().hex
    env = {**os.environ, **(settings or {})}
    env |= {"WALL_TIME_NONCE": nonce, "PHP_INI_SCAN_DIR": ""}  # no settings of the system's
    with contextlib.ExitStack() as stack:
        behind = None
        if backend:  # away from the server's cores, where that leaves any
            others = this_machine.apart_from(tuple(cores)) if cores else None
            behind = stack.enter_context(serve_backend(cores=others or None, stop=stop))
            env[ADDRESS] = behind.address
        log = stack.enter_context(tempfile.TemporaryFile())
        running = Running(server, row, log, behind)
        running.group = stack.enter_context(cgroup.with_quota(this_machine.MACHINE, server.quota))
        begin = Begin(nonce, page == "file", env, cores, stop)
        stack.enter_context((_on_a_port if row.product else _on_a_socket)(running, begin))
        yield running


@dataclass(frozen=True, slots=True)
class Begin:
    """The settings with which a server is started."""

    nonce: str
    files_only: bool
    env: dict[str, str]
    cores: Collection[int] | None
    stop: threading.Event | None


@contextlib.contextmanager
def _on_a_socket(running: Running, begin: Begin) -> Iterator[None]:
    """Start a server on a socket that listens already."""
    server, command = running.server, running.row.command
    assert command is not None
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        # Inherited by every connection. uvicorn cannot set it on a socket that it is given.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.bind((HOST, 0))
        listening.listen(server.backlog)
        running.port = listening.getsockname()[1]
        argv = [sys.executable, "-m", *command(server, listening.fileno())]
        running.begin(stack, argv, begin, cwd=ROOT, pass_fds=[listening.fileno()])
        listening.close()  # so that connections are refused when the server is gone
        _wait_until_ready(running, begin.nonce, begin.stop)
        yield


@contextlib.contextmanager
def _on_a_port(running: Running, begin: Begin) -> Iterator[None]:
    """Set a server up in a folder of its own, on a port that is free; on another if it was not."""
    product = running.row.product
    assert product is not None
    for left in range(PORTS - 1, -1, -1):
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(folder_for_a_server())
            running.port = stack.enter_context(free_port())
            place = Place(
                folder=folder,
                host=HOST,
                port=running.port,
                nonce=begin.nonce,
                files_only=begin.files_only or product.for_work is None,
            )
            running.launch = product.launch(running.server, place)
            try:
                for command in running.launch.commands:
                    running.begin(stack, command, begin, cwd=folder)
                _wait_until_ready(running, begin.nonce, begin.stop)
            except ServerFailed:
                if not left or not re.search(PORT_TAKEN, running.log()):
                    raise
                running.forget()
                continue
            yield
            return


@contextlib.contextmanager
def free_port() -> Iterator[int]:
    """Find a free port. On Linux a socket keeps it for a server for as long as the block: both say
    SO_REUSEADDR. Elsewhere no other may bind to it then, so nothing keeps it."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind((HOST, 0))
        port = held.getsockname()[1]
        if sys.platform != "linux":
            held.close()
        yield port


def check(server: Server, machine: Machine, workload: Workload | None = None) -> None:
    """Raise Unusable, with a remedy, for a server that this machine cannot run, or such work."""
    row, workload = row_of(server), workload or Workload()
    refuse(row, server, workload)
    if remedy := missing(row, workload.page):
        what = "not installed. " if remedy.startswith("Install") else ""
        raise refused("by", server.by, f"{what}{remedy}")
    if server.cores is not None:
        if not hasattr(os, "sched_setaffinity"):
            rule = f"{machine.system} cannot hold a server to some cores. Give all of them."
            raise refused("cores", server.cores, rule)
        if server.cores > machine.cores:
            rule = f"this machine offers {machine.cores}. Give 1 to {machine.cores}."
            raise refused("cores", server.cores, rule)
    with cgroup.with_quota(this_machine.MACHINE, server.quota):
        pass
    free_mib = min(machine.memory_bytes, this_machine.available_memory_bytes()) / 2**20
    each_mib = row.process_mib + row.thread_mib * (server.threads - 1)
    if row.base_mib + server.processes * each_mib > free_mib:
        fitting = max(0, math.floor((free_mib - row.base_mib) / each_mib))
        raise refused(
            "processes",
            server.processes,
            f"they need about {server.processes * each_mib:.0f} MiB and {free_mib:.0f} MiB are "
            f"free. About {fitting} would fit.",
        )


def available() -> tuple[Found, ...]:
    """Every row of the table, with the version that is installed or how to have it."""
    found = []
    for row in CATALOGUE:
        remedy = missing(row)
        said = None if remedy else _version(row)
        found.append(Found(row.architecture, row.by, said, remedy))
    return tuple(found)


def versions(server: Server) -> dict[str, str]:
    """Versions of the programs of a server that pip does not install, for the machine's
    fingerprint."""
    product = row_of(server).product
    programs = (product.for_work or product.for_files) if product else ()
    return {program.name: said for program in programs if (said := version(program))}


def _version(row: ServerRow) -> str | None:
    """Version as installed; None of the book's own."""
    if row.product is None:
        return importlib.metadata.version(row.by) if row.package else None
    programs = row.product.for_work or row.product.for_files
    said = {version(program): program.name for program in reversed(programs)}  # the first stays
    first = version(programs[0])
    others = [f"{name} {number}" for number, name in said.items() if number and number != first]
    return ", ".join([str(first), *others])


def _first_cores(number: int) -> tuple[int, ...]:
    usable = len(this_machine.usable_cores())
    if number > usable:
        raise Unusable(f"cores={number}: this process may use {usable}. Give fewer.")
    return this_machine.server_cores(number)


def _wait_until_ready(running: Running, nonce: str, stop: threading.Event | None) -> None:
    server = running.server
    first = server.start or server_facts(server.by).first or server.processes
    processes = min(server.processes, first)
    seconds = start_s(processes)

    def ready() -> bool:
        running.check("before it was ready")
        up = len(running.serving_pids()) >= processes
        return up and answers(running.host, running.port, READY, nonce.encode())

    if not wait_until(ready, seconds, every_s=LOOK_S, stop=stop):
        up = f"{len(running.serving_pids())} of {processes} processes were up"
        raise running.failed(f"was not ready after {seconds:.0f} s: {up}")
