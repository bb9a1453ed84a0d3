"""Waiting for something, with a deadline and a Stop."""

import select
import threading
import time
from collections.abc import Callable

STILL_S = 5.0  # that count at most between two looks


class Stopped(Exception):
    """Says that somebody pressed Stop."""


def readable(fd: int, seconds: float) -> bool:
    """Whether a file has something to read, or its end, within so many seconds."""
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
    """Call `done` until it returns something true, and return whether it did in so many seconds.
    Where this process itself stood still (Ctrl-Z, a paused machine), STILL_S of that count. Raises
    Stopped as soon as asked to, and whatever `done` raises."""
    left_s, looked, over = within_s, time.monotonic(), stop or threading.Event()
    while not done():
        if left_s < 0:
            return False
        if over.wait(every_s):
            raise Stopped
        now = time.monotonic()
        left_s, looked = left_s - min(now - looked, STILL_S), now
    return True
