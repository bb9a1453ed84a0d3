"""One application, for every architecture: `GET /?loops=<int>&wait=<seconds>`.

It computes, then waits, then answers; `GET /file` is a small file. How to wait is the server's
business: a process and a thread stand still, an event loop does something else meanwhile. So the
application is a generator that yields what it wants to wait for, a number of seconds or a socket
with something to read, and returns status and body of the answer, and the words of its header
`X-Service`. These are four numbers in seconds: when the service began and when it ended, on the
monotonic clock that all processes of a machine share; the CPU time of its thread in between; and
how long it was asked to wait.

`&cpu_by=hashing` hashes instead of counting. `&wait_by=backend` waits for a backend's answer,
`&wait_by=blocking` waits without telling the server, and `&wait_by=lock` and its like wait for
what only one request at a time can have, or as many as there are (`workloads.app.exclusive`).
"""

from __future__ import annotations

import math
import os
import socket
from collections.abc import Generator
from time import monotonic, thread_time
from typing import NamedTuple

from workloads.app.units import ask_backend, count, digest, wait

# One request takes a minute or two at most, as the longest wait: a Locust user gives up after 60 s.
MOST_LOOPS = {"counting": 3_000_000_000, "hashing": 200_000_000}  # KiB of the second
LONGEST_WAIT_S = 60.0
UNITS = {"counting": count, "hashing": digest}
ALONE_BY = (
    *("disk", "disk-together", "database", "database-briefly", "lock", "lock-briefly"),
    "connections",
)
WAITS = ("sleep", "backend", "blocking", *ALONE_BY)
with open(os.path.join(os.path.dirname(os.path.dirname(__file__)), "site", "file"), "rb") as site:
    SMALL_FILE = site.read()
if os.environ.get("WALL_TIME_FOLDER"):  # it will be needed: not in a request that is measured
    import workloads.app.exclusive  # noqa: F401
REASONS = {
    200: "OK",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    431: "Request Header Fields Too Large",
    501: "Not Implemented",
    502: "Bad Gateway",
}

Wait = float | socket.socket
Answer = Generator[Wait, None, tuple[int, bytes, float]]
Work = Generator[Wait, None, tuple[int, bytes, str]]


class Asked(NamedTuple):
    """Cost that one request asks for."""

    loops: int = 0
    wait_s: float = 0.0
    cpu_by: str = "counting"
    wait_by: str = "sleep"


def application(path: str, query: str) -> Work:
    """Answer with status, body and `X-Service`, by way of what there is to wait for. While it waits
    its thread may do something else, as in an event loop: that CPU time is not its own."""
    began, cpu_s, steps = monotonic(), 0.0, answer(path, query)
    while True:
        since = thread_time()
        try:
            wanted = next(steps)
        except StopIteration as end:
            status, body, asked_s = end.value
            cpu_s += thread_time() - since
            return status, body, f"{began:.6f} {monotonic():.6f} {cpu_s:.6f} {asked_s:.6f}"
        cpu_s += thread_time() - since
        yield wanted


def answer(path: str, query: str) -> Answer:
    """Answer with status, body and the seconds asked to wait, by way of what to wait for."""
    if path == "/ready":
        return 200, os.environ.get("WALL_TIME_NONCE", "ready").encode(), 0.0
    if path == "/file":
        return 200, SMALL_FILE, 0.0
    if path != "/":
        return 404, b"There is only /, /file and /ready.\n", 0.0
    try:
        loops, wait_s, cpu_by, wait_by = asked(query)
    except ValueError as error:
        return 400, f"{error}\n".encode(), 0.0
    UNITS[cpu_by](loops)
    if wait_s and wait_by == "sleep":
        yield wait_s
    elif wait_s and wait_by == "blocking":
        wait(wait_s)  # nothing is yielded, so an event loop stands still as well
    elif wait_s and wait_by in ALONE_BY:
        from workloads.app.exclusive import ALONE, FAILURES  # few servers need what it needs

        try:
            if left_s := ALONE[wait_by](wait_s):
                yield left_s
        except FAILURES as error:
            return 502, f"{error}\n".encode(), wait_s
    elif wait_s:
        try:
            yield from ask_backend(wait_s)
        except OSError as error:
            return 502, f"{error}\n".encode(), wait_s
    return 200, b"done\n", wait_s


def asked(query: str) -> Asked:
    """Read what a query asks for; ValueError says what is wrong with it.

    >>> asked("loops=1000&wait=0.2")
    Asked(loops=1000, wait_s=0.2, cpu_by='counting', wait_by='sleep')
    """
    loops, wait_s, cpu_by, wait_by = Asked()
    for part in query.split("&") if query else ():
        name, _, value = part.partition("=")
        if name == "loops":
            if not value.isdecimal() or len(value) > 11:
                raise ValueError(f"loops={value[:40]}: give a whole number.")
            loops = int(value)
        elif name == "wait":
            try:
                wait_s = float(value)
            except ValueError:
                wait_s = math.nan
            if not 0 <= wait_s <= LONGEST_WAIT_S:
                raise ValueError(f"wait={value[:40]}: give seconds from 0 to {LONGEST_WAIT_S:g}.")
        elif name == "cpu_by":
            if value not in UNITS:
                raise ValueError(f"cpu_by={value[:40]}: choose one of {', '.join(UNITS)}.")
            cpu_by = value
        elif name == "wait_by":
            if value not in WAITS:
                raise ValueError(f"wait_by={value[:40]}: choose one of {', '.join(WAITS)}.")
            wait_by = value
        else:
            known = "loops, wait, cpu_by and wait_by"
            raise ValueError(f"{name[:40]}: not a parameter. There are {known}.")
    if loops > (most := MOST_LOOPS[cpu_by]):
        raise ValueError(f"loops={loops}: {most} of {cpu_by} are the most. Ask more often.")
    return Asked(loops, wait_s, cpu_by, wait_by)


def run(work: Work) -> tuple[int, bytes, str]:
    """Run an application whose waits hold up the caller, and return its answer."""
    try:
        while True:
            if isinstance(wanted := next(work), float):  # from a socket, the reading makes us wait
                wait(wanted)
    except StopIteration as end:
        status, body, service = end.value
        return status, body, service
