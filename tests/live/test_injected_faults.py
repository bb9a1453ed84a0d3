"""Nothing outlives its owner, whatever is killed, stopped or used up in the middle of a run.

In each trial a process of its own (owner.py) plays the kernel: it opens a sweep's panel, bets, and
runs it, with a folder for temporary files and a mark in the environment of all that it starts. At a
phase of the run a fault is injected. Then is looked for what is left: processes, by the mark, and
files. What was measured before has to be kept, and one sentence has to say what happened. (Each
part's own faults are for its own tests, and those of the supervisor for `tests/processes`.)
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from waiting import eventually

if sys.platform == "linux":
    import resource

pytestmark = [
    pytest.mark.performance,
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform != "linux", reason="the faults are injected by Linux's means"),
]

TESTS = Path(__file__).parents[1]
CLEAN_S = 5.0  # until nothing is left; by the law it is 1 s
LONGEST_S = 90.0  # for a phase to come, or for a run to end
SOON_S = 5.0
STOPPED_S = 6.0  # for which everything is stopped
MARK = "WALL_TIME_FAULTS"
BY_HAND = f"wall-time-{os.getuid()}-"  # a folder that stays: a failed server is to be tried in it
STARTING, MEASURING = "starting", "measuring"


class Trial:
    """One owner at work."""

    def __init__(self, cache: Path) -> None:
        self.mark = uuid.uuid4().hex
        self.home = Path(tempfile.mkdtemp(prefix="wall-time-faults-", dir="/tmp"))
        self.files = self.home / "tmp"
        self.runtime = self.home / "run"  # where it notes what it has started
        self.progress = self.home / "progress.json"
        self.told: list[dict[str, Any]] = []
        self.undo = contextlib.ExitStack()
        for folder, mode in ((self.home, 0o711), (self.files, 0o711), (self.runtime, 0o700)):
            folder.mkdir(exist_ok=True)
            folder.chmod(mode)  # for workers that are somebody else's, when we are root
        environment = {
            MARK: self.mark,
            "PYTHONPATH": str(TESTS.parent),
            "TMPDIR": str(self.files),
            "WALL_TIME_LOCK": str(self.home / "lock"),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_CACHE_HOME": str(cache),
            "WALL_TIME_PROGRESS": str(self.progress),
            "LABS_MODE": "live",
        }
        self.process = subprocess.Popen(
            [sys.executable, str(TESTS / "owner.py"), "gunicorn"],
            env=os.environ | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with contextlib.suppress(ValueError):
                self.told.append(json.loads(line))

    def heard(self, key: str, value: object = None) -> list[dict[str, Any]]:
        return [told for told in list(self.told) if key in told and value in (None, told[key])]

    @property
    def points(self) -> int:
        """Levels that had landed when we last heard."""
        return max((told["points"] for told in self.heard("points")), default=0)

    def alive(self) -> list[psutil.Process]:
        """Whatever of it lives."""
        found = []
        for each in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                ended = each.pid == self.process.pid or each.status() == psutil.STATUS_ZOMBIE
                if not ended and each.environ().get(MARK) == self.mark:
                    found.append(each)
        return found

    def signal_all(self, number: signal.Signals) -> None:
        """To the owner and all of it."""
        for pid in (self.process.pid, *(each.pid for each in self.alive())):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def left(self) -> list[str]:
        """What is still there: processes and files."""
        words = []
        for each in self.alive():
            with contextlib.suppress(psutil.Error):
                words.append(f"{each.pid}: {' '.join(each.cmdline())[:90]}")
        records = (self.runtime / "wall-time", self.files / f"wall-time-{os.getuid()}")
        for folder in records:
            words += [f"record {record.name[-12:]}" for record in folder.glob("*")]
        for file in self.files.iterdir():
            if not file.name.startswith(BY_HAND) and file not in records:
                words.append(f"file {file.name}")
        return words

    def close(self) -> None:
        """End the owner and all of it, and remove what there was."""
        self.process.kill()
        for each in self.alive():
            with contextlib.suppress(psutil.Error):
                each.kill()
        self.process.wait()
        self._listening.join(SOON_S)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        self.undo.close()
        shutil.rmtree(self.home, ignore_errors=True)


# ---- what happens --------------------------------------------------------------------------------


def kill_owner(trial: Trial) -> None:
    trial.process.kill()


def stop_all(trial: Trial) -> None:
    """All of it stands still, as when a laptop's lid is closed, and goes on after that."""
    trial.signal_all(signal.SIGSTOP)
    threading.Event().wait(STOPPED_S)
    trial.signal_all(signal.SIGCONT)


def no_runtime_folder(trial: Trial) -> None:
    """As when the user's last login ends."""
    shutil.rmtree(trial.runtime)


def no_processes(trial: Trial) -> None:
    """Of root no limit of a user's is asked: a control group lets it have what it has, no more."""
    everybody = (trial.process.pid, *(each.pid for each in trial.alive()))
    if os.geteuid() != 0:
        for pid in everybody:
            resource.prlimit(pid, resource.RLIMIT_NPROC, (0, 0))
        return
    pids = Path("/sys/fs/cgroup/pids")
    group = (pids if pids.is_dir() else pids.parent) / f"wall-time-faults-{trial.mark}"
    group.mkdir()
    trial.undo.callback(remove_group, group)
    for pid in everybody:
        (group / "cgroup.procs").write_text(str(pid))
    (group / "pids.max").write_text((group / "pids.current").read_text())


def remove_group(group: Path) -> None:
    """A control group goes once the last of its processes has."""

    def gone() -> bool:
        with contextlib.suppress(OSError):
            group.rmdir()
        return not group.exists()

    eventually(gone, SOON_S, "the control group to go")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that happens, and what has to come of it."""

    do: Callable[[Trial], None]
    phase: str
    says: str = ""  # to whoever is there


FAULTS = {
    "kill -9 of the kernel": Fault(kill_owner, MEASURING),
    "all stopped for 6 s": Fault(stop_all, MEASURING),
    "runtime folder gone": Fault(no_runtime_folder, MEASURING),
    "processes exhausted": Fault(
        no_processes, STARTING, says="no further process or thread can be started"
    ),
}
EACH_TIME = "processes exhausted"  # the others are for `make test-all`


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize(
    "name",
    [
        name if name == EACH_TIME else pytest.param(name, marks=pytest.mark.extended)
        for name in FAULTS
    ],
)
def test_a_run_that_something_happens_to_leaves_nothing_and_loses_nothing(
    name: str, cache: Path
) -> None:
    fault = FAULTS[name]
    with contextlib.closing(Trial(cache)) as trial:
        eventually(lambda: trial.heard("phase", fault.phase), LONGEST_S, fault.phase)
        points = trial.points
        assert trial.alive()
        try:
            fault.do(trial)
        except PermissionError as error:
            pytest.skip(f"this system does not let us: {error}")
        owner_ends = fault.do is kill_owner
        if not owner_ends:  # the run goes on to its end, or as far as it can
            eventually(lambda: trial.heard("ended"), LONGEST_S, "the end of the run")
        eventually(lambda: not trial.left(), CLEAN_S, "nothing of it to be left")
        if owner_ends:  # a page keeps what it shows; the reader's bet is in a file
            assert b"predictions" in trial.progress.read_bytes(), "the bet was lost"
        assert trial.points >= points
        said = " ".join(str(each["said"]) for each in trial.heard("said"))
        assert "Traceback" not in said and "itself failed" not in said
        assert fault.says in said
