"""Waiting for something to become true, with a deadline and words for when it does not."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Found = TypeVar("Found")
LOOK_S = 0.02


def eventually(condition: Callable[[], Found], within_s: float, what: str = "") -> Found:
    """Call `condition` until it returns something true, and return that.

    AssertionError after `within_s` seconds, naming `what` was waited for and what came last.
    """
    deadline = time.monotonic() + within_s
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() >= deadline:
            waited_for = what or getattr(condition, "__name__", "the condition")
            raise AssertionError(f"{waited_for}: not within {within_s:g} s (last: {found!r})")
        time.sleep(LOOK_S)


def in_time(call: Callable[[], Found], within_s: float, what: str = "it waits for ever") -> Found:
    """What `call` returns or raises; AssertionError with `what` if it is not back by then."""
    returned: list[Found] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            returned.append(call())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(within_s)
    assert not thread.is_alive(), what
    if raised:
        raise raised[0]
    return returned[0]


def awaited(coroutine: Coroutine[Any, Any, Found], within_s: float) -> Found:
    """What it returns or raises, in a thread of its own: of a process that has had a browser,
    Playwright's loop runs in the first thread, and no other can."""
    return in_time(lambda: asyncio.run(coroutine), within_s)
