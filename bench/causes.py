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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from labs.analysis import causes
from labs.analysis.limit import used
from labs.analysis.schedule import VISITS
from labs.host import cgroup
from labs.host.hardware import MACHINE, usable_cores
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
Block = AbstractContextManager[object]


@dataclass(frozen=True, slots=True)
class Injection:
    """Something done to a run, and the cause that is to be named. A lab, as a rig runs it."""

    cause: str  # "" for none
    experiment: Experiment
    inject: Callable[[Rig, Testbed], Block] = lambda rig, bed: contextlib.nullcontext()  # to a load
    before: Callable[[], Block] = contextlib.nullcontext  # from the beginning on
    rig: type[Rig] = Rig
    lacking: Callable[[], str] = lambda: ""  # why it cannot be done here

    def tried(self) -> Tried:
        recording = self.injected()
        told = {check.name for each in recording.points for check in each.checks}
        return Tried(
            cause=self.cause,
            named=named(recording),
            steady=told.isdisjoint({"noise", "core speed", "unsteady cores"}),
            said=" ".join(verdict(recording.model, recording.run)),
        )

    def injected(self) -> Recording:
        """Run the lab once, with the injection done."""
        with self.before():
            return self.rig().perform(self)

    def seconds(self) -> float:
        return 10.0

    def check(self, machine: object) -> None:
        """Let anything be measured here."""

    def run(self, rig: Rig) -> Recording:
        return sweep(rig, self.experiment, beside=lambda bed: self.inject(rig, bed))


@dataclass(frozen=True, slots=True)
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
            cause=self.cause,
            named="" if judged.limit == "unknown" else judged.limit,
            steady=all(each.others_cpu < CALM and each.fit for each in found.points),
            said=" ".join(judged.sentences),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """Result of one run: what it was said to come from."""

    cause: str  # that was injected
    named: str
    steady: bool  # whether the machine had one speed, as far as is told
    said: str  # in what words it was named


# -- what is done ----------------------------------------------------------------------------


@contextlib.contextmanager
def burners(number: int = HALF) -> Iterator[None]:
    """Run so many other programs that take all they can get."""
    endless = [sys.executable, "-c", "while True: pass"]
    burning = [subprocess.Popen(endless) for _ in range(number)]
    try:
        yield
    finally:
        for each in burning:
            each.kill()
            each.wait()


@contextlib.contextmanager
def beside(do: Callable[[threading.Event], object]) -> Iterator[None]:
    """Do something in a thread of its own; it is told when the load is over."""
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


def visits(rig: Rig) -> int:
    """Count the visits to levels so far."""
    return sum(len(point.visits) for point in rig.found.points) if rig.found else 0


@contextlib.contextmanager
def later(rig: Rig, block: Block) -> Iterator[None]:
    """Begin a block as soon as the first level is counted; it ends with the load."""

    def begin(over: threading.Event) -> None:
        if wait_until(lambda: visits(rig) > 0, WITHIN_S, stop=over):
            stack.enter_context(block)

    with contextlib.ExitStack() as stack, beside(begin):
        yield


@contextlib.contextmanager
def tied_down(bed: Testbed) -> Iterator[None]:
    """Let the server's processes use only one core any more."""
    for pid in bed.running.pids():
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(pid, usable_cores()[:1])
    yield


@contextlib.contextmanager
def kept_apart(bed: Testbed) -> Iterator[None]:
    """Let each of the server's processes use one core only: nobody evens the queues out."""
    pids = bed.running.serving_pids()
    for number, pid in enumerate(pids):
        os.sched_setaffinity(pid, [usable_cores()[number * CORES // len(pids)]])
    yield


@contextlib.contextmanager
def held_back(bed: Testbed) -> Iterator[None]:
    """Put a quota of half of the cores on all that belongs to the lab."""
    ours = [os.getpid(), *bed.running.pids(), *bed.driver.pids()]

    def move(group: Path) -> None:
        for pid in ours:
            with contextlib.suppress(OSError):  # it has ended
                (group / "cgroup.procs").write_text(str(pid))

    with cgroup.with_quota(MACHINE, CORES / 2) as group:
        assert group is not None
        cgroup.hold(group, CORES / 2)
        move(group)
        try:
            yield
        finally:
            move(group.parent)
            wait_until(lambda: not cgroup.read(group / "cgroup.procs"), 5.0)


class OneAsleep(Rig):
    """Rig in which one of the server's processes stands still until the load begins, so that the
    others have the connections by then."""

    @contextlib.contextmanager
    def serve(self, server: Server, **how: object) -> Iterator[Running]:
        with super().serve(server, **how) as running:
            os.kill(running.serving_pids()[0], signal.SIGSTOP)
            yield running


def signalled(bed: Testbed, number: signal.Signals) -> None:
    """Send a signal to all who serve."""
    for pid in bed.running.serving_pids():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def wakes(rig: Rig, bed: Testbed) -> Block:
    """Let go on who stood still while the connections of all users were made."""

    def wake(over: threading.Event) -> None:
        most = bed.experiment.load.users[-1]
        wait_until(lambda: bed.sampler.users == most, WITHIN_S, stop=over)
        over.wait(STAND_S)
        signalled(bed, signal.SIGCONT)

    return beside(wake)


def in_step(rig: Rig, bed: Testbed) -> Block:
    """Let all workers stand still for a moment before each visit to a level is measured: when they
    go on, all waits are over."""

    def stop_and_go(over: threading.Event) -> None:
        wait_until(lambda: bed.sampler.users > 0, WITHIN_S, stop=over)
        for visit in range(VISITS * len(bed.experiment.load.users)):
            wait_until(lambda visit=visit: visits(rig) >= visit, WITHIN_S, stop=over)  # type: ignore[misc]
            over.wait(bed.experiment.workload.wait_s)
            signalled(bed, signal.SIGSTOP)
            over.wait(STAND_S)
            signalled(bed, signal.SIGCONT)

    return beside(stop_and_go)


def asks(**other: object) -> Callable[[Rig, Testbed], Block]:
    """Let requests need something else than was ordered."""

    @contextlib.contextmanager
    def inject(rig: Rig, bed: Testbed) -> Iterator[None]:
        workload = replace(bed.experiment.workload, **other)  # type: ignore[arg-type]
        speed = rig.calibrate(Unit(workload.cpu_by)).loops_per_s[0]
        as_burned = replace(workload, cpu_s=workload.cpu_s * speed / bed.calibration.loops_per_s[0])
        bed.experiment = replace(bed.experiment, workload=as_burned)
        yield

    return inject


@contextlib.contextmanager
def slow_script(rig: Rig, bed: Testbed) -> Iterator[None]:
    """Let the users' own script compute over each answer."""
    bed.experiment = replace(bed.experiment, load=replace(bed.experiment.load, script_s=0.02))
    yield


@contextlib.contextmanager
def own_work(rig: Rig, bed: Testbed) -> Iterator[None]:
    """Let this process compute beside the load, as a page's kernel might."""

    def hash_on(over: threading.Event) -> None:
        while not over.is_set():
            hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000)  # lets go of the interpreter's lock

    with contextlib.ExitStack() as stack:
        for _ in range(HALF):
            stack.enter_context(beside(hash_on))
        yield


def ours(server: Server, page: str) -> Callable[[], AbstractContextManager[str]]:
    """Start one of our servers, held to its quota if it has one, for that page of it."""

    @contextlib.contextmanager
    def start() -> Iterator[str]:
        with serve(server, page="file" if server.by == "nginx" else "work") as running:
            running.hold()
            yield running.url + page

    return start


@contextlib.contextmanager
def faulty(fault: str) -> Iterator[str]:
    """Start a server with a fault, of `tests/own_server.py`."""
    command = [sys.executable, str(OWN_SERVER), fault]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/"
        finally:
            server.kill()


def one_core() -> str:
    """Say why something takes more than one core, if there is only one."""
    return "it takes two cores" if CORES < 2 else ""


def no_root() -> str:
    """Say why no control group can be made here, if none can."""
    may = os.access("/sys/fs/cgroup", os.W_OK)
    return "" if may else "only root on Linux can make a control group"


INJECTIONS = {
    "nothing": Injection("", CPU),
    "nothing, counted": Injection("", replace(CPU, workload=Workload(cpu_s=0.02))),
    "nothing, waits": Injection("", Experiment(Server("event-loop"), WAITS, Load((4, 16)))),
    "other programs": Injection("others", CPU, before=burners),
    "other programs later": Injection("others", CPU, lambda rig, _: later(rig, burners(CORES))),
    "affinity": Injection(
        "affinity", CPU, lambda rig, bed: later(rig, tied_down(bed)), lacking=one_core
    ),
    "quota": Injection(
        "throttled", CPU, lambda rig, bed: later(rig, held_back(bed)), lacking=no_root
    ),
    "uneven split": Injection(
        "split",
        Experiment(Server("threaded", processes=2, threads=4), WAITS, Load((4, 8))),
        wakes,
        rig=OneAsleep,
    ),
    "a queue for each core": Injection(
        "run queues",
        # Whose workers all wake, and the first to run has the request.
        replace(CPU, server=Server("prefork", processes=4 * CORES), load=Load((CORES,))),
        lambda _, bed: kept_apart(bed),
        lacking=one_core,
    ),
    "users in step": Injection(
        "in step",
        Experiment(
            Server("prefork", processes=10 * CORES),
            Workload(cpu_s=0.02, wait_s=0.18, wait_cv=0.0, cpu_by="hashing"),
            # Of more users the forecast expects it; and few of its beats are known badly.
            Load((4 * CORES,), seconds=4.0),
        ),
        in_step,
    ),
    "full generator": Injection(
        "load generator",
        Experiment(Server("event-loop"), Workload(wait_s=0.02), Load((2, 16))),
        slow_script,
    ),
    "short listen queue": Injection(
        "listen queue",
        Experiment(
            Server("prefork", processes=4, backlog=2),
            WAITS,
            Load((4, 16 * CORES), seconds=1.0, keep_alive=False),
        ),
    ),
    "slow backend": Injection(
        "backend",
        Experiment(
            Server("prefork", processes=16), replace(WAITS, wait_by="backend"), Load((4, 16))
        ),
        asks(wait_s=SLOWER * 0.1),
    ),
    "blocked loop": Injection(
        "blocking",
        Experiment(Server("event-loop"), Workload(wait_s=0.05), Load((1, 8), seconds=2.0)),
        asks(wait_by="blocking"),
    ),
    "interpreter lock": Injection(
        "interpreter lock",
        Experiment(
            Server("threaded", threads=4 * CORES), Workload(cpu_s=0.03, cpu_by="hashing"), MANY
        ),
        asks(cpu_by="counting"),
        lacking=one_core,
    ),
    "the lab's page": Injection("page", CPU, own_work),
    "another speed": Injection("demand", CPU, asks(cpu_s=SLOWER * 0.02)),
}

SLEEPS, COUNTS = "/?loops=0&wait=0.1", "/?loops=120000&wait=0"
ATTACHMENTS = {
    "nothing is full, attached": Attachment("", ours(Server("event-loop"), SLEEPS), (1, 2, 4)),
    "one loop's core, attached": Attachment("cores", ours(LOOP, COUNTS)),
    "all cores, attached": Attachment("cores", ours(OURS, COUNTS)),
    "a pool of three, attached": Attachment("pool", ours(Server("prefork", processes=3), SLEEPS)),
    "a pool of twelve, attached": Attachment("pool", ours(Server("threaded", threads=12), SLEEPS)),
    "one at a time, attached": Attachment(
        "one at a time", ours(Server("prefork", processes=1), SLEEPS)
    ),
    "quota, attached": Attachment(
        "quota", ours(replace(OURS, quota=CORES / 2), COUNTS), lacking=no_root
    ),
    "full generator, attached": Attachment(
        "load generator",
        ours(Server("event-loop", by="nginx", processes=2), "/file"),
        lacking=lambda: missing(row_of(Server("event-loop", by="nginx")), "file") or "",
    ),
    "timer, attached": Attachment(
        "timer", ours(Server("event-loop"), "/?loops=0&wait=1"), (1, 4, 16, 64)
    ),
    "errors, attached": Attachment("errors", lambda: faulty("full"), (1, 2, 4, 16, 32)),
    "listen queue, attached": Attachment("listen queue", lambda: faulty("knocking"), (4, 32, 128)),
}


# -- what is named ---------------------------------------------------------------------------


def named(recording: Recording) -> str:
    """Name the cause that the verdict names: of points that cannot be believed, what went on around
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
    """Whether the cores were to be the last level's limit and were not, as the verdict says."""
    run, cores, point = recording.run, recording.machine.cores, recording.points[-1]
    part = used(recording.model, run, point) or 0.0
    limited = run.forecast.at(point.users).limit == "cpu" and part < causes.FULL
    return limited and point.others_cpu > (1 - causes.FULL) * cores


ROWS: dict[str, Injection | Attachment] = {**INJECTIONS, **ATTACHMENTS}
CAUSES = {each.cause for each in INJECTIONS.values() if each.cause}
GOAL, MOST_WRONG = 0.9, 2  # of what was injected; wrong causes, in all


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--say", action="store_true", help="print each verdict, too")
    parser.add_argument("only", nargs="*", help="parts of the names of injections")
    asked = parser.parse_args()
    runs: dict[str, list[Tried]] = {}
    for name, row in ROWS.items():
        if asked.only and not any(part in name for part in asked.only):
            continue
        if why := row.lacking():
            print(f"{name}: not here, {why}.")
            continue
        runs[name] = []
        for _ in range(asked.repeat):
            runs[name].append(row.tried())
            if asked.say:
                print(f"{name}: {runs[name][-1].said}", flush=True)
        print(f"{name}: {dict(Counter(each.named for each in runs[name]))}", flush=True)
    every = [each for tried in runs.values() for each in tried]
    calm = [each for each in every if each.steady]
    print(matrix(runs))
    print(said("all runs", every))
    print(said("where equal burns agreed", calm))
    right, wrong = score(calm)
    return 0 if right >= GOAL * len(calm) and wrong <= MOST_WRONG else 1


def matrix(runs: Mapping[str, Sequence[Tried]]) -> str:
    """Put what was injected in rows, what was named in columns."""
    counts = {name: Counter(each.named for each in tried) for name, tried in runs.items()}
    seen = sorted({cause for count in counts.values() for cause in count})
    rows = [["injected", *(cause or "nothing" for cause in seen), ""]]
    rows += [
        [name, *(str(count[cause] or "-") for cause in seen), ""] for name, count in counts.items()
    ]
    return f"\n{columns(rows)}\n"


def score(runs: Sequence[Tried]) -> tuple[int, int]:
    """Count the runs that were right, and the wrong causes that were named."""
    right = sum(each.named == each.cause for each in runs)
    return right, sum(each.named not in ("", each.cause) for each in runs)


def said(title: str, runs: Sequence[Tried]) -> str:
    """Say the score of some runs in a line."""
    right, wrong = score(runs)
    share = f", {right / len(runs):.0%}" if runs else ""
    return f"{title}: {right} of {len(runs)} right{share}; {wrong} wrong causes named."


if __name__ == "__main__":
    sys.exit(main())
