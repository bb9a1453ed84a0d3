"""What is asked: server, workload and load.

Frozen records in SI units and fractions. Building one checks it, so whatever holds a `Server` or a
`Load` holds a usable one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal, get_args

from labs.records.amounts import MOST_CORES, MOST_USERS
from labs.records.errors import Unusable, choice, flag, instance, real, refused, whole

Architecture = Literal["prefork", "threaded", "event-loop"]
ARCHITECTURES: tuple[str, ...] = get_args(Architecture)
CpuBy = Literal["counting", "hashing"]
CPU_BY: tuple[CpuBy, ...] = get_args(CpuBy)
WaitBy = Literal[
    "sleep", "backend", "blocking",
    "disk", "disk-together", "database", "database-briefly", "lock", "lock-briefly", "connections",
]  # fmt: skip
WAIT_BY: tuple[WaitBy, ...] = get_args(WaitBy)
Page = Literal["work", "file"]
DEFAULT_BY = {"prefork": "gunicorn", "threaded": "gunicorn", "event-loop": "uvicorn"}

LONGEST_S = 30.0  # of CPU or waiting per request: Locust gives up on a request after 60 s
LEAST_CV = 1e-3  # less can't be told from 0, and its square can't be divided by
MOST_LEVELS = 16
MOST_GENERATORS = 16  # Locust processes on one machine
MOST_PROCESSES = 1024  # a machine with more is busy enough with having them
MOST_POOL = 4096  # processes x threads
MOST_CONNECTIONS = 250  # to one database, of all processes
LEAST_QUOTA = 0.01  # cores: the kernel takes no less than 1 ms in each 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The work that one request costs the server."""

    cpu_s: float = 0.0  # CPU seconds of a fixed amount of work, on one calibrated hot core
    wait_s: float = 0.0  # seconds off the CPU
    cpu_cv: float = 0.0  # coefficient of variation: 0 constant, 1 exponential
    wait_cv: float = 0.1  # a little, so that users do not stay in step; 0.5 keeps them from it
    cpu_by: CpuBy = "counting"  # hashing releases Python's lock, counting keeps it
    # Or for a backend's answer, or blocking (an event loop, if one), or for what one request at
    # a time can have, or as many as there are connections: see workloads/app/exclusive.py.
    wait_by: WaitBy = "sleep"
    connections: int = 10  # of each process, to be held for a wait by connections
    page: Page = "work"  # or a small file, which the server only has to send

    def __post_init__(self) -> None:
        for name in ("cpu_s", "wait_s"):
            unit = f"Give seconds: 0.05 is 50 ms, and {LONGEST_S:g} is the longest."
            real(name, getattr(self, name), 0.0, LONGEST_S, unit)
        for name in ("cpu_cv", "wait_cv"):
            real(name, cv := getattr(self, name), 0.0, 1.0, "0 is constant, 1 is exponential.")
            if 0 < cv < LEAST_CV:
                rule = f"must be 0, or {LEAST_CV:g} to 1. 0 is constant, 1 is exponential."
                raise refused(name, cv, rule)
        choice("cpu_by", self.cpu_by, CPU_BY)
        choice("wait_by", self.wait_by, WAIT_BY)
        whole("connections", self.connections, 1, MOST_CONNECTIONS, "10 are plenty for a start.")
        choice("page", self.page, get_args(Page))
        if self.page == "file" and (self.cpu_s or self.wait_s):
            raise Unusable("page='file': a file takes no work. Leave cpu_s and wait_s out.")


@dataclass(frozen=True, slots=True)
class Server:
    """A server: who serves, and how many requests it holds at once."""

    architecture: Architecture
    _: KW_ONLY
    by: str = ""  # who runs it: gunicorn, uvicorn, scratch; empty means the usual one
    processes: int = 1
    threads: int = 1  # in each process
    backlog: int = 2048  # places in the listen queue; the kernel may allow fewer
    keep_alive: bool | float = True  # whether it keeps quiet connections, or for how many seconds
    cores: int | None = None  # how many cores it may use; None means all of them
    quota: float | None = None  # cores' worth of CPU time that Linux gives it in each 100 ms
    start: int | None = None  # workers to begin with, where more come as they are needed

    def __post_init__(self) -> None:
        choice("architecture", self.architecture, ARCHITECTURES)
        instance("by", self.by, str, "Give the name of a program, such as 'gunicorn'.")
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
            raise refused(
                "processes",
                self.processes,
                f"with as many threads each more than {MOST_POOL} workers. Ask for a smaller pool.",
                said=f"{self.processes} x threads={self.threads}",
            )
        whole("backlog", self.backlog, 1, 65535, "2048 is the usual length.")
        if not isinstance(self.keep_alive, bool):
            real("keep_alive", self.keep_alive, 0.01, 60.0, "Give True, False or seconds.")
        if self.cores is not None:
            whole("cores", self.cores, 1, MOST_CORES, "Leave it out to use every core.")
        if self.quota is not None:
            real("quota", self.quota, LEAST_QUOTA, MOST_CORES, "Give cores: 0.2 is 200m.")
        if self.start is not None:
            whole("start", self.start, 1, self.processes, "Leave it out to begin with them all.")

    @property
    def keeps_s(self) -> float:
        """Seconds for which an idle connection stays open: for good, where none are given."""
        return math.inf if self.keep_alive is True else float(self.keep_alive)

    @property
    def pool(self) -> int | None:
        """Requests that the server can hold at once; None where only memory bounds them."""
        return None if self.architecture == "event-loop" else self.processes * self.threads


@dataclass(frozen=True, slots=True)
class Load:
    """A load: who asks, a closed group of users, each with one request at a time."""

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
            raise refused("users", self.users, "give a list of levels, such as [1, 2, 4, 8].")
        object.__setattr__(self, "users", tuple(self.users))
        if not self.users:
            rule = "no level to measure. Give some, such as 1, 2, 4, 8."
            raise refused("users", None, rule, said="[]")
        if len(self.users) > MOST_LEVELS:
            rule = f"too many levels. Give at most {MOST_LEVELS}; double from one to the next."
            raise refused("users", None, rule, said=f"{len(self.users)} levels")
        for users in self.users:
            whole("users", users, 1, MOST_USERS, "Give whole numbers such as 1, 2, 4, 8.")
        for before, after in zip(self.users, self.users[1:], strict=False):
            if after <= before:
                what = "repeats" if after == before else "comes after a larger level"
                rule = f"{what}. Give each level once, from few users to many."
                raise refused("users", after, rule)
        real("think_time_s", self.think_time_s, 0.0, 60.0, "Give seconds.")
        real("seconds", self.seconds, 0.2, 120.0, "Give the seconds to measure each level.")
        real("script_s", self.script_s, 0.0, 1.0, "Give seconds: 0.001 is a long script.")
        whole("generators", self.generators, 1, MOST_GENERATORS, "1 is enough for most servers.")
        flag("keep_alive", self.keep_alive)


@dataclass(frozen=True, slots=True)
class Experiment:
    """One server, doing one kind of work, under one load."""

    server: Server
    workload: Workload
    load: Load

    def __post_init__(self) -> None:
        for name, kind in (("server", Server), ("workload", Workload), ("load", Load)):
            instance(name, getattr(self, name), kind, f"Give a {kind.__name__}(…).")
        processes, each = self.server.processes, self.workload.connections
        if self.workload.wait_by == "connections" and processes * each > MOST_CONNECTIONS:
            rule = f"with so many processes more than {MOST_CONNECTIONS}. Ask for smaller pools."
            raise refused("connections", each, rule, said=f"{each} x processes={processes}")

    @property
    def naps(self) -> bool:
        """Whether a lone user's server has a pause between one piece of work and the next."""
        return self.workload.cpu_s > 0 and self.workload.wait_s + self.load.think_time_s > 0

    def lasting(self, seconds: float) -> Experiment:
        """Experiment whose levels are each measured for so long at least."""
        return replace(self, load=replace(self.load, seconds=seconds))

    def asks_as(self, other: Experiment) -> bool:
        """Whether two experiments differ in nothing but how long each level is measured."""
        return self == other.lasting(self.load.seconds)
