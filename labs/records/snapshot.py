"""Counters of the machine and of the processes on it, read at one moment."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Counters that only rise. The difference of two is what happened between them."""

    at: float  # time.perf_counter
    server_s: float  # CPU seconds
    generator_s: float
    busy_s: float  # of all cores, by anyone, other virtual machines' theft included
    own_s: float  # this process and the one that started it: kernel and page server
    voluntary: int  # context switches of the server
    involuntary: int
    throttled_s: float
    listen_overflows: int
    backend_s: float = 0.0  # of the slow backend that the server asks, in none of the others
