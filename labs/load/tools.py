"""Load generators that others made: how each is called, and what it says of its requests.

ApacheBench, wrk, and Locust as its manual shows it, in one process or in several below a master
on this machine. Each runs below our supervisor, against 127.0.0.1 only, for a bounded time or a
bounded number of requests.
"""

import contextlib
import json
import math
import os
import re
import shlex
import sys
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import workloads
from labs.host.folders import own_folder
from labs.host.programs import Program
from labs.host.supervisor import Supervised, supervise
from labs.host.waiting import wait_until
from labs.imports.tools import ab as ab_report
from labs.imports.tools import wrk as wrk_report
from labs.load.locust import LoadFailed, at_home, check_loopback
from labs.records.errors import Failed, Unusable, used_up

PLAIN_USERS = Path(workloads.__file__).with_name("plain_users.py")
MOST_REQUESTS = 1_000_000  # where the time is to end it
LOCUST_ENDS_S = 1  # a run of Locust is longer than what is counted: its ends are ragged
START_S = 30.0  # for Locust and its workers to be asking, on a very busy machine
LATE_S = 60.0  # for a tool to end after its time
LAST_LINES = 8
SPAWNED = "All users spawned|Spawning is complete"  # the latter where a busy worker reports late

AB = Program(name="ApacheBench", names=("ab",), package="apache2-utils", version=("-V",))
WRK = Program(name="wrk", names=("wrk",), package="wrk", code=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A load generator's report on its requests. Times in seconds."""

    requests: int
    failed: int
    seconds: float  # that they took in all
    throughput_rps: float
    mean_response_time_s: float
    longest_s: float | None = None


class Tool:
    """A load generator that runs."""

    def __init__(self, argv: list[str], process: Supervised, out: Path, log: Path) -> None:
        self.argv, self.process = argv, process
        self._out, self._log = out, log

    def pids(self) -> list[int]:
        """List the live processes of this load generator."""
        return self.process.pids()

    def wait(self, within_s: float, stop: threading.Event | None = None) -> str:
        """Wait for the end, and read what was written to standard output. LoadFailed with its last
        lines when it did not end well, or not in time."""
        ended = wait_until(lambda: self.process.poll() is not None, within_s, stop=stop)
        if not ended:
            raise self._failed(f"did not end within {within_s:.0f} s")
        if code := self.process.poll():
            raise self._failed(f"ended with {self.process.ending(code)}")
        return self._out.read_text(errors="replace")

    def wait_for(self, words: str, within_s: float, stop: threading.Event | None = None) -> None:
        """Wait until its log has these words, which are a regular expression."""

        def there() -> bool:
            if re.search(words, self._log.read_text(errors="replace")):
                return True
            if how := self.process.ended():
                raise self._failed(how)
            return False

        if not wait_until(there, within_s, stop=stop):
            raise self._failed(f"was not ready within {within_s:.0f} s")

    def _failed(self, what: str) -> LoadFailed:
        said = self._out.read_text(errors="replace") + self._log.read_text(errors="replace")
        lines = "\n".join(said.splitlines()[-LAST_LINES:])
        return LoadFailed(f"{shown(self.argv)}: {what}. Its last lines:\n{lines}")


@contextlib.contextmanager
def run(
    argv: list[str],
    url: str,
    *,
    env: Mapping[str, str] | None = None,
    cores: Collection[int] | None = None,
) -> Iterator[Tool]:
    """Start a command, which asks `url`, on these cores; end it on leaving."""
    check_loopback(url)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(own_folder())
        out, log = folder / "out", folder / "log"
        try:
            process = stack.enter_context(
                supervise(
                    argv,
                    env={**os.environ, **at_home(folder), **(env or {})},
                    cwd=folder,
                    stdout=stack.enter_context(out.open("wb")),
                    stderr=stack.enter_context(log.open("wb")),
                    cores=cores,
                )
            )
        except OSError as error:
            if used_up(error) or isinstance(error, Failed):
                raise
            raise LoadFailed(f"{argv[0]}: cannot be started ({error}).") from None
        yield Tool(argv, process, out, log)


def missing(program: Program) -> str:
    """Tell what to do to have a program; "" when it is here."""
    if program.path():
        return ""
    return f"not installed: apt-get install {program.package}"


def shown(argv: list[str]) -> str:
    """Write a command as a reader would type it: without this machine's folders."""
    words = ["locust" if argv[1:3] == ["-m", "locust"] else Path(argv[0]).name]
    rest = argv[3:] if words == ["locust"] else argv[1:]
    return shlex.join([*words, *(Path(word).name if word[:1] == "/" else word for word in rest)])


# -- ApacheBench -----------------------------------------------------------------------------


def ab(
    url: str,
    users: int,
    *,
    requests: int = MOST_REQUESTS,
    seconds: float | None = None,
    keep_alive: bool = True,
) -> list[str]:
    """ab's command: one thread that keeps so many connections busy, until it has made these
    requests or its time, in whole seconds, is over. -l lets answers differ in length, -r goes on
    after a connection that broke. It sends one request alone, and the others only when that has
    been answered."""
    words = [AB.command, "-q", "-l", "-r", *(["-k"] if keep_alive else [])]
    words += [] if seconds is None else ["-t", str(math.ceil(seconds))]  # also sets -n
    return [*words, "-n", str(max(requests, users)), "-c", str(users), url]


def read_ab(text: str) -> Said:
    """ab's report. LoadFailed if it is none."""
    said = _said(ab_report, text)
    total = re.search(r"^Total:.* (\d+)$", text, re.M)
    return replace(said, longest_s=float(total[1]) / 1000 if total else 0.0)


# -- wrk -------------------------------------------------------------------------------------


def wrk(url: str, users: int, *, seconds: float) -> list[str]:
    """wrk's command: one thread that has so many connections, for whole seconds."""
    return [WRK.command, "-t", "1", "-c", str(users), "-d", f"{math.ceil(seconds)}s", url]


def read_wrk(text: str) -> Said:
    """wrk's report. LoadFailed if it is none."""
    return _said(wrk_report, text)


def _said(report: Any, text: str) -> Said:
    """Read a report with a reader of `labs.imports.tools`. Where it knows no mean, users over
    throughput, which is one where nobody pauses."""
    try:
        (level,) = report.levels(text.splitlines(keepends=True))
    except Unusable as error:
        raise LoadFailed(f"{report.NAME} did not report: {error} It said:\n{text[-400:]}") from None
    rate = level.ended_rps
    return Said(
        requests=level.completed + level.failed,
        failed=level.failed,
        seconds=level.seconds,
        throughput_rps=rate,
        mean_response_time_s=level.mean_response_time_s or (level.users or 0) / max(rate, 1e-9),
    )


# -- Locust ----------------------------------------------------------------------------------


def locust_version() -> str:
    """Name Locust with its version."""
    return f"Locust {installed('locust')}"


def locust(url: str, users: int, *, seconds: float, processes: int = 1, port: int = 0) -> list[str]:
    """Locust's command: headless; of several processes a master, on this machine's loopback at
    that port, and so many workers that it forks itself."""
    where = urlsplit(url)
    words = [sys.executable, "-m", "locust", "-f", str(PLAIN_USERS), "--headless"]
    if processes > 1:
        words += ["--processes", str(processes), "--master-bind-host", "127.0.0.1"]
        words += ["--master-bind-port", str(port), "--master-port", str(port)]
    words += ["--users", str(users), "--spawn-rate", str(max(users, 100))]
    words += ["--run-time", f"{math.ceil(seconds + 2 * LOCUST_ENDS_S)}s", "--stop-timeout", "0"]
    words += ["--json", "--host", f"http://{where.netloc}"]
    return words


def locust_page(url: str) -> dict[str, str]:
    """The page that Locust's users read from their environment."""
    where = urlsplit(url)
    return {"WALL_TIME_PAGE": where.path + (f"?{where.query}" if where.query else "")}


def read_locust(text: str) -> Said:
    """The report that Locust writes as JSON. Requests per second are those of its whole seconds,
    without the first and the last: users come in the one and leave in the other. A second in which
    nothing ended has no entry, so each entry is of the time since the one before it."""
    try:
        stats = max(_lists(text), key=lambda each: int(each["num_requests"]))  # the master's
        counts = {int(second): count for second, count in stats["num_reqs_per_sec"].items()}
        requests = int(stats["num_requests"])
        mean_s = stats["total_response_time"] / requests / 1000
    except (ValueError, KeyError, TypeError, ZeroDivisionError):
        raise LoadFailed(f"Locust did not report. It said:\n{text[-400:]}") from None
    seconds = sorted(counts)
    whole = seconds[LOCUST_ENDS_S:-LOCUST_ENDS_S]
    lasted_s = whole[-1] - seconds[0] if whole else seconds[-1] - seconds[0] + 1
    return Said(
        requests=requests,
        failed=int(stats["num_failures"]),
        seconds=stats["last_request_timestamp"] - stats["start_time"],
        throughput_rps=sum(counts[second] for second in whole or seconds) / lasted_s,
        mean_response_time_s=mean_s,
        longest_s=(stats["max_response_time"] or 0.0) / 1000,
    )


def _lists(text: str) -> Iterator[dict[str, Any]]:
    """The entries of all reports: each of its processes prints one, most of them empty."""
    decoder, at = json.JSONDecoder(), text.find("[")
    while at >= 0:
        entries, end = decoder.raw_decode(text, at)
        yield from entries
        at = text.find("[", end)
