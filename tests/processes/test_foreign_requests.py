"""Nobody else makes a server of the labs work, and no request asks for more than it may."""

import contextlib
import os
import shutil
import socket
import tempfile
from pathlib import Path

import pytest

from labs.records.experiment import Server
from labs.servers import deployments
from labs.servers.backend import serve_backend
from workloads.app.origin import foreign

live = pytest.mark.live
SOON_S = 20.0


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
