"""An event loop: one thread, and any number of connections.

    python -m workloads.servers.event_loop --port 8000

Where a conversation has to wait, the loop notes for what, and goes on with another that can.
It interrupts nobody: while one conversation computes, all the others stand still.
"""

from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from selectors import EVENT_READ, DefaultSelector
from socket import socket
from time import monotonic

from workloads.servers.conversation import Conversation, converse
from workloads.servers.forking import in_processes
from workloads.servers.start import options


def loop(listener: socket, keep_alive: bool) -> None:
    """Turn after turn: let each that the kernel calls ready go on until it waits again."""
    timers: list[tuple[float, int, socket, Conversation]] = []  # a heap: the soonest is first
    number = count()  # settles ties
    network = DefaultSelector()
    network.register(listener, EVENT_READ)
    listener.setblocking(False)
    while True:
        patience = max(0.0, timers[0][0] - monotonic()) if timers else None
        ready: list[tuple[socket, Conversation]] = []
        for key, _ in network.select(patience):
            if key.fileobj is not listener:
                network.unregister(key.fileobj)
                ready.append(key.data)
                continue
            with suppress(OSError):  # another process may have been quicker
                connection, _ = listener.accept()
                connection.setblocking(False)
                ready.append((connection, converse(connection, lambda: keep_alive)))
        while timers and timers[0][0] <= monotonic():
            ready.append(heappop(timers)[2:])

        for connection, conversation in ready:
            try:
                wanted = next(conversation)
            except (StopIteration, OSError):  # it has ended, or its client went away
                connection.close()
                continue
            if isinstance(wanted, float):
                heappush(timers, (monotonic() + wanted, next(number), connection, conversation))
            else:
                network.register(wanted, EVENT_READ, (connection, conversation))


if __name__ == "__main__":
    chosen, listener = options("An event-loop server from scratch.")
    in_processes(chosen.processes, lambda: loop(listener, chosen.keep_alive))
