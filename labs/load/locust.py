"""drive(): Locust in processes of its own, all levels, raw times.

Importing Locust would patch our process. A Locust process uses one core at most; when that is full,
what it measures is itself, and several of them ask for more. They share the users as if they were
one: each has every nth user, and its records are given the users' own numbers. What is said to
them and what comes back is in workloads/protocol.py.
"""

import contextlib
import json
import os
import site
import sys
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from io import FileIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import workloads
from labs.host.folders import own_folder
from labs.host.supervisor import Supervised, supervise
from labs.host.waiting import Stopped, wait_until
from labs.load.workers import Workers
from labs.records.errors import Failed
from labs.records.experiment import Load, Workload
from labs.records.requests import RECORD, Report
from workloads import protocol
from workloads.protocol import IN_FLIGHT, MARK, READY

USERS_FILE = Path(workloads.__file__).with_name("users.py")
SCENARIO_FILE = USERS_FILE.parent / "scenario" / "ours.py"
START_WITHIN_S = 30.0
COME_WITHIN_S = 900.0  # workers that a reader starts by hand
LOOPBACK = "http://127.0.0.1"
REPORT_WITHIN_S = 5.0
DISMISSED_S = 5.0
LAST_LINES = 12


def asked(workload: Workload, loops_per_s: float, url: str = "") -> protocol.Work:
    """Tell what each request asks a server for. `loops_per_s` is of `workload.cpu_by`."""
    usual = Workload()
    return protocol.Work(
        url=url,
        page="/file" if workload.page == "file" else "",
        how="".join(
            f"&{name}={getattr(workload, name)}"
            for name in ("cpu_by", "wait_by")
            if getattr(workload, name) != getattr(usual, name)
        ),
        loops=workload.cpu_s * loops_per_s,
        wait_s=workload.wait_s,
        cpu_cv=workload.cpu_cv,
        wait_cv=workload.wait_cv,
    )


def address(url: str, workload: Workload, loops_per_s: float) -> str:
    """Address of the request for exactly that work; see `asked`."""
    work = asked(workload, loops_per_s, url)
    return work.address(work.loops, work.wait_s)


class LoadFailed(Failed):
    """The load generator did not start or died. Shows its last lines."""


class Refused(LoadFailed):
    """A reader's own users can't be put before the server, or not any longer; says why."""


@dataclass(eq=False)
class Locust:
    """One Locust process that asks, and the pipes to it: here, or a worker somewhere whose master
    passes on what goes through them."""

    process: Supervised
    control: int
    log: Path
    worker: str = ""  # which of how many
    buffer: bytearray = field(default_factory=bytearray)
    arrived: threading.Condition = field(default_factory=threading.Condition)
    reports: int = 0
    open: bool = True  # whether anything may still come
    marked: tuple[float, float] = (0.0, 0.0)  # when it was last, and its CPU seconds until then
    busy: float = 0.0  # cores that it used between its last two marks

    def records(self, since: int = 0) -> NDArray[np.void]:
        """Records that arrived so far, from number `since` on, in order of arrival."""
        with self.arrived:
            whole = len(self.buffer) // RECORD.itemsize * RECORD.itemsize
            data = bytes(self.buffer[since * RECORD.itemsize : whole])
        return np.frombuffer(data, dtype=RECORD)

    def mark(self) -> tuple[dict[int, float], float]:
        """Have everything sent that has ended; return the requests in flight, and when it was."""
        self.reports += 1
        since = len(self.buffer) // RECORD.itemsize
        self.order(report=self.reports)
        number = self.wait_for(MARK, self.reports, REPORT_WITHIN_S, since)
        fresh = self.records(since)[: number + 1]
        flying = fresh[fresh["kind"] == IN_FLIGHT]
        users, starts = flying["user"].tolist(), flying["start"].tolist()
        at, used_s = float(fresh["end"][number]), float(fresh["service_cpu"][number])
        self.busy = (used_s - self.marked[1]) / (at - self.marked[0])
        self.marked = at, used_s
        return dict(zip(users, starts, strict=True)), at

    def check(self) -> None:
        """Raise LoadFailed if the process is gone."""
        if (code := self.process.poll()) is not None:
            if code == protocol.REFUSED:
                raise Refused(self.last_lines().splitlines()[-1])
            raise self._failed(f"ended with {self.process.ending(code)}.")
        if self.worker and not self.open:
            raise LoadFailed(
                f"{self.worker} is gone, or the network to it, and its users ask no more. The "
                "level in which it went is not counted. Start it again, and all of the run."
            )

    def order(self, **what: object) -> None:
        """Tell the process something, see workloads/protocol.py."""
        try:
            os.write(self.control, json.dumps(what).encode() + b"\n")
        except BrokenPipeError:
            self.check()
            raise self._failed("stopped listening.") from None

    def wait_for(
        self,
        kind: int,
        number: int,
        within_s: float,
        since: int = 0,
        stop: threading.Event | None = None,
    ) -> int:
        """Wait for the record of a kind and number; return its place, counted from `since`."""
        deadline = time.monotonic() + within_s
        while True:
            fresh = self.records(since)
            found = np.flatnonzero((fresh["kind"] == kind) & (fresh["user"] == number))
            if found.size:
                return int(found[0])
            if stop is not None and stop.is_set():
                raise Stopped
            self.check()
            if time.monotonic() > deadline:
                raise self._failed(
                    f"did not answer within {within_s:g} s. Is the machine very busy?"
                )
            with self.arrived:
                self.arrived.wait(0.02)

    def receive(self, results: FileIO) -> None:
        """Take what comes back, as long as there is somebody to send it."""
        with results:
            while data := results.read(1 << 16):
                with self.arrived:
                    self.buffer += data
                    self.arrived.notify_all()
        self.open = False

    def last_lines(self) -> str:
        """Read the last lines that this Locust said."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-LAST_LINES:])

    def _failed(self, what: str) -> LoadFailed:
        return LoadFailed(f"The load generator {what} Its last lines:\n{self.last_lines()}")


class Driver:
    """A load generator, its gate still closed: one Locust or several. Times are on
    `time.perf_counter`."""

    def __init__(self, locusts: Sequence[Locust]) -> None:
        self.locusts = locusts
        self.url = ""  # of the server; see `aim`
        self._merged = bytearray()
        self._taken = [0] * len(locusts)  # records merged, of each
        self._merging = threading.Lock()

    def pids(self) -> list[int]:
        """List the live processes on this machine."""
        return list({pid for locust in self.locusts for pid in locust.process.pids()})

    @property
    def elsewhere(self) -> bool:
        """Whether workers ask, of which a monitor sees only the master."""
        return bool(self.locusts[0].worker)

    def busiest(self) -> float:
        """Cores that the busiest process used between the last two reports."""
        return max(locust.busy for locust in self.locusts)

    def aim(self, url: str, stop: threading.Event | None = None, *, allowed: str = "") -> None:
        """Wait until its users are there, to ask that server from now on: of this machine, or the
        one `allowed` origin that its owner named. LoadFailed with Locust's last lines, or Stopped.
        """
        if not allowed or url != allowed:
            check_loopback(url)
        for locust in self.locusts:
            locust.wait_for(READY, 0, COME_WITHIN_S if locust.worker else START_WITHIN_S, stop=stop)
        self.url = url

    def dismiss(self) -> None:
        """Have the test ended as Locust ends one, so that its users can clear up after
        themselves, as long as that takes no longer than it may."""
        with contextlib.suppress(LoadFailed):
            for locust in self.locusts:
                locust.order(end=True)
        wait_until(
            lambda: all(each.process.poll() is not None for each in self.locusts), DISMISSED_S
        )

    def end(self) -> None:
        """End the load now, and not only when its block does."""
        for locust in self.locusts:
            locust.process.kill()

    def check(self) -> None:
        """Raise LoadFailed if one of the processes is gone."""
        for locust in self.locusts:
            locust.check()

    def last_lines(self) -> str:
        """Read the last lines that all Locusts said."""
        return "\n".join(locust.last_lines() for locust in self.locusts)

    def ask_for(
        self,
        workload: Workload,
        loops_per_s: float,
        think_time_s: float = 0.0,
        script: float = 0.0,
        seed: int = 0,
    ) -> None:
        """Set what every request asks for from now on. `loops_per_s` is of `workload.cpu_by`,
        `script` the loops that a user counts over each answer; the same seed draws the same sizes
        again."""
        work = asked(workload, loops_per_s, self.url)
        work, number = replace(work, think_time_s=think_time_s, script=script), len(self.locusts)
        for place, locust in enumerate(self.locusts):
            locust.order(work=asdict(replace(work, seed=seed * number + place)))

    def ask_page(self, page: str, headers: Mapping[str, str], think_time_s: float) -> None:
        """Have every request ask for that path from now on, with those headers beside the usual."""
        work = protocol.Work(
            url=self.url, page=page, headers=dict(headers), think_time_s=think_time_s
        )
        for locust in self.locusts:
            locust.order(work=asdict(work))

    def open(self, users: int, over_s: float) -> None:
        """Let exactly `users` ask; new ones start spread over `over_s` seconds."""
        number = len(self.locusts)
        for place, locust in enumerate(self.locusts):
            locust.order(users=(users - place + number - 1) // number, over_s=over_s)

    def let_come(self, rate: float, seed: int) -> None:
        """Let users come by themselves, `rate` a second on average at the times of a Poisson
        process. Each asks once and leaves. An arrival that found no user at hand is MISSED."""
        number = len(self.locusts)
        for place, locust in enumerate(self.locusts):
            locust.order(rate=rate / number, seed=seed * number + place)

    def records(self, since: int = 0) -> NDArray[np.void]:
        """Records that arrived so far, from number `since` on. Their order is that of asking for
        them, and stays. Those of the last moments are still to come: what is counted goes by
        `report`."""
        with self._merging:
            for place, locust in enumerate(self.locusts):
                fresh = locust.records(self._taken[place]).copy()
                self._taken[place] += len(fresh)
                fresh["user"] = fresh["user"] * len(self.locusts) + place
                self._merged += fresh.tobytes()
            data = bytes(self._merged[since * RECORD.itemsize :])
        return np.frombuffer(data, dtype=RECORD)

    def report(self, since: int = 0) -> Report:
        """Tell how things stand now, with the records from number `since` on. Until the earliest of
        their marks all of its processes have told all."""
        number, marks = len(self.locusts), [locust.mark() for locust in self.locusts]
        flying = {
            user * number + place: start
            for place, (theirs, _) in enumerate(marks)
            for user, start in theirs.items()
        }
        return Report.cut(self.records(since), flying, min(at for _, at in marks))


@contextlib.contextmanager
def drive(
    load: Load,
    *,
    url: str = "",
    users: int | None = None,
    cores: Collection[int] | None = None,
    stop: threading.Event | None = None,
    scenario: protocol.Scenario | None = None,
    workers: Workers | None = None,
) -> Iterator[Driver]:
    """Start as many Locusts as the load asks for, with their gate closed; end them on leaving.

    `users` is how many to have at hand, by default the largest level. With a `scenario`, which has
    its host, they are those of a reader's own locustfile; with `workers`, those ask. Without a
    `url` they ask nobody before `Driver.aim`: they take a second to come up, in which a server can
    be started too. Raises LoadFailed with Locust's last lines, or Stopped.
    """
    if url:
        check_loopback(url)
    number = workers.number if workers else load.generators
    each = max(1, -(-(users or max(load.users)) // number))
    start = partial(_start, each, keep_alive=load.keep_alive, cores=cores, scenario=scenario)
    with contextlib.ExitStack() as stack:
        masters = range(1 if workers else number)
        started = [stack.enter_context(start(workers=workers)) for _ in masters]
        driver = Driver([locust for each in started for locust in each])
        if url:
            driver.aim(url, stop)
        yield driver


@contextlib.contextmanager
def _start(
    users: int,
    *,
    keep_alive: bool,
    cores: Collection[int] | None,
    scenario: protocol.Scenario | None,
    workers: Workers | None = None,
) -> Iterator[list[Locust]]:
    """One process: a Locust, or the master of as many as there are workers."""
    number = workers.number if workers else 1
    with contextlib.ExitStack() as stack, contextlib.ExitStack() as its:
        folder = stack.enter_context(own_folder())
        log = stack.enter_context((folder / "locust.log").open("wb"))
        orders, results = [os.pipe() for _ in range(number)], [os.pipe() for _ in range(number)]
        theirs = [*(read for read, _ in orders), *(write for _, write in results)]
        for at_end, files in ((its, theirs), (stack, [write for _, write in orders])):
            for file in files:
                at_end.callback(os.close, file)
        answers = [stack.enter_context(FileIO(result_read)) for result_read, _ in results]
        environment = {
            **os.environ,
            **at_home(folder),
            protocol.CONTROL: ",".join(map(str, theirs[:number])),
            protocol.RESULTS: ",".join(map(str, theirs[number:])),
            protocol.USERS: str(users),
            protocol.KEEP_ALIVE: "1" if keep_alive else "0",
            **({protocol.SCENARIO: json.dumps(asdict(scenario))} if scenario else {}),
        }
        process = stack.enter_context(
            supervise(
                command(scenario.host, users, SCENARIO_FILE)
                if scenario
                else command(LOOPBACK, users * number) + (workers.options() if workers else []),
                env=environment,
                cwd=str(folder),
                stdout=log,
                stderr=log,
                pass_fds=theirs,
                cores=cores,
            )
        )
        its.close()
        started = [
            Locust(
                process=process,
                control=control,
                log=folder / "locust.log",
                worker=f"Worker {place} of {number}" if workers else "",
            )
            for place, (_, control) in enumerate(orders, 1)
        ]
        for locust, answer in zip(started, answers, strict=True):
            receiver = threading.Thread(target=locust.receive, args=(answer,), daemon=True)
            receiver.start()
            stack.callback(receiver.join, 2.0)
        stack.callback(process.kill)
        yield started


def at_home(folder: Path) -> dict[str, str]:
    """A home of Locust's own, without the reader's ~/.locust.conf; Python's packages stay where
    they are."""
    return {"HOME": str(folder), "PYTHONUSERBASE": site.getuserbase()}


def check_loopback(url: str) -> None:
    """Raise ValueError for a URL that is not of this machine."""
    if not url.startswith(f"{LOOPBACK}:"):
        raise ValueError(f"url={url!r}: load goes to 127.0.0.1 only.")


def command(url: str, users: int, file: Path = USERS_FILE) -> list[str]:
    """The Locust command line: headless, local, quiet, every user at once."""
    return [
        *(sys.executable, "-m", "locust", "-f", str(file), "--headless"),
        *("--host", url, "--users", str(users), "--spawn-rate", str(max(users, 100))),
        *("--only-summary", "--loglevel", "WARNING", "--stop-timeout", "0"),
    ]
