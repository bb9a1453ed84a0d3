"""Is it the process that is slow, or its core, or the work?

    python -m bench.cores [--rounds N] [--processes N]

New processes take turns on one core, each burning the same unit of work for 15 ms by its own CPU
clock, then on the next. Told for each core and unit: how far the processes' medians lie apart, and
how far all of them together moved in the meantime.

Seen on two rented cores: an interpreter's loop is 2 to 11 % faster in one process than in another,
and where a core is one of two hyper-threads, and a stranger works on the other, it is slower by a
half and more in all processes at once. Hashing moves by 0.1 to 0.2 % and by some percent: its steps
wait for each other, so that half of a core's parts are enough. Half a minute. Linux only: it ties
processes to cores.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

import numpy as np

from labs.kinds.sweep.report import columns

UNITS = ("counting", "hashing")
TURN_S = 0.015
NOTICE_S = 0.002  # until a turn begins, in which its process spins
HOT_TURNS = 20  # of a new process, before any counts: 0.3 s


class Burner:
    """A process that is tied to a core, and burns when asked."""

    def __init__(self, core: int, unit: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workloads.burn", unit],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        os.sched_setaffinity(self.process.pid, {core})
        assert self.process.stdout is not None
        self.process.stdout.readline()  # it is ready

    def loops_per_s(self) -> float:
        """Of a turn, per CPU second."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        begin = time.perf_counter() + NOTICE_S
        stdin.write(f"{begin} {begin + TURN_S}\n")
        stdin.flush()
        loops, used_s = stdout.readline().split()
        return int(loops) / float(used_s)

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


def by_turns(core: int, unit: str, processes: int, rounds: int) -> np.ndarray:
    """Speeds, of shape (rounds, processes)."""
    with contextlib.ExitStack() as stack:
        burners = [Burner(core, unit) for _ in range(processes)]
        for each in burners:
            stack.callback(each.end)
        for each in burners:
            for _ in range(HOT_TURNS):
                each.loops_per_s()
        return np.array([[each.loops_per_s() for each in burners] for _ in range(rounds)])


def told(core: int, unit: str, speeds: np.ndarray) -> Sequence[str]:
    """A row: how far processes lay apart, and how far the core moved."""
    together = np.median(speeds, axis=1)
    own = [statistics.median(each) for each in (speeds / together[:, None]).T]
    low, middle, high = np.percentile(together, (10, 50, 90))
    return (
        f"core {core}",
        unit,
        f"{max(own) / min(own) - 1:.1%}",
        f"{low / high - 1:+.1%}",
        f"{middle / 1e6:.1f}",
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--processes", type=int, default=6)
    asked = parser.parse_args()
    table: list[Sequence[str]] = [
        ("", "work", "processes apart", "core, slow to fast", "million loops/s")
    ]
    for core in sorted(os.sched_getaffinity(0)):
        for unit in UNITS:
            found = by_turns(core, unit, asked.processes, asked.rounds)
            table.append(told(core, unit, found))
    print(columns(table))
    print(
        "processes apart: largest median over the smallest, by turns on one core. "
        "slow to fast: the tenth percentile of the rounds below the ninetieth."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
