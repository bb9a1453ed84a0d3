"""Is anybody there? A server's /ready, asked again until this run's own answer comes."""

import socket
import time

LOOK_S = 0.01  # how often a starting server is looked at


class Knock:
    """A server's /ready, asked again until the answer is right. Never waits longer than LOOK_S.

    A connect succeeds before any worker runs, so only the answer tells. The connection is
    closed as soon as the server has closed it: gunicorn's worker would wait 2 s for that.
    """

    def __init__(self, host: str, port: int) -> None:
        self._address = host, port
        self._connection: socket.socket | None = None
        self._answer = b""
        self._right = False

    def heard(self, nonce: str) -> bool:
        """Whether the server has answered with the nonce by now."""
        if self._right or self._connection is None:
            time.sleep(LOOK_S)
        if not self._right:
            self._listen()
            self._right = self._connection is None and nonce.encode() in self._answer
        return self._right

    def _listen(self) -> None:
        try:
            if self._connection is None:
                self._answer = b""
                self._connection = socket.create_connection(self._address, LOOK_S)
                self._connection.sendall(
                    b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                )
            while said := self._connection.recv(4096):
                self._answer += said
        except TimeoutError:
            return
        except OSError:
            self._answer = b""  # the server is gone, as its process will tell
        self.close()

    def close(self) -> None:
        """Ask no more, and close the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None
