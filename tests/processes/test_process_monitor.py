"""A process monitor sees who is there and whom they asked, and takes next to nothing for it."""

import os
import socket
import sys
import time
from collections.abc import Iterator

import pytest

from labs.host import processes
from labs.host.processes import MONITOR_EVERY_S, MOST_OF_A_CORE, ProcessMonitor, Reading

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells it")
LOOKS = 8
DEAR_S = 0.02  # of the CPU, that a look at a process may take


@pytest.fixture
def connected() -> Iterator[int]:
    """A port of this machine to which this process has a connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            yield port


def test_whom_a_process_asks_is_seen_and_the_list_is_read_once_a_look(
    connected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, ports = [], processes._ports
    monkeypatch.setattr(processes, "_ports", lambda: read.append(1) or ports())
    own = [os.getpid(), os.getppid()]
    monitor = ProcessMonitor({"server": lambda: own, "generator": tuple}, lambda: True)
    for _ in range(LOOKS):
        monitor.look()
    assert len(read) == 4  # at the first, second, fourth and eighth, for both processes
    seen = monitor.seen()
    assert len(seen) == 2
    assert f"a connection to port {connected}" in seen[0 if own[0] < own[1] else 1].files


def test_who_answers_has_asked_nobody(connected: int) -> None:
    assert list(processes._ports().values()).count(connected) == 1  # of both ends


def test_dear_looks_come_less_often_but_the_second_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who was looked at once is not told of, however long the load lasts."""
    read = processes.read

    def slowly(pid: int) -> Reading:
        begin = time.thread_time()
        while time.thread_time() - begin < DEAR_S:
            pass
        return read(pid)

    monitor = ProcessMonitor({"server": lambda: [os.getpid()]}, lambda: True)
    monkeypatch.setattr(processes, "read", slowly)
    monitor.look()
    assert monitor.every_s == MONITOR_EVERY_S and not monitor.seen()
    monitor.look()
    assert monitor.every_s >= 2 * DEAR_S / MOST_OF_A_CORE and len(monitor.seen()) == 1
    monkeypatch.setattr(processes, "read", read)
    monitor.look()  # the third reads no list
    assert monitor.every_s == MONITOR_EVERY_S
