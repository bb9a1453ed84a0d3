"""Who listens, and what its command line tells of its pool: processes that only sleep."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from labs.host.listeners import listening, pool
from labs.host.supervisor import supervise

SLEEP = "import time\nprint('here', flush=True)\ntime.sleep(60)\n"
WORKERS = 4


def told(folder: Path, *options: str, more: str = "NOTHING=") -> int | None:
    """The pool that is read from a program named gunicorn, started in that folder, with one more
    variable in its environment."""
    program = folder / "gunicorn"
    program.write_text(SLEEP)
    command = ["env", more, sys.executable, str(program), *options]
    with supervise(command, cwd=folder, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline().strip() == b"here"
        return pool(process.pid, WORKERS)


@pytest.mark.parametrize(
    ("options", "holds"),
    [
        ([], 4),
        (["-w", "4", "-b", "127.0.0.1:1", "shop:app"], 4),
        (["--threads", "8"], 32),
        (["--threads=8", "-k", "gthread"], 32),
        (["-kgthread", "--thread", "8"], 32),
        (["-k", "sync", "--threads", "8"], 4),
        (["-kgevent"], None),
        (["--worker-cl", "gevent"], None),
        (["-cshop.py"], None),
        (["--conf=shop.py"], None),
        (["--chdir", "elsewhere"], None),
    ],
)
def test_pool_is_read_from_a_gunicorns_options_however_they_are_written(
    options: list[str], holds: int | None, tmp_path: Path
) -> None:
    assert told(tmp_path, *options) == holds


def test_pool_is_not_told_where_settings_lie_elsewhere_too(tmp_path: Path) -> None:
    assert told(tmp_path, more="GUNICORN_CMD_ARGS=--threads 8") is None
    (tmp_path / "gunicorn.conf.py").write_text("threads = 8\n")
    assert told(tmp_path) is None


LISTEN = """
import socket
heard = socket.create_server(("127.0.0.1", 0))
print(heard.getsockname()[1], flush=True)
heard.accept()
"""


@pytest.mark.parametrize(("name", "serves"), [("ssh", False), ("kubectl", False), ("shop", True)])
def test_who_only_carries_bytes_serves_nothing(name: str, serves: bool, tmp_path: Path) -> None:
    program = shutil.copy(os.path.realpath(sys.executable), tmp_path / name)
    home = f"PYTHONHOME={sys.base_prefix}"
    with supervise(["env", home, program, "-c", LISTEN], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        assert listening("127.0.0.1", port).pids() == [process.pid] * serves
