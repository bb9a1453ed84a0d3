"""What may stand between a browser and the book's server: a proxy that changes what is asked."""

import contextlib
import re
import socket

from serving import Wire, pump

HEAD_ENDS = b"\r\n\r\n"


class Proxy(Wire):
    """Hands each request on to a server on 127.0.0.1, changed; each on a connection of its own.

    host: what the server is told instead of the browser's; strips: what is taken off each path,
    and nothing else is handed on; sockets: whether it lets WebSockets through; cuts: whether it
    closes each as soon as the server says something on it, and all there is between the third
    request for Python and the fourth.
    """

    def __init__(
        self,
        to_port: int,
        *,
        host: str = "",
        strips: str = "",
        sockets: bool = True,
        cuts: bool = False,
    ) -> None:
        self.strays: list[str] = []  # paths that it does not serve
        self.asked: list[str] = []  # the first lines of what it handed on
        self.sockets, self.cuts = sockets, cuts
        self.opened = 0  # WebSockets
        self._strips = strips
        self._host = host
        super().__init__(to_port)

    def _serve(self, near: socket.socket) -> None:
        received = b""
        with near, contextlib.suppress(OSError):
            while HEAD_ENDS not in received:
                if not (data := near.recv(65536)):
                    return
                received += data
            head, _, body = received.partition(HEAD_ENDS)
            asked = self._changed(head.decode("latin-1"))
            if asked is None:
                near.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                return
            if self.cuts and sum("POST /book/session" in each for each in self.asked) == 3:
                return
            with socket.create_connection(("127.0.0.1", self._to_port)) as far:
                far.sendall(asked.encode("latin-1") + HEAD_ENDS + body)
                if self.cuts and "/channels" in asked.partition("\r\n")[0]:
                    near.sendall(far.recv(65536))  # that it is open now
                    far.recv(1)
                else:
                    pump(near, far)

    def _changed(self, head: str) -> str | None:
        """The request as the server gets it; None where it gets none."""
        first, *fields = head.split("\r\n")
        method, path, version = first.split(" ")
        if not path.startswith(self._strips):
            self.strays.append(path)
            return None
        upgrade = any(re.match("upgrade: *websocket", each, re.IGNORECASE) for each in fields)
        if upgrade and not self.sockets:
            return None
        self.opened += upgrade
        self.asked.append(first)
        kept = []
        for field in fields:
            name, _, value = field.partition(":")
            if name.lower() == "connection" and not upgrade:
                continue
            said = self._host if name.lower() == "host" else ""
            kept.append(f"{name}: {said or value.strip()}")
        if not upgrade:
            kept.append("Connection: close")
        return "\r\n".join([f"{method} {path[len(self._strips) :]} {version}", *kept])
