"""The kernel's counters of run-queue delay, on processes that compute and do nothing else."""

import contextlib
import os
import subprocess
import sys
import time

import pytest
from waiting import eventually

from labs.host.hardware import usable_cores
from labs.host.monitor import process_cpu_s, switches
from labs.host.run_queue import RunDelay, counted

pytestmark = pytest.mark.skipif(not counted(), reason="this system counts no run-queue delay")
BURN = "while True: pass"


def test_who_computes_is_on_a_core_or_ready_for_one() -> None:
    """Three on one core: run time and delay are all of their time, and delay is the most of it.
    Of those that have ended, what was seen stays counted."""
    core, delay = usable_cores()[0], RunDelay()
    with contextlib.ExitStack() as stack:
        burners = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(3)]
        for burner in burners:
            stack.callback(burner.wait)
            stack.callback(burner.kill)
            os.sched_setaffinity(burner.pid, {core})
        pids = [burner.pid for burner in burners]

        def look() -> tuple[float, float, float]:
            delay.look(pids)
            return time.perf_counter(), sum(map(process_cpu_s, pids)), delay.seconds

        eventually(lambda: min(map(process_cpu_s, pids)) > 0.1, 20, "all three compute")
        at, ran_s, delayed_s = look()
        eventually(lambda: look()[1] > ran_s + 0.7, 20, "0.7 s of computing")
        later, ran_then_s, delayed_then_s = look()
    waited_s, worked_s = delayed_then_s - delayed_s, ran_then_s - ran_s
    assert waited_s > 1.5 * worked_s
    assert waited_s + worked_s == pytest.approx(3 * (later - at), rel=0.2)
    delay.look(pids)
    assert delay.seconds == pytest.approx(delayed_then_s)


def test_a_thread_that_has_just_ended_hides_none_of_the_others(monkeypatch) -> None:
    """It is in the list, and gone when its file is opened."""
    me, listed = os.getpid(), os.listdir
    known = switches([me])
    monkeypatch.setattr(os, "listdir", lambda path: ["999999999", *listed(path)])
    assert sum(switches([me])) >= sum(known) > 0
