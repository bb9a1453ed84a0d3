"""An experiment is the same after its way through the words of the command line."""

from collections.abc import Iterator
from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from labs.__main__ import experiment, parser
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
