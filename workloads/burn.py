"""One busy process for the calibration: does a unit of work from one moment to another.

    python -m workloads.burn hashing

Each line on standard input is two `time.perf_counter` moments, "begin end"; the answer is a
line with the loops done and the CPU seconds used between them. Ends with its input.
"""

import sys
import time

from workloads.app.application import UNITS
from workloads.app.units import PIECE_KIB

CHUNKS = {"counting": 10_000, "hashing": PIECE_KIB}  # loops: under a ms, so that the end is met


def burn(begin: float, end: float, unit: str = "counting") -> tuple[int, float]:
    """Loops done and CPU seconds used from `begin` to `end`, spinning hot until `begin`."""
    work, chunk = UNITS[unit], CHUNKS[unit]
    while time.perf_counter() < begin:
        work(chunk)
    loops, used = 0, time.process_time()
    while time.perf_counter() < end:
        work(chunk)
        loops += chunk
    return loops, time.process_time() - used


if __name__ == "__main__":
    print("ready", flush=True)
    for line in sys.stdin:
        begin, end = map(float, line.split())
        print(*burn(begin, end, *sys.argv[1:2]), flush=True)
