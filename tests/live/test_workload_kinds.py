"""Kinds of work and wait: hashing, a slow backend, waits that block; queued and service time."""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import examples
import psutil
import pytest
from asking import client, get
from measuring import measure
from msgspec import structs

from labs.host import hardware as this_machine
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.show import show
from labs.measure.rig import split_cores
from labs.panel.settings import Settings
from labs.records import experiment as records
from labs.records.errors import ServerFailed
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.servers.catalogue import CATALOGUE, ServerRow
from labs.servers.serve import Running, serve
from workloads.app import units
from workloads.app.application import application

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")

live = pytest.mark.performance
OURS = {
    f"{kind.architecture} by {kind.by}": kind
    for kind in CATALOGUE
    if kind.by in ("gunicorn", "uvicorn", "scratch")
}
HERE = this_machine.fingerprint()


def test_the_table_shows_how_connections_fell() -> None:
    point = replace(examples.point(8), connections={"10": 2, "11": 6})
    runs = (replace(examples.run(), points=(point,)),)
    pools = replace(examples.EXPERIMENT, server=Server("threaded", processes=2, threads=4))
    table = show.table(structs.replace(examples.recording(), experiment=pools, runs=runs))
    row = dict(zip(table.head, table.rows[0], strict=True))
    assert row["connections"] == "2 and 6"


# --- the application ------------------------------------------------------------------------


def test_a_wait_says_what_for_or_nothing_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(query: str) -> tuple[int, bytes, str]:
        with pytest.raises(StopIteration) as end:
            next(application("/", query))
        return end.value.value

    assert next(application("/", "wait=0.01")) == 0.01
    status, body, service = answer("wait=0.01&wait_by=blocking")
    start, end, cpu_s, asked_s = map(float, service.split())
    assert (status, body) == (200, b"done\n") and asked_s == 0.01
    assert cpu_s < 0.01 <= end - start
    monkeypatch.delenv("WALL_TIME_BACKEND", raising=False)
    monkeypatch.setattr(units, "idle", [])
    status, body, _ = answer("wait=0.01&wait_by=backend")
    assert status == 502 and b"WALL_TIME_BACKEND does not say" in body


def test_hashing_lets_go_of_the_lock_and_counting_keeps_it() -> None:
    """Who need not give the interpreter's lock away is at work until it lets go."""

    def done_when_others_run(work: Callable[[int], object], loops: int) -> bool:
        begun, done = threading.Event(), threading.Event()

        def run() -> None:
            begun.set()
            work(loops)
            done.set()

        thread = threading.Thread(target=run)
        thread.start()
        begun.wait()
        found = done.is_set()
        thread.join()
        return found

    with contextlib.ExitStack() as stack:
        stack.callback(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(100.0)
        assert not done_when_others_run(units.digest, 100_000)
        assert done_when_others_run(units.count, 1_000_000)


# --- servers --------------------------------------------------------------------------------


Span = tuple[float, float]  # of a request in service: begin and end, on the clock of all


def ask(running: Running, query: str) -> tuple[int, Span]:
    """Status, and when it was served, as the server says."""
    with client(running) as connection:
        response, _ = get(connection, f"/?{query}")
        start, end, _, _ = map(float, response.headers["X-Service"].split())
        return response.status, (start, end)


def all_ask(running: Running, query: str, users: int = 3) -> list[Span]:
    """When each of so many who ask at one time was served."""
    with ThreadPoolExecutor(users) as pool:
        answers = list(pool.map(lambda _: ask(running, query), range(users)))
    assert [status for status, _ in answers] == [200] * users
    return [span for _, span in answers]


def at_once(spans: Sequence[Span]) -> int:
    """How many were served at one time, at most."""
    return max(sum(start <= begin < end for start, end in spans) for begin, _ in spans)


def lengths(spans: Sequence[Span]) -> list[float]:
    return [end - start for start, end in spans]


@live
@pytest.mark.parametrize("kind", OURS.values(), ids=OURS)
def test_every_server_waits_and_works_as_asked_and_says_how_long(kind: ServerRow) -> None:
    wait_s = 0.5  # all three have begun by then, on a busy machine too
    many = {"prefork": {"processes": 3}, "threaded": {"threads": 3}, "event-loop": {}}
    server = Server(kind.architecture, by=kind.by, **many[kind.architecture])
    with serve(server, backend=True) as running:
        assert running.backend is not None
        assert not set(running.backend.pids()) & set(running.pids())
        assert ask(running, "loops=5000&cpu_by=hashing")[0] == 200
        spans = all_ask(running, f"wait={wait_s}&wait_by=backend")
        assert at_once(spans) == len(spans) and min(lengths(spans)) > wait_s
        spans = all_ask(running, f"wait={wait_s}&wait_by=blocking")
        in_turn = kind.architecture == "event-loop"  # nobody's wait in line is service
        assert at_once(spans) == (1 if in_turn else len(spans))
        assert min(lengths(spans)) > 0.9 * wait_s
        pids = running.backend.pids()
        running.backend.process.kill()
        with pytest.raises(ServerFailed, match=r"slow backend ended with exit code -9 .* under"):
            running.check()
        assert ask(running, f"wait={wait_s}&wait_by=backend")[0] == 502
        assert ask(running, "")[0] == 200
    assert not any(map(psutil.pid_exists, pids))


@pytest.mark.measures
def test_a_backend_that_does_not_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "argparse.py").write_text("raise ImportError('shadowed by the reader')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (
        pytest.raises(ServerFailed, match=r"The backend ended with exit code 1(.|\n)*shadowed"),
        serve(Server("event-loop"), backend=True),
    ):
        pass


# --- measuring ------------------------------------------------------------------------------


@live
def test_the_slider_of_cores_turns_the_affinity_and_keeps_the_load_off_them() -> None:
    usable, work = this_machine.usable_cores(), Workload(wait_s=0.02, wait_by="backend")
    experiment = Experiment(Server("prefork", processes=2), work, Load([2], seconds=0.5))
    with contextlib.closing(
        Settings([experiment], replace(HERE, cores=len(usable)), lambda: None)
    ) as controls:
        controls.controls["cores"].value = 1
        (asked,) = controls.experiments()
    if len(usable) == 1 or not hasattr(os, "sched_setaffinity"):
        assert split_cores(asked.server) == (None, None)
        return
    assert asked.server.cores == 1
    on: dict[str, set[int]] = {}

    def look(event: object) -> None:
        if isinstance(event, Recording) and event.points:
            for child in psutil.Process().children(recursive=True):
                words = " ".join(child.cmdline())
                for name in ("gunicorn", "locust", "workloads.backend"):
                    if f"-m {name}" in words and "reaper.py" not in words:
                        on.setdefault(name, set()).update(child.cpu_affinity())

    (point,) = measure(asked, on_event=look).points
    assert 0 < point.backend_cpu < 0.5
    assert on.pop("gunicorn") == {usable[0]}
    assert on == {"locust": set(usable[1:]), "workloads.backend": set(usable[1:])}


@pytest.mark.parametrize("kind", records.WAIT_BY)
def test_the_panel_has_each_kind_that_a_lab_begins_with(kind: records.WaitBy) -> None:
    work = Workload(cpu_s=0.01, wait_s=0.02, wait_by=kind)
    asked = replace(examples.EXPERIMENT, workload=work)
    with contextlib.closing(Settings([asked], examples.MACHINE, lambda: None)) as controls:
        choice = controls.controls["wait_by"]
        assert controls.experiments() == (asked,)
        controls.controls["cpu_by"].value = "hashing"
        assert controls.experiments()[0].workload == replace(work, cpu_by="hashing")
        assert all(choice.tooltips) and len(set(choice.tooltips)) == len(set(choice.options))
        assert len(choice.tooltips) == len(choice.options)
