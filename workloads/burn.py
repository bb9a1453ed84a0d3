"""One busy process for the calibration: does a unit of work for so long.

    python -m workloads.burn hashing

Each line on standard input is two durations in seconds, "warm_s burn_s"; the answer is a line with
the loops done and the CPU seconds used in the second. No moments: on a Mac that has slept, node's
clock is ahead of Python's. Ends with its input.
"""

import sys
import time

from workloads.app.application import UNITS
from workloads.app.units import PIECE_KIB

CHUNKS = {"counting": 10_000, "hashing": PIECE_KIB}  # loops: under a ms, so that the end is met


def burn(warm_s: float, burn_s: float, unit: str = "counting") -> tuple[int, float]:
    """Count loops and CPU seconds in `burn_s` seconds, after spinning hot for `warm_s`."""
    work, chunk = UNITS[unit], CHUNKS[unit]
    begin = time.perf_counter() + warm_s
    while time.perf_counter() < begin:
        work(chunk)
    loops, used = 0, time.process_time()
    while time.perf_counter() < begin + burn_s:
        work(chunk)
        loops += chunk
    return loops, time.process_time() - used


if __name__ == "__main__":
    print("ready", flush=True)
    for line in sys.stdin:
        warm_s, burn_s = map(float, line.split())
        print(*burn(warm_s, burn_s, *sys.argv[1:2]), flush=True)
