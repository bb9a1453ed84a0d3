"""The application for servers with an event loop (ASGI).

The counting runs in the loop, and nothing else does meanwhile; the waiting gives the loop back.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any

from workloads.app.application import application

Send = Callable[[dict[str, Any]], Awaitable[None]]


async def app(scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Send) -> None:
    """One HTTP request, as ASGI has it."""
    work = application(scope["path"], scope["query_string"].decode("latin-1"))
    try:
        while True:
            await asyncio.sleep(next(work))
    except StopIteration as end:
        status, body = end.value
    headers = [
        (b"content-type", b"text/plain"),
        (b"content-length", str(len(body)).encode()),
        (b"x-process", str(os.getpid()).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
