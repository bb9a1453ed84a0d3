"""Prefork with spare workers: grows under load, shrinks after it, replaces who was killed."""

import contextlib
import http.client
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
from asking import ask
from measuring import measure
from waiting import eventually

from labs.host.process_tree import born
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.servers.control import ServerControl
from labs.servers.serve import Running, serve
from workloads.servers.spare import FIRST, MOST_IDLE

pytestmark = [pytest.mark.measures, pytest.mark.usefixtures("calibrated_in_passing")]
LIMIT = 14
SOON_S = 15.0
SERVER = Server("prefork", by="spare", processes=LIMIT)


def workers(running: Running) -> list[int]:
    """Those that live: a killed one is a zombie until its master looks."""
    return [pid for pid in running.serving_pids() if born(pid)]


@contextlib.contextmanager
def crowd(running: Running, users: int) -> Iterator[list[int]]:
    """So many users who ask again at once; the statuses of their answers, 0 for none."""
    over, statuses = threading.Event(), list[int]()

    def user() -> None:
        while not over.is_set():
            try:
                statuses.append(ask(running, "/?wait=0.1")[0])
            except (OSError, http.client.HTTPException):
                statuses.append(0)

    with ThreadPoolExecutor(users) as pool:
        asking = [pool.submit(user) for _ in range(users)]
        try:
            yield statuses
        finally:
            over.set()
            for each in asking:
                each.result(SOON_S)


@pytest.mark.performance
def test_spare_has_no_more_workers_than_it_needs() -> None:
    with serve(SERVER) as running:
        assert len(workers(running)) == FIRST
        assert ask(running, "/?loops=10")[0] == 200
        with crowd(running, LIMIT + 2) as statuses:
            seen = [FIRST]

            def grown() -> bool:
                if (now := len(workers(running))) != seen[-1]:
                    seen.append(now)
                return now == LIMIT

            eventually(grown, SOON_S, "all it may have")
            assert seen == sorted(seen)
            assert len(seen) > 2, "not all at once"
            before = set(workers(running))
            victim = max(before)
            os.kill(victim, signal.SIGKILL)
            eventually(
                lambda: len(now := set(workers(running))) == LIMIT and victim not in now,
                SOON_S,
                "another worker",
            )
            assert len(set(workers(running)) & before) == LIMIT - 1
            done = len(statuses)
            eventually(lambda: len(statuses) > done + 2 * LIMIT, SOON_S, "answers")
            raised = ServerControl(running, threading.Event()).raise_pool(LIMIT + 2)
            assert (raised.before, raised.to) == (LIMIT, LIMIT + 2)
            eventually(lambda: len(workers(running)) == LIMIT + 2, SOON_S, "two more")
        assert statuses.count(0) <= 1  # whom the killed one was serving
        assert set(statuses) <= {200, 0}
        eventually(lambda: len(workers(running)) == MOST_IDLE, SOON_S, "only some spare ones")

        def fewer() -> bool:  # of two such signals that it has not seen yet the system keeps one
            os.kill(running.pid, signal.SIGTTOU)
            assert ask(running, "/")[0] == 200
            return len(workers(running)) < MOST_IDLE

        eventually(fewer, SOON_S, "fewer than that")
        assert all(fewer() for _ in range(MOST_IDLE + 10))


def test_spare_s_worker_that_is_told_to_go_lets_its_client_finish() -> None:
    with serve(SERVER) as running, ThreadPoolExecutor(1) as pool:
        one, *others = workers(running)
        for other in others:  # so that only one can serve
            os.kill(other, signal.SIGSTOP)
        stand = [psutil.Process(other) for other in others]  # who is about to may still be woken
        eventually(
            lambda: all(each.status() == psutil.STATUS_STOPPED for each in stand), SOON_S, "a halt"
        )
        answer = pool.submit(ask, running, "/?wait=0.5")
        control = ServerControl(running, threading.Event())
        eventually(lambda: control._clients(one) > 0, SOON_S, "a worker with a client")
        os.kill(one, signal.SIGTERM)
        assert born(one)
        assert answer.result(SOON_S)[0] == 200
        eventually(lambda: not born(one), SOON_S, "its end")
        for other in others:
            os.kill(other, signal.SIGCONT)


@pytest.mark.performance
def test_a_sweep_waits_until_spare_has_grown() -> None:
    experiment = Experiment(SERVER, Workload(wait_s=0.1), Load([LIMIT], seconds=0.5))
    (point,) = measure(experiment).points
    assert point.throughput_rps == pytest.approx(LIMIT / 0.1, rel=0.25)
    assert (point.workers, point.failed) == (LIMIT, 0)
