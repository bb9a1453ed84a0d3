"""Nothing outlives its owner, whatever is killed, stopped, cut or used up, and when.

In each trial a process of its own (owner.py) plays the kernel: it opens a sweep's panel, bets, and
runs it, with a folder for temporary files and a mark in the environment of all that it starts. At a
phase of the run a fault is injected. Then is looked for what is left: processes, by the mark and by
the ids seen before; ports that they listened on; files. What was measured before has to be kept,
and one sentence has to say what happened. Some of it needs root.
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
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from waiting import eventually

from labs.host.process_tree import sweep

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
SOON_S = 5.0  # for a process that is just being started
LOOK_S = 0.02
STOPPED_S = 60.0  # for which everything is stopped
MARK = "WALL_TIME_FAULTS"
CALIBRATING, STARTING, WARMING, MEASURING, ENDING = PHASES = (
    "calibrating", "starting", "warming up", "measuring", "ending",
)  # fmt: skip
LATER = (WARMING, MEASURING, ENDING)
STARTED = (STARTING, *LATER)


class Trial:
    """One owner at work."""

    def __init__(self, fault: Fault, phase: str, server: str, cache: Path) -> None:
        self.fault, self.phase = fault, phase
        self.mark = uuid.uuid4().hex
        self.home = Path(tempfile.mkdtemp(prefix="wall-time-faults-", dir="/tmp"))
        self.files = self.home / "tmp"
        self.runtime = self.home / "run"  # where it notes what it has started
        self.progress, self.kept = self.home / "progress.json", self.home / "kept.json"
        self.told: list[dict[str, Any]] = []
        self.news = threading.Condition()
        self.seen: set[tuple[int, float]] = set()
        self.ports: set[int] = set()
        self.since = 0.0  # when the fault was injected, or the run let go on
        self.undo = contextlib.ExitStack()
        for folder, mode in ((self.home, 0o711), (self.files, 0o711), (self.runtime, 0o700)):
            folder.mkdir(exist_ok=True)
            folder.chmod(mode)  # a database is somebody else's, when we are root
        command = [sys.executable, str(TESTS / "owner.py"), server]
        if fault.do is no_ports:
            inside = 'ip link set lo up; exec "$@"'
            command = ["unshare", "--net", "sh", "-c", inside, "sh", *command]
        if fault.name == "Ctrl-C":
            command += ["--terminal", str(self.kept)]
        if fault.do is fill_disk:
            mount = ["mount", "-t", "tmpfs", "-o", "size=24M,mode=711", "none", self.files]
            subprocess.run(mount, check=True)
            self.undo.callback(subprocess.run, ["umount", "-l", str(self.files)])
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
            command,
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
            with contextlib.suppress(ValueError), self.news:
                self.told.append({**json.loads(line), "at": time.monotonic()})
                self.news.notify_all()
        with self.news:
            self.told.append({"closed": True})
            self.news.notify_all()

    def wait(self, condition: Callable[[], Any], seconds: float = LONGEST_S) -> bool:
        """Until that is so, looking for processes meanwhile."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            with self.news:
                self.news.wait(LOOK_S)
            self.look()
        return True

    def heard(self, key: str, value: object = None) -> list[dict[str, Any]]:
        return [told for told in list(self.told) if key in told and value in (None, told[key])]

    @property
    def points(self) -> int:
        """Levels that had landed when we last heard."""
        return max((told["points"] for told in self.heard("points")), default=0)

    def look(self) -> None:
        """Remember who is there: below the owner, and whoever was seen below a reaper."""
        with contextlib.suppress(psutil.Error):
            below = psutil.Process(self.process.pid).children(recursive=True)
            self.seen |= {(each.pid, each.create_time()) for each in below}

    def alive(self) -> list[psutil.Process]:
        """Whatever of it lives: by the ids that were seen, and by the mark."""
        found = []
        for each in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if each.pid == self.process.pid or each.status() == psutil.STATUS_ZOMBIE:
                    continue
                known = (each.pid, each.create_time()) in self.seen
                if known or each.environ().get(MARK) == self.mark:
                    found.append(each)
        return found

    def of(self, role: str) -> list[psutil.Process]:
        """Live processes in that role."""
        found = []
        for each in self.alive():
            with contextlib.suppress(psutil.Error):
                if role_of(each) == role:
                    found.append(each)
        return found

    def signal_all(self, number: signal.Signals) -> None:
        """To the owner and all of it."""
        for pid in (self.process.pid, *(each.pid for each in self.alive())):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def order(self, word: str) -> None:
        """As the page would."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(f"{word}\n".encode())
            self.process.stdin.flush()

    def left(self) -> list[str]:
        """What is still there: processes, ports, files."""
        words = []
        for each in self.alive():
            with contextlib.suppress(psutil.Error):
                words.append(f"{each.pid}: {' '.join(each.cmdline())[:90]}")
        words += [f"port {port}" for port in listening() & self.ports]
        records = (self.runtime / "wall-time", self.files / f"wall-time-{os.getuid()}")
        for folder in records:
            words += [f"record {record.name[-12:]}" for record in folder.glob("*")]
        for file in self.files.iterdir():
            if file.name != "full" and file not in records:
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


def listening(pids: set[int] | None = None) -> set[int]:
    """Ports of this machine that somebody, or one of these, listens on."""
    return {
        each.laddr.port
        for each in psutil.net_connections("tcp")
        if each.status == psutil.CONN_LISTEN and (pids is None or each.pid in pids)
    }


def role_of(process: psutil.Process) -> str:
    """What a process of a trial is, by its own words and its parents'."""
    words = " ".join(process.cmdline())
    for word, role in (("reaper.py", "supervisor"), ("workloads.burn", "burner"), ("locust",) * 2):
        if word in words:
            return role
    parent = process.parent()
    root = "reaper.py" in " ".join(parent.cmdline() if parent else ())
    if "postgres" in words or "postgres" in process.name():
        return "PostgreSQL" if root else "one of PostgreSQL's"
    return "master" if root else "worker"


# ---- what happens --------------------------------------------------------------------------------


def killing(role: str, all_of: bool = True) -> Callable[[Trial], None]:
    """kill -9 of whoever has that role, or soon will."""

    def kill(trial: Trial) -> None:
        assert trial.wait(lambda: trial.of(role), SOON_S), f"no {role} to kill"
        for each in trial.of(role)[0 if all_of else -1 :]:
            with contextlib.suppress(psutil.Error):
                each.kill()

    return kill


def to_owner(number: signal.Signals) -> Callable[[Trial], None]:
    return lambda trial: os.kill(trial.process.pid, number)


def to_group(number: signal.Signals) -> Callable[[Trial], None]:
    return lambda trial: os.killpg(trial.process.pid, number)


def ordered(word: str) -> Callable[[Trial], None]:
    return lambda trial: trial.order(word)


def both(trial: Trial) -> None:
    """The kernel and the supervisors, at once: what is left is swept by whoever comes next."""
    os.kill(trial.process.pid, signal.SIGSTOP)
    killing("supervisor")(trial)
    trial.process.kill()


def stopping(seconds: float, then: Callable[[Trial], object]) -> Callable[[Trial], None]:
    """All of it stands still, as when a laptop's lid is closed, and goes on after that."""

    def stop(trial: Trial) -> None:
        trial.signal_all(signal.SIGSTOP)
        threading.Event().wait(seconds)
        trial.since = time.monotonic()
        then(trial)
        trial.signal_all(signal.SIGCONT)

    return stop


def no_runtime_folder(trial: Trial) -> None:
    """As when the user's last login ends."""
    shutil.rmtree(trial.runtime)


def fill_disk(trial: Trial) -> None:
    with contextlib.suppress(OSError), (trial.files / "full").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 16))


def no_descriptors(trial: Trial) -> None:
    hard = resource.prlimit(trial.process.pid, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(trial.process.pid, resource.RLIMIT_NOFILE, (3, hard))  # all in use


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


def no_ports(trial: Trial) -> None:
    script = "echo '40000 40003' > /proc/sys/net/ipv4/ip_local_port_range"
    enter = ["nsenter", "-t", str(trial.process.pid), "-n", "sh", "-c", script]
    subprocess.run(enter, check=True)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that happens, and what has to come of it."""

    name: str
    do: Callable[[Trial], None]
    phases: Sequence[str] = PHASES
    servers: Sequence[str] = ("gunicorn",)
    ends: str = "run"  # what it ends: the run, the owner, nothing, or either run or nothing
    says: Sequence[str] = ()  # one of these words has to be said, where somebody is there to


EVERY = ("gunicorn", "threads", "uvicorn", "scratch", "spare", "apache", "nginx-fpm", "node")
KILLED = "ended with exit code -9"
TWO = ("gunicorn", "scratch")
OWNER_ENDS, GOES_ON, EITHER = ({"ends": each} for each in ("owner", "nothing", "either"))
FAULTS = (
    Fault("kill -9 of the kernel", to_owner(signal.SIGKILL), PHASES, EVERY, **OWNER_ENDS),
    Fault("TERM of the kernel", to_owner(signal.SIGTERM), **OWNER_ENDS),
    Fault("hang-up of the kernel", to_owner(signal.SIGHUP), **OWNER_ENDS),
    Fault("restart (the kernel exits)", ordered("exit"), **OWNER_ENDS),
    Fault("cut connection to the owner", ordered("abort"), **OWNER_ENDS),
    Fault("kill -9 of kernel and supervisors", both, STARTED, ("gunicorn", "database"), "owner"),
    Fault(
        "all stopped, the kernel killed", stopping(3.0, lambda trial: trial.process.kill()),
        STARTED, TWO, **OWNER_ENDS,
    ),
    Fault("Ctrl-C", to_group(signal.SIGINT), PHASES, TWO, "owner", ["Stopped"]),
    Fault("interrupt", to_group(signal.SIGINT), **GOES_ON),
    Fault("Stop", ordered("stop"), PHASES, ("gunicorn", "nginx-fpm"), says=["Stopped"]),
    Fault("closed tab, followed link", ordered("shut"), says=["Stopped"]),
    Fault(
        "kill -9 of Locust", killing("locust"), STARTED, ("gunicorn", "node"),
        says=["load generator"],
    ),
    Fault(
        "kill -9 of the supervisors", killing("supervisor"), STARTED, TWO,
        says=[KILLED, "stopped listening", "ended first"],
    ),
    Fault("kill -9 of the server's master", killing("master"), STARTED, EVERY, says=[KILLED]),
    Fault(
        "kill -9 of one worker", killing("worker", all_of=False), LATER,
        ("gunicorn", "threads", "nginx-fpm"), "nothing", ["ended under way", "lost a process"],
    ),
    Fault(
        "kill -9 of one worker that starts", killing("worker", all_of=False), [STARTING], TWO,
        **GOES_ON,
    ),
    Fault(
        "kill -9 of PostgreSQL", killing("PostgreSQL"), STARTED, ["database"], says=[KILLED],
    ),
    Fault("kill -9 of a burner", killing("burner"), [CALIBRATING], says=["calibr"]),
    Fault(
        "all stopped for 60 s", stopping(STOPPED_S, ordered("stop")), (CALIBRATING, MEASURING),
        says=["Stopped", "-9"],
    ),
    Fault("all stopped for 6 s", stopping(6.0, ordered("")), LATER, **GOES_ON),
    Fault("runtime folder gone", no_runtime_folder, LATER, **GOES_ON),
    Fault("disk full", fill_disk, (CALIBRATING, STARTING), says=["the disk is full"], **EITHER),
    Fault("disk full once it runs", fill_disk, LATER, **EITHER),
    Fault(
        "descriptors exhausted", no_descriptors,
        says=["as many files and connections open as it may"], **EITHER,
    ),
    Fault(
        "ports exhausted", no_ports, STARTED, says=["no port was free", "no port is free"], **EITHER
    ),
    Fault(
        "processes exhausted", no_processes, (STARTING, CALIBRATING),
        says=["no further process or thread can be started"], **EITHER,
    ),
    Fault("processes exhausted once it runs", no_processes, LATER, **EITHER),
)  # fmt: skip
EACH_TIME = (  # by `make test`, or by `make test-all`
    ("processes exhausted", STARTING, ()),
    ("all stopped for 6 s", MEASURING, pytest.mark.extended),
    ("runtime folder gone", MEASURING, pytest.mark.extended),
)


def trials() -> Iterator[Any]:
    """Each of the EACH_TIME; with WALL_TIME_FAULTS=all, in ten minutes and on a machine of its own,
    every fault on each of its servers, at its phases by turns."""
    for number, fault in enumerate(FAULTS):
        for turn, server in enumerate(fault.servers):
            if os.environ.get("WALL_TIME_FAULTS") == "all":
                yield pytest.param(fault, fault.phases[(number + turn) % len(fault.phases)], server)
        for name, phase, marks in EACH_TIME:
            if name == fault.name:
                yield pytest.param(fault, phase, fault.servers[0], marks=marks)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize(
    ("fault", "phase", "server"), [*trials()], ids=lambda it: getattr(it, "name", it)
)
def test_a_run_that_something_happens_to_leaves_nothing_and_loses_nothing(
    fault: Fault, phase: str, server: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Trial(fault, phase, server, cache)
    with contextlib.closing(trial):
        assert trial.wait(lambda: trial.heard("phase", phase) or trial.heard("closed"))
        assert trial.heard("phase", phase), "the phase never came"
        if phase in LATER:
            trial.wait(lambda: trial.of("locust") and trial.of("master"), SOON_S)
        trial.look()
        trial.ports, points = listening({each.pid for each in trial.alive()}), trial.points
        trial.since = time.monotonic()
        try:
            fault.do(trial)
        except PermissionError as error:
            pytest.skip(f"this system does not let us: {error}")
        assert trial.wait(lambda: over(trial)), "it never ended"
        if fault.ends in ("nothing", "either"):  # the run goes on to its end, or as far as it can
            trial.since = max((each["at"] for each in trial.heard("ended")), default=0.0)
        if fault.do is both:
            monkeypatch.setenv("XDG_RUNTIME_DIR", str(trial.runtime))
            sweep()
        within_s = max(0.0, trial.since + CLEAN_S - time.monotonic())
        eventually(lambda: not trial.left(), within_s, "nothing of it to be left")
        keeps_what_there_was(trial, points)
        says_what_happened(trial)


def over(trial: Trial) -> bool:
    """Whether that has ended which the fault ends."""
    if trial.fault.ends == "owner":
        return trial.process.poll() is not None
    closed = trial.fault.ends != "run" and trial.heard("closed")
    return bool(trial.heard("ended") or closed)


def keeps_what_there_was(trial: Trial, points: int) -> None:
    if trial.fault.name == "Ctrl-C":
        assert trial.kept.exists() or not points, f"{points} levels measured, none kept"
    elif trial.fault.ends == "owner":  # a page keeps what it shows; the reader's bet is in a file
        assert b"predictions" in trial.progress.read_bytes(), "the bet was lost"
    else:
        assert trial.heard("ended") and trial.points >= points


def says_what_happened(trial: Trial) -> None:
    said = " ".join(str(each["said"]) for each in trial.heard("said")).strip()
    assert "Traceback" not in said and "itself failed" not in said
    whole = trial.phase == ENDING and said  # it was over, and its verdict says the rest
    if trial.fault.says and not whole:
        assert any(word in said for word in trial.fault.says), said
