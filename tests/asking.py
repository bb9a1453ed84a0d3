"""Requests to a server of the labs, by Python's own client."""

import contextlib
import http.client
from collections.abc import Iterator

from labs.servers.serve import Running

SOON_S = 20.0


@contextlib.contextmanager
def client(running: Running) -> Iterator[http.client.HTTPConnection]:
    """A connection to it."""
    connection = http.client.HTTPConnection(running.host, running.port, timeout=SOON_S)
    with contextlib.closing(connection):
        yield connection


def get(connection: http.client.HTTPConnection, path: str) -> tuple[http.client.HTTPResponse, str]:
    """The answer, and its body."""
    connection.request("GET", path)
    response = connection.getresponse()
    return response, response.read().decode()


def ask(running: Running, path: str) -> tuple[int, int]:
    """Status, and the process that answered, on a connection of its own."""
    with client(running) as connection:
        response, _ = get(connection, path)
        return response.status, int(response.headers["X-Process"])
