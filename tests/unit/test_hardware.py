"""Cores and memory as a container really limits them, read from folders laid out like Linux's."""

import os
import subprocess
import sys

import psutil
import pytest

from labs.host import cgroup, counters, hardware, listeners


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A Linux of eight cores: write(path, text) adds to it."""
    monkeypatch.delenv("CPU_LIMIT", raising=False)
    monkeypatch.delenv("MEM_LIMIT", raising=False)

    def write(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    write.path = tmp_path
    write("sys/devices/system/cpu/online", "0-7\n")
    return write


def test_the_quota_of_another_process_is_that_of_its_own_cgroups(root):
    root("proc/self/cgroup", "0::/ours\n")
    root("proc/77/cgroup", "0::/theirs/inner\n")
    root("sys/fs/cgroup/ours/cpu.max", "200000 100000\n")
    root("sys/fs/cgroup/theirs/cpu.max", "75000 100000\n")
    root("sys/fs/cgroup/theirs/inner/cpu.max", "max 100000\n")
    root("sys/fs/cgroup/theirs/cpu.stat", "throttled_usec 1500000\n")
    assert listeners.quota_of(77, root.path) == 0.75
    assert listeners.quota_of(78, root.path) is None
    assert cgroup.throttled_s(root.path, 77) == 1.5
    assert (hardware.quota_cores(root.path), cgroup.throttled_s(root.path)) == (2.0, 0.0)


def test_weights_and_words_are_no_limits(root, monkeypatch):
    monkeypatch.setenv("CPU_LIMIT", "plenty")
    root("proc/self/cgroup", "0::/\n")
    root("sys/fs/cgroup/cpu.weight", "10\n")
    root("sys/fs/cgroup/memory.max", "max\n")
    assert hardware.quota_cores(root.path) is None
    assert hardware.memory_bytes(root.path) == psutil.virtual_memory().total


def test_free_memory_is_what_the_container_has_left(root):
    root("proc/self/cgroup", "0::/\n")
    root("sys/fs/cgroup/memory.max", "1000\n")
    root("sys/fs/cgroup/memory.current", "400\n")
    assert hardware.available_memory_bytes(root.path) == 600


def test_throttled_time_and_overflows_are_counted(root):
    root("proc/self/cgroup", "0::/\n")
    root("sys/fs/cgroup/cpu.stat", "nr_throttled 3\nthrottled_usec 2500000\n")
    root("proc/net/netstat", "TcpExt: A ListenOverflows B\nTcpExt: 1 42 3\n")
    assert cgroup.throttled_s(root.path) == 2.5
    assert counters.listen_overflows(root.path) == 42


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="affinity is Linux's")
def test_affinity_is_seen():
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
        "from labs.host.hardware import cores; print(cores())"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(said.stdout) <= 1.0
