"""Connections to a database, lent by a pool behind the threads: X = k / h while threads idle."""

import contextlib
import subprocess
import sys
from dataclasses import replace

import examples
import pytest
from measuring import measure

from labs.host.project import ROOT
from labs.kinds.sweep import show
from labs.panel.settings import Settings
from labs.present import reasons
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.servers.storage import shared_folder

HELD = Workload(wait_s=0.1, wait_by="connections", connections=4)
THREADS = Server("threaded", threads=16)


def test_experiment_refuses_more_connections_than_a_database_takes() -> None:
    with pytest.raises(Unusable, match="connections=100 x processes=3: with so many processes"):
        Experiment(Server("prefork", processes=3), replace(HELD, connections=100), Load([1]))
    with pytest.raises(Unusable, match="connections=0"):
        replace(HELD, connections=0)
    slept = replace(HELD, wait_by="sleep", connections=100)
    assert Experiment(Server("prefork", processes=3), slept, Load([1]))


def test_panel_sets_connections_only_where_requests_hold_one() -> None:
    held = Experiment(THREADS, HELD, Load([1, 2]))
    with contextlib.closing(Settings([held], examples.MACHINE, lambda: None)) as panel:
        panel.controls["connections"].value = 8
        assert panel.experiments() == (replace(held, workload=replace(HELD, connections=8)),)
    slept = replace(held, workload=Workload(wait_s=0.1))
    with contextlib.closing(Settings([slept], examples.MACHINE, lambda: None)) as panel:
        assert "connections" not in panel.controls


# --- the law ----------------------------------------------------------------------------------


@pytest.mark.extended
@pytest.mark.performance
@pytest.mark.timeout(180)
@pytest.mark.parametrize("choice", ["sqlite", "postgresql"], indirect=True)
@pytest.mark.usefixtures("calibrated_in_passing")
def test_connections_bound_throughput_while_threads_idle_and_twice_as_many_double_it(
    choice: str,
) -> None:
    """By the utilisation law X h connections are held at a time, of all that there are."""
    found: list[float] = []
    for connections in (4, 8):
        workload = replace(HELD, connections=connections)
        recording = measure(Experiment(THREADS, workload, Load([16], seconds=1.5)))
        (point,) = recording.points
        assert point.failed == 0 and point.service_time_s is not None
        assert 0.8 * connections < point.throughput_rps * HELD.wait_s <= 1.02 * connections
        held_inside = point.throughput_rps * point.service_time_s
        assert held_inside == pytest.approx(16, rel=0.15)  # all threads have a request
        assert "the pool of connections" in reasons.limit(recording.model, recording.run, point)
        assert point.time_split is not None and point.time_split.turn_at == "connections"
        assert point.time_split.turn_s > 0.8 * (16 / connections - 1) * HELD.wait_s
        assert recording.machine.versions["database"].lower().startswith(choice)
        assert f"The database was {recording.machine.versions['database']}." in show.note(recording)
        found.append(point.throughput_rps)
    assert found[1] == pytest.approx(2 * found[0], rel=0.15)


# --- the pool ---------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["sqlite", "postgresql"], indirect=True)
@pytest.mark.measures
def test_a_connection_is_lent_to_one_request_at_a_time_and_is_waited_for_so_long(
    choice: str,
) -> None:
    with shared_folder(replace(HELD, connections=2)) as shared:
        assert shared is not None
        asked = [sys.executable, "-c", ASK]
        env = {"PATH": "", **shared.settings}
        said = subprocess.check_output(asked, cwd=ROOT, env=env, text=True, timeout=60)
    took_s, *statuses = said.split()
    assert float(took_s) >= 3 * 0.1 and statuses == ["200"] * 6 + ["200", "200", "502"]


ASK = """
import time
from concurrent.futures import ThreadPoolExecutor
from workloads.app import exclusive
from workloads.app.application import application, run

def ask(wait_s):
    return run(application("/", f"wait={wait_s}&wait_by=connections"))[0]

with ThreadPoolExecutor(6) as threads:
    list(threads.map(ask, [0.01] * 6))  # the pool is made, once
    began = time.monotonic()
    found = list(threads.map(ask, [0.1] * 6))
    took_s = time.monotonic() - began
    exclusive.GIVE_UP_S = exclusive._pool().timeout = 0.2
    found += sorted(threads.map(ask, [1, 1, 0.1]))
print(took_s, *found)
"""
