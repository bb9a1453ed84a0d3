"""Just enough HTTP/1.1 for our own servers: bytes in, bytes out. No socket here."""

import os
from typing import NamedTuple

from workloads.app.application import REASONS
from workloads.app.origin import SAID, foreign

LONGEST_HEAD = 8192  # bytes of a request line and its headers


class Refused(Exception):
    """What came is no request that we serve. Answer with the status, and close."""

    def __init__(self, status: int) -> None:
        self.status = status


class Request(NamedTuple):
    """Request of a client: a GET, and whether it would keep the connection."""

    path: str
    query: str
    keep_alive: bool


def take(received: bytearray) -> Request | None:
    """Cut the first request off what was received; None until all of its head has come."""
    end = received.find(b"\r\n\r\n")
    if end > LONGEST_HEAD or (end < 0 and len(received) > LONGEST_HEAD):
        raise Refused(431)
    if end < 0:
        return None
    line, *fields = received[:end].decode("latin-1").split("\r\n")
    del received[: end + 4]
    if len(words := line.split(" ")) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0"):
        raise Refused(400)
    headers = {}
    for name, colon, value in (field.partition(":") for field in fields):
        if not colon or not name or name != name.strip():
            raise Refused(400)
        headers[name.lower()] = value.strip().lower()
    if foreign(*map(headers.get, SAID)):
        raise Refused(403)
    body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if words[0] != "GET" or body:
        raise Refused(501)  # where a body ends, and the next request begins, we could not tell
    path, _, query = words[1].partition("?")
    usual = "keep-alive" if words[2] == "HTTP/1.1" else "close"
    return Request(path, query, headers.get("connection", usual) == "keep-alive")


def reply(status: int, body: bytes, service: str, keep_alive: bool) -> bytes:
    """Reply in one piece: sent in two, the second could wait 40 ms (delayed ACK)."""
    head = (
        f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: text/plain\r\n"
        f"Content-Length: {len(body)}\r\nX-Process: {os.getpid()}\r\nX-Service: {service}\r\n"
        f"Connection: {'keep-alive' if keep_alive else 'close'}\r\n\r\n"
    )
    return head.encode() + body
