"""A slow backend, as a database or another service is one: who asks it waits for its answer.

    python -m workloads.backend --port 9000

It is told on each line how many seconds to take, and answers so much later. It has no work to
do and any number of connections, so it is never the bottleneck: only a wait at a socket's end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import socket
from typing import cast

LONGEST_S = 60.0  # as LONGEST_WAIT_S of the application
LONGEST_LINE = 64  # bytes
BACKLOG = 4096  # as many connections as there may be users


class Slow(asyncio.Protocol):
    """Connection to the backend: a line asks for seconds, a line answers."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.rest = b""

    def data_received(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            if not (line.replace(b".", b"", 1).isdigit() and float(line) <= LONGEST_S):
                self.transport.abort()  # no question of ours: a web page may have sent it
                return
            asyncio.get_running_loop().call_later(float(line), self.answer)
        if len(self.rest) > LONGEST_LINE:
            self.transport.abort()

    def answer(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(b"done\n")


async def serve(listener: socket.socket) -> None:
    """Answer whoever asks, until ended."""
    server = await asyncio.get_running_loop().create_server(Slow, sock=listener, backlog=BACKLOG)
    await server.serve_forever()


def main() -> None:
    """Listen, and answer until Ctrl-C."""
    parser = argparse.ArgumentParser(description="A slow backend.")
    parser.add_argument("--port", type=int, default=9000, help="of 127.0.0.1 (default 9000)")
    parser.add_argument("--fd", type=int, help="an open, listening socket instead of a port")
    asked = parser.parse_args()
    if asked.fd is None:
        listener = socket.create_server(("127.0.0.1", asked.port), backlog=BACKLOG)
        print(f"Waiting on 127.0.0.1:{asked.port} (Ctrl-C ends it)", flush=True)
    else:
        listener = socket.socket(fileno=asked.fd)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(listener))


if __name__ == "__main__":
    main()
