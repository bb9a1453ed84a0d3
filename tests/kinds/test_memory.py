"""The memory lab: what is found, how it is told, and real servers weighed."""

import sys
import threading
import time
from dataclasses import replace
from typing import Any

import examples
import plotly.graph_objects as go
import pytest
from examples import growth
from msgspec import structs
from short import short

from labs.host.waiting import Stopped
from labs.kinds.memory.record import Memory, MemoryCurve
from labs.kinds.memory.run import MemoryLab
from labs.kinds.memory.show import memory_figure, memory_said, show
from labs.load.concurrent import concurrent_requests
from labs.load.locust import LoadFailed
from labs.measure.rig import Rig
from labs.present.quantities import NoSuchNumber
from labs.records.errors import BadRecording
from labs.records.experiment import Server
from labs.servers.serve import serve

MIB, KIB = 2**20, 2**10


def run(factor: float = 1.0) -> tuple[MemoryCurve, ...]:
    return (
        growth("process", (1, 2, 4, 8), 20 * MIB, round(4 * MIB * factor), 16 * MIB),
        growth("thread", (1, 8, 32), 24 * MIB, 40 * KIB),
        growth("coroutine", (1, 64, 512), 22 * MIB, 10 * KIB),
    )


def memory(*factors: float) -> Memory:
    return examples.memory(*(run(factor) for factor in factors or (0.9, 1.0, 1.2)))


def without_pss(found: Memory) -> Memory:
    """As macOS would tell it."""
    runs = tuple(
        replace(run, growths=tuple(replace(each, pss_bytes=()) for each in run.growths))
        for run in found.runs
    )
    return structs.replace(found, runs=runs)


# what is found


@pytest.mark.parametrize(
    "wrong",
    [
        {"sizes": (1,), "pss_bytes": (1,), "rss_bytes": (1,)},
        {"sizes": (2, 1)},
        {"sizes": (1, 1)},
        {"pss_bytes": (1,)},
        {"rss_bytes": ()},
    ],
    ids=str,
)
def test_memory_curve_refuses_what_cannot_be(wrong: dict[str, object]) -> None:
    with pytest.raises(BadRecording, match="kind='process'"):
        replace(growth("process", (1, 2), 1, 1), **wrong)


# how it is told


def test_memory_show_tells_a_system_without_pss() -> None:
    found = without_pss(memory(1.0))
    assert found.run.growth("process").each_bytes == pytest.approx(20 * MIB)
    figure = memory_figure(found)
    assert len(go.Figure(figure).data) == len(figure["data"])
    go.Layout(figure["layout"]["meta"]["narrow"])
    for kind in ("Processes", "Threads", "Coroutines"):
        assert f"{kind}: " in show.alt(found)
    said = " ".join(memory_said(found))
    assert "This system has no PSS." in said and "RSS says" not in said
    rows = show.table(found).rows
    assert len(rows) == 10 and {row[2] for row in rows} == {""}
    with pytest.raises(NoSuchNumber, match="pss: was not counted on that system"):
        show.quote(found, "pss", "process", 8)


@pytest.mark.parametrize(
    ("asked", "value", "text"),
    [
        (("each", "process"), 4 * MIB, "4 MiB"),
        (("each", "coroutine"), 10 * KIB, "10 KiB"),
        (("rss_each", "process"), 20 * MIB, "20 MiB"),
        (("pss", "process", 8), 52 * MIB, "52 MiB"),
        (("machine",), 2, "Example CPU"),
    ],
)
def test_memory_quotes_are_of_the_middle_run(
    asked: tuple[Any, ...], value: float, text: str
) -> None:
    found = show.quote(memory(1.0), *asked)
    assert float(found) == pytest.approx(value)
    assert text in str(found).replace("\u00a0", " ")
    with pytest.raises(NoSuchNumber, match="There are process, thread, coroutine"):
        show.quote(memory(), "each", "fibre")
    with pytest.raises(NoSuchNumber, match="There are 1, 2, 4, 8"):
        show.quote(memory(), "pss", "process", 3)


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
def test_hold_needs_all_requests_to_wait_at_once() -> None:
    stop = threading.Event()
    looks = []
    with (
        serve(Server("threaded", by="scratch", threads=4)) as running,
        concurrent_requests(stop) as asking,
    ):

        def look() -> float:
            looks.append(time.perf_counter())
            return looks[-1]

        assert asking.hold(running.port, 4, "/?loops=1", 0.4, look) == looks[0]
        assert len(looks) == 1
        with pytest.raises(LoadFailed, match="8 requests did not wait all at once"):
            asking.hold(running.port, 8, "/?loops=1", 0.05, look)  # four of them have to queue
        with pytest.raises(LoadFailed, match="2 of 2 requests failed"):
            asking.ask(running.port, 2, "/?loops=many")
        threading.Timer(0.2, stop.set).start()
        with pytest.raises(Stopped):
            asking.hold(running.port, 1, "/?loops=1", 30.0, look)
