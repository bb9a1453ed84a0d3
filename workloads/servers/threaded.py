"""Threaded: a pool of threads, each with one connection at a time.

    python -m workloads.servers.threaded --port 8000 --threads 64

A thread lives like a process of the prefork server, and costs far less memory. But under
Python's global lock only one thread of a process computes at a time; while it waits it lets
another go on. With several processes, each has a pool of its own.
"""

from socket import socket
from threading import Thread

from workloads.app.application import application
from workloads.servers.conversation import Answering
from workloads.servers.forking import in_processes
from workloads.servers.prefork import work
from workloads.servers.start import options


def pool(listener: socket, threads: int, keep_alive: bool, answer: Answering = application) -> None:
    """Live as a process: start the threads, and stay as long as they do."""
    workers = [Thread(target=work, args=(listener, keep_alive, answer)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    chosen, listener = options("A threaded server from scratch.")
    in_processes(chosen.processes, lambda: pool(listener, chosen.threads, chosen.keep_alive))
