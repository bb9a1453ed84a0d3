"""Prefork: a fixed number of processes, each with one connection at a time.

    python -m workloads.servers.prefork --port 8000 --processes 4

Nobody hands out the work. All processes wait in accept() on the same listening socket, and the
kernel wakes one of them for each connection. Who finds them all busy waits in the listen queue.
"""

from contextlib import suppress
from select import select
from socket import socket
from time import sleep

from workloads.app.application import application
from workloads.servers.conversation import Answering, converse
from workloads.servers.forking import in_processes
from workloads.servers.start import options

IDLE_S = 75.0  # a client that says nothing for so long loses its connection


def work(listener: socket, keep_alive: bool, answer: Answering = application) -> None:
    """Live as a worker: one connection after another, each to its end."""
    while True:
        connection, _ = listener.accept()
        attend(connection, listener, keep_alive, answer)


def attend(
    connection: socket, listener: socket, keep_alive: bool, answer: Answering = application
) -> None:
    """Attend to one client, until it or we have enough."""

    def keep() -> bool:
        """Keep a connection, and so its worker: let go of it when others wait for one."""
        others_wait = select([listener], [], [], 0)[0]
        return keep_alive and not others_wait

    connection.settimeout(IDLE_S)
    with connection, suppress(OSError):  # the client may go away at any time
        for wanted in converse(connection, keep, answer):
            if isinstance(wanted, float):  # a socket makes us wait by itself, as we read from it
                sleep(wanted)


if __name__ == "__main__":
    chosen, listener = options("A prefork server from scratch.")
    in_processes(chosen.processes, lambda: work(listener, chosen.keep_alive))
