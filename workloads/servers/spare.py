"""Prefork with spare workers: as many as are busy, and a few that wait for the next client.

    python -m workloads.servers.spare --port 8000 --processes 32

A worker notes on a shared board whether it is idle. The master looks four times a second (Apache
once): too few are idle, it starts one, then two, then four, up to 32 a look; too many, one goes.
"""

import os
from functools import partial
from mmap import mmap
from signal import SIG_BLOCK, SIG_UNBLOCK, SIGTERM, SIGTTIN, SIGTTOU, pthread_sigmask, signal
from socket import socket
from time import sleep

from workloads.servers.forking import ending, fork, gone
from workloads.servers.prefork import attend
from workloads.servers.start import options

FIRST, LEAST_IDLE, MOST_IDLE, MOST_AT_ONCE, LOOK_S = 5, 5, 10, 32, 0.25
NOBODY, IDLE, BUSY = 0, 1, 2  # on the board: memory that all forked processes share
board = mmap(-1, 4096)


def work(listener: socket, keep_alive: bool, place: int) -> None:
    """Live as a worker, as in `prefork`. Told to go, it first lets its client finish."""
    while True:
        board[place] = IDLE
        pthread_sigmask(SIG_UNBLOCK, {SIGTERM})
        connection, _ = listener.accept()
        pthread_sigmask(SIG_BLOCK, {SIGTERM})
        board[place] = BUSY
        attend(connection, listener, keep_alive)


def watch(listener: socket, keep_alive: bool, limit: int, first: int = FIRST) -> None:
    """Live as the master: start as many as are wanted, sleep, and look."""
    places = list(range(limit))
    signal(SIGTTIN, lambda *_: places.append(len(places)))  # one more may come, as with gunicorn
    signal(SIGTTOU, lambda *_: len(places) > 1 and places.pop())
    workers: dict[int, int] = {}  # place on the board -> process
    wanted, more = first, 1
    with ending(workers.values()):
        while True:
            for place in [each for each in places if board[each] == NOBODY][:wanted]:
                board[place] = IDLE
                fork(partial(work, listener, keep_alive, place), partial(workers.setdefault, place))
            sleep(LOOK_S)
            for place in gone(workers):
                board[place] = NOBODY
            idle = [place for place in workers if board[place] == IDLE]
            enough = len(idle) >= LEAST_IDLE or len(workers) >= len(places)
            wanted, more = (0, 1) if enough else (more, min(2 * more, MOST_AT_ONCE))
            if len(idle) > MOST_IDLE or (idle and len(workers) > len(places)):
                os.kill(workers[idle[-1]], SIGTERM)


if __name__ == "__main__":
    chosen, listener = options("A prefork server with spare workers, from scratch.")
    watch(listener, chosen.keep_alive, chosen.processes, chosen.start or FIRST)
