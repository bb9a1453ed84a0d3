"""A server that answers each connection with the same bytes, whatever it is asked."""

import contextlib
import socketserver
import threading
from collections.abc import Iterator

EACH_S = 0.02


@contextlib.contextmanager
def at_work(server: socketserver.TCPServer) -> Iterator[str]:
    """Have a server answer in a thread of its own; its address."""
    with server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def answering(
    headers: str, then: str, *, status: int = 200, on_and_on: bool = False
) -> Iterator[str]:
    """Its address. After the headers it sends `then`, once or until nobody listens."""
    over = threading.Event()

    class Answering(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError):
                self.request.recv(9999)
                self.request.sendall(f"HTTP/1.1 {status} OK\r\n{headers}\r\n\r\n{then}".encode())
                while on_and_on and not over.wait(EACH_S):
                    self.request.sendall(then.encode())

    with at_work(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answering)) as address:
        try:
            yield address
        finally:
            over.set()
