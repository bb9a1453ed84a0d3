"""No website that a reader visits can make a server of the labs work, and no request asks for more
than a minute or two. Each server of the table, for real."""

import contextlib
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from labs.records.experiment import Server
from labs.servers import deployments
from labs.servers.backend import serve_backend
from labs.servers.catalogue import CATALOGUE, ServerRow, missing
from labs.servers.serve import Running, serve
from workloads.app import application
from workloads.app.origin import foreign

live = pytest.mark.live
SOON_S = 20.0


def _row(row: ServerRow) -> object:
    remedy = missing(row, "file" if row.product and not row.product.for_work else "work")
    skip = pytest.mark.skipif(remedy is not None, reason=f"{row.by}: {remedy}")
    return pytest.param(row, marks=skip, id=f"{row.architecture}-{row.by}")


@pytest.fixture(scope="module", params=map(_row, CATALOGUE))
def running(request: pytest.FixtureRequest) -> Iterator[Running]:
    row: ServerRow = request.param
    only_files = row.product is not None and row.product.for_work is None
    with serve(Server(row.architecture, by=row.by), page="file" if only_files else "work") as it:
        yield it


def path(running: Running) -> str:
    product = running.row.product
    return "/file" if product and product.for_work is None else "/?loops=10"


def status(running: Running, path: str, *fields: str, version: str = "1.1") -> int:
    """What a request with these header fields is answered."""
    lines = [f"GET {path} HTTP/{version}", *fields, "Connection: close", "", ""]
    with socket.create_connection((running.host, running.port), timeout=SOON_S) as connection:
        connection.sendall("\r\n".join(lines).encode())
        with connection.makefile("rb") as answer:
            return int(answer.readline().split()[1])


@live
def test_a_program_of_this_machine_and_a_typed_address_are_served(running: Running) -> None:
    for host in (f"127.0.0.1:{running.port}", f"localhost:{running.port}", "localhost"):
        assert status(running, path(running), f"Host: {host}") == 200
    typed = ("Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate")
    assert status(running, path(running), f"Host: localhost:{running.port}", *typed) == 200
    assert status(running, path(running), version="1.0") == 200  # has no Host


@live
@pytest.mark.parametrize(
    "fields",
    [
        ("Host: evil.example:{port}",),  # a name that was made to lead here
        ("Host: 127.0.0.1.evil.example",),
        ("Host: 127.0.0.1:{port}", "Origin: https://evil.example"),
        ("Host: 127.0.0.1:{port}", "Origin: null"),
        ("Host: 127.0.0.1:{port}", "Sec-Fetch-Site: cross-site"),  # <img>, which has no Origin
    ],
)
def test_what_a_website_asks_for_is_refused_without_work(
    running: Running, fields: tuple[str, ...]
) -> None:
    fields = tuple(field.format(port=running.port) for field in fields)
    for asked in (path(running), "/ready", "/?wait=30"):
        assert status(running, asked, *fields) == 403


@live
def test_no_request_asks_for_more_than_a_minute_or_two(running: Running) -> None:
    host = f"Host: 127.0.0.1:{running.port}"
    began = time.monotonic()
    if path(running) == "/file":  # files alone, and no work: whatever is asked beside
        assert status(running, "/?loops=99999999999", host) in (200, 400, 403, 404)
        assert time.monotonic() - began < SOON_S
        return
    for asked in ("loops=99999999999", "wait=61", "loops=9" + "9" * 400, "wait=nan", "loops=-1"):
        assert status(running, f"/?{asked}", host) == 400
    assert time.monotonic() - began < SOON_S


@live
def test_a_hostile_path_ends_no_server(running: Running) -> None:
    host = f"Host: 127.0.0.1:{running.port}"
    for asked in ("//", "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd"):
        assert status(running, asked, host) in (400, 403, 404)
    assert status(running, "/?loops[]=1&wait[]=1", host) < 500
    assert status(running, path(running), host) == 200


@live
def test_only_its_owner_reaches_a_servers_socket(running: Running) -> None:
    """The PHP behind a server takes any request, whoever sends it."""
    logs = running.launch.logs if running.launch else ()
    sockets = [each for log in logs for each in log.parent.glob("*.sock")]
    assert bool(sockets) == (running.row.by in ("nginx-fpm", "apache-worker", "apache-event"))
    assert not any(each.stat().st_mode & 0o077 for each in sockets)


def test_a_folder_in_use_is_not_taken_from_who_tries_a_server_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(deployments, "LONGEST_PLACE", 1000)
    tmp_path.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)  # who may not enter is asked of root alone
    server = Server("event-loop", by="nginx")
    first = deployments.folder_by_hand(server)
    (first / "nginx.pid").write_text("1 is nobody's number")
    assert deployments.folder_by_hand(server) == first and not list(first.iterdir())
    (first / "nginx.pid").write_text(f"{os.getpid()}\n")
    second = deployments.folder_by_hand(server)
    assert second != first and second.parent == first.parent == tmp_path
    assert (first / "nginx.pid").exists() and not list(second.iterdir())
    shutil.rmtree(first)
    first.symlink_to(second)
    with pytest.raises(PermissionError, match="is not yours"):
        deployments.folder_by_hand(server)


def test_a_kind_of_work_has_its_own_limit() -> None:
    """Ten thousand million loops are minutes of counting, and hours of hashing."""
    for unit, most in application.MOST_LOOPS.items():
        assert application.asked(f"cpu_by={unit}&loops={most}").loops == most
        with pytest.raises(ValueError, match=f"{most} of {unit} are the most"):
            application.asked(f"loops={most + 1}&cpu_by={unit}")


def test_a_name_is_read_as_a_browser_writes_it() -> None:
    assert not foreign("LOCALHOST:8000", None, "same-origin")
    assert foreign("localhost.example", None, None)
    assert foreign("[::1]:8000", None, None)  # nobody listens there


@live
@pytest.mark.parametrize(
    "asked", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"nan\n", b"1e9\n", b"-1\n", b"9" * 500]
)
def test_the_backend_hangs_up_on_who_asks_no_question_of_ours(asked: bytes) -> None:
    with serve_backend() as backend:
        address = ("127.0.0.1", backend.port)
        with socket.create_connection(address, timeout=SOON_S) as connection:
            connection.sendall(asked)
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(64) == b""
        with socket.create_connection(address, timeout=SOON_S) as connection:
            connection.sendall(b"0.01\n")
            assert connection.recv(64) == b"done\n"
