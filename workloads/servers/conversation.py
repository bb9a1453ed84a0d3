"""Conversation with one client, which all our servers have in common.

It yields wherever it has to wait: a number of seconds, or a socket for something to read from it.
How to wait is all that tells them apart. A process or a thread just waits, and so does everybody
who would need it. An event loop goes on with others meanwhile.
"""

from collections.abc import Callable, Generator
from socket import socket

from workloads.app.application import Wait, Work, application
from workloads.servers.http import Refused, reply, take

Answering = Callable[[str, str], Work]  # of path and query
Conversation = Generator[Wait, None, None]


def converse(
    connection: socket,
    keep_alive: Callable[[], bool],
    answer: Answering = application,
) -> Conversation:
    """Answer the requests of one client, one after another, until one of the two ends it.

    `keep_alive` is asked after each request, `answer` for what to say to it. OSError when the
    client goes away.
    """
    received = bytearray()
    stay = True
    while stay:
        try:
            request = take(received)
        except Refused as refused:
            connection.sendall(reply(refused.status, b"", "", keep_alive=False))
            return
        if request is None:
            yield connection
            data = connection.recv(65536)
            received += data
            stay = data != b""
        else:
            status, body, service = yield from answer(request.path, request.query)
            stay = request.keep_alive and keep_alive()
            connection.sendall(reply(status, body, service, stay))
