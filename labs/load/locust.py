"""drive(): one Locust process, all levels, raw times; start(): the same, not aimed at a server yet.

Locust runs in a process of its own (importing it would patch ours). It is told over one pipe
and answers over another with a fixed-size record per request; see workloads/users.py.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import workloads
from labs.host.supervisor import Stopped, Supervised, supervise
from labs.records.experiment import Load, Workload
from labs.records.requests import IN_FLIGHT, MARK, READY, RECORD, Report

USERS_FILE = Path(workloads.__file__).with_name("users.py")
START_WITHIN_S = 30.0
LOOPBACK = "http://127.0.0.1"
REPORT_WITHIN_S = 5.0
LAST_LINES = 12


class LoadFailed(RuntimeError):
    """The load generator did not start or died. Shows its last lines."""


@dataclass(eq=False)
class Driver:
    """A Locust, its gate still closed. Times are on `time.perf_counter`."""

    process: Supervised
    control: int
    log: Path
    url: str = ""  # of the server; see `aim`
    buffer: bytearray = field(default_factory=bytearray)
    arrived: threading.Condition = field(default_factory=threading.Condition)
    reports: int = 0

    def pids(self) -> list[int]:
        """Its live processes."""
        return self.process.pids()

    def aim(self, url: str, stop: threading.Event | None = None) -> None:
        """Wait until its users are there, to ask that server (loopback only) from now on.
        LoadFailed with Locust's last lines, or Stopped."""
        _check_loopback(url)
        self._wait_for(READY, 0, START_WITHIN_S, stop=stop)
        self.url = url

    def end(self) -> None:
        """End it now, and not only when its block does."""
        self.process.kill()

    def ask_for(
        self,
        workload: Workload,
        loops_per_s: float,
        think_time_s: float = 0.0,
        script_s: float = 0.0,
    ) -> None:
        """Set what every request asks for from now on. `loops_per_s` is of `workload.cpu_by`."""
        usual = Workload()
        self._say(
            work={
                "how": "".join(
                    f"&{name}={getattr(workload, name)}"
                    for name in ("cpu_by", "wait_by")
                    if getattr(workload, name) != getattr(usual, name)
                ),
                "url": self.url,
                "page": "/file" if workload.page == "file" else "",
                "loops": workload.cpu_s * loops_per_s,
                "wait_s": workload.wait_s,
                "cpu_cv": workload.cpu_cv,
                "wait_cv": workload.wait_cv,
                "think_time_s": think_time_s,
                "script": script_s * loops_per_s,
            }
        )

    def open(self, users: int, over_s: float) -> None:
        """Let exactly `users` ask; new ones start spread over `over_s` seconds."""
        self._say(users=users, over_s=over_s)

    def let_come(self, rate: float, seed: int) -> None:
        """Let users come by themselves, `rate` a second on average at the times of a Poisson
        process. Each asks once and leaves. An arrival that found no user at hand is MISSED."""
        self._say(rate=rate, seed=seed)

    def records(self, since: int = 0) -> NDArray[np.void]:
        """Records that arrived so far, from number `since` on, in order of arrival. Those of the
        last moments are still to come: what is counted goes by `report`."""
        with self.arrived:
            whole = len(self.buffer) // RECORD.itemsize * RECORD.itemsize
            data = bytes(self.buffer[since * RECORD.itemsize : whole])
        return np.frombuffer(data, dtype=RECORD)

    def report(self, since: int = 0) -> Report:
        """How things stand now, with the records from number `since` on."""
        flying, at = self.mark()
        return Report.cut(self.records(since), flying, at)

    def mark(self) -> tuple[dict[int, float], float]:
        """Have everything sent that has ended. The requests in flight then, and when it was."""
        self.reports += 1
        since = len(self.buffer) // RECORD.itemsize
        self._say(report=self.reports)
        number = self._wait_for(MARK, self.reports, REPORT_WITHIN_S, since)
        fresh = self.records(since)[: number + 1]
        flying = fresh[fresh["kind"] == IN_FLIGHT]
        users, starts = flying["user"].tolist(), flying["start"].tolist()
        return dict(zip(users, starts, strict=True)), float(fresh["end"][number])

    def last_lines(self) -> str:
        """What Locust said last."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-LAST_LINES:])

    def check(self) -> None:
        """LoadFailed if the process is gone."""
        if (code := self.process.poll()) is not None:
            raise LoadFailed(
                f"The load generator ended with exit code {code}. Its last lines:\n"
                f"{self.last_lines()}"
            )

    def _say(self, **order: object) -> None:
        try:
            os.write(self.control, json.dumps(order).encode() + b"\n")
        except BrokenPipeError:
            self.check()
            raise LoadFailed(
                f"The load generator stopped listening. Its last lines:\n{self.last_lines()}"
            ) from None

    def _wait_for(
        self,
        kind: int,
        number: int,
        within_s: float,
        since: int = 0,
        stop: threading.Event | None = None,
    ) -> int:
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
                raise LoadFailed(
                    f"The load generator did not answer within {within_s:g} s. Is the machine "
                    f"very busy? Its last lines:\n{self.last_lines()}"
                )
            with self.arrived:
                self.arrived.wait(0.02)

    def _receive(self, results: int) -> None:
        with open(results, "rb", buffering=0) as pipe:
            while data := pipe.read(1 << 16):
                with self.arrived:
                    self.buffer += data
                    self.arrived.notify_all()


@contextlib.contextmanager
def drive(
    url: str,
    load: Load,
    *,
    users: int | None = None,
    cores: Collection[int] | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Driver]:
    """Start Locust against `url` (loopback only) with its gate closed; end it on leaving.

    `users` is how many to have at hand, by default the largest level. Raises LoadFailed
    with Locust's last lines, or Stopped.
    """
    _check_loopback(url)
    with start(load, users=users, cores=cores) as driver:
        driver.aim(url, stop)
        yield driver


@contextlib.contextmanager
def start(
    load: Load, *, users: int | None = None, cores: Collection[int] | None = None
) -> Iterator[Driver]:
    """Start Locust; it takes a second to come up, in which a server can be started too. It
    asks nobody before `Driver.aim`."""
    ready = users or max(load.users)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wall-time-")))
        log = stack.enter_context((folder / "locust.log").open("wb"))
        order_read, order_write = os.pipe()
        result_read, result_write = os.pipe()
        stack.callback(os.close, order_write)
        environment = {
            **os.environ,
            "WALL_TIME_CONTROL_FD": str(order_read),
            "WALL_TIME_RESULTS_FD": str(result_write),
            "WALL_TIME_USERS": str(ready),
            "WALL_TIME_KEEP_ALIVE": "1" if load.keep_alive else "0",
        }
        process = stack.enter_context(
            supervise(
                command(LOOPBACK, ready),
                env={k: v for k, v in environment.items() if not k.startswith("LOCUST_")},
                cwd=str(folder),
                stdout=log,
                stderr=log,
                pass_fds=(order_read, result_write),
                cores=cores,
            )
        )
        os.close(order_read)
        os.close(result_write)
        driver = Driver(process=process, control=order_write, log=folder / "locust.log")
        receiver = threading.Thread(target=driver._receive, args=(result_read,), daemon=True)
        receiver.start()
        stack.callback(receiver.join, 2.0)
        stack.callback(driver.end)
        yield driver


def _check_loopback(url: str) -> None:
    if not url.startswith(f"{LOOPBACK}:"):
        raise ValueError(f"url={url!r}: load goes to 127.0.0.1 only.")


def command(url: str, users: int) -> list[str]:
    """The Locust command line: headless, local, quiet, every user at once."""
    return [
        *(sys.executable, "-m", "locust", "-f", str(USERS_FILE), "--headless"),
        *("--host", url, "--users", str(users), "--spawn-rate", str(max(users, 100))),
        *("--only-summary", "--loglevel", "WARNING", "--stop-timeout", "0"),
    ]
