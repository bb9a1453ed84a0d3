"""Latencies of this machine: of a sleep's end, and of the way to a local socket and back."""

import socket
import statistics
import threading
import time


def timer_s(times: int = 20) -> float:
    """Measure how late a sleep of 1 ms ends, in seconds: the median of some."""
    late = []
    for _ in range(times):
        start = time.perf_counter()
        time.sleep(0.001)
        late.append(time.perf_counter() - start - 0.001)
    return statistics.median(late)


def loopback_s(times: int = 100) -> float:
    """A byte to a local socket and back, in seconds: the median of some."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        here = socket.create_connection(listener.getsockname())
        there, _ = listener.accept()

    def echo() -> None:
        with there:
            while data := there.recv(1):
                there.send(data)

    echoing = threading.Thread(target=echo, daemon=True)
    echoing.start()
    trips = []
    with here:
        here.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(times):
            start = time.perf_counter()
            here.send(b"x")
            here.recv(1)
            trips.append(time.perf_counter() - start)
    echoing.join()
    return statistics.median(trips)
