"""`make audit`: every pin is asked about, a known vulnerability fails, and silence is no praise."""

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "setup"))
import audit  # noqa: E402

Answers = Callable[[list[dict[str, Any]]], object]


@pytest.fixture
def database() -> Iterator[Callable[[Answers], str]]:
    """A database on this machine: database(answers) is its address."""
    running: list[HTTPServer] = []

    def start(answers: Answers) -> str:
        class OSV(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.path == "/v1/querybatch"
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                said = answers(asked["queries"])
                body = said if isinstance(said, bytes) else json.dumps({"results": said}).encode()
                self.send_response(500 if body == b"broken" else 200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        running.append(HTTPServer(("127.0.0.1", 0), OSV))
        threading.Thread(target=running[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{running[-1].server_port}"

    yield start
    for each in running:
        each.shutdown()
        each.server_close()


def test_every_pin_is_asked_about(
    database: Callable[[Answers], str], capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[dict[str, Any]] = []

    def none(queries: list[dict[str, Any]]) -> object:
        asked.extend(queries)
        return [{}] * len(queries)

    assert audit.main(["--database", database(none)]) == 0
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    files = [ROOT / name for name in listed]
    pinned = "".join(each.read_text() for each in files if re.match("requirements.*txt", each.name))
    named = {each["package"]["name"] for each in asked}
    for lock in (each for each in files if each.name == "package-lock.json"):
        places = json.loads(lock.read_text())["packages"].items()
        wanted = {
            each.get("name") or at.rpartition("node_modules/")[2] for at, each in places if at
        }
        assert wanted <= named, lock
    assert set(re.findall(r"^([\w.-]+)(?:\[.*\])?==", pinned, re.MULTILINE)) <= named
    assert {"@jupyterlab/services", "esbuild", "uv", "jupyterhub"} <= named
    assert {each["package"]["ecosystem"] for each in asked} == {"PyPI", "npm"}
    assert all(each["version"] for each in asked)
    assert f"{len(asked)} pins, no known vulnerabilities." in capsys.readouterr().out


def test_what_is_known_is_told_with_its_address_however_many_pages_it_takes(
    database: Callable[[Answers], str], capsys: pytest.CaptureFixture[str]
) -> None:
    def of_tornado(queries: list[dict[str, Any]]) -> object:
        first = {"vulns": [{"id": "GHSA-1"}], "next_page_token": "more"}
        return [
            {"vulns": [{"id": "GHSA-2"}]}
            if each.get("page_token") == "more"
            else first
            if each["package"]["name"] == "tornado"
            else {}
            for each in queries
        ]

    assert audit.main(["--database", database(of_tornado)]) == 1
    said = capsys.readouterr().out
    for each in ("GHSA-1", "GHSA-2"):
        assert re.search(rf"^tornado \S+ \(PyPI\)  https://osv.dev/\S+/{each}$", said, re.MULTILINE)
    assert "2 known vulnerabilities." in said


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"broken", "it answers 500"),
        (b"<html>Please log in</html>", "its answer is not OSV's"),
        (b'{"results": []}', "its answer is not OSV's"),
        (b"[]", "its answer is not OSV's"),
    ],
)
def test_an_answer_that_says_nothing_is_no_praise(
    database: Callable[[Answers], str],
    capsys: pytest.CaptureFixture[str],
    answer: bytes,
    why: str,
) -> None:
    assert audit.main(["--database", database(lambda _: answer)]) == 2
    said, complaint = capsys.readouterr()
    assert said == "" and f"could not be asked ({why})" in complaint


def test_a_database_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    assert audit.main(["--database", nobody]) == 2
    assert "Nothing is known about the" in capsys.readouterr().err
