"""The application for servers with an event loop (ASGI).

The computing runs in the loop, and nothing else does meanwhile; the waiting gives the loop back.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any

from workloads.app.application import application
from workloads.app.origin import SAID, foreign

Send = Callable[[dict[str, Any]], Awaitable[None]]
ASKER = tuple(name.encode() for name in SAID)
REFUSED = [(b"content-length", b"0")]


@lru_cache(64)
def refused(*said: bytes | None) -> bool:
    """Whether to refuse a request (see `foreign`) by what ASGI has in bytes."""
    return foreign(*(each and each.decode("latin-1") for each in said))


async def app(scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Send) -> None:
    """Answer one HTTP request, as ASGI has it."""
    if refused(*map(dict(scope["headers"]).get, ASKER)):
        await send({"type": "http.response.start", "status": 403, "headers": REFUSED})
        await send({"type": "http.response.body", "body": b""})
        return
    work = application(scope["path"], scope["query_string"].decode("latin-1"))
    try:
        while True:
            wanted = next(work)
            if isinstance(wanted, float):
                await asyncio.sleep(wanted)
            else:
                await readable(wanted)
    except StopIteration as end:
        status, body, service = end.value
    headers = [
        (b"content-type", b"text/plain"),
        (b"content-length", str(len(body)).encode()),
        (b"x-process", str(os.getpid()).encode()),
        (b"x-service", service.encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def readable(source: socket.socket) -> None:
    """Give the loop back until there is something to read."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(source, ready.set_result, None)
    try:
        await ready
    finally:
        loop.remove_reader(source)
