"""Is it the process that is slow, or its core, or the work?

    python -m bench.cores [--rounds N] [--processes N]

New processes take turns on one core, each doing the same unit of work for a tenth of a second by
its own CPU clock, then on the next core. Told for each core and unit: how far the processes'
medians lie apart, and how far all of them together moved in the meantime.

A core may be one of two hyper-threads, and the other one a stranger's: then all processes on it are
slower at once while that one works. An interpreter's loop keeps many of a core's parts busy and
feels it; in hashing each step waits for the one before, and half of the parts are enough. A minute
and a half on two cores. Where no process can be tied to a core, as on macOS, it says so and ends.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Sequence
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from labs.kinds.sweep.report import columns
from labs.measure.calibration import burn_once, hot_burners
from labs.records.experiment import CpuBy

TURN_S = 0.1


def by_turns(core: int, unit: CpuBy, processes: int, rounds: int) -> NDArray[np.float64]:
    """Loops per CPU second, of shape (rounds, processes)."""
    with hot_burners(processes, unit, "Python", [core]) as burners:
        return np.array(
            [[burn_once([each], TURN_S).loops_per_s for each in burners] for _ in range(rounds)]
        )


def told(core: int, unit: CpuBy, speeds: NDArray[np.float64]) -> Sequence[str]:
    """A row: how far processes lay apart, and how far the core moved."""
    together = np.median(speeds, axis=1)
    own = [statistics.median(each) for each in (speeds / together[:, None]).T]
    slow, middle, fast = np.percentile(together, (10, 50, 90))
    return (
        f"core {core}",
        unit,
        f"{max(own) / min(own) - 1:.1%}",
        f"{slow / fast - 1:+.1%}",
        f"{middle / 1e6:.1f}",
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--processes", type=int, default=6)
    asked = parser.parse_args()
    if not hasattr(os, "sched_getaffinity"):
        print("Here no process can be tied to a core, so processes and cores can't be told apart.")
        return 1
    table: list[Sequence[str]] = [
        ("", "work", "processes apart", "core, slow to fast", "million loops/s")
    ]
    for core in sorted(os.sched_getaffinity(0)):
        for unit in get_args(CpuBy):
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
