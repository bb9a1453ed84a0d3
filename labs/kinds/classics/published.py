"""Published figures, as data: every table of throughput that the book measures again.

The figures are those of S1, S2, S4 and S5 (see the bibliography); None where a source prints
nothing. S3 has no such table: it took process trees apart, as a lab of chapter 15 does.
Times in seconds, rates in requests per second.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A source's experiment: its machine, its page, and the throughput that came out."""

    cores: int
    rows: Mapping[str, Mapping[int, float | None]]  # users -> rate, by setup where it has several
    up_to: Mapping[tuple[str, int], float] = field(default_factory=dict)  # the end of a range
    cpu_s: float = 0.0  # of a request, as the source has it
    wait_s: float = 0.0
    pools: Mapping[str, int] = field(default_factory=dict)  # workers, by setup

    def law_rps(self, setup: str, users: int, cores: int) -> float | None:
        """Work out min(N, c, W) / D, or min(N, W) / V: the law on a machine with so many cores.
        None where the page costs too little for the server to be the limit."""
        pool = self.pools.get(setup, self.pools.get("", math.inf))
        if self.cpu_s:
            return min(users, cores, pool) / self.cpu_s
        return min(users, pool) / self.wait_s if self.wait_s else None

    def rps(self, setup: str, users: int) -> float | None:
        """Look up a row's requests per second; None where there is no such row, too."""
        return self.rows.get(setup, {}).get(users)

    def printed(self, setup: str, users: int) -> str:
        """Give requests per second as they are printed."""
        ends = (self.rps(setup, users), self.up_to.get((setup, users)))
        return " to ".join(f"{each:g}" for each in ends if each is not None)

    def ratio(self, setup: str, users: int) -> float | None:
        """Divide a row's throughput by what the law allows there; of S4, by that of one user."""
        rps = self.rps(setup, users)
        base = self.law_rps(setup, users, self.cores) or self.rps(setup, 1)
        return rps / base if rps and base else None


# A page of 200 ms of CPU time, PHP on Apache with its prefork workers.
S1 = Table(cores=4, cpu_s=0.2, rows={"": {1: 5.04, 2: 10.09, 3: 15.08, 4: 20.23, 8: 20.33}})

QUEUE_OF_128 = "a listen queue of 128"

# A page that sleeps 200 ms, PHP on Apache with at most 256 prefork workers.
S2 = Table(
    cores=4,
    wait_s=0.2,
    pools={"": 256},
    rows={
        "": {4: 19.87, 8: 39.72, 32: 158.22, 128: 627.36, 256: 1189.24, 512: 663.02},
        QUEUE_OF_128: {512: None},  # ours alone: S2 does not say how long its queue was
    },
)

# A file of 44 bytes, Apache with at most 150 workers, prefork or worker.
S4 = Table(
    cores=16,
    pools={"prefork": 150, "worker": 150},
    rows={
        "prefork": {1: 2469, 2: None, 5: 4698, 10: 4663, 20: 4764, 50: 4641},
        "worker": {1: 2213, 2: 4007, 5: 4483, 10: 4591, 20: 4654, 50: None},
    },
    up_to={("prefork", 10): 4824},
)

# The first 1000 primes, 620 ms of CPU time, PHP behind a web server.
S5 = Table(
    cores=2,
    cpu_s=0.62,
    pools={"2 workers": 2, "4 workers": 4},
    rows={"2 workers": {1: 1.61, 2: 2.67, 4: 2.62}, "4 workers": {4: 2.51}},
)

TABLES = {"s1": S1, "s2": S2, "s4": S4, "s5": S5}
