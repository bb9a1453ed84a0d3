"""start_all(): one Locust process or several, which share the users as if they were one.

A Locust process uses one core at most. When that is full, what it measures is itself; several of
them ask for more. Each has every nth user, and its records are given the users' own numbers.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labs.load.locust import Driver, start
from labs.records.experiment import Load, Workload
from labs.records.requests import RECORD


class Drivers(Driver):
    """Several running Locusts, to be told and asked like one. `process` is the first of them."""

    def __init__(self, drivers: Sequence[Driver]) -> None:
        first = drivers[0]
        super().__init__(process=first.process, control=first.control, log=first.log)
        self.drivers = drivers
        self._merged = bytearray()
        self._taken = [0] * len(drivers)  # records merged, of each
        self._merging = threading.Lock()

    def pids(self) -> list[int]:
        """Live processes of all of them."""
        return [pid for driver in self.drivers for pid in driver.process.pids()]

    def aim(self, url: str, stop: threading.Event | None = None) -> None:
        """See `Driver.aim`."""
        for driver in self.drivers:
            driver.aim(url, stop)

    def end(self) -> None:
        """See `Driver.end`."""
        for driver in self.drivers:
            driver.end()

    def let_come(self, rate: float, seed: int) -> None:
        """See `Driver.let_come`: each gets its part of the arrivals."""
        for place, driver in enumerate(self.drivers):
            driver.let_come(rate / len(self.drivers), seed * len(self.drivers) + place)

    def ask_for(
        self,
        workload: Workload,
        loops_per_s: float,
        think_time_s: float = 0.0,
        script_s: float = 0.0,
    ) -> None:
        """See `Driver.ask_for`."""
        for driver in self.drivers:
            driver.ask_for(workload, loops_per_s, think_time_s, script_s)

    def open(self, users: int, over_s: float) -> None:
        """See `Driver.open`."""
        for place, driver in enumerate(self.drivers):
            driver.open(self._share(users, place), over_s)

    def records(self, since: int = 0) -> NDArray[np.void]:
        """See `Driver.records`. The order is that of asking for them, and stays."""
        number = len(self.drivers)
        with self._merging:
            for place, driver in enumerate(self.drivers):
                fresh = driver.records(self._taken[place]).copy()
                self._taken[place] += len(fresh)
                fresh["user"] = fresh["user"] * number + place
                self._merged += fresh.tobytes()
            data = bytes(self._merged[since * RECORD.itemsize :])
        return np.frombuffer(data, dtype=RECORD)

    def mark(self) -> tuple[dict[int, float], float]:
        """See `Driver.mark`. Until the earliest of their marks all of them have told all."""
        number, marks = len(self.drivers), [driver.mark() for driver in self.drivers]
        flying = {
            user * number + place: start
            for place, (theirs, _) in enumerate(marks)
            for user, start in theirs.items()
        }
        return flying, min(at for _, at in marks)

    def check(self) -> None:
        """LoadFailed if one of them is gone."""
        for driver in self.drivers:
            driver.check()

    def _share(self, users: int, place: int) -> int:
        """Users 0 to users - 1 that are in its hands."""
        number = len(self.drivers)
        return (users - place + number - 1) // number


@contextlib.contextmanager
def start_all(
    load: Load, *, users: int | None = None, cores: Collection[int] | None = None
) -> Iterator[Driver]:
    """As many Locusts as the load asks for, to be aimed at a server; see `load.start`."""
    if load.generators == 1:
        with start(load, users=users, cores=cores) as driver:
            yield driver
        return
    everyone = users or max(load.users)
    each = max(1, -(-everyone // load.generators))
    with contextlib.ExitStack() as stack:
        drivers = [
            stack.enter_context(start(replace(load, generators=1), users=each, cores=cores))
            for _ in range(load.generators)
        ]
        yield Drivers(drivers)
