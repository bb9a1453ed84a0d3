"""Requests that wait in a server at the same time, held by a process of their own.

See workloads/crowd.py, which asks. Beside `load` this measures nothing but when the answers
came: enough to know that at some moment all of them were waiting.
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from labs.host.project import ROOT
from labs.host.supervisor import Supervised, supervise
from labs.host.waiting import Stopped, readable
from labs.load.locust import LoadFailed

LOOK_S = 0.05  # how often a wait looks whether it was stopped
LATE_S = 20.0  # beyond what the requests wait for, on a very busy machine
TRIES = 4  # each with twice the wait

Found = TypeVar("Found")


class ConcurrentRequests:
    """Asks for many things at once. LoadFailed when it cannot, Stopped when it was stopped."""

    def __init__(self, process: Supervised, stop: threading.Event) -> None:
        self._process = process
        self._stop = stop
        self._said = b""

    def ask(self, port: int, number: int, path: str) -> None:
        """Ask for so many things at once, until the last answer."""
        self._send(port, number, path)
        self._answers(number)

    def hold(
        self, port: int, number: int, path: str, wait_s: float, look: Callable[[], Found]
    ) -> Found:
        """Return what `look` does while so many requests wait in the server at once.

        The path gets `&wait=` with the seconds to wait. A request that was answered at t has
        waited since t - wait_s at the latest. So all were waiting while `look` looked, if it
        began after the last of these moments and ended before the first answer. If not, again
        with longer waits; LoadFailed after some tries.
        """
        for _ in range(TRIES):
            self._send(port, number, f"{path}&wait={wait_s}")
            if self._stop.wait(wait_s / 2):
                raise Stopped
            begin = time.perf_counter()
            found = look()
            end = time.perf_counter()
            first, last = self._answers(number, wait_s)
            if last - wait_s <= begin and end <= first:
                return found
            wait_s *= 2
        raise LoadFailed(
            f"{number} requests did not wait all at once, not even when each waited "
            f"{wait_s / 2:.0f} s. Close what else is running, and try again."
        )

    def _send(self, port: int, number: int, path: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{port} {number} {path}\n".encode())
        self._process.stdin.flush()
        self._line(LATE_S)

    def _answers(self, number: int, wait_s: float = 0.0) -> tuple[float, float]:
        """Wait for the answers; tell when the first came and when the last."""
        first, last, wrong = map(float, self._line(wait_s + LATE_S).split())
        if wrong:
            raise LoadFailed(f"{wrong:.0f} of {number} requests failed.")
        return first, last

    def _line(self, within_s: float) -> bytes:
        """Read the next line that the crowd says."""
        assert self._process.stdout is not None
        pipe, deadline = self._process.stdout.fileno(), time.monotonic() + within_s
        while b"\n" not in self._said:
            if self._stop.is_set():
                raise Stopped
            if time.monotonic() > deadline:
                raise LoadFailed(f"No answers within {within_s:.0f} s. Is the machine very busy?")
            if readable(pipe, LOOK_S):
                said = os.read(pipe, 4096)
                if not said:
                    raise LoadFailed("The crowd of requests ended by itself.")
                self._said += said
        line, _, self._said = self._said.partition(b"\n")
        return line


@contextlib.contextmanager
def concurrent_requests(stop: threading.Event) -> Iterator[ConcurrentRequests]:
    """Start a crowd, and end it with the block."""
    with supervise(
        [sys.executable, "-m", "workloads.crowd"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        started = ConcurrentRequests(process, stop)
        started._line(LATE_S)  # it is up
        yield started
