"""The warm-up on a clock of its own: what it finds is what the server was made to be."""

from __future__ import annotations

from typing import Any

import examples
import numpy as np
import pytest

from labs.measure import warmup as warming
from labs.measure.warmup import PIECE_S, warm_up
from labs.records.experiment import Workload
from labs.records.requests import RECORD, Report
from labs.records.results import Calibration
from labs.records.snapshot import Snapshot
from workloads.protocol import OK

EMPTY_S, AWAY_S = 0.0005, 0.0002  # of a request beside its work: in the server, under way
RATIO = 1.1  # how much slower than the burn this server works
LOOPS = 1e8  # a second, burned
BURNED = Calibration(loops_per_s=(LOOPS, LOOPS), noise_fraction=0.0, timer_s=0.0, loopback_s=0.0)
NOTHING: Any = dict.fromkeys(
    (
        "generator_s",
        "busy_s",
        "own_s",
        "voluntary",
        "involuntary",
        "throttled_s",
        "listen_overflows",
    ),
    0,
)


class Bench:
    """One core that answers one request after the other, and a load generator that hears an
    order only `late_s` after it was given, or when it is asked to report."""

    def __init__(self, late_s: float) -> None:
        self.late_s, self.now, self.server_s = late_s, 0.0, 0.0
        self.orders: list[tuple[float, dict[str, Any]]] = []
        self.users, self.cpu_s = 0, 0.0
        self.found: list[tuple[float, ...]] = []

    # as a Driver

    def ask_for(self, workload: Workload, loops_per_s: float) -> None:
        self.orders.append((self.now, {"cpu_s": workload.cpu_s if loops_per_s else 0.0}))

    def open(self, users: int, over_s: float) -> None:
        self.orders.append((self.now, {"users": users}))

    def report(self, since: int = 0) -> Report:
        self._hear(until=self.now)
        return Report(records=self.records(since), flying={}, at=self.now)

    def records(self, since: int = 0) -> np.ndarray:
        return np.array(self.found[since:], dtype=RECORD)

    # as a Sampler, and as time

    def snapshot(self) -> Snapshot:
        return Snapshot(at=self.now, server_s=self.server_s, **NOTHING)

    def perf_counter(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self._hear(until=self.now - self.late_s)
            work_s = self.cpu_s * RATIO
            busy_s = work_s + EMPTY_S + (AWAY_S if self.users == 1 else 0.0)
            if self.users:
                end = self.now + busy_s
                begun = self.now + EMPTY_S / 2
                service = (begun, begun + work_s, work_s, 0.0)
                self.found.append(examples.record(OK, 0, self.now, end, service=service))
                self.server_s += work_s + EMPTY_S
            self.now += busy_s

    def _hear(self, until: float) -> None:
        while self.orders and self.orders[0][0] <= until:
            vars(self).update(self.orders.pop(0)[1])


def warmed(monkeypatch: pytest.MonkeyPatch, bench: Bench, workload: Workload) -> Calibration:
    monkeypatch.setattr(warming, "time", bench)
    sampler: Any = bench
    driver: Any = bench
    return warm_up(driver, sampler, workload, BURNED, users=8, pause=bench.pause)


@pytest.mark.parametrize("late_s", [0.0, 0.05, 0.3])
def test_the_lone_user_is_asked_when_the_crowd_is_gone(monkeypatch, late_s) -> None:
    """However late a busy load generator obeys: what the crowd still gets is not the lone user's,
    or the server would seem a hundred times as fast."""
    found = warmed(monkeypatch, Bench(late_s), Workload(cpu_s=0.02))
    assert found.work_ratio == pytest.approx(RATIO, rel=0.01)
    assert found.overhead_s == pytest.approx(EMPTY_S, rel=0.01)
    assert found.delay_s == pytest.approx(AWAY_S, rel=0.01)
    assert found.way_there_s == pytest.approx(EMPTY_S / 2, rel=0.01)
    assert found.demand_s(0.02) == pytest.approx(0.02 * RATIO + EMPTY_S, rel=0.01)


def test_without_work_the_burn_is_not_compared(monkeypatch) -> None:
    found = warmed(monkeypatch, Bench(0.0), Workload(wait_s=0.1))
    assert found.work_ratio == 1
    assert found.delay_s == pytest.approx(AWAY_S, rel=0.01)


def test_a_server_too_slow_for_two_pieces_leaves_the_burn_as_it_is(monkeypatch) -> None:
    monkeypatch.setattr(warming, "ALONE_S", PIECE_S)
    assert warmed(monkeypatch, Bench(0.0), Workload(cpu_s=0.02)).work_ratio == 1
