"""The tests' own guards: what is left running fails a test, and so does a skip, when asked."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SLEEPER = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)"


@pytest.fixture
def run_test(tmp_path: Path):
    """Run a test module of its own under this folder's conftest, or in a `room` that has it as its
    folder's own; its output."""

    def run(text: str, *options: str, room: Path | None = None) -> str:
        file = (room or tmp_path) / "test_it.py"
        file.write_text(text)
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
        command += [] if room else ["-p", "conftest"]
        command += ["--rootdir", str(tmp_path), "-c", os.devnull]
        command += [
            "-p",
            "no:rerunfailures",
            "-o",
            "markers=live\nmeasures\nperformance\nflaky",
            *options,
        ]
        command += [str(file.relative_to(tmp_path))]
        environment = {**os.environ, "PYTHONPATH": str(TESTS), "WALL_TIME_GONE_S": "0.2"}
        environment["WALL_TIME_CALM_S"] = "0"
        result = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
        )
        return result.stdout + result.stderr

    return run


@pytest.mark.extended
def test_a_process_left_by_a_test_fails_it_and_is_ended(run_test) -> None:
    said = run_test(f"def test_it():\n    {SLEEPER}\n")
    assert "1 passed, 1 error" in said
    assert "left running:" in said
    pid = int(said.split("left running:\n  ")[1].split(":")[0])
    assert not Path(f"/proc/{pid}").exists() or "sleep" not in _command(pid)


@pytest.mark.extended
def test_an_orphan_is_found_too(run_test) -> None:
    said = run_test(
        "import subprocess, sys\n"
        f'def test_it():\n    subprocess.run([sys.executable, "-c", "{SLEEPER}"])\n'
    )
    assert "1 passed, 1 error" in said
    assert "sleep 60" in said


@pytest.mark.extended
def test_what_a_lasting_fixture_started_may_stay_while_it_lasts(run_test) -> None:
    fixture = (
        "import subprocess, pytest\n"
        "@pytest.fixture(scope='module')\n"
        "def server():\n"
        "    process = subprocess.Popen(['sleep', '60'])\n"
        "    yield\n"
    )
    test = "@pytest.mark.live\ndef test_it(server): pass\n"
    kept = run_test(f"{fixture}    process.kill(); process.wait()\n{test}")
    assert "1 passed" in kept
    assert "error" not in kept
    left = run_test(f"{fixture}{test}")
    assert "1 passed, 1 error" in left
    assert "left running:" in left


@pytest.mark.extended
def test_what_a_fixture_of_the_session_started_may_stay_whichever_test_asked_for_it(
    run_test, tmp_path: Path
) -> None:
    """In a folder below the root, as these tests are: a browser that the second test opens."""
    room = tmp_path / "tests/live"
    room.mkdir(parents=True)
    (tmp_path / "tests/conftest.py").write_text((TESTS / "conftest.py").read_text())
    browser = (
        "import subprocess, pytest\n"
        "@pytest.fixture(scope='session')\n"
        "def browser():\n"
        "    process = subprocess.Popen(['sleep', '60'])\n"
        "    yield\n"
        "    process.kill(); process.wait()\n"
    )
    asking = "def test_first(): pass\ndef test_then(browser): pass\n"
    said = run_test(f"{browser}{asking}", room=room)
    assert "2 passed" in said
    assert "left running:" not in said


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


TWO_GOES = (
    "import pathlib, pytest\n"
    "@pytest.mark.{mark}\n"
    "@pytest.mark.parametrize('each', range(4))\n"
    "def test_it(each):\n"
    "    said = pathlib.Path(f'said-{{each}}')\n"
    "    if not said.exists():\n"
    "        said.touch()\n"
    "        assert 'disturbed' == ''\n"
)


@pytest.mark.extended
def test_only_a_performance_is_repeated_and_only_so_often(run_test, tmp_path: Path) -> None:
    said = run_test(TWO_GOES.format(mark="performance"), "-p", "rerunfailures")
    assert "4 passed, 4 rerun" in said and "4 of at most 12 repeats." in said
    for file in tmp_path.glob("said-*"):
        file.unlink()
    said = run_test(TWO_GOES.format(mark="measures"), "-p", "rerunfailures")
    assert "4 failed" in said and "repeats." not in said
    for file in tmp_path.glob("said-*"):
        file.unlink()
    hopeless = TWO_GOES.format(mark="performance").replace("range(4)", "range(8)")
    hopeless = hopeless.replace("said.touch()", "pass")
    said = run_test(hopeless, "-p", "rerunfailures")
    assert "8 failed, 12 rerun" in said and "12 of at most 12 repeats." in said
    # Of two processes each counts what the other repeats; both may have looked at the last one.
    (tmp_path / "test_that.py").write_text(hopeless)
    said = run_test(hopeless, "-p", "rerunfailures", "-n", "2", "test_that.py")
    again = re.search(r"16 failed, (\d+) rerun", said)
    assert "16 deselected" in run_test(hopeless, "-m", "not measures", "test_that.py")
    assert again and 12 <= int(again[1]) <= 14, said


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
