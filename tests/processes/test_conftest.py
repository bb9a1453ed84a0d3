"""The tests' own guards: what is left running fails a test, and so does a skip, when asked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from labs.host.process_tree import born

TESTS = Path(__file__).parents[1]
BRIEFLY = {"PYTHONPATH": str(TESTS), "WALL_TIME_GONE_S": "0.2", "WALL_TIME_CALM_S": "0"}
SLEEPER = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)"


@pytest.fixture
def run_test(tmp_path: Path):
    """Run a test module of its own under this folder's conftest, or in a `room` that has it as its
    folder's own; its output."""

    def run(text: str, *more: str, room: Path | None = None) -> str:
        file = (room or tmp_path) / "test_it.py"
        file.write_text(text)
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
        command += [] if room else ["-p", "conftest"]
        command += ["--rootdir", tmp_path, "-c", os.devnull, "-p", "no:rerunfailures"]
        command += ["-o", "markers=live\nmeasures\nperformance\nflaky", *more, file]
        options = {"cwd": tmp_path, "env": os.environ | BRIEFLY, "timeout": 60}
        result = subprocess.run(command, capture_output=True, text=True, **options)
        return result.stdout + result.stderr

    return run


@pytest.mark.extended
@pytest.mark.parametrize(
    "leaving",
    [SLEEPER, f"import sys; subprocess.run([sys.executable, '-c', {SLEEPER!r}])"],
    ids=["child", "orphan"],
)
def test_a_test_that_leaves_a_process_fails_and_it_is_ended(run_test, leaving: str) -> None:
    said = run_test(f"import subprocess\ndef test_it():\n    {leaving}\n")
    assert "1 passed, 1 error" in said
    pid = int(said.split("left running:\n  ")[1].split(":")[0])
    assert "sleep 60" in said
    assert not born(pid)


FIXTURE = """
import subprocess, pytest
@pytest.fixture(scope="{scope}")
def started():
    process = subprocess.Popen(["sleep", "60"])
    yield
    {end}
def test_first(): pass
@pytest.mark.live
def test_then(started): pass
"""


@pytest.mark.extended
@pytest.mark.parametrize("scope", ["module", "session"])
def test_what_a_lasting_fixture_started_may_stay_as_long_as_it(
    run_test, tmp_path: Path, scope: str
) -> None:
    """In a folder below the root, as these tests are."""
    room = tmp_path / "tests/live"
    room.mkdir(parents=True)
    (tmp_path / "tests/conftest.py").write_text((TESTS / "conftest.py").read_text())
    kept = run_test(FIXTURE.format(scope=scope, end="process.kill(); process.wait()"), room=room)
    assert "2 passed" in kept and "left running:" not in kept
    left = run_test(FIXTURE.format(scope=scope, end="pass"), room=room)
    assert "2 passed, 1 error" in left and "left running:" in left


@pytest.mark.extended
@pytest.mark.parametrize(
    "skipping",
    [
        "import pytest\ndef test_it(): pytest.skip('no browser here')\n",
        "import pytest\npytest.skip('no browser here', allow_module_level=True)\n",
    ],
    ids=["test", "module"],
)
def test_a_skip_fails_when_all_tests_are_asked_for(run_test, skipping: str) -> None:
    assert "1 skipped" in run_test(skipping)
    said = run_test(skipping, "--no-skips")
    assert "no browser here) and --no-skips asks for all." in said
    assert "1 skipped" not in said


@pytest.mark.extended
def test_a_server_that_is_not_installed_is_skipped_loudly_and_fails_in_ci(
    run_test, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "apache: Install it with: apt-get install apache2"
    skipping = f"import pytest\n@pytest.mark.skipif(True, reason='{words}')\ndef test_it(): pass\n"
    monkeypatch.delenv("CI", raising=False)
    said = run_test(skipping, "--no-skips", "-rs")
    assert "1 skipped" in said and words in said
    monkeypatch.setenv("CI", "true")
    assert f"{words}) and --no-skips asks for all." in run_test(skipping, "--no-skips")


def test_what_was_wrong_with_a_test_that_was_repeated_is_told(run_test) -> None:
    sometimes = (
        "import pathlib, pytest\n"
        "@pytest.mark.flaky(reruns=1)\n"
        "def test_it():\n"
        "    said = pathlib.Path('said')\n"
        "    if not said.exists():\n"
        "        said.touch()\n"
        "        assert 'too early' == ''\n"
    )
    said = run_test(sometimes, "-p", "rerunfailures")
    assert "1 passed, 1 rerun" in said
    assert "repeated: test_it.py::test_it" in said
    assert "AssertionError: assert 'too early' == ''" in said


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere root may always come first")
def test_give_way_leaves_no_child_a_way_back() -> None:
    """Not even root's: Chromium, whose first thread wants -8, had the cores before who measures."""
    child = [sys.executable, "-c", "import os; os.setpriority(os.PRIO_PROCESS, 0, -8)"]
    script = f"import conftest, subprocess; conftest.give_way(); subprocess.run({child!r})"
    result = subprocess.run([sys.executable, "-c", script], cwd=TESTS, capture_output=True)
    assert b"PermissionError" in result.stderr, result.stderr
