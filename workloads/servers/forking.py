"""A master and its workers: processes that are forked, and end with the one that forked them."""

import os
import signal
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager


def in_processes(number: int, work: Callable[[], object]) -> None:
    """Do the work in that many processes, and start another for each that is killed."""
    with ending(workers := set[int]()):
        while True:
            while len(workers) < number:
                fork(work, workers.add)
            pid, status = os.wait()
            workers.remove(pid)
            _killed(pid, status)


def fork(work: Callable[[], object], enter: Callable[[int], object]) -> None:
    """Do the work in a new process, whose number is entered before we can be told to end."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    pid = os.fork()
    enter(pid) if pid else signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    if pid:
        return
    try:
        os.write(1, f"serving in process {os.getpid()}\n".encode())  # in one, so never mixed up
        work()
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(1)


def gone(workers: dict[int, int]) -> list[int]:
    """Take out the processes that were killed; return their keys."""
    found = {key: os.waitpid(pid, os.WNOHANG) for key, pid in workers.items()}
    return [key for key, ended in found.items() if _killed(*ended) and workers.pop(key)]


def _killed(pid: int, status: int) -> bool:
    """Whether a process was killed. If a worker ended by itself, so would the next."""
    if pid and not os.WIFSIGNALED(status):
        sys.exit(f"Process {pid} failed, and so would the next one.")
    return pid > 0


@contextmanager
def ending(workers: Collection[int]) -> Iterator[None]:
    """End the processes that are workers by then when the master is told to end."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        yield
    finally:
        for pid in workers:
            os.kill(pid, signal.SIGTERM)
