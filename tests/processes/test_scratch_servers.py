"""Our own servers: short, readable, and correct where a client is slow, hasty or rude."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import eventually

from labs.host.process_tree import born
from labs.records.experiment import Architecture, Server
from labs.servers.serve import Running, serve
from workloads.servers.http import LONGEST_HEAD, Refused, Request, take

live = pytest.mark.live
ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "workloads" / "servers"
SOON_S = 10.0
ARCHITECTURES: tuple[Architecture, ...] = ("prefork", "threaded", "event-loop")
GET = b"GET /?loops=%d HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_each_is_short_enough_to_be_read(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 60


# http.py: bytes in, bytes out


@pytest.mark.parametrize(
    ("version", "field", "keep_alive"),
    [
        ("HTTP/1.1", "Accept: */*", True),
        ("HTTP/1.1", "Connection: close", False),
        ("HTTP/1.1", "connection:  Close", False),
        ("HTTP/1.0", "Accept: */*", False),
        ("HTTP/1.0", "Connection: Keep-Alive", True),
    ],
)
def test_the_client_says_whether_to_keep_the_connection(
    version: str, field: str, keep_alive: bool
) -> None:
    request = take(bytearray(f"GET / {version}\r\n{field}\r\n\r\n".encode()))
    assert request == Request("/", "", keep_alive)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/2\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 501),
        (b"GET / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 501),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * LONGEST_HEAD + b"\r\n\r\n", 431),
        (b"GET /" + b"x" * LONGEST_HEAD, 431),
    ],
    ids=lambda value: value[:30].decode("latin-1") if isinstance(value, bytes) else str(value),
)
def test_what_is_no_request_of_ours_is_refused(head: bytes, status: int) -> None:
    with pytest.raises(Refused) as refused:
        take(bytearray(head))
    assert refused.value.status == status


def test_a_head_as_long_as_allowed_is_taken() -> None:
    start = b"GET / HTTP/1.1\r\nX: "
    assert take(bytearray(start + b"x" * (LONGEST_HEAD - len(start)) + b"\r\n\r\n"))


# The three of them, over real sockets


@pytest.fixture(scope="module", params=ARCHITECTURES)
def running(request: pytest.FixtureRequest) -> Iterator[Running]:
    """Each of the three with one worker, which has to be well again after each rude client."""
    with serve(Server(request.param, by="scratch")) as running:
        yield running
        assert running.workers() == 1
        assert "Traceback" not in running.log()


def connect(running: Running) -> socket.socket:
    return socket.create_connection((running.host, running.port), timeout=SOON_S)


def answers(connection: socket.socket, number: int) -> list[int]:
    """Statuses of the next so many answers; of fewer when the server closes the connection."""
    statuses = []
    with connection.makefile("rb") as stream:
        while len(statuses) < number and (line := stream.readline()):
            statuses.append(int(line.split()[1]))
            fields = dict(field.split(b": ") for field in iter(stream.readline, b"\r\n"))
            stream.read(int(fields[b"Content-Length"]))
    return statuses


@live
def test_a_client_may_be_slow(running: Running) -> None:
    with connect(running) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in GET % 1:
            connection.send(bytes([byte]))
        assert answers(connection, 1) == [200]


@live
def test_a_client_may_ask_before_it_is_answered(running: Running) -> None:
    with connect(running) as connection:
        first = b"GET /?wait=0.05 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        bad = b"GET /?loops=x HTTP/1.1\r\nHost: localhost\r\n\r\n"
        connection.sendall(first + bad + (GET % 1) + b"GET / HT")
        assert answers(connection, 3) == [200, 400, 200]
        connection.sendall(b"TP/1.1\r\nHost: localhost\r\n\r\n")
        assert answers(connection, 1) == [200]


@live
def test_a_rude_client_is_answered_and_sent_away(running: Running) -> None:
    with connect(running) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
        assert answers(connection, 2) == [501]  # and no second one: it has closed
    still_serves(running)


def still_serves(running: Running) -> None:
    with connect(running) as connection:
        connection.sendall(GET % 1)
        assert answers(connection, 1) == [200]


@live
@pytest.mark.parametrize("asked", [b"", b"GET /", b"GET /?wait=0.1 HTTP/1.1\r\n\r\n"])
def test_a_client_may_go_away_at_any_time(running: Running, asked: bytes) -> None:
    before = running.serving_pids()
    for _ in range(3):
        with connect(running) as connection:
            # With an RST instead of a FIN, the rudest way to leave.
            linger = (1).to_bytes(4, sys.byteorder) + bytes(4)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            connection.sendall(asked)
    still_serves(running)
    assert running.serving_pids() == before
    assert "Traceback" not in running.log()


@live
def test_a_kept_connection_lets_go_of_its_worker_when_others_wait(running: Running) -> None:
    """More users than workers, all with kept connections: each of them is served."""
    with connect(running) as kept, connect(running) as other:
        kept.sendall(GET % 1)
        assert answers(kept, 1) == [200]  # kept, or closed: the other may have been seen
        other.sendall(GET % 1)
        with contextlib.suppress(ConnectionError):
            kept.sendall(GET % 1)
        assert answers(other, 1) == [200]


TOLD_AT_ONCE = """
import os, signal, time
from workloads.servers.forking import in_processes
fork = os.fork
def told_to_end():
    pid = fork()
    if pid:
        os.kill(os.getpid(), signal.SIGTERM)
    return pid
os.fork = told_to_end
in_processes(1, lambda: time.sleep(60))
"""


@live
def test_a_worker_that_was_forked_just_then_ends_too() -> None:
    command = [sys.executable, "-c", TOLD_AT_ONCE]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as master:
        assert master.wait(SOON_S) == 0
        assert master.stdout is not None
        said = master.stdout.read()  # ends with the last process that could write
    assert said == "" or not born(int(said.split()[-1]))


@live
@pytest.mark.parametrize("module", ["prefork", "threaded", "event_loop"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_runs_by_hand_until_it_is_told_to_end(module: str, number: signal.Signals) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", f"workloads.servers.{module}", "--port", str(port)]
    with subprocess.Popen(
        [*command, "--processes", "2"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(3)]
            assert lines[0] == f"Listening on http://127.0.0.1:{port} (Ctrl-C ends it)\n"
            assert all(lines), lines
            workers = [int(line.split()[-1]) for line in lines[1:]]
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(GET % 1)
                assert answers(connection, 1) == [200]
            if number == signal.SIGTERM:
                process.send_signal(number)  # to the master only, as `kill` does
            else:
                os.killpg(process.pid, number)  # to all of them, as a terminal does
            process.wait(SOON_S)
            eventually(lambda: not any(map(born, workers)), SOON_S, "the end of the workers")
            assert process.stdout.read() == ""
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@live
def test_workers_that_fail_end_the_server() -> None:
    """Not started again for ever: a socket that cannot accept fails in every one of them."""
    with socket.socket() as not_listening:
        number = not_listening.fileno()
        command = [sys.executable, "-m", "workloads.servers.prefork", "--fd", str(number)]
        done = subprocess.run(
            command, cwd=ROOT, pass_fds=[number], capture_output=True, text=True, timeout=SOON_S
        )
    assert done.returncode == 1
    assert "OSError" in done.stderr and "failed, and so would the next one" in done.stderr
