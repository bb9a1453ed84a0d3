"""A counter that all threads share: each request reads it, works, and writes back one more.

python -m workloads.servers.counter --port 8000 --threads 8 --lock none
"""

from threading import Lock

from workloads.app.application import Work, application
from workloads.servers.forking import in_processes
from workloads.servers.start import options
from workloads.servers.threaded import pool

count, lock = 0, Lock()


def none(query: str) -> Work:
    """Read, work, write back: what others wrote meanwhile is lost."""
    global count
    number = count
    answer = yield from application("/", query)
    count = number + 1
    return answer


def write(query: str) -> Work:
    """Hold a lock around the write alone: who has read before it still writes over it."""
    global count
    number = count
    answer = yield from application("/", query)
    with lock:
        count = number + 1
    return answer


def long(query: str) -> Work:
    """Read, work and write back, by one thread at a time."""
    with lock:
        return (yield from none(query))


def outside(query: str) -> Work:
    """Move the work out: a counter can, as what it writes doesn't depend on it."""
    global count
    with lock:
        count += 1
    return (yield from application("/", query))


def answer(path: str, query: str) -> Work:
    """Take a request for / as an addition; /counter says how many have arrived."""
    if path == "/counter":
        return 200, b"%d" % count, ""
    return (yield from ways[chosen.lock](query) if path == "/" else application(path, query))


if __name__ == "__main__":
    ways = {each.__name__: each for each in (none, write, long, outside)}
    chosen, listener = options("A counter that threads share.", lock=list(ways))
    in_processes(1, lambda: pool(listener, chosen.threads, chosen.keep_alive, answer))
