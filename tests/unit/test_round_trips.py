"""What goes out and comes back is the same: recordings through their files, and experiments
through the words of the command line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import pytest
import ruined
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from labs.__main__ import experiment, parser
from labs.kinds.registry import KINDS, lab_kind
from labs.recordings import store
from labs.records.errors import BadRecording
from labs.records.experiment import (
    ARCHITECTURES,
    CPU_BY,
    WAIT_BY,
    Experiment,
    Load,
    Server,
    Workload,
)

ASKED = {  # by the field that each gives
    **{name: f"--{name}" for name in ("by", "processes", "threads", "backlog", "cores", "start")},
    "connections": "--connections",
    "cpu_s": "--cpu",
    "wait_s": "--wait",
    "cpu_cv": "--cpu-cv",
    "wait_cv": "--wait-cv",
    "cpu_by": "--cpu-by",
    "wait_by": "--wait-by",
    "page": "--page",
    "think_time_s": "--think",
    "seconds": "--seconds",
    "generators": "--generators",
}
SERVERS = st.builds(
    Server,
    st.sampled_from(ARCHITECTURES),
    by=st.sampled_from(["", "scratch", "gunicorn"]),
    processes=st.integers(5, 64),
    threads=st.just(1),
    backlog=st.integers(1, 65535),
    keep_alive=st.booleans() | st.floats(0.01, 60),
    cores=st.none() | st.integers(1, 4096),
    start=st.none() | st.integers(1, 5),
)
THREADED = st.builds(Server, st.just("threaded"), threads=st.integers(1, 64))
WORKLOADS = st.builds(
    Workload,
    cpu_s=st.floats(0, 30),
    wait_s=st.floats(0, 30),
    cpu_cv=st.just(0.0) | st.floats(0.001, 1),
    wait_cv=st.just(0.0) | st.floats(0.001, 1),
    cpu_by=st.sampled_from(CPU_BY),
    wait_by=st.sampled_from(WAIT_BY),
    connections=st.integers(1, 3),
)
LEVELS = st.sets(st.integers(1, 4096), min_size=1, max_size=16).map(sorted)
ASKING = {
    "think_time_s": st.floats(0, 60),
    "seconds": st.floats(0.2, 120),
    "generators": st.integers(1, 16),
}

SAME_FOLDER = HealthCheck.function_scoped_fixture  # each example writes its file anew


def words(asked: Experiment) -> Iterator[str]:
    """As somebody would type it: what is as usual in words too."""
    yield from ("predict", "--server", asked.server.architecture)
    yield from ("--users", ",".join(map(str, asked.load.users)))
    for part in (asked.server, asked.workload, asked.load):
        for field in fields(part):
            value = getattr(part, field.name)
            if field.name in ASKED and value is not None:
                yield f"{ASKED[field.name]}={value}"
    kept = asked.server.keep_alive
    yield from [] if kept is True else [f"--keep-alive={kept}" if kept else "--no-keep-alive"]


@given(SERVERS | THREADED, WORKLOADS | st.just(Workload(page="file")), LEVELS, st.data())
def test_what_is_typed_is_the_experiment_that_is_meant(
    server: Server, work: Workload, users: list[int], data: st.DataObject
) -> None:
    asking = {name: data.draw(each) for name, each in ASKING.items()}
    meant = Experiment(server, work, Load(users, keep_alive=bool(server.keep_alive), **asking))
    assert experiment(parser().parse_args(list(words(meant)))) == meant


def numbers(tree: Any) -> Iterator[tuple[ruined.Place, float]]:
    """Every number in it, and where it is."""
    for place, value in ruined.leaves(tree):
        if type(value) in (int, float) and place != ("schema",):
            yield place, value


@pytest.mark.parametrize("call", KINDS)
@settings(max_examples=10, suppress_health_check=[SAME_FOLDER])
@given(data=st.data())
def test_a_recording_with_other_numbers_is_read_as_it_was_saved(
    call: str, data: st.DataObject, tmp_path: Path
) -> None:
    """To the last bit."""
    kind = lab_kind(call).result
    plain = msgspec.json.decode(ruined.SMALLEST[kind.__struct_config__.tag].read_bytes())
    changed = {}
    for place, value in data.draw(st.lists(st.sampled_from([*numbers(plain)]), min_size=1)):
        inside = plain
        for key in place[:-1]:
            inside = inside[key]
        by = data.draw(st.floats(0.9, 1.1) if isinstance(value, float) else st.integers(1, 2))
        changed[place] = inside[place[-1]] = value * by  # what may stand there is bounded
    plain["machine"]["processor"] = text = data.draw(st.text())
    file = tmp_path / "2-cores.json"
    file.write_bytes(msgspec.json.encode(plain))
    try:
        meant = store.read(file)
    except BadRecording:  # a machine of no cores, a row without a throughput
        reject()
    assert meant.machine.processor == text
    store.save(meant, file)
    assert store.read(file) == meant
    again = dict(numbers(msgspec.json.decode(file.read_bytes())))
    assert {place: again[place] for place in changed} == changed
