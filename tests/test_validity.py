"""Each check fires on what it is for, says so in a sentence, and is silent otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labs.analysis import checks as validity
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Machine, Point

MACHINE = Machine(
    system="Linux",
    processor="p",
    cores=2,
    logical_cores=2,
    physical_cores=2,
    quota_cores=None,
    memory_bytes=2**30,
    python="CPython",
    gil=True,
)
EXPERIMENT = Experiment(Server("prefork", processes=4), Workload(cpu_s=0.05), Load([8]))
GOOD = Point(
    users=8,
    seconds=2.0,
    completed=80.0,
    failed=0,
    unfinished=0,
    never_served=0,
    throughput_rps=40.0,
    throughput_ci_rps=(39.2, 40.8),
    halves_rps=(40.5, 39.5),
    mean_response_time_s=0.2,
    histogram={600: 80},
    demand_s=0.05,
    server_cpu=2.0,
    generator_cpu=0.02,
    others_cpu=0.01,
    littles_law=1.0,
)


def checks(point, **given):
    found = validity.check(point, EXPERIMENT, MACHINE, forecast_demand_s=0.05, **given)
    return {check.name: check for check in found}


@pytest.mark.parametrize(
    ("by", "keep_alive", "change", "words"),
    [
        ("apache", True, {}, "A worker stays with its connection here"),
        ("apache", False, {}, "Some connections wait while others are kept open."),
        ("apache", False, {"listen_overflows": 9}, "found the listen queue full"),
        ("gunicorn", True, {}, "Some connections wait"),
    ],
)
def test_why_users_are_never_served(by, keep_alive, change, words):
    server = Server("prefork", by=by, processes=4, keep_alive=keep_alive)
    starving = Experiment(server, EXPERIMENT.workload, EXPERIMENT.load)
    point = replace(GOOD, never_served=4, **change)
    found = validity.check(point, starving, MACHINE, forecast_demand_s=0.05)
    (sentence,) = (check.sentence for check in found if check.name == "starved")
    assert sentence.startswith("4 of 8 users were never served") and words in sentence


def test_who_is_hung_up_on_is_no_error_unless_there_are_many():
    server = Server("threaded", by="apache-event", threads=4)
    busy = Experiment(server, EXPERIMENT.workload, EXPERIMENT.load)
    for failed, name in ((3, "hung up"), (GOOD.completed, "errors")):
        point = replace(GOOD, failed=int(failed))
        found = validity.check(point, busy, MACHINE, forecast_demand_s=0.05)
        assert [(check.name, check.unfit) for check in found] == [(name, name == "errors")]
    assert [check.name for check in checks(replace(GOOD, failed=3)).values()] == ["errors"]


def test_a_good_point_has_nothing_said_of_it():
    assert checks(GOOD) == {}
    assert checks(replace(GOOD, page_cpu=0.05)) == {}  # 2.5 % of the two cores


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("errors", {"failed": 3}, "3 requests failed"),
        ("starved", {"never_served": 2}, "2 of 8 users were never served"),
        ("load generator", {"generator_cpu": 0.9}, "measures Locust, not the server"),
        ("few", {"completed": 19.4}, "Only 19 requests"),
        ("interval", {"throughput_ci_rps": (35.0, 45.0)}, "±\xa012\xa0%"),
        ("drift", {"halves_rps": (45.0, 35.0)}, "not settled"),
    ],
)
def test_what_makes_a_point_unfit(name, change, sentence):
    found = checks(replace(GOOD, **change))
    assert found[name].unfit
    assert sentence in found[name].sentence
    assert not replace(GOOD, checks=tuple(found.values())).fit


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("interval", {"throughput_ci_rps": (37.0, 43.0)}, "known to ±\xa07.5\xa0%"),
        ("demand", {"demand_s": 0.06}, "+20\xa0% against the calibration"),
        ("others", {"others_cpu": 0.5}, "Other programs used 0.5"),
        ("page", {"page_cpu": 0.07}, "This page (in a terminal, the command) used 0.07 of"),
        ("throttled", {"throttled_s": 0.4}, "quota held the machine back for 0.4 s"),
        ("listen queue", {"listen_overflows": 7}, "7 connections"),
        ("little", {"littles_law": 0.5}, "X·(R+Z) is 0.50 of the 8 users"),
    ],
)
def test_what_is_told_and_leaves_the_point_fit(name, change, sentence):
    found = checks(replace(GOOD, **change))
    assert not found[name].unfit
    assert sentence in found[name].sentence


def test_a_first_level_that_cannot_be_repeated_is_unfit():
    assert checks(GOOD, again=replace(GOOD, throughput_rps=43.0)) == {}
    found = checks(GOOD, again=replace(GOOD, throughput_rps=30.0))
    assert found["repeated"].unfit
    assert "-25\xa0% throughput" in found["repeated"].sentence


def test_a_level_without_a_single_answer_is_unfit_and_no_crash():
    nothing = replace(
        GOOD,
        completed=0.0,
        throughput_rps=0.0,
        throughput_ci_rps=(0.0, 0.0),
        halves_rps=(0.0, 0.0),
        mean_response_time_s=0.0,
        demand_s=0.0,
        littles_law=0.0,
        never_served=8,
    )
    assert {"few", "starved"} <= set(checks(nothing))


def test_a_fault_that_is_the_result_may_be_recorded() -> None:
    small, work = Workload(page="file"), Workload(cpu_s=0.05)
    assert validity.is_the_result(["load generator", "interval"], small)
    assert not validity.is_the_result(["interval"], small)
    assert not validity.is_the_result(["load generator"], work)
    assert validity.is_the_result(["starved"], work, overflows=40)
