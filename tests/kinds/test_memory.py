"""The memory lab: what is found, how it is told, and real servers weighed."""

import sys
import threading
import time
from dataclasses import replace

import examples
import pytest
from examples import growth
from short import short

from labs.host.waiting import Stopped
from labs.kinds.memory.record import Memory, MemoryCurve
from labs.kinds.memory.run import MemoryLab, held
from labs.load.locust import LoadFailed, drive
from labs.measure.rig import Rig
from labs.records.experiment import Load, Server

MIB, KIB = 2**20, 2**10


def run(factor: float = 1.0) -> tuple[MemoryCurve, ...]:
    return (
        growth("process", (1, 2, 4, 8), 20 * MIB, round(4 * MIB * factor), 16 * MIB),
        growth("thread", (1, 8, 32), 24 * MIB, 40 * KIB),
        growth("coroutine", (1, 64, 512), 22 * MIB, 10 * KIB),
    )


def memory(*factors: float) -> Memory:
    return examples.memory(*(run(factor) for factor in factors or (0.9, 1.0, 1.2)))


# what is found


# how it is told


def test_memory_lab_rejects_a_bent_line_and_other_sizes() -> None:
    assert MemoryLab().rejection(memory(1.0)) == ""
    bent = replace(memory(1.0).run.growths[0], pss_bytes=(20, 90, 30, 100))
    assert "no straight line" in MemoryLab().rejection(examples.memory((bent,)))
    lab = MemoryLab()
    assert not lab.matches(memory())
    lab.sizes = {"process": (1, 2, 4, 8), "thread": (1, 8, 32), "coroutine": (1, 64, 512)}
    assert lab.matches(memory())
    assert lab.answer(memory(1.0)).measured == pytest.approx(4 * MIB)
    assert MemoryLab().seconds() <= 40


# real servers


@pytest.mark.extended
@pytest.mark.performance
def test_memory_lab_weighs_real_servers() -> None:
    """A process takes more than a thread, a thread more than a coroutine; PSS is below RSS."""
    told: list[object] = []
    found = Rig(told.append).perform(short(MemoryLab()))
    assert [len(each.run.growths) for each in told if isinstance(each, Memory)] == [1, 2, 3]
    process, thread, coroutine = found.run.growths
    assert (process.kind, thread.kind, coroutine.kind) == ("process", "thread", "coroutine")
    assert process.each_bytes > 4 * thread.each_bytes > 0
    assert process.each_bytes > 16 * coroutine.each_bytes > 0
    if sys.platform == "linux":
        for each in found.run.growths:
            assert all(pss < rss for pss, rss in zip(each.pss_bytes, each.rss_bytes, strict=True))
        assert process.rss_each_bytes > 1.5 * process.each_bytes


@pytest.mark.performance
def test_held_needs_all_requests_to_wait_at_once() -> None:
    rig, looks = Rig(), list[float]()

    def look() -> float:
        looks.append(time.perf_counter())
        return looks[-1]

    with drive(Load((8,), keep_alive=False)) as driver:
        with rig.serve(Server("threaded", by="scratch", threads=4)) as running:
            driver.aim(running.url, rig.stop)
            assert held(rig, driver, 4, 0.4, look) == looks[0]
            assert len(looks) == 1
            with pytest.raises(LoadFailed, match="8 requests did not wait all at once"):
                held(rig, driver, 8, 0.05, look)  # four of them have to queue
            threading.Timer(0.2, rig.stop.set).start()
            with pytest.raises(Stopped):
                held(rig, driver, 1, 5.0, look)
        rig.stop.clear()
        with pytest.raises(LoadFailed, match="Requests failed"):
            held(rig, driver, 1, 0.1, look)  # nobody listens any more
