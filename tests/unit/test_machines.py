"""Every machine of `tests/machines` is read right, by whoever reads machines."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import examples
import psutil
import pytest
from machine_files import NAMES, MachineFiles

from labs.host import cgroup, counters, hardware, listeners
from labs.records.snapshot import Snapshot, Usage

GIB = 2**30
PAIRS = ((0, 1), (2, 3), (4, 5), (6, 7))  # of hyper-threads


@dataclass(frozen=True, kw_only=True)
class Is:
    """What such a machine is. CPU in cores."""

    cores: float
    machine: int  # logical cores of the whole machine
    quota: float | None = None
    usable: tuple[int, ...] | None = None  # None: all of them
    physical: tuple[tuple[int, ...], ...] | None = None  # None: nobody tells of hyper-threads
    kinds: tuple[int, ...] = ()
    memory_gib: float
    others: float = 0.0  # within the second
    steal: float = 0.0
    throttled_s: float = 0.0
    split: dict[int, tuple[tuple[int, ...], tuple[int, ...]]]  # of so many for the server


def part(cores: float, *, of: int, **more: Any) -> Is:
    """A quota of so many cores of a larger machine: the server gets the whole ones, or one."""
    mine = max(1, int(cores))
    split = {mine: (tuple(range(mine)), tuple(range(mine, of)))}
    return Is(cores=cores, machine=of, quota=float(cores), split=split, **more)


MACHINES = {
    "laptop": Is(
        cores=8,
        machine=8,
        physical=((0, 4), (1, 5), (2, 6), (3, 7)),
        memory_gib=15.5,
        others=1.0,
        split={
            1: ((0,), (1, 2, 3, 5, 6, 7)),
            2: ((0, 4), (1, 2, 3, 5, 6, 7)),
            4: ((0, 1, 4, 5), (2, 3, 6, 7)),
            7: ((0, 1, 2, 3, 4, 5, 6), (7,)),
        },
    ),
    "mixed-cores": Is(
        cores=22,
        machine=22,
        physical=(
            *((0, 5), (1, 2), (3, 4), (6, 7), (8, 9), (10, 11)),
            *((core,) for core in range(12, 22)),
        ),
        kinds=(12, 8, 2),
        memory_gib=31.1,
        split={
            3: ((0, 1, 5), (3, 4, *range(6, 22))),
            8: (tuple(range(8)), tuple(range(8, 22))),
            9: (tuple(range(9)), tuple(range(10, 22))),
            13: (tuple(range(13)), tuple(range(13, 22))),
        },
    ),
    "big-little": Is(
        cores=8,
        machine=8,
        physical=((7,), (3,), (4,), (5,), (6,), (0,), (1,), (2,)),
        kinds=(1, 4, 3),
        memory_gib=7.8,
        split={
            1: ((7,), tuple(range(7))),
            4: ((3, 4, 5, 6), (0, 1, 2, 7)),
            5: ((3, 4, 5, 6, 7), (0, 1, 2)),
            6: ((0, 3, 4, 5, 6, 7), (1, 2)),
        },
    ),
    "docker-v1": part(0.5, of=4, memory_gib=0.5, others=0.45, throttled_s=0.7),
    # Of the eight cores others have 6.8, which is 0.8 of those it pays for.
    "docker-v2": part(2, of=8, memory_gib=31.1, others=1.2 + 0.8),
    "shared-host": part(2, of=64, memory_gib=4.0),
    "binder": part(1, of=16, memory_gib=2.0, others=0.95, throttled_s=0.03),
    "hub-pod": part(2, of=16, memory_gib=4.0, others=0.25),
    "hub-pod-v2": Is(
        cores=2,
        machine=16,
        usable=(4, 12),
        physical=((4, 12),),
        memory_gib=3.0,
        split={1: ((4,), (12,)), 2: ((4, 12), ())},
    ),
    "nested": part(1.5, of=8, memory_gib=8.0, others=0.3),
    "wsl2": Is(
        cores=8,
        machine=8,
        physical=PAIRS,
        memory_gib=7.6,
        split={1: ((0,), (2, 3, 4, 5, 6, 7)), 2: ((0, 1), (2, 3, 4, 5, 6, 7))},
    ),
    "taskset": Is(
        cores=2,
        machine=8,
        usable=(4, 5),
        physical=((4, 5),),
        memory_gib=31.1,
        others=0.5,
        steal=0.25,
        split={1: ((4,), (5,))},  # a hyper-thread of the server's is all that is left
    ),
}


@pytest.fixture
def unpacked(request: pytest.FixtureRequest, tmp_path, monkeypatch) -> MachineFiles:
    return MachineFiles(request.param, tmp_path, monkeypatch)


each_machine = pytest.mark.parametrize("unpacked", NAMES, indirect=True, ids=NAMES)


def test_every_machine_is_known() -> None:
    assert sorted(MACHINES) == NAMES


@each_machine
def test_what_it_offers(unpacked: MachineFiles, request: pytest.FixtureRequest) -> None:
    known, root = MACHINES[request.node.callspec.id], unpacked.root
    usable = known.usable or tuple(range(known.machine))
    assert hardware.usable_cores(root) == usable
    assert hardware.quota_cores(root) == known.quota
    assert hardware.cores(root) == known.cores
    assert hardware.physical_cores(root) == (known.physical or tuple((core,) for core in usable))
    found = hardware.fingerprint(root)
    assert found.cores == max(1, -(-known.cores // 1))  # whole ones
    assert found.logical_cores == known.machine
    assert (found.physical_cores is None) == (known.physical is None)
    assert found.core_kinds == known.kinds
    told = {(): "", (12, 8, 2): "12 fast, 8 and 2 slower", (1, 4, 3): "1 fast, 4 and 3 slower"}
    assert found.kinds == told[known.kinds] and found.kinds in found.caption
    assert found.memory_bytes / GIB == pytest.approx(known.memory_gib, abs=0.05)
    assert 0 < hardware.available_memory_bytes(root) <= found.memory_bytes
    assert found.processor in unpacked.now
    assert found.system.endswith("(WSL2)") == (request.node.callspec.id == "wsl2")


@each_machine
def test_who_had_its_cores(unpacked: MachineFiles, request: pytest.FixtureRequest) -> None:
    """With nothing of our own on it: what is ours to use is all that counts, however busy the rest
    of the machine is."""
    known, held_s = MACHINES[request.node.callspec.id], cgroup.throttled_s(unpacked.root)
    before = snapshot(unpacked, 0.0)
    unpacked.a_second_later()
    used = before.until(snapshot(unpacked, 1.0))
    assert used.others_cpu == pytest.approx(known.others, abs=1e-6)
    assert used.steal_cpu == pytest.approx(known.steal, abs=1e-6)
    assert cgroup.throttled_s(unpacked.root) - held_s == pytest.approx(known.throttled_s)


@each_machine
def test_the_load_generator_keeps_away_from_the_server(
    unpacked: MachineFiles, request: pytest.FixtureRequest
) -> None:
    for most, (server, rest) in MACHINES[request.node.callspec.id].split.items():
        assert hardware.server_cores(most, unpacked.root) == server
        assert hardware.apart_from(server, unpacked.root) == rest
    usable = hardware.usable_cores(unpacked.root)
    assert hardware.server_cores(None, unpacked.root) == usable
    assert hardware.server_cores(len(usable), unpacked.root) == usable
    assert hardware.apart_from(usable, unpacked.root) == ()


def test_what_is_ours_is_nobody_elses() -> None:
    """A server of our own under the quota; its neighbours outside have what is left to them."""
    before = examples.snapshot(0.0, group_s=0.0, spare_cores=6.0)

    def after(**counted: float) -> Usage:
        return before.until(examples.snapshot(2.0, spare_cores=6.0, **counted))

    alone = after(busy_s=2.0, group_s=2.0, server_s=2.0)
    assert (alone.server_cpu, alone.others_cpu, alone.busy_cpu) == (1.0, 0.0, 1.0)
    beside = after(busy_s=2.0 + 12.0, group_s=2.0, server_s=2.0)
    assert beside.others_cpu == 0.0  # six cores, which are not in our quota
    full = after(busy_s=2.0 + 14.0, group_s=2.0, server_s=2.0)
    assert (full.others_cpu, full.busy_cpu) == (1.0, 2.0)
    inside = after(busy_s=4.0, group_s=4.0, server_s=2.0)
    assert inside.others_cpu == 1.0
    robbed = after(busy_s=8.0, group_s=2.0, server_s=2.0, steal_s=4.0)
    assert robbed.steal_cpu == 0.5  # of two stolen cores the quarter that would have worked for us


def snapshot(machine: MachineFiles, at: float) -> Snapshot:
    cpu = counters.cpu(machine.root)
    return examples.snapshot(
        at,
        busy_s=cpu.busy_s,
        steal_s=cpu.stolen_s,
        group_s=cpu.group_s,
        spare_cores=cpu.spare_cores,
    )


# -- what no machine of the files shows -------------------------------------------------------


def linux(root: Path, files: dict[str, str]) -> Path:
    """A machine that has these."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_the_quota_of_another_process_is_that_of_its_own_cgroups(tmp_path: Path) -> None:
    root = linux(
        tmp_path,
        {
            "proc/self/cgroup": "0::/ours\n",
            "proc/77/cgroup": "0::/theirs/inner\n",
            "sys/fs/cgroup/ours/cpu.max": "200000 100000\n",
            "sys/fs/cgroup/theirs/cpu.max": "75000 100000\n",
            "sys/fs/cgroup/theirs/inner/cpu.max": "max 100000\n",
            "sys/fs/cgroup/theirs/cpu.stat": "throttled_usec 1500000\n",
        },
    )
    assert listeners.quota_of(77, root) == 0.75
    assert listeners.quota_of(78, root) is None
    assert (cgroup.throttled_s(root, 77), cgroup.throttled_s(root)) == (1.5, 0.0)


def test_words_are_no_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CPU_LIMIT", "MEM_LIMIT"):
        monkeypatch.setenv(name, "plenty")
    files = {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}
    root = linux(tmp_path, files)
    assert hardware.quota_cores(root) is None
    assert hardware.memory_bytes(root) == psutil.virtual_memory().total


def test_free_memory_is_what_the_container_has_left(tmp_path: Path) -> None:
    memory = {"memory.max": "1000\n", "memory.current": "400\n"}
    files = {f"sys/fs/cgroup/{name}": text for name, text in memory.items()}
    root = linux(tmp_path, {"proc/self/cgroup": "0::/\n", **files})
    assert hardware.available_memory_bytes(root) == 600


def test_overflows_are_counted(tmp_path: Path) -> None:
    told = "TcpExt: A ListenOverflows B\nTcpExt: 1 42 3\n"
    assert counters.listen_overflows(linux(tmp_path, {"proc/net/netstat": told})) == 42


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="affinity is Linux's")
def test_affinity_is_seen() -> None:
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
        "from labs.host.hardware import cores; print(cores())"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(said.stdout) <= 1.0
