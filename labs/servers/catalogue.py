"""The table of servers: who serves an architecture, how each is called, and what it needs.

Three architectures, each run by what people use and by our own from scratch. Every row is
started in the same way, by `servers.serve`: those in Python with an open socket, the others,
which pip does not install, on a port of their own (`labs.servers.products`).
"""

from __future__ import annotations

import importlib.util
import math
import shlex
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

from labs.host.programs import lacking
from labs.records.errors import Unusable, refused
from labs.records.experiment import Architecture, Page, Server, Workload
from labs.records.server_facts import server_facts
from labs.servers.products import PRODUCTS, Product

HOST = "127.0.0.1"
SHARED_MEMORY = Path("/dev/shm")  # Linux
START_S = 20.0  # to the first answer, on a busy machine
START_WORKER_S = 0.5  # more for each process
SCRATCH_UP = r"serving in process (\d+)"  # our own, and node


def start_s(processes: int) -> float:
    """Seconds within which a server of so many processes has to be up."""
    return START_S + START_WORKER_S * processes


@dataclass(frozen=True, slots=True)
class ServerRow:
    """One row of the table: who serves an architecture, and how it is called."""

    architecture: Architecture
    by: str
    _: KW_ONLY
    package: str | None = None  # what pip installs; None for the book's own
    command: Callable[[Server, int], list[str]] | None = None  # of an open socket's number
    up: str = ""  # how its log announces a worker, a pattern with the process id; or not at all
    product: Product | None = None  # how it is set up, where it is not in Python
    # Memory in MiB, measured after load (Linux, PSS) and rounded up for what PSS leaves out.
    base_mib: float  # whatever the size of the pool
    process_mib: float  # for each process
    thread_mib: float = 0.1  # for each thread beyond the first of a process


def _gunicorn(worker: str) -> Callable[[Server, int], list[str]]:
    def command(server: Server, fd: int) -> list[str]:
        options = {
            "--bind": f"fd://{fd}",
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
        if SHARED_MEMORY.is_dir():
            options["--worker-tmp-dir"] = str(SHARED_MEMORY)  # for heartbeats, off the disk
        words = [word for option, value in options.items() for word in (option, str(value))]
        return ["gunicorn", *words, "--preload", "--no-control-socket", "workloads.app.wsgi:app"]

    return command


# As uvicorn itself chooses; httptools takes half the CPU time per request. The loop is asyncio's
# and not uvloop's, which is not everywhere and is no Python that a reader could open.
HTTP = "httptools" if importlib.util.find_spec("httptools") else "h11"


def _uvicorn(server: Server, fd: int) -> list[str]:
    # Its master asks each worker by turns whether it is well. It has to wait for one that starts
    # beside many, and waits in vain for one that is killed before it has answered.
    patience = ["--timeout-worker-healthcheck", str(math.ceil(start_s(server.processes)))]
    many = ["--workers", str(server.processes), *patience]
    return [
        "uvicorn",
        *["--fd", str(fd), "--backlog", str(server.backlog), "--loop", "asyncio", "--http", HTTP],
        *["--lifespan", "off", "--ws", "none", "--no-access-log", "--no-proxy-headers"],
        *["--no-use-colors", "--timeout-keep-alive", "75"],
        *(many if server.processes > 1 else []),
        *([] if server.keep_alive else ["--header", "Connection:close"]),
        "workloads.app.asgi:app",
    ]


def from_scratch(module: str, *more: str) -> Callable[[Server, int], list[str]]:
    """Make the command of one of our own servers, with options of its own."""

    def command(server: Server, fd: int) -> list[str]:
        return [
            f"workloads.servers.{module}",
            *["--fd", str(fd), "--backlog", str(server.backlog)],
            *["--processes", str(server.processes)],
            *(["--threads", str(server.threads)] if server.architecture == "threaded" else []),
            *([] if server.start is None else ["--start", str(server.start)]),
            *([] if server.keep_alive else ["--no-keep-alive"]),
            *more,
        ]

    return command


def _ours(architecture: Architecture, by: str, module: str, **more: Any) -> ServerRow:
    return ServerRow(architecture, by, command=from_scratch(module), up=SCRATCH_UP, **more)


def _product(architecture: Architecture, by: str, **more: Any) -> ServerRow:
    return ServerRow(architecture, by, product=PRODUCTS[by], **more)


GUNICORN: dict[str, Any] = {
    "by": "gunicorn",
    "package": "gunicorn>=27,<28",
    "up": r"Booting worker with pid: (\d+)",
    "base_mib": 20,
}
CATALOGUE: tuple[ServerRow, ...] = (
    ServerRow("prefork", command=_gunicorn("sync"), process_mib=5, **GUNICORN),
    ServerRow("threaded", command=_gunicorn("gthread"), process_mib=8, **GUNICORN),
    ServerRow(
        "event-loop",
        "uvicorn",
        package="uvicorn>=0.54,<0.55",
        command=_uvicorn,
        up=r"Started server process \[(\d+)\]",
        base_mib=30,
        process_mib=25,
    ),
    _ours("prefork", "scratch", "prefork", base_mib=12, process_mib=2),
    _ours("prefork", "spare", "spare", base_mib=12, process_mib=2),
    _ours("threaded", "scratch", "threaded", base_mib=10, process_mib=3),
    _ours("event-loop", "scratch", "event_loop", base_mib=10, process_mib=3),
    _product("prefork", "apache", base_mib=20, process_mib=1),
    _product("prefork", "nginx-fpm", base_mib=30, process_mib=1),
    _product("threaded", "apache-worker", base_mib=25, process_mib=1.5, thread_mib=0.6),
    _product("threaded", "apache-event", base_mib=25, process_mib=1.5, thread_mib=0.6),
    _product("event-loop", "node", up=SCRATCH_UP, base_mib=60, process_mib=15),
    _product("event-loop", "nginx", base_mib=5, process_mib=8),
)


def row_of(server: Server) -> ServerRow:
    """The row of a server; Unusable when the table has none."""
    rows = [row for row in CATALOGUE if row.architecture == server.architecture]
    for row in rows:
        if row.by == server.by:
            return row
    choices = ", ".join(row.by for row in rows)
    rule = f"does not run {server.architecture} here. Choose one of {choices}."
    raise refused("by", server.by, rule)


def missing(row: ServerRow, page: Page = "work") -> str | None:
    """Tell what to do to have a server, for work or for files; None when it is there."""
    if row.product is not None:
        for_work = row.product.for_work if page == "work" else None
        return lacking(*(for_work or row.product.for_files))
    if row.package is None or importlib.util.find_spec(row.by):
        return None
    return f"Install it with: {shlex.join(['python', '-m', 'pip', 'install', row.package])}"


def refuse(row: ServerRow, server: Server, workload: Workload) -> None:
    """Raise Unusable, with a remedy, for what a server can never do."""
    by, product = f"by={row.by!r}", row.product
    if server.start is not None and not server_facts(server.by).starts_fewer:
        raise Unusable(f"start={server.start}: {by} starts all at once. Leave start out.")
    if 0 < server.keeps_s < math.inf and not server_facts(server.by).holds_its_worker:
        rule = f"no worker stays with a connection to {by}. Give True or False."
        raise refused("keep_alive", server.keep_alive, rule)
    if product is None:
        return
    if workload.page == "file" and not product.for_files:
        raise Unusable(f"{by}: nginx itself answers files. Use the event-loop by nginx for them.")
    if workload.page == "work" and product.for_work is None:
        raise Unusable(f"{by}: serves files and runs no program. Use page='file', or nginx-fpm.")
    if workload.cpu_by != "counting":
        raise Unusable(f"cpu_by={workload.cpu_by!r}: {by} can only count. Leave cpu_by out.")
    if workload.wait_by != "sleep":
        raise Unusable(f"wait_by={workload.wait_by!r}: {by} can only sleep. Leave wait_by out.")
