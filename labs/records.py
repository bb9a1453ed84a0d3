"""The nouns of the book: what is asked, what was measured, what was predicted.

Frozen records in SI units and fractions. Building one checks it, so whatever holds a
`Server` or a `Load` holds a usable one. `Recording` goes to and from JSON; a file that is
damaged, of another version or hostile is refused with a sentence.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar, get_args

import msgspec

from labs.histogram import percentile
from labs.refusal import Unusable as Unusable
from labs.refusal import choice, real, whole

SCHEMA = 1  # of a recording; raise it when an old file can no longer be read

Architecture = Literal["prefork", "threaded", "event-loop"]
ARCHITECTURES: tuple[str, ...] = get_args(Architecture)
CpuBy = Literal["counting", "hashing"]
CPU_BY: tuple[CpuBy, ...] = get_args(CpuBy)
WaitBy = Literal[
    "sleep", "backend", "blocking",
    "disk", "disk-together", "database", "database-briefly", "lock", "lock-briefly",
]  # fmt: skip
WAIT_BY: tuple[WaitBy, ...] = get_args(WaitBy)
Page = Literal["work", "file"]
DEFAULT_BY = {"prefork": "gunicorn", "threaded": "gunicorn", "event-loop": "uvicorn"}

LONGEST_S = 30.0  # of CPU or waiting per request: Locust gives up on a request after 60 s
MOST_USERS = 4096  # one Locust process may open 10,000 files; a laptop serves fewer
MOST_LEVELS = 16
MOST_GENERATORS = 16  # Locust processes on one machine
MOST_PROCESSES = 1024  # a machine with more is busy enough with having them
MOST_POOL = 4096  # processes x threads

Kept = TypeVar("Kept")  # a kind of record that is kept in a file


class BadRecording(ValueError):
    """A recording that cannot be used. Says the file, what is wrong and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What one request costs the server."""

    cpu_s: float = 0.0  # CPU seconds of a fixed amount of work, on one calibrated hot core
    wait_s: float = 0.0  # seconds off the CPU
    cpu_cv: float = 0.0  # coefficient of variation: 0 constant, 1 exponential
    wait_cv: float = 0.1  # a little, so that users do not fall in step
    cpu_by: CpuBy = "counting"  # hashing releases Python's lock, counting keeps it
    # Or for a backend's answer, or blocking (an event loop, if one), or for what one request at
    # a time can have: see workloads/app/exclusive.py.
    wait_by: WaitBy = "sleep"
    page: Page = "work"  # or a small file, which the server only has to send

    def __post_init__(self) -> None:
        for name in ("cpu_s", "wait_s"):
            unit = f"Give seconds: 0.05 is 50 ms, and {LONGEST_S:g} is the longest."
            real(name, getattr(self, name), 0.0, LONGEST_S, unit)
        for name in ("cpu_cv", "wait_cv"):
            real(name, getattr(self, name), 0.0, 1.0, "0 is constant, 1 is exponential.")
        choice("cpu_by", self.cpu_by, CPU_BY)
        choice("wait_by", self.wait_by, WAIT_BY)
        choice("page", self.page, get_args(Page))
        if self.page == "file" and (self.cpu_s or self.wait_s):
            raise Unusable("page='file': a file takes no work. Leave cpu_s and wait_s out.")


@dataclass(frozen=True, slots=True)
class Server:
    """Who serves, and how many requests it holds at once."""

    architecture: Architecture
    _: KW_ONLY
    by: str = ""  # who runs it: gunicorn, uvicorn, scratch; empty means the usual one
    processes: int = 1
    threads: int = 1  # in each process
    backlog: int = 2048  # places in the listen queue; the kernel may allow fewer
    keep_alive: bool = True  # whether it leaves connections open between requests
    cores: int | None = None  # how many cores it may use; None means all of them
    start: int | None = None  # workers to begin with, where more come as they are needed

    def __post_init__(self) -> None:
        choice("architecture", self.architecture, ARCHITECTURES)
        if not self.by:
            object.__setattr__(self, "by", DEFAULT_BY[self.architecture])
        whole("processes", self.processes, 1, MOST_PROCESSES, "8 is plenty for a start.")
        whole("threads", self.threads, 1, MOST_POOL, "16 is plenty for a start.")
        if self.architecture != "threaded" and self.threads != 1:
            raise Unusable(
                f"threads={self.threads}: {self.architecture} runs one thread in each process. "
                "Use processes= for more workers, or the threaded architecture."
            )
        if self.processes * self.threads > MOST_POOL:
            raise Unusable(
                f"processes={self.processes} x threads={self.threads}: more than {MOST_POOL} "
                "workers. Ask for a smaller pool."
            )
        whole("backlog", self.backlog, 1, 65535, "2048 is the usual length.")
        if self.cores is not None:
            whole("cores", self.cores, 1, 4096, "Leave it out to use every core.")
        if self.start is not None:
            whole("start", self.start, 1, self.processes, "Leave it out to begin with them all.")

    @property
    def pool(self) -> int | None:
        """Requests it can hold at once; None where nothing but memory bounds them."""
        return None if self.architecture == "event-loop" else self.processes * self.threads


@dataclass(frozen=True, slots=True)
class Load:
    """Who asks: a closed group of users, each with one request at a time."""

    users: Sequence[int]  # the levels of the sweep, rising
    _: KW_ONLY
    think_time_s: float = 0.0  # mean pause of a user between response and next request
    seconds: float = 1.0  # least length of a level's window; the protocol may need more
    keep_alive: bool = True  # whether a user keeps its connection
    generators: int = 1  # Locust processes that share the users
    script_s: float = 0.0  # CPU seconds that a user's own script spends on each answer

    def __post_init__(self) -> None:
        given: object = self.users
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise Unusable(f"users={self.users!r}: give a list of levels, such as [1, 2, 4, 8].")
        object.__setattr__(self, "users", tuple(self.users))
        if not self.users:
            raise Unusable("users=[]: no level to measure. Give a list such as [1, 2, 4, 8].")
        if len(self.users) > MOST_LEVELS:
            raise Unusable(
                f"users: {len(self.users)} levels. Give at most {MOST_LEVELS}; double from one "
                "to the next."
            )
        for users in self.users:
            whole("users", users, 1, MOST_USERS, "Give whole numbers such as 1, 2, 4, 8.")
        for before, after in zip(self.users, self.users[1:], strict=False):
            if after <= before:
                what = "repeats" if after == before else "comes after a larger level"
                raise Unusable(
                    f"users={after}: {what}. Give each level once, from few users to many."
                )
        real("think_time_s", self.think_time_s, 0.0, 60.0, "Give seconds.")
        real("seconds", self.seconds, 0.2, 120.0, "Give the seconds to measure each level.")
        real("script_s", self.script_s, 0.0, 1.0, "Give seconds: 0.001 is a long script.")
        whole("generators", self.generators, 1, MOST_GENERATORS, "1 is enough for most servers.")


@dataclass(frozen=True, slots=True)
class Experiment:
    """One server, doing one kind of work, under one load."""

    server: Server
    workload: Workload
    load: Load


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The fingerprint of the computer that measured. Names no user and no host."""

    system: str  # Linux 6.18, Darwin 25.1
    processor: str  # the model's name
    cores: int  # that this process may use: affinity and quota applied, rounded up
    logical_cores: int  # that the machine has
    physical_cores: int | None  # without hyper-threads, where the system says
    quota_cores: float | None  # CPU quota of the container, in cores
    memory_bytes: int  # that this process may use
    python: str  # CPython 3.11.7
    gil: bool  # whether threads share one interpreter lock
    versions: dict[str, str] = field(default_factory=dict)  # of the servers and tools

    @property
    def caption(self) -> str:
        """One line for under a figure."""
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        memory = f"{self.memory_bytes / 2**30:.0f} GiB"
        return f"{cores}, {self.processor}, {memory}, {self.system}, {self.python}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What the machine can do, burned hot just before the load."""

    loops_per_s: tuple[float, ...]  # of the unit of work, in all, with 1, 2, ... processes busy
    noise_fraction: float  # spread of repeated burns, (slowest - fastest) / median
    overhead_s: float = 0.0  # CPU seconds the server spends on an empty request
    generator_s: float = 0.0  # CPU seconds the load generator spends on a request
    timer_s: float = 0.0  # how late a 1 ms sleep ends
    loopback_s: float = 0.0  # a byte to a local socket and back
    cpu_by: CpuBy = "counting"  # what was burned: the loops are of this unit
    language: str = "Python"  # and in this language
    backend_s: float = 0.0  # CPU seconds the slow backend spends on an answer
    backend_late_s: float = 0.0  # how late its answer comes
    work_ratio: float = 1.0  # how long the work takes inside the server, over as long as burned
    delay_s: float = 0.0  # of a lone user's request that is neither its work nor anybody's CPU time

    def demand_s(self, cpu_s: float) -> float:
        """D: CPU seconds of a request that asks for so many of work."""
        return cpu_s * self.work_ratio + self.overhead_s

    @property
    def capacity(self) -> tuple[float, ...]:
        """Cores' worth of work done with 1, 2, ... processes busy; rises by less than one
        each where cores share parts (hyper-threads) or other work takes its share."""
        return tuple(speed / self.loops_per_s[0] for speed in self.loops_per_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Something to know about a point before believing it."""

    name: str
    unfit: bool  # True: drawn hollow and kept out of comparisons; False: told, and drawn filled
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One level of users, measured. Rates and CPU are means over the window."""

    users: int
    seconds: float  # the window
    completed: float  # requests, each counted by the share of its life inside the window
    failed: int
    unfinished: int  # still open one forecast response time after the window
    never_served: int  # users without one completion in window + forecast response time
    throughput_rps: float  # successes only
    throughput_ci_rps: tuple[float, float]  # 95 %, from five batches, not below +- 2 %
    halves_rps: tuple[float, float]  # first and second half of the window
    mean_response_time_s: float
    histogram: dict[int, int]  # of response times: bucket -> count, see `bucket`
    demand_s: float  # server's CPU seconds per request
    server_cpu: float  # CPU seconds per second
    generator_cpu: float
    others_cpu: float  # everyone else, without this process and its parent
    littles_law: float  # X (R + Z) / N, which is 1
    workers: int | None = None  # processes or threads that served
    pss_bytes: int | None = None  # memory of the server, shared pages counted once
    voluntary_switches: float | None = None  # per request, of the server
    involuntary_switches: float | None = None
    connections: dict[str, int] = field(default_factory=dict)  # process id -> users it served
    throttled_s: float = 0.0  # the CPU quota held the machine back
    listen_overflows: int = 0  # connections that found the listen queue full
    service_time_s: float | None = None  # mean; from the application's begin of it to the end
    backend_cpu: float = 0.0  # of the slow backend, which is in neither of the other three
    page_cpu: float = 0.0  # of this process and its parent: a page's kernel, and the book's server
    checks: tuple[Check, ...] = ()

    @property
    def fit(self) -> bool:
        return not any(check.unfit for check in self.checks)

    @property
    def queued_s(self) -> float | None:
        """Mean of the response time's rest: in the listen queue, and for the way there and back."""
        service_s = self.service_time_s
        return None if service_s is None else max(0.0, self.mean_response_time_s - service_s)

    def percentile_s(self, fraction: float) -> float | None:
        """Response time that `fraction` of the requests stayed below, within 1 %.

        None with fewer than 10 samples beyond it: there is nothing to quote.
        """
        return percentile(self.histogram, fraction)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One look at the machine while a run goes on. Fractions of the time since the last."""

    at_s: float  # since the run's first request
    users: int
    cores: tuple[tuple[float, float, float, float], ...]  # per core: user, system, wait, idle
    workers: int | None
    server_cpu: float  # CPU seconds per second
    generator_cpu: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedLevel:
    """What to expect of one level of users."""

    users: int
    bound_rps: float  # asymptotic upper bound
    model_rps: float
    model_response_time_s: float
    limit: str  # what holds it back: users, cpu, pool, event loop, load generator, ...
    lower_rps: float | None = None  # where constant times let users fall in step


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """The model's word on an experiment."""

    kind: Literal["forecast", "explanation"]  # before the load, or from demand measured in it
    demand_s: float  # CPU seconds per request it assumed; of an explanation, the last level's
    wait_s: float
    model: str  # its name, as the book calls it
    levels: tuple[PredictedLevel, ...]
    notes: tuple[str, ...] = ()  # assumptions worth reading

    def at(self, users: int) -> PredictedLevel:
        for level in self.levels:
            if level.users == users:
                return level
        raise KeyError(f"users={users}: not a predicted level.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One measurement of an experiment, from calibration to the last sample."""

    recorded_at: str  # ISO 8601, UTC
    calibration: Calibration
    forecast: Prediction  # made before the load started
    points: tuple[Point, ...]
    first_again: Point | None = None  # the first level, repeated at the end
    samples: tuple[Sample, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """An experiment with its machine and one or more runs of it."""

    experiment: Experiment
    machine: Machine
    runs: tuple[Run, ...]
    schema: int = SCHEMA

    def __post_init__(self) -> None:
        if not self.runs:
            raise BadRecording("The recording holds no run. Record it again.")

    @property
    def run(self) -> Run:
        """The middle run, by throughput at the last level: the one that is drawn."""
        return sorted(
            self.runs, key=lambda run: run.points[-1].throughput_rps if run.points else 0
        )[(len(self.runs) - 1) // 2]

    @property
    def points(self) -> tuple[Point, ...]:
        return self.run.points

    def at(self, users: int) -> Point:
        for point in self.points:
            if point.users == users:
                return point
        raise KeyError(f"users={users}: not a recorded level.")

    def spread_rps(self, users: int) -> tuple[float, float]:
        """Lowest and highest throughput of that level over the runs."""
        found = [p.throughput_rps for run in self.runs for p in run.points if p.users == users]
        return min(found), max(found)

    def with_run(self, run: Run) -> Recording:
        return replace(self, runs=(*self.runs, run))


def save(recording: object, path: Path) -> None:
    """Write it whole or not at all: a recording that was there stays until the new one is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(recording), indent=1)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text + b"\n")
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def load(path: Path) -> Recording:
    """Read a recording. BadRecording says what is wrong with the file and what to do."""
    return read(path, Recording)


def read(path: Path, kind: type[Kept]) -> Kept:
    """Read what `save` wrote of that kind; see `load`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadRecording(f"{path}: cannot be read ({error.strerror}). Check the name.") from None
    remedy = "Get it again, or record it anew with `make record`."
    try:
        head = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        schema = msgspec.json.decode(head["schema"], type=int)
    except (msgspec.DecodeError, KeyError, UnicodeDecodeError, RecursionError):
        raise BadRecording(f"{path}: not a recording, or cut short. {remedy}") from None
    if schema != SCHEMA:
        raise BadRecording(
            f"{path}: recorded in version {schema}, and this is version {SCHEMA}. {remedy}"
        )
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise BadRecording(f"{path}: {error}. {remedy}") from None
