"""What the five sources printed, as data: every table that the book measures again.

The figures are those of S1 to S5 (see the bibliography); None where a source prints nothing.
Times in seconds, rates in requests per second.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """One row of a source's table."""

    setup: str = ""  # where a table has several: prefork, worker, 2 workers, ...
    users: int
    throughput_rps: float | None
    most_rps: float | None = None  # where it prints a range, its upper end
    mean_response_time_s: float | None = None

    @property
    def said(self) -> str:
        """Requests per second as they are printed."""
        ends = (self.throughput_rps, self.most_rps)
        return " to ".join(f"{each:g}" for each in ends if each is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A source's experiment: its machine, its page, and what came out."""

    source: str  # S1
    about: str  # in a sentence
    cores: int
    rows: tuple[Printed, ...]
    cpu_s: float = 0.0  # of a request, as the source has it
    wait_s: float = 0.0
    pools: Mapping[str, int] = field(default_factory=dict)  # workers, by setup

    def law_rps(self, setup: str, users: int, cores: int) -> float | None:
        """min(N, c, W) / D, or min(N, W) / V: the law on a machine with so many cores. None where
        the page costs too little for the server to be the limit."""
        pool = self.pools.get(setup, self.pools.get("", math.inf))
        if self.cpu_s:
            return min(users, cores, pool) / self.cpu_s
        return min(users, pool) / self.wait_s if self.wait_s else None

    def row(self, setup: str, users: int) -> Printed:
        """KeyError if the source has no such row."""
        for row in self.rows:
            if (row.setup, row.users) == (setup, users):
                return row
        raise KeyError(f"{self.source}: no row of {users} users {setup}".strip())

    def ratio(self, row: Printed) -> float | None:
        """Its throughput over what the law allows there; of S4, over that of one user."""
        base = self.law_rps(row.setup, row.users, self.cores)
        if base is None:
            alone = (each for each in self.rows if (each.setup, each.users) == (row.setup, 1))
            base = next((each.throughput_rps for each in alone), None)
        return row.throughput_rps / base if row.throughput_rps and base else None


S1 = Table(
    source="S1",
    about="a page of 200 ms of CPU time, PHP on Apache with its prefork workers",
    cores=4,
    cpu_s=0.2,
    rows=(
        Printed(users=1, throughput_rps=5.04, mean_response_time_s=0.198),
        Printed(users=2, throughput_rps=10.09),
        Printed(users=3, throughput_rps=15.08),
        Printed(users=4, throughput_rps=20.23, mean_response_time_s=0.2),
        Printed(users=8, throughput_rps=20.33, mean_response_time_s=0.4),
    ),
)

QUEUE_OF_128 = "a listen queue of 128"

S2 = Table(
    source="S2",
    about="a page that sleeps 200 ms, PHP on Apache with at most 256 prefork workers",
    cores=4,
    wait_s=0.2,
    pools={"": 256},
    rows=(
        Printed(users=4, throughput_rps=19.87),
        Printed(users=8, throughput_rps=39.72),
        Printed(users=32, throughput_rps=158.22),
        Printed(users=128, throughput_rps=627.36),
        Printed(users=256, throughput_rps=1189.24),
        Printed(users=512, throughput_rps=663.02),
        # That it had this queue is inferred: see the page.
        Printed(setup=QUEUE_OF_128, users=512, throughput_rps=663.02),
    ),
)

S4 = Table(
    source="S4",
    about="a file of 44 bytes, Apache with at most 150 workers, prefork or worker",
    cores=16,
    pools={"prefork": 150, "worker": 150},
    rows=(
        Printed(setup="prefork", users=1, throughput_rps=2469, mean_response_time_s=0.000405),
        Printed(setup="prefork", users=2, throughput_rps=None),
        Printed(setup="prefork", users=5, throughput_rps=4698),
        Printed(setup="prefork", users=10, throughput_rps=4663, most_rps=4824),
        Printed(setup="prefork", users=20, throughput_rps=4764),
        Printed(setup="prefork", users=50, throughput_rps=4641),
        Printed(setup="worker", users=1, throughput_rps=2213, mean_response_time_s=0.000452),
        Printed(setup="worker", users=2, throughput_rps=4007),
        Printed(setup="worker", users=5, throughput_rps=4483),
        Printed(setup="worker", users=10, throughput_rps=4591),
        Printed(setup="worker", users=20, throughput_rps=4654),
        Printed(setup="worker", users=50, throughput_rps=None),
    ),
)

S5 = Table(
    source="S5",
    about="the first 1000 primes, 620 ms of CPU time, PHP behind a web server",
    cores=2,
    cpu_s=0.62,
    pools={"2 workers": 2, "4 workers": 4},
    rows=(
        Printed(setup="2 workers", users=1, throughput_rps=1.61, mean_response_time_s=0.620),
        Printed(setup="2 workers", users=2, throughput_rps=2.67, mean_response_time_s=0.624),
        Printed(setup="2 workers", users=4, throughput_rps=2.62, mean_response_time_s=1.162),
        Printed(setup="4 workers", users=4, throughput_rps=2.51, mean_response_time_s=1.205),
    ),
)


S3_USERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A profile as S3 made one: the server's process tree under `ab`, and that of `ab`."""

    machine: str
    cores: int
    processes: int = 141  # of the server; S3 had as many on both machines
    user_fraction: float  # of the server's CPU time
    on_core: float  # CPU seconds for each second
    on_cpu: float  # the same over the cores
    each_s: float  # CPU time of a request
    minor_faults: float | None = None  # for a request
    ipc: float | None = None  # instructions a cycle
    stalls: float | None = None  # of the front end, a fraction of the cycles
    rps: float
    ab_user_fraction: float
    ab_on_core: float
    ab_each_s: float


# 3,000,000 requests in three runs; ab's times are of one of them, of 39.70 and 44.23 s.
S3_TREES = (
    Tree(
        machine="Intel",
        cores=8,
        user_fraction=0.298,
        on_core=3.22,
        on_cpu=0.403,
        each_s=412.8 / 3e6,
        minor_faults=3.6e6 / 3e6,
        ipc=0.376,
        stalls=0.579,
        rps=1e6 / 39.70,
        ab_user_fraction=0.16,
        ab_on_core=0.950,
        ab_each_s=0.950 * 39.70 / 1e6,
    ),
    Tree(
        machine="AMD",
        cores=16,
        user_fraction=0.307,
        on_core=4.49,
        on_cpu=0.281,
        each_s=(193.55 + 437.80) / 3e6,
        ipc=0.445,
        rps=1e6 / 44.23,
        ab_user_fraction=0.113,
        ab_on_core=0.985,
        ab_each_s=0.985 * 44.23 / 1e6,
    ),
)

TABLES = {table.source.lower(): table for table in (S1, S2, S4, S5)}
NAMES = ("s1", "s2", "s3", "s4", "s5")
