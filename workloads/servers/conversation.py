"""What all three servers have in common: a conversation with one client.

It yields wherever it has to wait: None for the network, or a number of seconds. How to wait is
all that tells the three servers apart. A process or a thread just waits, and so does everybody
who would need it. An event loop goes on with others meanwhile.
"""

from collections.abc import Callable, Generator
from socket import socket

from workloads.app.application import application
from workloads.servers.http import Refused, reply, take

Conversation = Generator[float | None, None, None]


def converse(connection: socket, keep_alive: Callable[[], bool]) -> Conversation:
    """Answer the requests of one client, one after another, until one of the two ends it.

    `keep_alive` is asked after each request. OSError when the client goes away.
    """
    received = bytearray()
    stay = True
    while stay:
        try:
            request = take(received)
        except Refused as refused:
            connection.sendall(reply(refused.status, b"", keep_alive=False))
            return
        if request is None:
            yield None
            data = connection.recv(65536)
            received += data
            stay = data != b""
        else:
            status, body = yield from application(request.path, request.query)
            stay = request.keep_alive and keep_alive()
            connection.sendall(reply(status, body, stay))
