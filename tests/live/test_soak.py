"""Nothing grows, run after run: processes, open files, ports, threads, temporary files, memory."""

import contextlib
import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from waiting import eventually

from labs.host.waiting import wait_until
from labs.load.locust import drive
from labs.records.experiment import Load, Server, Workload
from labs.servers.catalogue import CATALOGUE, ServerRow, missing
from labs.servers.serve import serve

FIRST = 2  # times that each server has been had before it counts: what is imported stays
USERS, SOON_S = 4, 20.0
SETTLE_S = 5.0  # for what was told to end
MOST_MIB = 8.0  # by which its memory may grow: an allocator keeps what it has
LOOPS_PER_S = 2e7
WORK = Workload(cpu_s=0.001, wait_s=0.005)


def ports(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        return sum(each.status == psutil.CONN_LISTEN for each in process.net_connections("tcp"))
    return 0


def count() -> dict[str, int]:
    """What there is of each."""
    gc.collect()
    ours = psutil.Process()
    children = ours.children(recursive=True)
    return {
        "processes": len(children),
        "descriptors": ours.num_fds(),
        "ports": sum(map(ports, (ours, *children))),
        "threads": ours.num_threads(),
        "files": sum(1 for _ in Path(tempfile.gettempdir()).rglob("*")),
    }


def cycle(row: ServerRow) -> None:
    """Start a small server, have some users ask it until they are answered, and end both."""
    pool = {"threads": 4} if row.architecture == "threaded" else {"processes": 2}
    server = Server(row.architecture, by=row.by, **({} if row.by == "uvicorn" else pool))
    with serve(server) as running, drive(Load([USERS]), url=running.url) as driver:
        driver.ask_for(WORK, LOOPS_PER_S)
        driver.open(USERS, 0.0)
        eventually(lambda: len(driver.records()) > USERS, SOON_S, f"answers of {row.by}")


@pytest.fixture
def _own_temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="wall-time-soak-", dir="/tmp") as folder:
        os.chmod(folder, 0o711)  # workers are somebody else's, when we are root
        monkeypatch.setattr(tempfile, "tempdir", folder)
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setenv("XDG_RUNTIME_DIR", "")
        yield


@pytest.mark.extended
@pytest.mark.measures
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("_own_temporary")
def test_serve_and_drive_leave_nothing_more_from_server_to_server() -> None:
    rows = [row for row in CATALOGUE if row.by != "nginx" and not missing(row, "work")]
    for row in rows * FIRST:
        cycle(row)
    before, memory = count(), psutil.Process().memory_info().rss
    for row in rows:
        cycle(row)

    def more() -> dict[str, int]:
        return {what: now - before[what] for what, now in count().items() if now > before[what]}

    wait_until(lambda: not more(), SETTLE_S)
    assert not more()
    assert (psutil.Process().memory_info().rss - memory) / 2**20 < MOST_MIB
