"""What the watching itself takes: it is done by the machine that is measured."""

import os
import subprocess
import time
from collections.abc import Callable, Collection
from dataclasses import replace

import psutil
import pytest

from labs.host import monitor
from labs.host.monitor import COUNT_EVERY, Sampler
from labs.host.process_tree import one_look, session

LOOKS = 24


class Listing:
    """The ids of some processes, and when they were asked for."""

    def __init__(self) -> None:
        self.at: list[float] = []
        self.pids = [os.getpid()]

    def __call__(self) -> Collection[int]:
        self.at.append(time.perf_counter())
        return list(self.pids)


def sampler(pids: Callable[[], Collection[int]]) -> Sampler:
    ours = Sampler(server=pids, generator=pids, browser=pids, on_event=lambda _: None)
    assert not ours.samples
    return ours


def test_processes_and_threads_are_looked_up_outside_of_what_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed, asked = Listing(), list[float]()

    def switches(pids: Collection[int]) -> tuple[int, int]:
        asked.append(time.perf_counter())
        return 0, 0

    monkeypatch.setattr(monitor, "switches", switches)
    ours = sampler(listed)
    before = ours.snapshot()
    after = ours.snapshot(ends=True)
    looked = sorted(listed.at + asked)
    assert looked and not [at for at in looked if before.at < at < after.at]
    assert looked[0] < before.at and after.at < looked[-1]


def test_what_was_told_of_threads_before_and_after_is_taken_for_the_time_between() -> None:
    """Their counters rose for longer than the rest was measured."""
    ours = sampler(Listing())
    begin = replace(
        ours.snapshot(), at=10.0, threads_at=9.9, voluntary=0, involuntary=0, run_delay_s=0.0
    )
    rose = {"voluntary": 120, "involuntary": 60, "run_delay_s": 0.6}
    used = begin.until(replace(begin, at=11.0, threads_at=11.1, **rose))
    assert (used.voluntary, used.involuntary) == (100, 50)
    assert used.run_delay == pytest.approx(0.5)


def test_who_came_since_is_in_the_last_snapshot() -> None:
    listed = Listing()
    ours = sampler(listed)
    before = ours.snapshot()
    newcomer = os.getppid()
    listed.pids.append(newcomer)
    used_s = monitor.process_cpu_s(newcomer)
    after = ours.snapshot(ends=True)
    assert after.server_s - before.server_s >= used_s > 0


def test_a_look_lists_all_processes_once_however_many_trees_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And only some looks do: the others read the clocks of those that are known."""
    calls, listed = [0], psutil.pids

    def pids() -> list[int]:
        calls[0] += 1
        return listed()

    monkeypatch.setattr(psutil, "pids", pids)
    mine = os.getsid(0)
    ours = Sampler(
        server=lambda: session(mine),
        generator=lambda: session(mine),
        behind=lambda: session(mine),
        workers=lambda: len(session(mine)),
        on_event=lambda _: None,
    )
    for _ in range(LOOKS):
        ours.look()
    assert os.getpid() in ours.server.used and ours.samples[-1].workers
    assert calls[0] == LOOKS / COUNT_EVERY
    calls[0] = 0
    ours.snapshot()
    assert calls[0] == 1


def test_what_is_set_aside_is_in_no_sample() -> None:
    """Of what begins, goes on or ends in it; the next sample begins where a look has come after."""
    ours = sampler(Listing())
    ours.look()
    with ours.aside():
        for _ in range(LOOKS):
            ours.look()
    end = time.perf_counter()
    ours.look()
    assert len(ours.samples) == 1  # some of that time lies in the block
    assert ours._last[0] >= end  # where the next one begins
    ours.look()
    assert len(ours.samples) == 2


def test_one_look_is_over_with_its_block() -> None:
    with one_look():
        child = subprocess.Popen(["sleep", "60"], start_new_session=True)
        during = session(child.pid)
    after = session(child.pid)
    child.kill()
    child.wait()
    assert during == []  # as it was when the look began
    assert after == [child.pid]
