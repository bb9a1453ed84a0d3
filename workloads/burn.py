"""One busy process for the calibration: does the unit of work from one moment to another.

Each line on standard input is two `time.perf_counter` moments, "begin end"; the answer is a
line with the loops done and the CPU seconds used between them. Ends with its input.
"""

import sys
import time

from workloads.app.units import count

CHUNK = 10_000  # loops: well under a millisecond, so that the end is met


def burn(begin: float, end: float) -> tuple[int, float]:
    """Loops done and CPU seconds used from `begin` to `end`, spinning hot until `begin`."""
    while time.perf_counter() < begin:
        count(CHUNK)
    loops, used = 0, time.process_time()
    while time.perf_counter() < end:
        count(CHUNK)
        loops += CHUNK
    return loops, time.process_time() - used


if __name__ == "__main__":
    print("ready", flush=True)
    for line in sys.stdin:
        begin, end = map(float, line.split())
        print(*burn(begin, end), flush=True)
