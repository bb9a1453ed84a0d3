"""The tests' own guards: what is left running fails a test, and tests give way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from labs.host.process_tree import born

TESTS = Path(__file__).parents[1]
BRIEFLY = {"PYTHONPATH": str(TESTS), "WALL_TIME_GONE_S": "0.2", "WALL_TIME_CALM_S": "0"}
SLEEPER = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)"


@pytest.mark.extended
@pytest.mark.parametrize(
    "leaving",
    [SLEEPER, f"import sys; subprocess.run([sys.executable, '-c', {SLEEPER!r}])"],
    ids=["child", "orphan"],
)
def test_a_test_that_leaves_a_process_fails_and_it_is_ended(leaving: str, tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(f"import subprocess\ndef test_it():\n    {leaving}\n")
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider"]
    command += ["--rootdir", tmp_path, "-c", os.devnull, "-o", "markers=measures", file]
    options = {"cwd": tmp_path, "env": os.environ | BRIEFLY, "timeout": 60}
    said = subprocess.run(command, capture_output=True, text=True, **options).stdout
    assert "1 passed, 1 error" in said
    pid = int(said.split("left running:\n  ")[1].split(":")[0])
    assert "sleep 60" in said
    assert not born(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere root may always come first")
def test_give_way_leaves_no_child_a_way_back() -> None:
    """Not even root's: Chromium, whose first thread wants -8, had the cores before who measures."""
    child = [sys.executable, "-c", "import os; os.setpriority(os.PRIO_PROCESS, 0, -8)"]
    script = f"import conftest, subprocess; conftest.give_way(); subprocess.run({child!r})"
    result = subprocess.run([sys.executable, "-c", script], cwd=TESTS, capture_output=True)
    assert b"PermissionError" in result.stderr, result.stderr
