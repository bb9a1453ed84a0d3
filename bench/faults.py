"""Does anything outlive its owner, whatever is killed, stopped, cut or used up, and when?

    python -m bench.faults [--from 0] [--to N] [FAULT ...]

A table of faults, phases and servers. For each row a process of its own (bench/owner.py) plays the
kernel: it opens a sweep's panel, bets, and runs it, with a folder for temporary files and a mark in
the environment of all that it starts. At the row's phase its fault is injected. Then is looked for
what is left: processes, by the mark and by the ids seen before; ports that they listened on; files.
What was measured before has to be kept, and one sentence has to say what happened. Prints a line
for each row, and how many were tried, survived, and the seconds until all was clean. One that
failed or was slow is repeated before it counts. Some of it needs root and Linux.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import statistics
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

from labs.kinds.sweep.report import columns

OWNER = "bench.owner"
GOAL, CLEAN_S = 60, 2.0  # rows; seconds until nothing is left
LONGEST_S = 90.0  # for a phase to come, or for a run to end
SOON_S = 5.0  # for a process that is just being started
LOOK_S = 0.02
STOPPED_S = 60.0  # for which everything is stopped
MARK = "WALL_TIME_BENCH"
CALIBRATING, STARTING, WARMING, MEASURING, ENDING = PHASES = (
    "calibrating", "starting", "warming up", "measuring", "ending",
)  # fmt: skip
BY_HAND = "wall-time-0-"  # a folder that stays on purpose: a failed server is to be tried in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that happens, and what has to come of it."""

    name: str
    do: Callable[[Trial], None]
    phases: Sequence[str] = PHASES
    servers: Sequence[str] = ("gunicorn",)
    ends: str = "run"  # what it ends: the run, the owner, or nothing
    says: tuple[str, ...] = ()  # one of these words has to be said, where somebody is there to


@dataclass(frozen=True, slots=True)
class Row:
    """A fault at a phase, with a server."""

    fault: Fault
    phase: str
    server: str

    def __str__(self) -> str:
        return f"{self.fault.name} · {self.phase} · {self.server}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What came of a row. `wrong` is empty where it was survived."""

    row: Row
    clean_s: float
    wrong: str
    said: str = ""
    load: float = 0.0  # of the machine, when it was injected


class Trial:
    """One owner at work."""

    def __init__(self, row: Row, shared: Path) -> None:
        self.row = row
        self.mark = uuid.uuid4().hex
        self.home = Path(tempfile.mkdtemp(prefix="bench-faults-", dir="/tmp"))
        self.home.chmod(0o711)  # a database is somebody else's, when we are root
        self.files = self.home / "tmp"
        self.files.mkdir()
        self.files.chmod(0o711)
        self.runtime = self.home / "run"  # where it notes what it has started
        self.runtime.mkdir(mode=0o700)
        self.progress = self.home / "progress.json"
        self.told: list[dict[str, Any]] = []
        self.news = threading.Condition()
        self.seen: dict[tuple[int, float], list[str]] = {}
        self.ports: set[int] = set()
        self.since = 0.0  # when it was injected, or let go on
        self._undo = contextlib.ExitStack()
        environment = {
            **os.environ,
            MARK: self.mark,
            "TMPDIR": str(self.files),
            "WALL_TIME_LOCK": str(self.home / "lock"),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_CACHE_HOME": str(shared),
            "WALL_TIME_PROGRESS": str(self.progress),
            "LABS_MODE": "live",
        }
        command = [sys.executable, "-m", OWNER, row.server]
        if row.fault.name == "ports exhausted":
            command = [
                "unshare",
                "--net",
                "sh",
                "-c",
                'ip link set lo up; exec "$@"',
                "sh",
                *command,
            ]
        if row.fault.name == "Ctrl-C":
            command += ["--terminal", str(self.home / "kept.json")]
        if row.fault.do is fill_disk:
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=24M", "none", self.files], check=True
            )
            self._undo.callback(lambda: subprocess.run(["umount", "-l", str(self.files)]))
            self.files.chmod(0o711)
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
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
        return [t for t in list(self.told) if key in t and value in (None, t[key])]

    @property
    def points(self) -> int:
        """Levels that had landed when we last heard."""
        return max((told["points"] for told in self.heard("points")), default=0)

    def look(self) -> None:
        """Remember who is there: below the owner, and whoever was seen below a reaper."""
        with contextlib.suppress(psutil.Error):
            for each in psutil.Process(self.process.pid).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    key = each.pid, each.create_time()
                    if key not in self.seen:
                        self.seen[key] = each.cmdline()

    def alive(self) -> list[psutil.Process]:
        """Whatever of it lives: by the ids that were seen, and by the mark."""
        found: dict[int, psutil.Process] = {}
        for each in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if each.pid == self.process.pid or each.status() == psutil.STATUS_ZOMBIE:
                    continue
                known = (each.pid, each.create_time()) in self.seen
                if known or each.environ().get(MARK) == self.mark:
                    found[each.pid] = each
        return list(found.values())

    def of(self, role: str) -> list[psutil.Process]:
        """Live processes in that role."""
        found = []
        for each in self.alive():
            with contextlib.suppress(psutil.Error):
                if role_of(each) == role:
                    found.append(each)
        return found

    def kill(self, role: str, all_of: bool = True) -> None:
        """kill -9 of whoever has that role, or soon will; ValueError where nobody has."""
        if not self.wait(lambda: self.of(role), SOON_S):
            raise ValueError(f"no {role} to kill")
        found = self.of(role)
        for each in found if all_of else found[-1:]:
            with contextlib.suppress(psutil.Error):
                each.kill()

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
        if self.ports:
            words += [f"port {port}" for port in listening() & self.ports]
        records = (self.runtime / "wall-time", self.files / f"wall-time-{os.getuid()}")
        for folder in records:
            words += [f"record {record.name[-12:]}" for record in folder.glob("*")]
        with contextlib.suppress(OSError):
            for file in self.files.iterdir():
                kept = file.name.startswith(BY_HAND) or file.name == "full"
                if not kept and file not in records:
                    words.append(f"file {file.name}")
        return words

    def undo(self, what: Callable[[], object]) -> None:
        """Do that once all of it has ended."""
        self._undo.callback(what)

    def close(self) -> None:
        """End the owner and all of it, and remove what there was."""
        self.process.kill()
        for each in self.alive():
            with contextlib.suppress(psutil.Error):
                each.kill()
        self.process.wait()
        self._listening.join(SOON_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        self._undo.close()
        shutil.rmtree(self.home, ignore_errors=True)


def role_of(process: psutil.Process) -> str:
    """What a process of a trial is, by its own words and its parents'."""
    words = " ".join(process.cmdline())
    if "reaper.py" in words:
        return "supervisor"
    if "workloads.burn" in words:
        return "burner"
    if "locust" in words:
        return "Locust"
    parent = process.parent()
    above = " ".join(parent.cmdline()) if parent else ""
    root = "reaper.py" in above
    if "postgres" in words or "postgres" in process.name():
        return "PostgreSQL" if root else "one of PostgreSQL's"
    return "master" if root else "worker"


def listening() -> set[int]:
    """Ports of this machine that somebody listens on."""
    found = set()
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A":
                    found.add(int(fields[1].rpartition(":")[2], 16))
    return found


# ---- what happens --------------------------------------------------------------------------------


def killing(role: str, all_of: bool = True) -> Callable[[Trial], None]:
    return lambda trial: trial.kill(role, all_of)


def to_owner(number: signal.Signals) -> Callable[[Trial], None]:
    return lambda trial: os.kill(trial.process.pid, number)


def to_group(number: signal.Signals) -> Callable[[Trial], None]:
    return lambda trial: os.killpg(trial.process.pid, number)


def ordered(word: str) -> Callable[[Trial], None]:
    return lambda trial: trial.order(word)


def both(trial: Trial) -> None:
    """The kernel and the supervisors, at once: what is left is swept by whoever comes next."""
    os.kill(trial.process.pid, signal.SIGSTOP)
    trial.kill("supervisor")
    trial.process.kill()


def stop_all(trial: Trial, seconds: float = STOPPED_S, then: str = "stop") -> None:
    trial.signal_all(signal.SIGSTOP)
    time.sleep(seconds)
    trial.since = time.monotonic()
    trial.order(then)
    trial.signal_all(signal.SIGCONT)


def stop_all_and_kill(trial: Trial) -> None:
    trial.signal_all(signal.SIGSTOP)
    time.sleep(3.0)
    trial.since = time.monotonic()
    trial.process.kill()
    trial.signal_all(signal.SIGCONT)


def stop_briefly(trial: Trial) -> None:
    """As when a laptop's lid is closed for a moment."""
    stop_all(trial, 6.0, then="")


def no_runtime_folder(trial: Trial) -> None:
    """As when the user's last login ends."""
    shutil.rmtree(trial.runtime)


def fill_disk(trial: Trial) -> None:
    with contextlib.suppress(OSError), (trial.files / "full").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 16))


def no_descriptors(trial: Trial) -> None:
    import resource

    hard = resource.prlimit(trial.process.pid, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(trial.process.pid, resource.RLIMIT_NOFILE, (3, hard))  # all in use


def remove_group(group: Path) -> None:
    """A control group goes once the last of its processes has."""
    deadline = time.monotonic() + SOON_S
    while group.exists() and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            group.rmdir()
        time.sleep(LOOK_S)


def no_processes(trial: Trial) -> None:
    """Of root no limit of a user's is asked: a control group lets it have what it has, no more."""
    import resource

    everybody = (trial.process.pid, *(each.pid for each in trial.alive()))
    if os.geteuid() != 0:
        for pid in everybody:
            resource.prlimit(pid, resource.RLIMIT_NPROC, (0, 0))
        return
    pids = Path("/sys/fs/cgroup/pids")
    group = (pids if pids.is_dir() else pids.parent) / f"wall-time-bench-{trial.mark}"
    group.mkdir()
    trial.undo(lambda: remove_group(group))
    for pid in everybody:
        (group / "cgroup.procs").write_text(str(pid))
    (group / "pids.max").write_text((group / "pids.current").read_text())


def no_ports(trial: Trial) -> None:
    script = "echo '40000 40003' > /proc/sys/net/ipv4/ip_local_port_range"
    enter = ["nsenter", "-t", str(trial.process.pid), "-n", "sh", "-c", script]
    subprocess.run(enter, check=True)


EVERY = ("gunicorn", "threads", "uvicorn", "scratch", "spare", "apache", "nginx-fpm", "node")
LATER = (WARMING, MEASURING, ENDING)
STARTED = (STARTING, *LATER)
KILLED = "ended with exit code -9"
FAULTS = (
    Fault(name="kill -9 of the kernel", do=to_owner(signal.SIGKILL), servers=EVERY, ends="owner"),
    Fault(name="TERM of the kernel", do=to_owner(signal.SIGTERM), ends="owner"),
    Fault(name="hang-up of the kernel", do=to_owner(signal.SIGHUP), ends="owner"),
    Fault(name="restart (the kernel exits)", do=ordered("exit"), ends="owner"),
    Fault(name="cut connection to the owner", do=ordered("abort"), ends="owner"),
    Fault(name="interrupt", do=to_group(signal.SIGINT), ends="nothing"),
    Fault(
        name="Ctrl-C", do=to_group(signal.SIGINT), ends="owner",
        servers=("gunicorn", "scratch"), says=("Stopped",),
    ),
    Fault(name="Stop", do=ordered("stop"), servers=("gunicorn", "nginx-fpm"), says=("Stopped",)),
    Fault(name="closed tab, followed link", do=ordered("shut"), says=("Stopped",)),
    Fault(
        name="kill -9 of Locust", do=killing("Locust"), phases=STARTED,
        servers=("gunicorn", "node"), says=("load generator",),
    ),
    Fault(
        name="kill -9 of the supervisors", do=killing("supervisor"), phases=STARTED,
        servers=("gunicorn", "scratch"), says=(KILLED, "stopped listening", "ended first"),
    ),
    Fault(
        name="kill -9 of kernel and supervisors", do=both, phases=STARTED,
        servers=("gunicorn", "database"), ends="owner",
    ),
    Fault(
        name="kill -9 of the server's master", do=killing("master"), phases=STARTED,
        servers=EVERY, says=(KILLED,),
    ),
    Fault(
        name="kill -9 of one worker", do=killing("worker", False), phases=LATER,
        servers=("gunicorn", "threads", "nginx-fpm"), ends="nothing",
        says=("ended under way", "lost a process"),
    ),
    Fault(
        name="kill -9 of one worker that starts", do=killing("worker", False), phases=(STARTING,),
        servers=("gunicorn", "scratch"), ends="nothing",
    ),
    Fault(
        name="kill -9 of PostgreSQL", do=killing("PostgreSQL"), phases=STARTED,
        servers=("database",), says=(KILLED,),
    ),
    Fault(
        name="kill -9 of a burner", do=killing("burner"), phases=(CALIBRATING,), says=("calibr",),
    ),
    Fault(
        name="all stopped for 60 s", do=stop_all, phases=(CALIBRATING, MEASURING),
        says=("Stopped", "-9"),
    ),
    Fault(name="all stopped for 6 s", do=stop_briefly, ends="nothing"),
    Fault(name="runtime folder gone", do=no_runtime_folder, phases=STARTED, ends="nothing"),
    Fault(
        name="all stopped, the kernel killed", do=stop_all_and_kill, phases=STARTED,
        servers=("gunicorn", "scratch"), ends="owner",
    ),
    Fault(
        name="disk full", do=fill_disk, phases=(CALIBRATING, STARTING), ends="either",
        says=("the disk is full",),
    ),
    Fault(name="disk full once it runs", do=fill_disk, phases=LATER, ends="either"),
    Fault(
        name="descriptors exhausted", do=no_descriptors, ends="either",
        says=("as many files and connections open as it may",),
    ),
    Fault(
        name="ports exhausted", do=no_ports, phases=STARTED, ends="either",
        says=("no port was free", "no port is free"),
    ),
    Fault(
        name="processes exhausted", do=no_processes, phases=(CALIBRATING, STARTING), ends="either",
        says=("no further process or thread can be started",),
    ),
    Fault(name="processes exhausted once it runs", do=no_processes, phases=LATER, ends="either"),
)  # fmt: skip


def rows(faults: Sequence[Fault] = FAULTS) -> list[Row]:
    """Every fault at each of its phases on its first server, and on the others at one of them,
    by turns."""
    found = []
    for fault in faults:
        found += [Row(fault, phase, fault.servers[0]) for phase in fault.phases]
        for number, server in enumerate(fault.servers[1:]):
            found.append(Row(fault, fault.phases[(number + 1) % len(fault.phases)], server))
    return found


# ---- a trial -------------------------------------------------------------------------------------


def tried(row: Row, shared: Path) -> Found:
    """Inject that row's fault, and see what comes of it."""
    trial = Trial(row, shared)
    try:
        return _tried(trial)
    finally:
        trial.close()


def _tried(trial: Trial) -> Found:
    row = trial.row
    before = listening()
    if not trial.wait(lambda: trial.heard("phase", row.phase) or trial.heard("closed")):
        return Found(row=row, clean_s=0.0, wrong="the phase never came")
    if row.phase in LATER:
        trial.wait(lambda: trial.of("Locust") and trial.of("master"), SOON_S)
    trial.look()
    trial.ports = {port for port in listening() - before if port in _theirs(trial)}
    points, load = trial.points, os.getloadavg()[0]
    trial.since = time.monotonic()
    try:
        row.fault.do(trial)
    except ValueError as error:
        return Found(row=row, clean_s=0.0, wrong=f"could not be injected: {error}", load=load)
    ends = row.fault.ends
    over: Callable[[], Any] = {
        "owner": lambda: trial.process.poll() is not None,
        "run": lambda: trial.heard("ended"),
        "nothing": lambda: trial.heard("ended"),
        "either": lambda: trial.heard("ended"),
    }[ends]
    if not trial.wait(lambda: over() or (ends in ("nothing", "either") and trial.heard("closed"))):
        return Found(row=row, clean_s=LONGEST_S, wrong="it never ended", load=load)
    if ends in ("nothing", "either"):  # the run goes on to its end, or as far as it can
        trial.since = (
            max(each["at"] for each in trial.heard("ended")) if trial.heard("ended") else 0
        )
    if row.fault.do is both:
        trial.order("")
        subprocess.run([sys.executable, "-c", SWEEP], env={**os.environ, **_places(trial)})
    deadline = trial.since + 10.0
    while (left := trial.left()) and time.monotonic() < deadline:
        time.sleep(LOOK_S)
    clean_s = time.monotonic() - trial.since
    wrong = [f"left: {'; '.join(left[:4])}"] if left else []
    said = " ".join(str(each.get("said", "")) for each in trial.heard("said")).strip()
    wrong += complaints(trial, points, said)
    return Found(row=row, clean_s=clean_s, wrong=", ".join(wrong), said=said, load=load)


SWEEP = "from labs.host.process_tree import sweep; sweep()"


def _places(trial: Trial) -> dict[str, str]:
    return {"TMPDIR": str(trial.files), "XDG_RUNTIME_DIR": str(trial.runtime)}


def _theirs(trial: Trial) -> set[int]:
    found = set()
    for each in trial.alive():
        with contextlib.suppress(psutil.Error):
            found |= {c.laddr.port for c in each.net_connections("tcp") if c.status == "LISTEN"}
    return found


def complaints(trial: Trial, points: int, said: str) -> list[str]:
    """What was lost, and what was not said."""
    wrong, fault = [], trial.row.fault
    if fault.name == "Ctrl-C":
        kept = trial.home / "kept.json"
        if points and not kept.exists():
            wrong.append(f"{points} levels measured, none kept")
    elif fault.ends == "owner":  # a page keeps what it shows; the reader's bet is in a file
        kept = trial.progress
        if not (kept.exists() and b"predictions" in kept.read_bytes()):
            wrong.append("the bet was lost")
    elif trial.points < points or not trial.heard("ended"):
        wrong.append(f"{points} levels measured, {trial.points} kept")
    whole = trial.row.phase == ENDING and said  # it was over, and its verdict says the rest
    if fault.says and not whole and not any(word in said for word in fault.says):
        wrong.append(f"nothing said of it: {said[:90]!r}")
    if "Traceback" in said or "itself failed" in said:
        wrong.append(f"a fault of ours: {said[:160]!r}")
    return wrong


def table(found: Sequence[Found]) -> list[list[str]]:
    """A line for each row."""
    return [
        [
            each.row.fault.name,
            each.row.phase,
            each.row.server,
            f"{each.clean_s:.2f}",
            f"{each.load:.1f}",
            "" if not each.wrong and each.clean_s <= CLEAN_S else each.wrong or "slow",
        ]
        for each in found
    ]


def summary(found: Sequence[Found]) -> str:
    """Tried, survived, and the seconds to clean."""
    survived = [each for each in found if not each.wrong and each.clean_s <= CLEAN_S]
    times = [each.clean_s for each in survived] or [0.0]
    return (
        f"{len(found)} tried (goal: {GOAL} or more), {len(survived)} survived (goal: all); seconds "
        f"to clean {statistics.median(times):.2f} in the middle, {max(times):.2f} at most "
        f"(goal: {CLEAN_S:g})"
    )


def asked_for(names: Sequence[str], begin: int, end: int | None) -> Iterator[Row]:
    """The rows of these faults, or all."""
    for row in rows()[begin:end]:
        if not names or row.fault.name in names:
            yield row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="begin", type=int, default=0)
    parser.add_argument("--to", type=int, default=None)
    parser.add_argument("only", nargs="*", help="names of faults", metavar="FAULT")
    asked = parser.parse_args()
    found = []
    # What nohup and a shell's & made us ignore, our kernels would ignore too; a handler they don't.
    signal.signal(signal.SIGHUP, lambda *_: None)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="bench-cache-") as shared:
        for row in asked_for(asked.only, asked.begin, asked.to):
            one = tried(row, Path(shared))
            if one.wrong or one.clean_s > CLEAN_S:  # on a busy machine: once more before it counts
                print(f"once more: {row}: {one.clean_s:.2f} s, {one.wrong}", file=sys.stderr)
                one = tried(row, Path(shared))
            found.append(one)
            print(f"{row}: {one.clean_s:.2f} s {one.wrong} {one.said[:100]}", file=sys.stderr)
    print(columns([["fault", "phase", "server", "clean, s", "load", ""], *table(found)]))
    print(summary(found))
    return 0 if all(not each.wrong and each.clean_s <= CLEAN_S for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
