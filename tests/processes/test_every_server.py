"""Each server of the table, started once: it serves the application, keeps connections and cores,
says when it served, refuses what a website asks for, and ends with its block."""

import os
import socket
import statistics
import time
from collections.abc import Iterator

import psutil
import pytest
from asking import SOON_S, ask, client, get
from servers_here import page_of, parameters

from labs.records.experiment import Load, Server
from labs.records.server_facts import keeps_connections
from labs.servers.serve import Running, serve

pytestmark = pytest.mark.live
WAIT_S = 0.02


@pytest.fixture(scope="module", params=parameters())
def running(request: pytest.FixtureRequest) -> Iterator[Running]:
    """Two processes, on the last core that there is where that can be said. (With threads to spare:
    Apache's event loop drops idle connections when all of its are busy.)"""
    row = request.param
    threads = 4 if row.architecture == "threaded" else 1
    server = Server(row.architecture, by=row.by, processes=2, threads=threads)
    cores = [max(os.sched_getaffinity(0))] if hasattr(os, "sched_getaffinity") else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEB_CONCURRENCY", "5")  # must not make it five
        with serve(server, page=page_of(row), cores=cores) as running:
            yield running
            pids = running.pids()
    assert not any(map(psutil.pid_exists, pids))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((running.host, running.port))


def works(running: Running) -> bool:
    return page_of(running.row) == "work"


def path(running: Running) -> str:
    return "/?loops=10" if works(running) else "/file"


def test_a_row_serves_the_application(running: Running) -> None:
    assert running.workers() == running.server.processes * running.server.threads
    assert len(running.serving_pids()) == 2
    assert set(running.serving_pids()) <= set(running.pids())
    assert running.pid in running.pids()
    if not works(running):
        return
    answers = [ask(running, "/?loops=100&wait=0.001") for _ in range(10)]
    assert {status for status, _ in answers} == {200}
    behind = running.row.by in ("apache-worker", "apache-event")  # its work is done in php-fpm
    serving = running.pids() if behind else running.serving_pids()
    assert {process for _, process in answers} <= set(serving)
    assert ask(running, "/?loops=-1")[0] == 400
    assert ask(running, "/elsewhere")[0] == 404
    with client(running) as connection:
        response, body = get(connection, "/?wait=soon")
        assert (response.status, body) == (400, "wait=soon: give seconds from 0 to 60.\n")
    assert ask(running, "/")[0] == 200


def test_a_row_keeps_to_its_cores(running: Running) -> None:
    if hasattr(os, "sched_getaffinity"):
        last = max(os.sched_getaffinity(0))
        assert all(os.sched_getaffinity(pid) == {last} for pid in running.pids())


def test_a_row_keeps_a_connection(running: Running) -> None:
    kept = (running.row.architecture, running.row.by) != ("prefork", "gunicorn")
    assert keeps_connections(running.server, Load([1])) == kept
    with client(running) as connection:
        first, _ = get(connection, path(running))
        if not kept:
            assert first.headers["Connection"].lower() == "close" and first.will_close
            return
        port = connection.sock.getsockname()[1]
        for _ in range(3):
            response, _ = get(connection, path(running))
            assert response.status == 200 and not response.will_close
        assert connection.sock.getsockname()[1] == port


def test_a_row_s_answers_do_not_wait_for_a_delayed_acknowledgement(running: Running) -> None:
    """A head and a body in two packets, without TCP_NODELAY, take 40 ms each time."""
    took = []
    with client(running) as connection:
        for _ in range(50):
            started = time.monotonic()
            assert get(connection, path(running))[0].status == 200
            took.append(time.monotonic() - started)
    assert statistics.median(took) < 0.5 * 0.040


def test_a_row_says_when_it_served_on_the_clients_clock(running: Running) -> None:
    """And the CPU time of its thread in between, and what it was asked to wait."""
    if not works(running):
        return
    with client(running) as connection:
        before = time.perf_counter()
        answer, _ = get(connection, f"/?loops=200000&wait={WAIT_S}")
        after = time.perf_counter()
    start, end, cpu_s, asked_s = map(float, answer.headers["X-Service"].split())
    assert before - 1e-6 <= start < end <= after + 1e-6
    assert asked_s == WAIT_S
    assert 0 < cpu_s < end - start - asked_s + 1e-3


def status(running: Running, path: str, *fields: str, version: str = "1.1") -> int:
    """What a request with these header fields is answered."""
    lines = [f"GET {path} HTTP/{version}", *fields, "Connection: close", "", ""]
    with socket.create_connection((running.host, running.port), timeout=SOON_S) as connection:
        connection.sendall("\r\n".join(lines).encode())
        with connection.makefile("rb") as answer:
            return int(answer.readline().split()[1])


def test_a_row_serves_a_program_of_this_machine_and_a_typed_address(running: Running) -> None:
    for host in (f"127.0.0.1:{running.port}", f"localhost:{running.port}", "localhost"):
        assert status(running, path(running), f"Host: {host}") == 200
    typed = ("Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate")
    assert status(running, path(running), f"Host: localhost:{running.port}", *typed) == 200
    assert status(running, path(running), version="1.0") == 200  # has no Host


def test_a_row_refuses_what_a_website_asks_for(running: Running) -> None:
    here = f"Host: 127.0.0.1:{running.port}"
    for fields in (
        (f"Host: evil.example:{running.port}",),  # a name that was made to lead here
        ("Host: 127.0.0.1.evil.example",),
        (here, "Origin: https://evil.example"),
        (here, "Origin: null"),
        (here, "Sec-Fetch-Site: cross-site"),  # <img>, which has no Origin
    ):
        for asked in (path(running), "/ready", "/?wait=30"):
            assert status(running, asked, *fields) == 403, (fields, asked)


def test_a_row_works_for_no_more_than_a_minute_or_two(running: Running) -> None:
    host = f"Host: 127.0.0.1:{running.port}"
    began = time.monotonic()
    if works(running):
        for asked in ("loops=99999999999", "wait=61", "loops=9" + "9" * 400, "wait=nan"):
            assert status(running, f"/?{asked}", host) == 400
    else:  # files alone, and no work: whatever is asked beside
        assert status(running, "/?loops=99999999999", host) in (200, 400, 403, 404)
    assert time.monotonic() - began < SOON_S


def test_a_row_survives_a_hostile_path(running: Running) -> None:
    host = f"Host: 127.0.0.1:{running.port}"
    for asked in ("//", "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd"):
        assert status(running, asked, host) in (400, 403, 404)
    assert status(running, "/?loops[]=1&wait[]=1", host) < 500
    assert status(running, path(running), host) == 200


def test_a_row_s_socket_is_reached_by_its_owner_only(running: Running) -> None:
    """The PHP behind a server takes any request, whoever sends it."""
    logs = running.launch.logs if running.launch else ()
    sockets = [each for log in logs for each in log.parent.glob("*.sock")]
    assert bool(sockets) == (running.row.by in ("nginx-fpm", "apache-worker", "apache-event"))
    assert not any(each.stat().st_mode & 0o077 for each in sockets)
