"""The slow backend that requests may wait for: started beside the server that asks it.

It is a tree of its own below the supervisor. So its CPU is not in the server's, which is what a
bill for the server's demand would show; and who samples takes it from the others' as well.
"""

import contextlib
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import IO

from labs.host.project import ROOT
from labs.host.supervisor import Supervised, supervise
from labs.host.waiting import wait_until
from labs.records.errors import ServerFailed
from labs.servers.readiness import LOOK_S, answers

HOST = "127.0.0.1"
BACKLOG = 4096  # as many connections as there may be users
START_S = 20.0  # to its first answer, on a busy machine
ADDRESS = "WALL_TIME_BACKEND"  # environment variable that tells the application where it is
ASKED = 24  # answers of which the median is taken


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend that answers."""

    port: int
    process: Supervised

    @property
    def address(self) -> str:
        """Address of the backend, host:port, as the application is told by `ADDRESS`."""
        return f"{HOST}:{self.port}"

    def pids(self) -> list[int]:
        """List the backend's live processes."""
        return self.process.pids()

    def late_s(self) -> float:
        """Measure how much later than asked the backend answers, in seconds: the median of some. An
        idle loop sleeps whole milliseconds, so what is asked for is spread over one."""
        late = []
        with socket.create_connection((HOST, self.port), START_S) as connection:
            for number in range(ASKED):
                asked_s = 0.001 + 0.001 * number / ASKED
                begin = time.perf_counter()
                connection.sendall(b"%.6f\n" % asked_s)
                if not connection.recv(64):
                    break
                late.append(time.perf_counter() - begin - asked_s)
        return max(0.0, statistics.median(late)) if late else 0.0


@contextlib.contextmanager
def serve_backend(
    *, cores: Collection[int] | None = None, stop: threading.Event | None = None
) -> Iterator[Backend]:
    """Start a backend on a free port of this machine; it answers when the block begins.

    `cores` are the ids of the cores to use. Raises ServerFailed for one that ends or does not
    answer in time, Stopped as soon as `stop` is set.
    """
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(tempfile.TemporaryFile())
        listening = stack.enter_context(socket.socket())
        listening.bind((HOST, 0))
        listening.listen(BACKLOG)
        command = [sys.executable, "-m", "workloads.backend", "--fd", str(listening.fileno())]
        process = stack.enter_context(
            supervise(
                command,
                cwd=ROOT,
                stdout=log,
                stderr=log,
                pass_fds=[listening.fileno()],
                cores=cores,
            )
        )
        started = Backend(listening.getsockname()[1], process)
        listening.close()  # so that connections are refused when it is gone
        _wait_until_ready(started, log, stop)
        yield started


def _wait_until_ready(started: Backend, log: IO[bytes], stop: threading.Event | None) -> None:
    def done() -> bool:
        ready = answers(HOST, started.port, b"0\n", b"\n")
        return ready or started.process.poll() is not None

    in_time = wait_until(done, START_S, every_s=LOOK_S, stop=stop)
    how = started.process.ended() or ("" if in_time else "did not answer in time")
    if how:
        log.seek(0)
        raise ServerFailed(f"The backend {how}. {log.read().decode(errors='replace')[-500:]}")
