"""Where the time went: what servers say of their service, and what the kernel says of a core."""

import os

import pytest
from measuring import measure

from labs.host import run_queue
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.time_split import PARTS, TimeSplit

pytestmark = [pytest.mark.measures, pytest.mark.usefixtures("calibrated_in_passing")]
counted = pytest.mark.skipif(
    not (run_queue.counted() and hasattr(os, "sched_setaffinity")),
    reason="this system counts no run-queue delay",
)


def split(server: Server, workload: Workload, users: int, seconds: float = 1.5) -> TimeSplit:
    """Of a level that is measured: its parts are its mean response time, and none is negative."""
    (point,) = measure(Experiment(server, workload, Load([users], seconds=seconds))).points
    found = point.time_split
    assert found is not None
    assert found.total_s == pytest.approx(point.mean_response_time_s, rel=0.05)
    assert all(getattr(found, name) >= 0 for name in PARTS)
    return found


def largest(found: TimeSplit, but: str = "") -> str:
    """But for one: `ready_s` is longer where others use the cores too."""
    return max(set(PARTS) - {but}, key=lambda name: float(getattr(found, name)))


@pytest.mark.performance
@counted
@pytest.mark.parametrize("by", [pytest.param("gunicorn", marks=pytest.mark.extended), "scratch"])
def test_processes_that_share_a_core_wait_for_it(by: str) -> None:
    """What each asked for, and the kernel's own counters, explain the response time."""
    server = Server("prefork", by=by, processes=8, cores=1)
    found = split(server, Workload(cpu_s=0.01, wait_s=0.02), 8)
    assert found.explained, found
    assert (largest(found), found.turn_at) == ("ready_s", "")
    assert found.ready_s > 2 * found.on_core_s


@pytest.mark.performance
@pytest.mark.parametrize("by", [pytest.param("gunicorn", marks=pytest.mark.extended), "scratch"])
def test_threads_wait_for_the_interpreter(by: str) -> None:
    server = Server("threaded", by=by, threads=12)
    found = split(server, Workload(cpu_s=0.02, wait_s=0.02), 12)
    assert (largest(found, "ready_s"), found.turn_at) == ("turn_s", "interpreter"), found
    assert found.explained and found.turn_s > 3 * found.on_core_s


@pytest.mark.extended
@pytest.mark.performance
@pytest.mark.parametrize("by", ["uvicorn", "scratch"])
def test_an_event_loop_keeps_waiting(by: str) -> None:
    """In a window of many response times, also on half a core: what is cut at its end is little."""
    found = split(Server("event-loop", by=by), Workload(cpu_s=0.02, wait_s=0.02), 8, seconds=3)
    assert (largest(found, "ready_s"), found.turn_at) == ("turn_s", "event loop"), found
    assert found.explained and found.turn_s > 3 * found.on_core_s


@pytest.mark.performance
def test_a_full_pool_queues_and_a_wait_is_as_asked() -> None:
    """Six at two workers, 50 ms each: twice that before service."""
    wait_s = 0.05
    server = Server("prefork", by="scratch", processes=2)
    found = split(server, Workload(wait_s=wait_s, wait_cv=0.0), 6)
    assert found.explained and largest(found) == "queued_s"
    assert found.asked_s == pytest.approx(wait_s, rel=0.05)
    assert found.queued_s == pytest.approx(2 * wait_s, rel=0.25)
