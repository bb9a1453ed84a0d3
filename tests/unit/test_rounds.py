"""Waits that many have together, with users who think: beside the same in another framework, and
what a forecast makes of it."""

import dataclasses
import math
from collections.abc import Callable

import pytest
import simpy
from test_forecast import IDEAL, of, one_level, prefork
from test_queueing import simpy_rate

from labs.theory.queueing import rounds

V = 0.2


def disk(world: simpy.Environment) -> Callable[[], simpy.Event]:
    """Waits for a round of V, which somebody who is there begins when no other is on."""
    there: list[simpy.Event] = []
    busy = False

    def rounds() -> simpy.events.ProcessGenerator:
        nonlocal busy, there
        busy = True
        while there:
            inside, there = there, []
            yield world.timeout(V)
            for each in inside:
                each.succeed()
        busy = False

    def wait() -> simpy.Event:
        there.append(world.event())
        mine = there[-1]
        if not busy:
            world.process(rounds())
        return mine

    return wait


@pytest.mark.parametrize(
    ("N", "D", "Z", "g", "W"),
    [
        (2, 0.01, 0.3, 0.0, math.inf),
        (20, 0.01, 0.5, 0.0, math.inf),
        (64, 0.01, 1.0, 0.002, math.inf),
        (64, 0.05, 1.0, 0.0, 8),
        (200, 0.01, 5.0, 0.001, 16),
    ],
)
def test_a_simpy_simulation_agrees(N: int, D: float, Z: float, g: float, W: float) -> None:
    ours = rounds(N, V, D=D, Z=Z, g=g, W=W)
    pool = None if math.isinf(W) else int(W)
    theirs = simpy_rate(N, D, V, c=N, W=pool, Z=Z, g=g, cpu_cv=0, waiting=disk)
    assert ours == pytest.approx(theirs, rel=0.05)


def test_think_time_is_in_the_forecast_and_not_in_the_bound_alone() -> None:
    together = of(10, 200, wait_by="disk-together")
    calibration = dataclasses.replace(IDEAL, generator_s=0.0)
    level = one_level(prefork(64), together, 64, calibration=calibration, think_time_s=1.0)
    assert level.bound_rps == pytest.approx(64 / 1.21)
    assert level.model_rps == pytest.approx(64 / (1.01 + 1.5 * 0.2), rel=0.03)
    # Eight workers, which others have while a user thinks, or nobody where each is held.
    few = one_level(prefork(8), together, 64, calibration=calibration, think_time_s=1.0)
    held = one_level(prefork(8, by="apache"), together, 64, calibration=calibration, think_time_s=1)
    assert held.model_rps == pytest.approx(8 / (1.01 + 1.5 * 0.2), rel=0.1)
    assert few.model_rps > 2 * held.model_rps
