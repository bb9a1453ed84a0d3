"""How servers of the table start, fail, wait and are replaced, and work for nobody else: real
processes, real requests."""

import contextlib
import errno
import os
import re
import signal
import socket
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from asking import ask, client, get
from servers_here import WORKING, parameters
from waiting import eventually

from labs.host import hardware as this_machine
from labs.load import tools
from labs.records.errors import ServerFailed, Unusable, used_up
from labs.records.experiment import Load, Server, Workload
from labs.records.server_facts import keeps_connections
from labs.servers import catalogue, postgresql
from labs.servers import serve as servers
from labs.servers.backend import serve_backend
from labs.servers.catalogue import CATALOGUE, ServerRow, row_of
from labs.servers.serve import Running, available, check, serve
from workloads.app.origin import foreign

live = pytest.mark.live
SOON_S = 10.0
ROWS = {f"{kind.architecture} by {kind.by}": kind for kind in CATALOGUE}


every_working_row = pytest.mark.parametrize("kind", parameters(WORKING))
every_row_of_ours = pytest.mark.parametrize(
    "kind", parameters(row for row in CATALOGUE if not row.product)
)


def of(kind: ServerRow, *, processes: int = 1, threads: int = 1, keep_alive: bool = True) -> Server:
    """A small server of that row; threads only where the row has them."""
    return Server(
        kind.architecture,
        by=kind.by,
        processes=processes,
        threads=threads if kind.architecture == "threaded" else 1,
        keep_alive=keep_alive,
    )


def refused(error: type[Exception], words: str, server: Server) -> str:
    """Try to start it, and see that refused in words like these; all that was said."""
    with pytest.raises(error, match=words) as failed, serve(server):
        pass
    return str(failed.value)


def ask_at_once(running: Running, path: str, users: int) -> float:
    """Seconds until `users` requests, asked at the same time, are all answered."""
    with ThreadPoolExecutor(users) as pool:
        started = time.monotonic()
        statuses = [status for status, _ in pool.map(lambda _: ask(running, path), range(users))]
        assert statuses == [200] * users
        return time.monotonic() - started


@live
@every_working_row
def test_a_row_s_pool_bounds_how_many_wait_at_once(kind: ServerRow) -> None:
    """N waits of V seconds in a pool of W take ceil(N / W) V; an event loop has no pool."""
    wait_s, users, processes, threads = 0.25, 6, 1, 3
    if kind.architecture == "prefork":
        processes = 2
    with serve(of(kind, processes=processes, threads=threads)) as running:
        rounds = {"prefork": 3, "threaded": 2, "event-loop": 1}[kind.architecture]
        tries = []
        while not tries or (tries[-1] > rounds + 0.9 and len(tries) < 3):  # a busy machine adds
            tries.append(ask_at_once(running, f"/?wait={wait_s}", users) / wait_s)
        assert rounds - 0.02 < min(tries) < rounds + 0.9


@live
@every_working_row
def test_a_row_closes_its_connections_where_that_is_asked(kind: ServerRow) -> None:
    server = of(kind, keep_alive=False)
    assert not keeps_connections(server, Load([1]))
    with serve(server) as running, client(running) as connection:
        first, _ = get(connection, "/")
        assert first.headers["Connection"].lower() == "close"
        assert first.will_close


@live
@every_working_row
def test_a_row_replaces_a_worker_that_dies(kind: ServerRow) -> None:
    with serve(of(kind, processes=2)) as running:
        before = set(running.serving_pids())
        victim = min(before - {running.pid})
        assert running.lost() == 0
        os.kill(victim, signal.SIGKILL)
        eventually(
            lambda: len(now := set(running.serving_pids())) == 2 and victim not in now,
            catalogue.start_s(2) + SOON_S,  # uvicorn's master may wait for the victim's answer
            "another worker",
        )
        assert len(set(running.serving_pids()) & before) == 1
        assert running.lost() == (0 if kind.by == "spare" else 1)
        assert running.lost() == 0
        eventually(lambda: ask(running, "/")[0] == 200, SOON_S)


@pytest.mark.parametrize(
    ("starts", "begin"),
    [
        (servers, lambda: serve(Server("prefork"))),
        (tools, lambda: tools.run(["ab"], "http://127.0.0.1:8000/")),
    ],
)
def test_used_up_says_that_it_is_not_the_program_s_fault(starts, begin, monkeypatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(starts, "supervise", full)
    with pytest.raises(OSError, match="No space left") as failed, begin():
        pass
    assert used_up(failed.value)


def test_used_up_tells_of_a_disk_that_is_full_at_start(monkeypatch) -> None:
    """No folder for temporary files can be written then, which is all that Python says of it."""
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/proc/self"])
    monkeypatch.setattr(tempfile, "tempdir", None)
    with pytest.raises(FileNotFoundError) as failed:
        tempfile.gettempdir()
    assert "the disk is full. Make room" in used_up(failed.value)


@live
@every_row_of_ours
def test_serve_says_why_a_start_failed(
    kind: ServerRow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something in the reader's PYTHONPATH shadows a module that the server needs."""
    _shadow(tmp_path, monkeypatch, "raise ImportError('shadowed by the reader')")
    words = refused(ServerFailed, "ended with exit code 1 before it was ready", of(kind))
    assert "ImportError: shadowed by the reader" in words


@live
def test_serve_gives_up_a_server_that_never_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shadow(tmp_path, monkeypatch, "import time; print('thinking', flush=True); time.sleep(60)")
    monkeypatch.setattr(catalogue, "START_S", 0.5)
    refused(ServerFailed, r"was not ready after 1 s.*0 of 1 .*\nthinking", Server("prefork"))


def _shadow(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    for name in ("gunicorn", "uvicorn", "argparse"):
        (folder / f"{name}.py").write_text(program)
    monkeypatch.setenv("PYTHONPATH", str(folder))


def test_free_port_can_be_bound_to_where_no_two_sockets_share_one(monkeypatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with servers.free_port() as port, socket.socket() as server:
        server.bind(("127.0.0.1", port))


def test_packages_that_are_missed_are_those_that_the_project_asks_for() -> None:
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    project = tomllib.loads(pyproject.read_text())["project"]
    assert {kind.package for kind in CATALOGUE if kind.package} <= set(project["dependencies"])
    assert project["optional-dependencies"]["postgresql"] == [postgresql.DRIVER]


def test_check_refuses_what_is_not_installed_with_the_command_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)  # as Python itself blocks an import
    machine = this_machine.fingerprint()
    with pytest.raises(Unusable, match=r"by='uvicorn': not installed. .*pip install 'uvicorn>="):
        check(Server("event-loop"), machine)
    for row in available():
        assert (row.version is None) == (row.by in ("scratch", "spare") or row.missing is not None)
        assert row.by != "uvicorn" or "pip install" in str(row.missing)
    check(Server("event-loop", by="scratch"), machine)


def test_check_refuses_somebody_unknown_with_the_choice() -> None:
    words = r"by='uvicorn': does not run prefork.*gunicorn, scratch.*apache"
    refused(Unusable, words, Server("prefork", by="uvicorn"))


@pytest.mark.parametrize("kind", CATALOGUE, ids=ROWS)
def test_check_refuses_more_than_memory_holds_with_what_would_fit(kind: ServerRow) -> None:
    machine = replace(this_machine.fingerprint(), memory_bytes=256 * 2**20)
    work = Workload(page="work" if kind.by != "nginx" else "file")
    check(of(kind, processes=2, threads=8), machine, work)
    with pytest.raises(Unusable, match=r"processes=500: .* About \d+ would fit") as too_many:
        check(of(kind, processes=500, threads=8), machine, work)
    fitting = re.search(r"About (\d+) would fit", str(too_many.value))
    assert fitting
    check(of(kind, processes=int(fitting[1]), threads=8), machine, work)
    with pytest.raises(Unusable):
        check(of(kind, processes=int(fitting[1]) + 1, threads=8), machine, work)


def test_check_refuses_more_cores_than_there_are() -> None:
    machine = replace(this_machine.fingerprint(), cores=2)
    check(Server("prefork"), machine)
    word = "offers 2" if hasattr(os, "sched_setaffinity") else "cannot hold"
    with pytest.raises(Unusable, match=rf"cores=3: .*{word}"):
        check(Server("prefork", cores=3), machine)
    if hasattr(os, "sched_setaffinity"):
        check(Server("prefork", cores=2), machine)
        refused(Unusable, "cores=4096: this process may use", Server("prefork", cores=4096))


@live
@every_working_row
def test_a_row_takes_the_memory_that_the_table_says(kind: ServerRow) -> None:
    """Not more than the table says, and not so much less that large pools are refused for it."""
    if sys.platform != "linux":
        return
    processes = 4
    with serve(of(kind, processes=processes, threads=8)) as running:
        ask_at_once(running, "/?loops=1000&wait=0.05", 16)
        pss_mib = sum(psutil.Process(pid).memory_full_info().pss for pid in running.pids()) / 2**20
    row = row_of(running.server)
    each_mib = row.process_mib + (running.server.threads - 1) * row.thread_mib
    expected_mib = row.base_mib + processes * each_mib
    assert 0.3 < pss_mib / expected_mib < 1.0


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
