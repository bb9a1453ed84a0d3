"""The application for servers that give each request a process or a thread (WSGI)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from workloads.app.application import REASONS, application, run
from workloads.app.origin import SAID, foreign

ASKER = tuple(f"HTTP_{name.upper().replace('-', '_')}" for name in SAID)


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer one HTTP request, as WSGI has it (PEP 3333)."""
    if foreign(*map(environ.get, ASKER)):
        start_response(f"403 {REASONS[403]}", [("Content-Length", "0")])
        return []
    status, body, service = run(application(environ["PATH_INFO"], environ["QUERY_STRING"]))
    headers = [
        ("Content-Type", "text/plain"),
        ("Content-Length", str(len(body))),
        ("X-Process", str(os.getpid())),
        ("X-Service", service),
    ]
    start_response(f"{status} {REASONS[status]}", headers)
    return [body]
