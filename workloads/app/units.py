"""The units of work a request is made of: counting on the CPU, and waiting off it."""

from __future__ import annotations

import time

PERIOD = 65536  # steps until `count` is back where it began


def count(loops: int) -> int:
    """Keep the CPU busy for a fixed amount of work, so that time is proportional to loops.

    A full-period generator of numbers below 65536, so each step costs the same whatever the
    loop's length: no integer outgrows one machine digit, and each result needs the one before,
    so nothing can be skipped. It is *not* "spin until the clock says so", which would take as
    long on a busy core as on an idle one and hide what is to be measured.

    >>> count(3), count(PERIOD)
    (31, 0)
    """
    number = 0
    for _ in range(loops):
        number = (number * 5 + 1) & 0xFFFF
    return number


def wait(seconds: float) -> None:
    """Wait without the CPU."""
    time.sleep(seconds)
