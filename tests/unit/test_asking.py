"""What is asked of a server, in its own language, and what the users do beside it. Nothing runs."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import examples
import pytest

from labs.load.locust import address
from labs.measure import rig as rigs
from labs.measure.rig import Rig
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration
from workloads.protocol import Work

SPEEDS = {  # loops a second
    ("counting", "Python"): 2e7,
    ("hashing", "Python"): 5e5,
    ("counting", "PHP"): 1e8,
    ("counting", "JavaScript"): 8e8,
}
PHP, NODE = Server("prefork", by="apache"), Server("event-loop", by="node")
URL = "http://127.0.0.1:1"


def calibrate(*_: object, cpu_by: str, language: str, **__: object) -> Calibration:
    speed = SPEEDS[cpu_by, language]
    return replace(examples.CALIBRATION, loops_per_s=(speed, 2 * speed))


@pytest.fixture(autouse=True)
def _burned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rigs, "calibrate", calibrate)


# where a request goes


@pytest.mark.parametrize(
    ("workload", "path"),
    [
        (Workload(), "/?loops=0&wait=0.000000"),
        (Workload(cpu_s=0.05, wait_s=0.15), "/?loops=1000000&wait=0.150000"),
        (Workload(page="file"), "/file"),
        (
            Workload(cpu_s=0.1, wait_s=0.2, cpu_by="hashing", wait_by="backend"),
            "/?loops=2000000&wait=0.200000&cpu_by=hashing&wait_by=backend",
        ),
    ],
)
def test_all_who_ask_have_one_address(workload: Workload, path: str) -> None:
    assert address(URL, workload, 2e7) == URL + path
    assert Work(url=URL, page="/file").address(5, 0.1) == f"{URL}/file"


# what users do over an answer


class Driver:
    """Remembers what it was told."""

    def ask_for(self, *what: Any) -> None:
        self.asked = what


@pytest.mark.parametrize(
    ("server", "workload"),
    [
        (Server("prefork"), Workload(cpu_s=0.02)),
        (Server("prefork"), Workload(cpu_s=0.02, cpu_by="hashing")),
        (PHP, Workload(cpu_s=0.02)),
        (NODE, Workload(cpu_s=0.02)),
        (Server("prefork"), Workload(wait_s=0.1)),
    ],
    ids=str,
)
def test_a_script_takes_its_time_whatever_the_server_does(
    server: Server, workload: Workload, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver, rig, load = Driver(), Rig(), Load([4], script_s=0.01, think_time_s=0.5)

    @contextlib.contextmanager
    def drive(*_: object, **__: object) -> Iterator[Driver]:
        yield driver

    monkeypatch.setattr(rigs, "drive", drive)
    running: Any = SimpleNamespace(server=server, url=URL)
    with rig.drive(running, load, workload):
        pass
    speed = rig.speed(server, workload)
    counted = 0.01 * SPEEDS["counting", "Python"]
    assert driver.asked == (workload, speed, 0.5, counted, rig.seed)
    bed = rigs.Testbed(
        experiment=Experiment(server, workload, load),
        machine=examples.MACHINE,
        running=running,
        driver=driver,  # type: ignore[arg-type]
        sampler=SimpleNamespace(begin=lambda: None),  # type: ignore[arg-type]
        calibration=replace(examples.CALIBRATION, loops_per_s=(speed, speed)),
        way_there_s=0.0,
        script=rig.script,
        seed=7,
        check=lambda: None,
    )
    bed.begin()
    assert driver.asked == (workload, speed, 0.5, counted, 7)
