"""One measurement at a time, of whichever user, and nobody can keep others from it for ever."""

import contextlib
import os
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waiting import eventually, in_time

from labs import terminal
from labs.host import lock as module
from labs.host.lock import turn
from labs.host.waiting import Stopped
from labs.measure.progress import Progress
from labs.measure.rig import Rig
from labs.records.errors import Unusable
from labs.records.results import Machine

pytestmark = pytest.mark.live

PROJECT = Path(__file__).parents[2]
NOBODY = 65534  # a user id that is not root's
WITHIN_S = 20.0
# Takes the turn, as that user where one is given; says so, and keeps it until its input ends.
HOLDER = """
import os, pathlib, sys, threading
from labs.host import lock as turn
turn.LOCK = pathlib.Path(sys.argv[1])
if sys.argv[2:]:
    os.setuid(int(sys.argv[2]))
with turn.turn(lambda: print("waiting", flush=True), threading.Event()):
    print("has it", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def lock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A lock of our own, in a folder like /tmp, where other users come too."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o1777)
        monkeypatch.setattr(module, "LOCK", Path(folder) / "wall-time.lock")
        yield module.LOCK


@contextlib.contextmanager
def somebody(lock: Path, *user: int, says: str = "has it") -> Iterator[subprocess.Popen[str]]:
    """Another program that measures, or waits for its turn; ends with the block."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock), *map(str, user)],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert not says or said(process) == says
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def had(waiting: Callable[[], None] = lambda: None) -> None:
    """Take the turn and give it back; AssertionError if that takes for ever."""

    def take() -> None:
        with turn(waiting, threading.Event()):
            pass

    in_time(take, WITHIN_S, "still waits for its turn")


def link_to_nothing(lock: Path) -> None:
    lock.symlink_to(lock.with_name("elsewhere"))


def link(lock: Path) -> None:
    link_to_nothing(lock)
    lock.touch(mode=0o600)


@pytest.mark.parametrize("put", [link, link_to_nothing, os.mkfifo, Path.mkdir])
def test_turn_locks_only_a_plain_file(lock: Path, put: Callable[[Path], None]) -> None:
    """Anybody may put something there. It is told and left alone, and so is what it leads to."""

    def seen() -> dict[str, int]:
        return {each.name: each.lstat().st_mode for each in lock.parent.iterdir()}

    put(lock)
    before = seen()
    with pytest.raises(Unusable, match=r"wall-time\.lock: .*removed.*WALL_TIME_LOCK"):
        had()
    assert seen() == before


def test_lock_is_one_whatever_the_folder_for_temporary_files(tmp_path: Path) -> None:
    def lock_of(**environment: str) -> str:
        command = [sys.executable, "-c", "from labs.host import lock; print(lock.LOCK)"]
        found = subprocess.check_output(command, cwd=PROJECT, env=os.environ | environment)
        return found.decode().strip()

    assert lock_of(TMPDIR=str(tmp_path)) == lock_of(TMPDIR="") == "/tmp/wall-time.lock"
    assert lock_of(WALL_TIME_LOCK=str(tmp_path / "own")) == str(tmp_path / "own")


def test_turn_makes_the_lock_for_everybody(lock: Path) -> None:
    before = os.umask(0o077)
    try:
        had()
    finally:
        os.umask(before)
    assert stat.S_IMODE(lock.stat().st_mode) == 0o666


def test_turn_says_for_whom_one_waited_too_long(
    lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0.5)
    waited: list[float] = []
    with somebody(lock) as other:
        began = time.monotonic()
        with pytest.raises(Unusable, match="not our turn") as refusal:
            had(lambda: waited.append(time.monotonic() - began))
        assert waited and time.monotonic() - began > 0.5
    named = f"process {other.pid} (" if sys.platform == "linux" else f"lsof {lock}"
    assert named in str(refusal.value)
    had()  # it ended, however suddenly


def test_turn_waits_no_longer_when_it_is_stopped(lock: Path) -> None:
    stop = threading.Event()
    with somebody(lock), pytest.raises(Stopped), turn(stop.set, stop):
        pytest.fail("two have the turn")


class Idle:
    """A lab that starts nothing."""

    def seconds(self) -> float:
        return 1.0

    def check(self, machine: Machine) -> None:
        """It can run anywhere."""

    def run(self, rig: Rig) -> str:
        return "found"


def test_perform_waits_and_says_so_once(lock: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with somebody(lock) as other:

        def on_event(event: Progress) -> None:
            terminal.waits(event)
            terminal.waits(event)
            other.kill()

        assert Rig(on_event).perform(Idle()) == "found"
    assert capfd.readouterr().err.count("waiting: another page or program is measuring") == 1


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be two users")
@pytest.mark.parametrize("first", ["root", "nobody"])
def test_turn_is_waited_for_across_users(lock: Path, first: str) -> None:
    users = {"root": (), "nobody": (NOBODY,)}
    second = "nobody" if first == "root" else "root"
    with somebody(lock, *users[first]) as one:
        owner = lock.stat().st_uid
        with somebody(lock, *users[second], says="waiting") as other:
            assert one.stdin is not None
            one.stdin.close()
            eventually(lambda: said(other) == "has it", WITHIN_S, "the other's turn")
    assert (lock.stat().st_uid, stat.S_IMODE(lock.stat().st_mode)) == (owner, 0o666)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be two users")
def test_turn_says_that_somebody_keeps_the_lock_to_himself(lock: Path) -> None:
    lock.touch(mode=0o600)
    with somebody(lock, NOBODY, says="") as other:
        words, complaint = other.communicate(timeout=WITHIN_S)
    assert not words
    assert f"Unusable: {lock}: Permission denied. " in complaint
