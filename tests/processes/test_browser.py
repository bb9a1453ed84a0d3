"""Whoever shows the page is found by its connection to the book's server, with all its helpers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live

ROOT = Path(__file__).resolve().parents[2]
# The book's server: it listens, has one visitor, and then starts a kernel that looks for it. The
# visitor is another program by name, below which another of the same has the connection and a
# third none, as browsers are built.
SERVER = """
import os, socket, subprocess, sys
listening = socket.create_server(("127.0.0.1", 0)) if "listen" in sys.argv else None
visitor = None
if listening and "visitor" in sys.argv:
    command = [os.environ["BROWSER"], "-c", os.environ["SHELL_OF_VISITOR"], "x"]
    visitor = subprocess.Popen(
        [*command, str(listening.getsockname()[1])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )
    accepted = listening.accept()
    theirs = [visitor.pid, *map(int, visitor.stdout.readline().split())]
if "kernel" in sys.argv:
    os.environ["JPY_PARENT_PID"] = str(os.getpid())
found = subprocess.run([sys.executable, "-c", os.environ["KERNEL"]], capture_output=True, text=True)
print(found.stderr, file=sys.stderr)
print([*theirs] if visitor else [], "|", found.stdout)
if visitor:
    visitor.stdin.close()
    visitor.wait()
"""
VISITOR = (
    'exec 3<>"/dev/tcp/127.0.0.1/$1"; (exec 3>&-; sleep 30 & wait) & echo $!; '
    "read -r ended; kill $(jobs -p)"
)
KERNEL = "from labs.host.browser import browser; print(browser().pids())"


def found(*arguments: str) -> tuple[set[int], set[int]]:
    """Who the visitor is, and who was found."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "BROWSER": "/bin/bash",
        "SHELL_OF_VISITOR": VISITOR,
        "KERNEL": KERNEL,
    }
    said = subprocess.check_output(
        [sys.executable, "-c", SERVER, *arguments], text=True, env=environment, timeout=30
    )
    theirs, seen = said.split("|")
    return set(json.loads(theirs)), set(json.loads(seen))


def test_a_visitor_is_found_with_its_helpers() -> None:
    theirs, seen = found("listen", "visitor", "kernel")
    assert theirs and theirs <= seen


@pytest.mark.parametrize("arguments", [("kernel",), ("listen", "kernel"), ("listen", "visitor")])
def test_where_no_page_is_open_nobody_is_found(arguments: tuple[str, ...]) -> None:
    """No server, nobody there, and a program of which only the parent is visited."""
    assert found(*arguments)[1] == set()
