"""One application, for every architecture: `GET /?loops=<int>&wait=<seconds>`.

It computes, then waits, then answers. How to wait is the server's business: a process and a
thread sleep, an event loop does something else meanwhile. So the application is a generator
that yields the seconds it wants to wait and returns the status and the body.
"""

from __future__ import annotations

import math
import os
from collections.abc import Generator

from workloads.app.units import count, wait

MOST_LOOPS = 10_000_000_000
LONGEST_WAIT_S = 60.0
REASONS = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    431: "Request Header Fields Too Large",
    501: "Not Implemented",
}

Work = Generator[float, None, tuple[int, bytes]]


def application(path: str, query: str) -> Work:
    """Status and body of the answer, by way of the seconds to wait."""
    if path == "/ready":
        return 200, os.environ.get("WALL_TIME_NONCE", "ready").encode()
    if path != "/":
        return 404, b"There is only / and /ready.\n"
    try:
        loops, wait_s = asked(query)
    except ValueError as error:
        return 400, f"{error}\n".encode()
    count(loops)
    if wait_s:
        yield wait_s
    return 200, b"done\n"


def asked(query: str) -> tuple[int, float]:
    """Loops and seconds of a query; ValueError says what is wrong with it.

    >>> asked("loops=1000&wait=0.2")
    (1000, 0.2)
    """
    loops, wait_s = 0, 0.0
    for part in query.split("&") if query else ():
        name, _, value = part.partition("=")
        if name == "loops":
            if not value.isdecimal() or len(value) > 11 or int(value) > MOST_LOOPS:
                raise ValueError(f"loops={value[:40]}: give a whole number up to {MOST_LOOPS}.")
            loops = int(value)
        elif name == "wait":
            try:
                wait_s = float(value)
            except ValueError:
                wait_s = math.nan
            if not 0 <= wait_s <= LONGEST_WAIT_S:
                raise ValueError(f"wait={value[:40]}: give seconds from 0 to {LONGEST_WAIT_S:g}.")
        else:
            raise ValueError(f"{name[:40]}: not a parameter. There are loops and wait.")
    return loops, wait_s


def run(work: Work) -> tuple[int, bytes]:
    """The answer of an application whose waits hold up the caller."""
    try:
        while True:
            wait(next(work))
    except StopIteration as end:
        status, body = end.value
        return status, body
