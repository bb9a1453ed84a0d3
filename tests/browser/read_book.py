"""`labs read` of a small site, in a process of its own."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from serving import PROJECT

READ = """
import pathlib, sys
import labs.site.live.serve
from labs.__main__ import main
labs.site.live.serve.SITE = pathlib.Path(sys.argv.pop(1))
sys.exit(main(["read", *sys.argv[1:]]))
"""
STOP_S = 15.0
Started = Callable[..., subprocess.Popen[str]]


@contextlib.contextmanager
def reading(folder: Path, **environment: str) -> Iterator[Started]:
    """Start it: start(site, port, origin, base_url, **environment); all end with the block."""
    ours = {
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        **environment,
    }

    def start(
        site: Path, port: int = 0, origin: str = "", base_url: str = "", **more: str
    ) -> subprocess.Popen[str]:
        options = ["--port", str(port), "--origin", origin, "--base-url", base_url]
        process = subprocess.Popen(
            [sys.executable, "-c", READ, str(site), *options],
            env=os.environ | ours | more,
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        stack.callback(process.communicate, timeout=STOP_S)
        stack.callback(process.terminate)
        return process

    with contextlib.ExitStack() as stack:
        yield start


def address_of(process: subprocess.Popen[str]) -> str:
    """The address that it prints first."""
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+/\S*book/\?token=\w+", line)
    assert found, line
    return found[0]
