"""A server of somebody's own, with a fault on purpose: `python own_server.py FAULT [CERTIFICATE]`.

It prints its port, and answers in 20 ms; /said tells what it was asked for so far, /away sends to
another machine. FAULT: `none`; `token` (401 without the header); `full`
(503 to whoever comes while four are served); `sorry` (the same, told with 200); `once` (500 from
the second on); `knocking` (each answer closes its connection, and five may wait at the door). With
a certificate it speaks TLS.
"""

import collections
import http.server
import json
import ssl
import sys
import threading
import typing

TOKEN = "Bearer of-the-reader"
PLACES = 4
FULL = {"full": 503, "sorry": 200}
AWAY = b"http://192.0.2.1/"  # nobody's, by RFC 5737
SERVED_S = 0.02


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    places = threading.Semaphore(PLACES)
    asked: typing.ClassVar = collections.Counter[str]()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def do_GET(self) -> None:
        if self.path == "/said":
            self.answer(200, json.dumps(self.asked))
            return
        self.asked[f"{self.command} {self.path}"] += 1
        if self.path == "/away":
            self.answer(302)
        elif sys.argv[1] == "token" and self.headers["Authorization"] != TOKEN:
            self.answer(401)
        elif sys.argv[1] == "once" and self.asked.total() > 1:
            self.answer(500)
        elif sys.argv[1] in FULL and not self.places.acquire(blocking=False):
            self.answer(FULL[sys.argv[1]])
        else:
            threading.Event().wait(SERVED_S)
            if sys.argv[1] in FULL:
                self.places.release()
            self.answer(200)

    def answer(self, status: int, body: str = "ok\n") -> None:
        """Head and body in one piece: two would wait for each other's acknowledgement."""
        self.close_connection = sys.argv[1] == "knocking"
        self.wfile.write(
            b"HTTP/1.%d %d Said\r\nServer: mine\r\nContent-Length: %d\r\nLocation: %s\r\n\r\n%s"
            % (not self.close_connection, status, len(body), AWAY, body.encode())
        )

    def log_message(self, *_: object) -> None: ...


class Server(http.server.ThreadingHTTPServer):
    """With room for all who come at once."""

    request_queue_size = 512


if __name__ == "__main__":
    if sys.argv[1] == "knocking":
        Server.request_queue_size = 5
    with Server(("127.0.0.1", 0), Handler) as server:
        if len(sys.argv) > 2:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[2])
            server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
