"""The units of work a request is made of: counting or hashing on the CPU, and waiting off it."""

from __future__ import annotations

import hashlib
import os
import socket
import time
from collections.abc import Generator

PERIOD = 65536  # steps until `count` is back where it began
PIECE_KIB = 256  # hashed in one go, while others may have Python's lock: a fraction of a ms
PIECE = memoryview(bytes(PIECE_KIB * 1024))

idle: list[socket.socket] = []  # connections to the backend that nobody uses just now


def count(loops: int) -> int:
    """Keep the CPU busy for a fixed amount of work, so that time is proportional to loops.

    A full-period generator of numbers below 65536, so each step costs the same whatever the
    loop's length: no integer outgrows one machine digit, and each result needs the one before,
    so nothing can be skipped. It is *not* "spin until the clock says so", which would take as
    long on a busy core as on an idle one and hide what is to be measured.

    >>> count(3), count(PERIOD)
    (31, 0)
    """
    number = 0
    for _ in range(loops):
        number = (number * 5 + 1) & 0xFFFF
    return number


def digest(loops: int) -> bytes:
    """Keep the CPU busy with the SHA-256 of so many KiB of zeros: as fixed an amount of work.

    hashlib lets go of Python's lock for what is longer than 2 KiB. So the threads of one process
    hash on several cores at once, where they could only count in turn.

    >>> digest(1) == hashlib.sha256(bytes(1024)).digest()
    True
    """
    hashed = hashlib.sha256()
    for left in range(loops, 0, -PIECE_KIB):
        hashed.update(PIECE[: left * 1024])
    return hashed.digest()


def wait(seconds: float) -> None:
    """Wait without the CPU, and let nobody else have the thread."""
    time.sleep(seconds)


def ask_backend(seconds: float) -> Generator[socket.socket, None, None]:
    """Wait for the answer of a backend that takes so many seconds (`workloads.backend`).

    Yields the socket on which the answer will come. Who is content to stand still goes on at
    once: reading from it blocks. An event loop goes on when there is something to read.
    OSError when there is no backend.
    """
    try:
        backend = idle.pop()
    except IndexError:
        backend = _connect()
    try:
        backend.sendall(b"%.6f\n" % seconds)
        yield backend
        if not backend.recv(64):
            raise ConnectionResetError("The backend has ended.")
    except BaseException:
        backend.close()
        raise
    idle.append(backend)


def _connect() -> socket.socket:
    host, _, port = os.environ.get("WALL_TIME_BACKEND", "").rpartition(":")
    if not port.isdecimal():
        raise OSError("WALL_TIME_BACKEND does not say host:port of a backend.")
    return socket.create_connection((host, int(port)))
