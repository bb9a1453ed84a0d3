"""Does the verdict name what really kept a level down?

    python -m bench.causes [--repeat N] [--say] [INJECTION ...]

Each cause is injected for real into a short sweep, or built into a server that is attached to as if
it were somebody's own, N times (five, unless said otherwise), and what the verdict then names is
counted: a confusion matrix. Ten seconds or so for each, half a minute for one that is attached to.
What cannot be injected here is listed with its reason. Runs in which equal burns differed, before
the load or from before it to after it, had a cause of their own, which nobody injected: the
machine's speed. They are in the matrix, and counted apart below it. Exits with 1 where a goal is
missed by the others.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from labs.analysis import causes
from labs.analysis.limit import used
from labs.analysis.schedule import VISITS
from labs.host.hardware import usable_cores
from labs.host.waiting import Stopped, wait_until
from labs.kinds.attach import verdict as attached
from labs.kinds.attach.run import AttachLab
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.report import columns
from labs.kinds.sweep.walk import sweep
from labs.measure.rig import Rig, Testbed, Unit
from labs.present.verdict import verdict
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.servers.catalogue import missing, row_of
from labs.servers.serve import Running, serve

CORES = len(usable_cores())
HALF = max(1, CORES // 2)
MANY = Load((CORES, 4 * CORES), seconds=1.0)
ENDLESS = [sys.executable, "-c", "while True: pass"]
GROUPS = Path("/sys/fs/cgroup")
OWN_SERVER = Path(__file__).parents[1] / "tests/own_server.py"
CALM = 0.1  # cores that others use
WITHIN_S = 60.0  # for a level to begin
STAND_S = 0.3  # that all workers stand still, to begin in step
SLOWER = 1.4  # times as long, where something takes longer than calibrated
# Our own, of which the kernel wakes one worker for a connection. gunicorn's all wake, and now and
# then two of them share a core while another idles: a cause that nobody injected.
OURS = Server("prefork", by="scratch", processes=4 * CORES)
# Hashed: an interpreter's loop may be some per cent faster or slower in the server than it was when
# burned, a cause that nobody injected either. Counted work has a row of its own.
CPU = Experiment(OURS, Workload(cpu_s=0.02, cpu_by="hashing"), MANY)
WAITS = Workload(wait_s=0.1)
LOOP = Server("event-loop", by="scratch")
# Checks that have another name than their cause, and names of what the same cause did.
HELD = {"starved": "listen queue", "left by others": "others", "beside others": "others"}
Inject = Callable[["Bench", Testbed], AbstractContextManager[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """Something done to a run, and the cause that is to be named."""

    cause: str  # "" for none
    experiment: Experiment
    inject: Inject | None = None  # for the time of the load
    before: Callable[[], AbstractContextManager[object]] | None = None  # from the beginning on
    lacking: Callable[[], str] = lambda: ""  # why it cannot be done here

    def tried(self) -> Tried:
        recording = Bench(self).run()
        told = {check.name for each in recording.points for check in each.checks}
        return Tried(
            named=named(recording),
            steady=told.isdisjoint({"noise", "core speed", "unsteady cores"}),
            said=" ".join(verdict(recording.model, recording.run)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A server of somebody's own, as far as the verdict knows, and the limit that it has."""

    cause: str  # "" for none that is reached
    start: Callable[[], AbstractContextManager[str]]  # gives its address
    users: tuple[int, ...] = ()
    lacking: Callable[[], str] = lambda: ""

    def tried(self) -> Tried:
        with self.start() as url:
            found = Rig().perform(AttachLab(url, users=self.users))
        judged = attached.verdict(found)
        return Tried(
            named="" if judged.limit == "unknown" else judged.limit,
            steady=all(each.others_cpu < CALM and each.fit for each in found.points),
            said=" ".join(judged.sentences),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What was named, whether the machine had one speed, as far as is told, and in what words."""

    named: str
    steady: bool
    said: str


class Bench(Rig):
    """One run, in which something is done."""

    def __init__(self, injection: Injection) -> None:
        super().__init__(self._see)
        self.injection = injection
        self.visits = 0  # that were counted

    def run(self) -> Recording:
        """The sweep, with what is done to it."""
        inject = self.injection.inject or (lambda bench, bed: contextlib.nullcontext())
        before = self.injection.before or contextlib.nullcontext
        with before():
            return self.perform(_Sweep(self.injection, lambda bed: inject(self, bed)))

    def serve(self, server: Server, **how: object) -> AbstractContextManager[Running]:
        return _one_asleep(super().serve(server, **how), self.injection.cause == "split")

    def _see(self, event: object) -> None:
        self.visits += bool(isinstance(event, Recording) and event.points)


@dataclass(frozen=True)
class _Sweep:
    """As a rig runs it."""

    injection: Injection
    beside: Callable[[Testbed], AbstractContextManager[object]]

    def seconds(self) -> float:
        return 10.0

    def check(self, machine: object) -> None:
        """Anything goes."""

    def run(self, rig: Rig) -> Recording:
        return sweep(rig, self.injection.experiment, beside=self.beside)


# -- what is done ----------------------------------------------------------------------------


@contextlib.contextmanager
def burners(number: int = HALF) -> Iterator[None]:
    """So many other programs that take all they can get."""
    burning = [subprocess.Popen(ENDLESS) for _ in range(number)]
    try:
        yield
    finally:
        for each in burning:
            each.kill()
            each.wait()


@contextlib.contextmanager
def later(bench: Bench, do: Callable[[contextlib.ExitStack], None]) -> Iterator[None]:
    """Do that as soon as the first level is counted; what it puts on the stack is undone."""
    with contextlib.ExitStack() as stack:

        def wait(over: threading.Event) -> None:
            if wait_until(lambda: bench.visits > 0, WITHIN_S, stop=over):
                do(stack)

        with beside(wait):
            yield


def neighbours_come(bench: Bench, bed: Testbed) -> AbstractContextManager[object]:
    """Other programs begin in the middle."""
    return later(bench, lambda stack: stack.enter_context(burners(CORES)))


def ties_down(bench: Bench, bed: Testbed) -> AbstractContextManager[object]:
    """The server's processes may only use one core any more."""

    def tie(_: contextlib.ExitStack) -> None:
        for pid in bed.running.pids():
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(pid, usable_cores()[:1])

    return later(bench, tie)


@contextlib.contextmanager
def keeps_apart(bench: Bench, bed: Testbed) -> Iterator[None]:
    """Each of the server's processes may only use one core, so that nobody evens the queues out."""
    pids = bed.running.serving_pids()
    for number, pid in enumerate(pids):
        os.sched_setaffinity(pid, [usable_cores()[number * CORES // len(pids)]])
    yield


def holds_back(bench: Bench, bed: Testbed) -> AbstractContextManager[object]:
    """A quota of half of the cores, for all that belongs to the lab."""

    def hold(stack: contextlib.ExitStack) -> None:
        home, group = stack.enter_context(_group())
        ours = [os.getpid(), *bed.running.pids(), *bed.driver.pids()]
        _move(group, ours)
        stack.callback(_move, home, ours)

    return later(bench, hold)


@contextlib.contextmanager
def _group() -> Iterator[tuple[Path, Path]]:
    """A control group above it and a new one with that quota: version 1 or 2."""
    v1 = (GROUPS / "cpu/cpu.cfs_quota_us").exists()
    home = GROUPS / "cpu" if v1 else GROUPS
    if not v1:
        (home / "cgroup.subtree_control").write_text("+cpu")
    group = home / f"wall-time-bench-{os.getpid()}"
    group.mkdir()
    try:
        quota = str(round(100_000 * CORES / 2))
        if v1:
            (group / "cpu.cfs_quota_us").write_text(quota)
        else:
            (group / "cpu.max").write_text(f"{quota} 100000")
        yield home, group
    finally:
        wait_until(lambda: not (group / "cgroup.procs").read_text().strip(), 5.0)
        group.rmdir()


def _move(group: Path, pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            (group / "cgroup.procs").write_text(str(pid))


def ours(server: Server, page: str, quota: bool = False) -> Callable[[], Any]:
    """One of our servers and that page of it, with half the cores as a quota or without."""

    @contextlib.contextmanager
    def start() -> Iterator[str]:
        with contextlib.ExitStack() as stack:
            running = stack.enter_context(
                serve(server, page="file" if server.by == "nginx" else "work")
            )
            if quota:
                home, group = stack.enter_context(_group())
                stack.callback(_move, home, [os.getpid(), *running.pids()])
                _move(group, running.pids())
            yield running.url + page

    return start


@contextlib.contextmanager
def faulty(fault: str) -> Iterator[str]:
    """A server with that fault, of `tests/own_server.py`."""
    command = [sys.executable, str(OWN_SERVER), fault]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/"
        finally:
            server.kill()


@contextlib.contextmanager
def _one_asleep(serving: AbstractContextManager[Running], yes: bool) -> Iterator[Running]:
    """Where yes: one of its processes stands still until the load begins, so that the others have
    the connections by then."""
    with serving as running:
        if yes:
            os.kill(running.serving_pids()[0], signal.SIGSTOP)
        yield running


def wakes(bench: Bench, bed: Testbed) -> AbstractContextManager[object]:
    """Who stood still while the connections of all users were made goes on."""

    def wake(over: threading.Event) -> None:
        most = bed.experiment.load.users[-1]
        wait_until(lambda: bed.sampler.users == most, WITHIN_S, stop=over)
        over.wait(STAND_S)
        for pid in bed.running.serving_pids():
            os.kill(pid, signal.SIGCONT)

    return beside(wake)


@contextlib.contextmanager
def beside(do: Callable[[threading.Event], None]) -> Iterator[None]:
    """Do that in a thread of its own; it is told when the load is over."""
    over = threading.Event()

    def to_the_end() -> None:
        with contextlib.suppress(Stopped):
            do(over)

    thread = threading.Thread(target=to_the_end)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def in_step(bench: Bench, bed: Testbed) -> AbstractContextManager[object]:
    """All workers stand still for a moment before each visit to a level is measured: when they go
    on, all waits are over."""

    def stop_and_go(over: threading.Event) -> None:
        wait_until(lambda: bed.sampler.users > 0, WITHIN_S, stop=over)
        for visit in range(VISITS * len(bed.experiment.load.users)):
            wait_until(lambda visit=visit: bench.visits >= visit, WITHIN_S, stop=over)  # type: ignore[misc]
            over.wait(bed.experiment.workload.wait_s)
            pids = bed.running.serving_pids()
            for number in (signal.SIGSTOP, signal.SIGCONT):
                for pid in pids:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, number)
                if number == signal.SIGSTOP:
                    over.wait(STAND_S)

    return beside(stop_and_go)


def asks(**other: object) -> Inject:
    """Requests that need something else than was ordered."""

    @contextlib.contextmanager
    def inject(bench: Bench, bed: Testbed) -> Iterator[None]:
        workload = replace(bed.experiment.workload, **other)  # type: ignore[arg-type]
        speed = bench.calibrate(Unit(workload.cpu_by)).loops_per_s[0]
        as_burned = workload.cpu_s * speed / bed.calibration.loops_per_s[0]
        workload = replace(workload, cpu_s=as_burned)
        bed.experiment = replace(bed.experiment, workload=workload)
        yield

    return inject


@contextlib.contextmanager
def slow_script(bench: Bench, bed: Testbed) -> Iterator[None]:
    """The users' own script computes over each answer."""
    bed.experiment = replace(bed.experiment, load=replace(bed.experiment.load, script_s=0.02))
    yield


@contextlib.contextmanager
def own_work(bench: Bench, bed: Testbed) -> Iterator[None]:
    """This process computes beside the load, as a page's kernel might."""

    def hash_on(over: threading.Event) -> None:
        while not over.is_set():
            hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000)  # lets go of the interpreter's lock

    with contextlib.ExitStack() as stack:
        for _ in range(HALF):
            stack.enter_context(beside(hash_on))
        yield


def one_core() -> str:
    """Why that takes more than one core, if there is only one."""
    return "it takes two cores" if CORES < 2 else ""


def no_root() -> str:
    """Why no control group can be made here, if none can."""
    return "only root on Linux can make a control group" if not os.access(GROUPS, os.W_OK) else ""


WITH_A_QUEUE = Load((4, 16 * CORES), seconds=1.0, keep_alive=False)
INJECTIONS = {
    "nothing": Injection(cause="", experiment=CPU),
    "nothing, counted": Injection(cause="", experiment=replace(CPU, workload=Workload(cpu_s=0.02))),
    "nothing, waits": Injection(
        cause="", experiment=Experiment(Server("event-loop"), WAITS, Load((4, 16)))
    ),
    "other programs": Injection(cause="others", experiment=CPU, before=burners),
    "other programs later": Injection(cause="others", experiment=CPU, inject=neighbours_come),
    "affinity": Injection(cause="affinity", experiment=CPU, inject=ties_down, lacking=one_core),
    "quota": Injection(cause="throttled", experiment=CPU, inject=holds_back, lacking=no_root),
    "uneven split": Injection(
        cause="split",
        experiment=Experiment(Server("threaded", processes=2, threads=4), WAITS, Load((4, 8))),
        inject=wakes,
    ),
    "a queue for each core": Injection(
        cause="run queues",
        experiment=Experiment(  # whose workers all wake, and the first to run has the request
            Server("prefork", processes=4 * CORES),
            Workload(cpu_s=0.02, cpu_by="hashing"),
            Load((CORES,)),
        ),
        inject=keeps_apart,
        lacking=one_core,
    ),
    "users in step": Injection(
        cause="in step",
        experiment=Experiment(
            Server("prefork", processes=10 * CORES),
            Workload(cpu_s=0.02, wait_s=0.18, wait_cv=0.0, cpu_by="hashing"),
            # Of more users the forecast expects it; and few of its beats are known badly.
            Load((4 * CORES,), seconds=4.0),
        ),
        inject=in_step,
    ),
    "full generator": Injection(
        cause="load generator",
        experiment=Experiment(Server("event-loop"), Workload(wait_s=0.02), Load((2, 16))),
        inject=slow_script,
    ),
    "short listen queue": Injection(
        cause="listen queue",
        experiment=Experiment(Server("prefork", processes=4, backlog=2), WAITS, WITH_A_QUEUE),
    ),
    "slow backend": Injection(
        cause="backend",
        experiment=Experiment(
            Server("prefork", processes=16), replace(WAITS, wait_by="backend"), Load((4, 16))
        ),
        inject=asks(wait_s=SLOWER * 0.1),
    ),
    "blocked loop": Injection(
        cause="blocking",
        experiment=Experiment(
            Server("event-loop"), Workload(wait_s=0.05), Load((1, 8), seconds=2.0)
        ),
        inject=asks(wait_by="blocking"),
    ),
    "interpreter lock": Injection(
        cause="interpreter lock",
        experiment=Experiment(
            Server("threaded", threads=4 * CORES), Workload(cpu_s=0.03, cpu_by="hashing"), MANY
        ),
        inject=asks(cpu_by="counting"),
        lacking=one_core,
    ),
    "the lab's page": Injection(cause="page", experiment=CPU, inject=own_work),
    "another speed": Injection(cause="speed", experiment=CPU, inject=asks(cpu_s=SLOWER * 0.02)),
}


SLEEPS, COUNTS = "/?loops=0&wait=0.1", "/?loops=120000&wait=0"
ATTACHMENTS = {
    "nothing is full, attached": Attachment(
        cause="", start=ours(Server("event-loop"), SLEEPS), users=(1, 2, 4)
    ),
    "one loop's core, attached": Attachment(cause="cores", start=ours(LOOP, COUNTS)),
    "all cores, attached": Attachment(cause="cores", start=ours(OURS, COUNTS)),
    "a pool of three, attached": Attachment(
        cause="pool", start=ours(Server("prefork", processes=3), SLEEPS)
    ),
    "a pool of twelve, attached": Attachment(
        cause="pool", start=ours(Server("threaded", threads=12), SLEEPS)
    ),
    "one at a time, attached": Attachment(
        cause="one at a time", start=ours(Server("prefork", processes=1), SLEEPS)
    ),
    "quota, attached": Attachment(
        cause="quota", start=ours(OURS, COUNTS, quota=True), lacking=no_root
    ),
    "full generator, attached": Attachment(
        cause="load generator",
        start=ours(Server("event-loop", by="nginx", processes=2), "/file"),
        lacking=lambda: missing(row_of(Server("event-loop", by="nginx")), "file") or "",
    ),
    "timer, attached": Attachment(
        cause="timer", start=ours(Server("event-loop"), "/?loops=0&wait=1"), users=(1, 4, 16, 64)
    ),
    "errors, attached": Attachment(
        cause="errors", start=lambda: faulty("full"), users=(1, 2, 4, 16, 32)
    ),
    "listen queue, attached": Attachment(
        cause="listen queue", start=lambda: faulty("knocking"), users=(4, 32, 128)
    ),
}


# -- what is named ---------------------------------------------------------------------------


def named(recording: Recording) -> str:
    """The cause that the verdict names: of points that cannot be believed, what went on around
    them, else what explains the largest miss, else who had the cores (others who were there from
    the beginning are in the forecast, which then has no miss); "" for none."""
    run = recording.run
    for point in run.points:
        for check in point.checks:
            name = HELD.get(check.name, check.name)
            if check.unfit and name in CAUSES:
                return name
    looked_at = causes.looked_at(run)
    found = looked_at and causes.cause(recording.model, run, looked_at)
    if found:
        return HELD.get(found.name, found.name)
    return "others" * _others_had_cores(recording)


def _others_had_cores(recording: Recording) -> bool:
    """As the verdict says it of the last level: the cores were to be its limit, and were not."""
    run, cores, point = recording.run, recording.machine.cores, recording.points[-1]
    part = used(recording.model, run, point) or 0.0
    limited = run.forecast.at(point.users).limit == "cpu" and part < causes.FULL
    return limited and point.others_cpu > (1 - causes.FULL) * cores


ROWS: dict[str, Injection | Attachment] = {**INJECTIONS, **ATTACHMENTS}
Counts = dict[str, Counter[str]]  # by the injection: how often each cause was named
CAUSES = {each.cause for each in INJECTIONS.values() if each.cause}
GOAL, MOST_WRONG = 0.9, 2  # of what was injected; wrong causes, in all


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--say", action="store_true", help="print each verdict, too")
    parser.add_argument("only", nargs="*", help="parts of the names of injections")
    asked = parser.parse_args()
    counts: Counts = {}
    calm: Counts = {}
    for name, injection in ROWS.items():
        if asked.only and not any(part in name for part in asked.only):
            continue
        if why := injection.lacking():
            print(f"{name}: not here, {why}.")
            continue
        counts[name], calm[name] = Counter(), Counter()
        for _ in range(asked.repeat):
            found = injection.tried()
            counts[name][found.named] += 1
            calm[name][found.named] += found.steady
            if asked.say:
                print(f"{name}: {found.said}", flush=True)
        print(f"{name}: {dict(counts[name])}", flush=True)
    print(matrix(counts))
    print(said("all runs", counts))
    print(said("where equal burns agreed", calm))
    right, wrong, total = score(calm)
    return 0 if right >= GOAL * total and wrong <= MOST_WRONG else 1


def matrix(counts: Counts) -> str:
    """What was injected in rows, what was named in columns."""
    seen = sorted({cause for count in counts.values() for cause in count})
    rows = [["injected", *(cause or "nothing" for cause in seen), ""]]
    rows += [
        [name, *(str(count[cause] or "-") for cause in seen), ""] for name, count in counts.items()
    ]
    return f"\n{columns(rows)}\n"


def score(counts: Counts) -> tuple[int, int, int]:
    """How many were right, how many wrong causes were named, and how many there are."""
    right = sum(count[ROWS[name].cause] for name, count in counts.items())
    named = sum(count.total() - count[""] for count in counts.values())
    true = sum(count[cause] for name, count in counts.items() if (cause := ROWS[name].cause))
    return right, named - true, sum(count.total() for count in counts.values())


def said(title: str, counts: Counts) -> str:
    """That in a line."""
    right, wrong, total = score(counts)
    share = f", {right / total:.0%}" if total else ""
    return f"{title}: {right} of {total} right{share}; {wrong} wrong causes named."


if __name__ == "__main__":
    sys.exit(main())
