"""`python -m labs output`: every output of the table, made anew on this machine.

Starts a row's server, drives its bounded load on 127.0.0.1, runs the tool, and ends all of it.
What the tool printed is shorn of names and places, and kept if it shows what the page tells.
"""

import contextlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from labs.host.hardware import fingerprint
from labs.host.lock import turn
from labs.host.project import ROOT
from labs.host.supervisor import supervise
from labs.host.waiting import Stopped, wait_until
from labs.load.concurrent import concurrent_requests
from labs.load.locust import LoadFailed
from labs.measure.calibration import calibrate
from labs.recordings.outputs import shearing, store
from labs.recordings.outputs.rows import ROWS, Ask, Row
from labs.records.errors import Unusable
from labs.records.experiment import Workload
from labs.records.output import Output
from labs.servers.catalogue import missing, row_of
from labs.servers.serve import Running, serve
from labs.servers.storage import shared_folder

TOOL_S = 30.0  # the longest takes six seconds
TRIES = 5  # until it shows what it should: others may use the machine meanwhile


def record_outputs(names: Sequence[str], say: Callable[[str], None]) -> None:
    """Record these outputs, or all, and tell on the way what is done. Unusable, in the end, with
    a line for each that could not be: its tool is missing, or it does not show what it should."""
    known = [row.name for row in ROWS]
    for name in names:
        if name not in known:
            raise Unusable(f"{name}: no such output. Choose from {', '.join(known)}.")
    missed = []
    stop = threading.Event()
    with turn(lambda: None, stop):
        wanted = [row for row in ROWS if not names or row.name in names]
        computes = any(row.load and row.load.cpu_s for row in wanted)
        speed = calibrate().loops_per_s[0] if computes else 0.0
        for row in wanted:
            try:
                path = store.save(row.name, output(row, speed))
                say(f"{row.name}: saved {os.path.relpath(path)}")
            except Unusable as error:
                missed.append(str(error))
                say(str(error))
    if missed:
        raise Unusable("\n".join(["Not recorded:", *missed]))


def output(row: Row, speed: float) -> Output:
    """One row's output; `speed` is how many loops a core counts in a second. Unusable, with the
    remedy, where the tool or the server is missing, and where no try shows what it should."""
    if remedy := row.tool.missing or missing(row.how or row_of(row.server)):
        raise Unusable(f"{row.name}: not recorded. {remedy}")
    printed = ""
    for _ in range(TRIES):
        command, printed = _tried(row, speed)
        if row.story.shown(printed):
            break
    else:
        raise Unusable(
            f"{row.name}: five times it did not show that {row.story.because}. Close what else is "
            f"running and try again. The last time it was:\n{printed}"
        )
    if found := shearing.personal(f"{command}\n{printed}"):
        raise Unusable(
            f"{row.name}: {', '.join(found)}: may be somebody's name or place, so the output is "
            "not kept. Teach labs/recordings/outputs/shearing.py what stands for it."
        )
    made = datetime.now(UTC).isoformat(timespec="seconds")
    return Output(
        command=command,
        what=row.what,
        tool=row.tool.named,
        made=made,
        machine=fingerprint(),
        text=printed,
    )


def _tried(row: Row, speed: float) -> tuple[str, str]:
    """The command as it is shown, and what it printed, both shorn."""
    known, stop = shearing.people_and_places(), threading.Event()
    load = row.load or Ask(0)
    with contextlib.ExitStack() as stack:
        shared = stack.enter_context(shared_folder(Workload(wait_by=load.wait_by)))
        settings = shared.settings if shared else None
        running = stack.enter_context(serve(row.server, row=row.how, settings=settings))
        folder = str(running.launch.logs[0].parent) if running.launch else ""
        names = {
            "port": running.port,
            "pid": running.pid,
            "worker": running.serving_pids()[0],
            "folder": folder,
        }

        def shorn(text: str) -> str:
            return shearing.sheared(text, known, port=running.port, folder=folder)

        stack.callback(stop.set)
        if load.lead_s >= 0:
            stack.enter_context(_asking(running, load, speed, stop))
            stop.wait(load.lead_s if row.load else 0)
        with _started(row.command.format(**names)) as (done, said):
            if load.lead_s < 0:
                stop.wait(-load.lead_s)
                stack.enter_context(_asking(running, load, speed, stop))
            wait_until(done, TOOL_S)
            printed = said()
        stop.set()
        return shorn((row.shown or row.command).format(**names)), shorn(printed)


@contextlib.contextmanager
def _asking(running: Running, load: Ask, speed: float, stop: threading.Event) -> Iterator[None]:
    """The load, from now on; over when it is done, or with the block."""
    if not load.number:
        yield
        return
    path = f"{load.path}?loops={round(load.cpu_s * speed)}&wait={load.wait_s}"
    if load.wait_by != "sleep":
        path += f"&wait_by={load.wait_by}"

    def ask() -> None:
        with contextlib.suppress(Stopped, LoadFailed), concurrent_requests(stop) as crowd:
            for _ in range(load.times):
                crowd.ask(running.port, load.number, path)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextlib.contextmanager
def _started(command: str) -> Iterator[tuple[Callable[[], bool], Callable[[], str]]]:
    """A shell's command: whether it is done, and what it has printed. Gone with the block."""
    folders = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    folders += ["/usr/sbin"]
    env = {**os.environ, "PATH": os.pathsep.join(folders), "LC_ALL": "C", "COLUMNS": "100"}
    with tempfile.TemporaryFile() as file:

        def said() -> str:
            return os.pread(file.fileno(), 1 << 20, 0).decode(errors="replace")

        with supervise(
            ["bash", "-c", command], env=env, cwd=ROOT, stdout=file, stderr=file
        ) as process:
            yield lambda: process.poll() is not None, said
