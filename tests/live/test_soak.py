"""Some cycles of the bench that runs server after server, as `make test-all` has time for them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.extended
@pytest.mark.measures
def test_nothing_grows_from_server_to_server() -> None:
    command = [sys.executable, "-m", "bench.soak", "--cycles", "10", "--by", "scratch"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 cycles on 3 servers" in done.stdout and "nothing more" in done.stdout
