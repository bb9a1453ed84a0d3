"""The classic experiments: what the sources printed, what the law says of it, and trying again."""

import itertools
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import examples
import pytest
from chapters import BOOK, printed, printed_rows, tables
from msgspec import structs
from short import TRIAL, short

from labs.host.programs import Program
from labs.kinds.classics.published import QUEUE_OF_128, S1, S2, S4, S5, TABLES
from labs.kinds.classics.record import AB, LOCUST, Replication, ReplicationRun, Tried
from labs.kinds.classics.run import TRIALS, ClassicLab, Trial
from labs.kinds.classics.show import show
from labs.load import tools
from labs.measure.progress import Progress
from labs.measure.rig import Rig
from labs.recordings import recorder, store
from labs.records.experiment import Server, Workload
from labs.records.results import Sample
from labs.theory import laws

live = pytest.mark.performance
PAGE = (BOOK / "appendix/classics.md").read_text("utf-8")


def number(text: str) -> Any:
    """The first one in it, or None."""
    found = re.search(r"[\d.]+", text)
    return float(found[0]) if found else None


def places(name: str) -> list[tuple[str, int]]:
    """Setup and users of each row of a source."""
    return [(setup, users) for setup, rows in TABLES[name].rows.items() for users in rows]


# what the sources printed


def test_s1_and_s2_are_as_printed() -> None:
    for name, table in (("S1", S1), ("S2", S2)):
        printed = {}
        for cells in printed_rows(name):
            users = re.search(r"(\d+) users?$", cells[0]) or re.fullmatch(r"(\d+)", cells[0])
            if users:
                printed[int(users[1])] = number(cells[1])
        assert printed == table.rows[""]
    assert S2.rps(QUEUE_OF_128, 512) is None  # ours alone


def test_s4_is_as_printed() -> None:
    for cells in printed_rows("S4"):
        for column, setup in ((1, "prefork"), (2, "worker")):
            rate, _, _ = cells[column].partition(" ")
            low, _, high = rate.partition("–")
            printed = f"{low} to {high}" if high else low
            assert S4.printed(setup, int(cells[0])) == printed


def test_s5_is_as_printed() -> None:
    for cells in printed_rows("S5"):
        rate = S5.rps(f"{cells[1]} workers", int(cells[2]))
        assert rate == float(cells[3]) == pytest.approx(10 / number(cells[5]), abs=0.006)


def test_s3_is_as_printed() -> None:
    """The table on the page of the classics."""
    _, rows = next(tables(PAGE.partition("## S3 ")[2]))
    text = printed("S3").replace(",", "_").replace("141 processes", "a master, 140 below it")
    for cell in (cell for row in rows for cell in row[1:3]):
        figures = re.findall(r"\d[\d_]*\.\d+|\d[\d_]{2,}|\d+ %", cell)
        assert figures and all(figure in text for figure in figures), cell


# what the law says


@pytest.mark.parametrize("name", TABLES)
def test_the_law_beside_a_table_is_that_of_the_book(name: str) -> None:
    table = TABLES[name]
    for (setup, users), cores in itertools.product(places(name), (table.cores, 2)):
        found = table.law_rps(setup, users, cores)
        pool = table.pools.get(setup, table.pools.get("", math.inf))
        law = laws.bound(N=users, D=table.cpu_s, V=table.wait_s, c=cores, W=pool)
        assert name == "s4" if found is None else found == pytest.approx(law)


def test_every_row_is_tried_with_the_pool_that_the_source_used() -> None:
    for name in TABLES:
        tried = {(trial.setup, users) for trial in TRIALS[name] for users in trial.ab}
        assert tried == set(places(name))
    for name, table in (("s2", S2), ("s4", S4), ("s5", S5)):
        for trial in TRIALS[name]:
            assert trial.server.pool == table.pools.get(trial.setup, table.pools.get(""))
    assert sum(ClassicLab(name).seconds() for name in TABLES) <= 360


# what is found and how it is told


@pytest.mark.parametrize("cores", [2, 4, 5, 8, 16, 64])
def test_s1_reaches_beyond_the_bend_on_any_machine(cores: int) -> None:
    (trial,) = ClassicLab("s1").at_scale(cores).trials
    assert trial.locust[:5] == (1, 2, 3, 4, 8) and (*trial.ab,) == trial.locust
    laws_rps = [S1.law_rps("", users, cores) for users in trial.locust]
    assert laws_rps[-1] == cores / S1.cpu_s and laws_rps[0] == 1 / S1.cpu_s
    assert trial.locust[-1] >= 2 * cores and (trial.server.pool or 0) >= trial.locust[-1]
    assert ClassicLab("s1").at_scale(2).trials == TRIALS["s1"]
    assert ClassicLab("s5").at_scale(cores).trials == TRIALS["s5"]
    assert ClassicLab("s1").at_scale(cores).matches(store.recording("classics-s1"))


def tried(setup: str, users: int, by: str, rps: float, **more: Any) -> Tried:
    usual: dict[str, Any] = {
        "requests": round(10 * rps),
        "seconds": 10.0,
        "throughput_rps": rps,
        "mean_response_time_s": users / rps,
        "generator_cpu": 0.5,
        "server_cpu": 1.0,
        "longest_s": 2 * users / rps,
    }
    return Tried(setup=setup, users=users, by=by, server="apache 2.4", **{**usual, **more})


def replication(name: str) -> Replication:
    made = [
        tried(setup, users, by, 0.9 * (law or 1000.0 * min(users, 2)))
        for setup, users in places(name)
        for law in [TABLES[name].law_rps(setup, users, 2)]
        for by in (AB, LOCUST)
    ]
    run = ReplicationRun(recorded_at=examples.WHEN, capacity=(1.0, 1.9), tries=tuple(made))
    return Replication(classic=name, machine=examples.MACHINE, runs=(run,))


def lacking(missing: str) -> Replication:
    """S1 without the row of four users by ab."""
    whole = replication("s1")
    kept = tuple(each for each in whole.run.tries if (each.users, each.by) != (4, AB))
    tries = (*kept, Tried(setup="", users=4, by=AB, server="", missing=missing))
    return structs.replace(whole, runs=(replace(whole.run, tries=tries),))


def test_classic_lab_rejects_a_run_that_lacks_a_row() -> None:
    lab, found = ClassicLab("s1"), lacking("apache: install it")
    assert lab.rejection(found) == "apache: install it" in lab.in_a_line(found)


def test_growth_is_the_quotient_of_the_rates_that_are_said() -> None:
    tries = (tried("prefork", 1, AB, 104.9), tried("prefork", 5, AB, 205.4))
    found = structs.replace(replication("s4"), runs=(replace(replication("s4").run, tries=tries),))
    many, one = (show.quote(found, "throughput", users, AB, "prefork") for users in (5, 1))
    assert (str(many).split()[0], str(one).split()[0]) == ("205", "105")
    assert float(show.quote(found, "growth", 5, AB, "prefork")) == pytest.approx(205 / 105)


# trying again


def tried_again(source: str) -> Replication:
    found = Rig().perform(short(ClassicLab(source)))
    if missing := found.run.tries[0].missing:
        pytest.skip(missing)
    return found


@live
def test_sleepers_on_apache_are_as_many_as_the_pool() -> None:
    """Four users, four workers, 200 ms: 20 requests a second, but for ab's first one. In the second
    that this takes, a busy machine may be slower; nothing makes it faster."""
    (row,) = tried_again("s2").run.tries
    rounds = 1 + math.ceil((row.requests - 1) / 4)
    assert row.throughput_rps <= 1.01 * row.requests / (rounds * 0.2)
    assert row.mean_response_time_s >= 0.2 and row.failed == 0


@live
@pytest.mark.extended
def test_locust_tries_the_same_rows_in_the_same_turn() -> None:
    """On a server that is always here: four workers that wait 50 ms."""
    trial = Trial(
        setup="",
        server=Server("prefork", processes=4),
        workload=Workload(wait_s=0.05, wait_cv=0.0),
        locust=(2, 4),
        row_s=1.0,
    )
    told: list[object] = []
    found = Rig(told.append).perform(ClassicLab("s2", [trial]))
    assert [(row.users, row.by) for row in found.run.tries] == [(2, LOCUST), (4, LOCUST)]
    for row in found.run.tries:
        assert row.throughput_rps == pytest.approx(row.users / 0.05, rel=0.25)
        assert row.littles_law == pytest.approx(1, rel=0.1)
    stages = [event.stage for event in told if isinstance(event, Progress)]
    assert any(stage.startswith("by Locust: 4 users") for stage in stages)
    assert all(isinstance(event, (Progress, Sample, Replication)) for event in told)


@pytest.mark.measures
def test_a_tool_that_is_not_here_leaves_a_row_that_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nobody = Program(name="ApacheBench", names=("no-such-ab",), package="apache2-utils")
    monkeypatch.setattr(tools, "AB", nobody)
    monkeypatch.setenv("LABS_RECORDINGS", str(tmp_path))
    said: list[str] = []
    recorder.record_book(["classics-s4"], said.append, TRIAL, by="make classics")
    found = store.recording("classics-s4")
    assert isinstance(found, Replication)
    assert all(each.missing for each in found.run.tries)
    assert "apt-get install" in "".join(said)
    assert ClassicLab("s4").in_a_line(found) in "".join(said)
