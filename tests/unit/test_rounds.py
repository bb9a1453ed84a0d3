"""Waits that many have together, with users who think: beside the same in another framework, and
what a forecast makes of it."""

import dataclasses
import math

import numpy as np
import pytest
import simpy
from simulated import throughput
from test_forecast import IDEAL, of, one_level, prefork

from labs.theory.queueing import rounds


def simpy_rate(
    N: int, V: float, D: float, Z: float, g: float, W: float, done: int = 12_000
) -> float:
    """X of users who think, need one of W workers, work for D seconds, and wait for a round of V,
    which somebody who is there begins when no other is on; events by SimPy."""
    world, dice = simpy.Environment(), np.random.default_rng(5)
    pool = simpy.Resource(world, N if math.isinf(W) else int(W))
    generator = simpy.Resource(world, 1)
    ends: list[float] = []
    there: list[simpy.Event] = []
    busy = False

    def disk() -> simpy.events.ProcessGenerator:
        nonlocal busy, there
        busy = True
        while there:
            inside, there = there, []
            yield world.timeout(V)
            for each in inside:
                each.succeed()
        busy = False

    def user() -> simpy.events.ProcessGenerator:
        yield world.timeout(dice.uniform(0, D + V + Z))
        while True:
            with pool.request() as worker:
                yield worker
                yield world.timeout(D)
                mine = world.event()
                there.append(mine)
                if not busy:
                    world.process(disk())
                yield mine
            ends.append(world.now)
            with generator.request() as turn:
                yield turn
                yield world.timeout(g)
            yield world.timeout(dice.exponential(Z))

    for _ in range(N):
        world.process(user())
    return throughput(world, ends, done)


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
    ours = rounds(N, 0.2, D=D, Z=Z, g=g, W=W)
    assert ours == pytest.approx(simpy_rate(N, 0.2, D, Z, g, W), rel=0.05)


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
