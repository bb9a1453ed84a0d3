"""What bounds a level in numbers, and how much of it was in use: by hand, limit by limit."""

from dataclasses import replace
from typing import Any

import examples
import pytest
from examples import modelled

from labs.analysis.limit import ceiling, used
from labs.present import reasons
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Machine, Point, Prediction, Run
from labs.theory.forecast import forecast

FREE = replace(examples.MACHINE, quota_cores=None)  # two cores
HALF = replace(FREE, quota_cores=0.5)
FOUR = replace(FREE, cores=4, logical_cores=4)
PREFORK = examples.EXPERIMENT  # eight processes, 50 ms of CPU
LOOP = Experiment(Server("event-loop", processes=3), Workload(cpu_s=0.05), Load((8,)))
BLOCKED = replace(LOOP, workload=Workload(wait_s=0.05, wait_by="blocking"))
THREADS = Experiment(Server("threaded", threads=4), Workload(cpu_s=0.05), Load((8,)))
TWO_OF_THEM = replace(PREFORK, load=Load((8,), generators=2))
BOTH_CORES = replace(PREFORK, server=Server("prefork", processes=8, cores=2))
HELD = replace(PREFORK, server=Server("prefork", processes=8, quota=1.5))
POOLED = replace(THREADS, workload=Workload(wait_s=0.04, wait_by="connections", connections=3))
BUSY = replace(  # 20 requests a second, at a bound of 40
    examples.point(8, factor=0.5),
    server_cpu=1.2,
    generator_cpu=0.3,
    backend_cpu=0.1,
    service_time_s=0.06,
)


def limited(limit: str, **changes: Any) -> Run:
    levels = tuple(replace(level, limit=limit) for level in examples.prediction().levels)
    return replace(
        examples.run(), forecast=replace(examples.prediction(), levels=levels, **changes)
    )


@pytest.mark.parametrize(
    ("limit", "experiment", "machine", "part"),
    [
        ("users", PREFORK, FREE, 20 / 40),
        ("cpu", BOTH_CORES, FREE, (1.2 + 0.3 + 0.1) / 2),
        ("cpu", BOTH_CORES, FOUR, 1.2 / 2),  # the others have cores of their own
        ("cpu", PREFORK, HALF, (1.2 + 0.3 + 0.1) / 0.5),
        ("cpu", HELD, FREE, 1.2 / 1.5),  # the load generator is not held
        ("pool", PREFORK, FREE, 20 * 0.06 / 8),
        ("event loop", LOOP, FREE, 1.2 / 2),  # of its three processes two have a core
        ("event loop", LOOP, HALF, 1.2 / 0.5),
        ("event loop", BLOCKED, FREE, 20 * 0.06 / 3),  # whether on a core or not
        ("interpreter lock", THREADS, FREE, 1.2 / 1),
        ("load generator", TWO_OF_THEM, FREE, 0.3 / 2),
        ("database", PREFORK, FREE, 20 * 0.04),
        ("connections", POOLED, FREE, 20 * 0.04 / 3),
    ],
)
def test_how_much_of_a_limit_was_in_use(
    limit: str, experiment: Experiment, machine: Machine, part: float
) -> None:
    found = used(*modelled(experiment, machine, limited(limit, wait_s=0.04)), BUSY)
    assert found == pytest.approx(part)


def test_what_nobody_measured_is_not_reckoned() -> None:
    untold: Point = replace(BUSY, service_time_s=None)
    assert used(*modelled(PREFORK, FREE, limited("pool")), untold) is None
    assert used(*modelled(BLOCKED, FREE, limited("event loop")), untold) is None
    assert used(*modelled(PREFORK, FREE, limited("weather")), BUSY) is None


def run_of(expected: Prediction) -> Run:
    return replace(examples.run(), forecast=expected)


def test_a_ceiling_is_the_bound_in_two_numbers() -> None:
    """Two cores, and what a request takes of them, the load generator's part included."""
    expected = forecast(PREFORK, examples.CALIBRATION, FREE)
    last = expected.levels[-1]
    found = ceiling(*modelled(PREFORK, FREE, run_of(expected)), last.users)
    assert found is not None and last.limit == "cpu"
    assert found.units == pytest.approx(2)
    assert found.rps == pytest.approx(last.bound_rps)
    assert found.seconds == pytest.approx(2 / last.bound_rps)
    first = ceiling(*modelled(PREFORK, FREE, run_of(expected)), 1)
    assert first is not None and first.units == pytest.approx(1)
    assert ceiling(*modelled(PREFORK, FREE, limited("weather")), 8) is None  # the model has none


def test_a_worker_that_keeps_its_connection_is_taken_while_its_user_thinks() -> None:
    """Apache's four workers have four of sixteen users, who think for a second after each answer
    of 100 ms: none is free, though their requests are in service for a tenth of the time."""
    kept = Experiment(
        Server("prefork", by="apache", processes=4),
        Workload(wait_s=0.1),
        Load((4, 16), think_time_s=1.0),
    )
    expected = forecast(kept, examples.CALIBRATION, FREE)
    assert expected.at(16).limit == "pool"
    held = replace(
        examples.point(16),
        throughput_rps=4 / 1.1,
        mean_response_time_s=0.1,
        service_time_s=0.1,
        never_served=12,
        littles_law=4 / 16,
    )
    assert used(*modelled(kept, FREE, run_of(expected)), held) == pytest.approx(1.0)
    closed = replace(kept, load=replace(kept.load, keep_alive=False))
    assert used(*modelled(closed, FREE, run_of(expected)), held) == pytest.approx(0.1 / 1.1)


def test_a_lock_that_the_work_lets_go_of_is_used_by_the_rest_alone() -> None:
    """Each of 800 requests a second needs the lock for half a millisecond; its hashing does not."""
    hashing = Experiment(
        Server("threaded", threads=16), Workload(cpu_s=0.0005, cpu_by="hashing"), Load((64,))
    )
    burned = replace(examples.CALIBRATION, loops_per_s=(20e6, 40e6, 60e6, 80e6))
    expected = forecast(hashing, burned, FOUR)
    run = replace(run_of(expected), calibration=burned)
    assert expected.at(64).limit == "interpreter lock"
    seen = replace(examples.point(64), throughput_rps=800.0, server_cpu=0.95, generator_cpu=0.1)
    assert used(*modelled(hashing, FOUR, run), seen) == pytest.approx(0.4)
    said = reasons.limit(*modelled(hashing, FOUR, replace(run, points=(seen,))), seen)
    assert "expected Python's lock to be the limit: but for the hashing, of each process" in said
