"""A real quota: a process under half a core knows it, and counts what is its own."""

import contextlib
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from labs.host.hardware import fingerprint
from labs.kinds.attach.record import Attached
from labs.kinds.attach.run import AttachLab
from labs.kinds.attach.verdict import verdict
from labs.kinds.sweep.run import SweepLab
from labs.measure.rig import Rig
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.servers.serve import check, serve

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(os.getuid() != 0, reason="only root can make a control group"),
]

GROUPS = Path("/sys/fs/cgroup")
CALM = 0.1  # cores that others use: beside more, not to know is right
PROJECT = Path(__file__).parents[2]
SHARES, WEIGHT = "262144", "10000"  # so much that nobody but the quota holds it back
INSIDE = """
import json, os, pathlib, sys, time
for folder in sys.argv[1:]:
    pathlib.Path(folder, "cgroup.procs").write_text(str(os.getpid()))
from labs.host import cgroup, counters, hardware
started, before, held_s = time.perf_counter(), counters.cpu(), cgroup.throttled_s(hardware.MACHINE)
begun_s = time.process_time()
while time.process_time() - begun_s < 0.4:  # eight periods of the quota
    pass
after, machine = counters.cpu(), hardware.fingerprint()
print(json.dumps({
    "cores": hardware.cores(),
    "quota": machine.quota_cores,
    "whole": machine.cores,
    "own_s": time.process_time() - begun_s,
    "group_s": after.group_s - before.group_s,
    "busy_s": after.busy_s - before.busy_s,
    "spare": after.spare_cores,
    "usable": len(hardware.usable_cores()),
    "held_s": cgroup.throttled_s(hardware.MACHINE) - held_s,
    "seconds": time.perf_counter() - started,
}))
"""


@pytest.fixture
def half_a_core() -> Iterator[list[Path]]:
    """Folders of a new control group with that quota, version 1 or 2, whichever is here."""
    name = f"wall-time-test-{os.getpid()}"
    with contextlib.ExitStack() as stack:

        def made(folder: Path) -> Path:
            folder.mkdir()
            stack.callback(folder.rmdir)
            return folder

        try:
            if (GROUPS / "cpu/cpu.cfs_quota_us").exists():
                group = made(GROUPS / "cpu" / name)
                folders = [group]
                if not (group / "cpuacct.usage").exists():  # else both are mounted together
                    folders.append(made(GROUPS / "cpuacct" / name))
                (group / "cpu.cfs_quota_us").write_text("50000")
                (group / "cpu.shares").write_text(SHARES)
            else:
                (GROUPS / "cgroup.subtree_control").write_text("+cpu")
                folders = [made(GROUPS / name)]
                (folders[0] / "cpu.max").write_text("50000 100000")
                (folders[0] / "cpu.weight").write_text(WEIGHT)
        except OSError as error:
            pytest.skip(f"this system lets nobody make a control group: {error}")
        yield folders


def test_half_a_core_is_known_and_counted(half_a_core: list[Path]) -> None:
    """Beside a neighbour outside, who has a core of his own and is none of our business."""
    endless = [sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(endless) as neighbour:
        try:
            said = subprocess.check_output(
                [sys.executable, "-c", INSIDE, *map(str, half_a_core)],
                cwd=PROJECT,
                env={name: value for name, value in os.environ.items() if name != "CPU_LIMIT"},
            )
        finally:
            neighbour.kill()
    found = json.loads(said)
    assert (found["cores"], found["quota"], found["whole"]) == (0.5, 0.5, 1)
    assert found["spare"] == found["usable"] - 0.5
    assert found["group_s"] == pytest.approx(found["own_s"], rel=0.25)
    assert found["busy_s"] > found["group_s"]  # it has the neighbour in it
    assert found["held_s"] > 0 and found["seconds"] > 1.3 * found["own_s"]


@pytest.mark.extended
@pytest.mark.performance
def test_the_quota_of_a_server_of_one_s_own_is_forecast_and_named(half_a_core: list[Path]) -> None:
    with serve(Server("prefork", processes=2)) as running:
        for folder, pid in itertools.product(half_a_core, running.pids()):
            (folder / "cgroup.procs").write_text(str(pid))
        lab = AttachLab(f"{running.url}/?loops=150000&wait=0.02", users=[1, 2, 4, 8])
        found = Rig().perform(lab)
    assert isinstance(found, Attached) and found.run.demand is not None
    assert found.run.found.quota_cores == 0.5
    calm = all(point.others_cpu < CALM for point in found.run.points)
    assert verdict(found).limit == "quota" or (not calm and verdict(found).limit == "unknown")
    most = 0.5 / found.run.demand.value
    assert found.run.forecast.at(8).bound_rps <= 0.5 / found.run.demand.low
    assert found.best.throughput_rps == pytest.approx(most, rel=0.3)


@pytest.mark.extended
@pytest.mark.performance
def test_a_lab_forecasts_the_quota_that_it_gives_its_server(half_a_core: list[Path]) -> None:
    """`half_a_core` only to skip where nobody may make a group."""
    before = set(GROUPS.glob("**/wall-time-lab-*"))
    server = Server("prefork", processes=3, quota=0.2)
    asked = Experiment(server, Workload(cpu_s=0.03), Load([1, 6], seconds=3.0))
    found = Rig().perform(SweepLab(asked))
    assert len(found.points) == 2
    for point in found.points:
        level = found.run.forecast.at(point.users)
        # Without a quota it would be five times as much. A second of CPU of a server that is
        # stopped now and then held up to a fifth more work than was calibrated.
        assert point.throughput_rps == pytest.approx(level.model_rps, rel=0.3)
        assert point.server_cpu == pytest.approx(0.2, rel=0.15)
        assert point.throttled_s > 0.3 * point.seconds
    assert set(GROUPS.glob("**/wall-time-lab-*")) == before


def test_a_server_is_refused_a_quota_where_no_group_can_be_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("labs.host.hardware.MACHINE", tmp_path)
    with pytest.raises(Unusable, match=r"quota=0\.2: only Linux"):
        check(Server("prefork", quota=0.2), fingerprint())
