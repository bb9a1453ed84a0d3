"""Waiting for something, with a deadline and a Stop."""

import select
import threading
import time
from collections.abc import Callable

STILL_S = 5.0  # between two looks, at most, of what counts


class Stopped(Exception):
    """Somebody pressed Stop."""


def readable(fd: int, seconds: float) -> bool:
    """Whether there is something to read from that file, or its end, within so many seconds."""
    poller = select.poll()  # select() cannot take a file number above 1023
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(seconds * 1000))


def wait_until(
    done: Callable[[], object],
    within_s: float,
    *,
    every_s: float = 0.05,
    stop: threading.Event | None = None,
) -> bool:
    """Whether that came true within so many seconds, of which those in which this process itself
    stood still (Ctrl-Z, a machine that was paused) count for a few. Raises Stopped as soon as asked
    to, and whatever `done` raises."""
    left_s, looked, over = within_s, time.monotonic(), stop or threading.Event()
    while not done():
        if left_s < 0:
            return False
        if over.wait(every_s):
            raise Stopped
        now = time.monotonic()
        left_s, looked = left_s - min(now - looked, STILL_S), now
    return True
