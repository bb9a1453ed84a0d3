"""Each check fires on what it is for, says so in a sentence, and is silent otherwise."""

from dataclasses import replace
from typing import Any

import examples
import pytest
from examples import modelled
from markup import sheet
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from labs.analysis import causes
from labs.analysis import checks as validity
from labs.analysis.visits import join, visited
from labs.kinds.comparison.record import Comparison
from labs.kinds.comparison.verdict import findings
from labs.kinds.sweep.run import SweepLab
from labs.present.verdict import verdict
from labs.records.experiment import Server, Workload
from labs.records.results import Check

GOOD = examples.point(8)
FORECAST = examples.prediction((*examples.USERS, 16))
BARE = replace(examples.MACHINE, quota_cores=None)  # no container


def checks(point, experiment=examples.EXPERIMENT, forecast=FORECAST, noise_fraction=0.0, **effects):
    found = validity.check(
        point,
        experiment,
        examples.MACHINE,
        forecast=forecast,
        noise_fraction=noise_fraction,
        effects=causes.Effects(**effects),
    )
    return {check.name: check for check in found}


APACHE = {"by": "apache", "processes": 4}
FULL = {  # as in S3's lab: 106 microseconds of Locust for a request, and it says 1.10 ms of 1.70
    "users": 16,
    "throughput_rps": 1 / 106e-6,
    "mean_response_time_s": 1.1e-3,
    "littles_law": 1.1 / 1.7,
    "generator_cpu": 0.99,
}
EVENT = {"architecture": "threaded", "by": "apache-event", "threads": 4}
CASES: dict[str, dict[str, Any]] = {  # what was seen of a good point; `server`, `load` and `on`
    "errors": {"failed": 3},
    "errors, some for want of a port": {"failed": 3, "no_port": 2},
    "errors, all for want of a port": {"failed": 3, "no_port": 3},
    "a process lost": {"lost_processes": 1},
    "two lost, and errors": {"lost_processes": 2, "failed": 3},
    "starved": {"never_served": 2},
    "starved, workers kept": {"never_served": 4, "server": APACHE},
    "starved, queue full": {
        "never_served": 4,
        "listen_overflows": 9,
        "server": {**APACHE, "keep_alive": False},
    },
    "starved, connections kept": {"never_served": 4, "server": EVENT},
    "starved, a worker each": {"never_served": 4, "users": 4, "server": APACHE},
    "hung up on one": {"failed": 1, "server": EVENT},
    "load generator": {"generator_cpu": 0.9},
    "load generator, of a lone user": {"generator_cpu": 0.9, "users": 1},
    "two load generators": {"generator_cpu": 1.8, "load": {"generators": 2}},
    "two load generators, one busy": {"generator_cpu": 1.5, "load": {"generators": 2}},
    "few": {"completed": 19.97},
    "only one": {"completed": 1.2},
    "interval": {"throughput_ci_rps": (35.0, 45.0)},
    "interval, told": {"throughput_ci_rps": (37.0, 43.0)},
    "drift": {"halves_rps": (45.0, 35.0)},
    "demand": {"demand_s": 0.06},
    "others": {"others_cpu": 0.07},
    "others, in no container": {"others_cpu": 0.07, "on": BARE},
    "steal": {"steal_cpu": 0.07},
    "page": {"page_cpu": 0.07},
    "page, with its browser": {"page_cpu": 0.02, "browser_cpu": 0.19},
    "throttled": {"throttled_s": 0.4},
    "listen queue": {"listen_overflows": 7},
    "listen queue, once": {"listen_overflows": 1},
    "little": {"littles_law": 0.5},
    "little, full generator": FULL,
    "little, sent away": {**FULL, "littles_law": 1.4},
    "little, no answer": {"throughput_rps": 0.0, "littles_law": 0.0, "generator_cpu": 0.99},
    "noise": {"noise_fraction": 0.14},
}


def told_of(case: dict[str, Any]) -> str:
    given = dict(case)
    server = replace(examples.EXPERIMENT.server, **given.pop("server", {}))
    load = replace(examples.EXPERIMENT.load, **given.pop("load", {}))
    experiment = replace(examples.EXPERIMENT, server=server, load=load)
    machine, noise = given.pop("on", examples.MACHINE), given.pop("noise_fraction", 0.0)
    found = validity.check(
        replace(GOOD, **given), experiment, machine, forecast=FORECAST, noise_fraction=noise
    )
    return " ".join(
        f"{each.name}, {'unfit' if each.unfit else 'told'}: {each.sentence}" for each in found
    )


def test_check_words(snapshot: SnapshotAssertion) -> None:
    assert sheet({name: told_of(case) for name, case in CASES.items()}) == snapshot


def test_of_few_pauses_the_mean_is_not_known():
    """Of 400 answers with pauses of 2 s: two standard errors are a tenth, less what R takes."""
    thinks = replace(examples.EXPERIMENT, load=replace(examples.EXPERIMENT.load, think_time_s=2.0))
    point = replace(GOOD, completed=400.0, mean_response_time_s=0.5)  # 8 % and the usual 5 %
    for off in (0.125, -0.125):
        assert checks(replace(point, littles_law=1 + off), thinks) == {}
        assert list(checks(replace(point, littles_law=1 + off))) == ["little"]
    short = checks(replace(point, littles_law=1.14), thinks)["little"].sentence
    assert "they paused for less than 2,000\xa0ms" in short and "not seen" not in short
    assert "not seen" in checks(replace(point, littles_law=0.86), thinks)["little"].sentence


@pytest.mark.parametrize(("speed", "word"), [(0.93, "slower"), (1.07, "faster")])
def test_cores_of_another_speed_are_told_by_what_that_changes(speed: float, word: str):
    point = replace(GOOD, core_speed=speed)
    found = checks(point, surroundings={"core speed": speed - 1})["core speed"]
    assert f"The cores were 7\xa0% {word} than when the forecast was made" in found.sentence
    assert not found.unfit
    assert checks(point, surroundings={"core speed": 0.02}) == {}  # of requests that mostly wait
    assert checks(point, surroundings={"core speed": -0.12})["core speed"].unfit
    assert checks(GOOD, surroundings={"core speed": -0.12}) == {}  # of which it is not known


def expecting(**change):
    levels = tuple(replace(level, **change) for level in FORECAST.levels)
    return replace(FORECAST, levels=levels)


def test_a_level_is_expected_to_cost_what_its_busy_cores_make_it():
    """Hyper-threads: 80 ms of CPU for 50 where all are busy is no crowded core."""
    point = replace(GOOD, demand_s=0.08)
    assert list(checks(point)) == ["demand"]
    assert checks(point, forecast=expecting(demand_s=0.08)) == {}


def test_more_than_the_bound_allows_beyond_both_intervals_is_a_wrong_calibration():
    """The point's interval is 39.2 to 40.8. It is told: what was counted is right."""
    assert checks(GOOD, forecast=expecting(bound_ci_rps=(37.0, 39.3))) == {}
    sure = replace(GOOD, seconds=20.0)  # a quota's saved period is next to nothing there
    found = checks(sure, forecast=expecting(bound_rps=36.0, bound_ci_rps=(35.0, 37.0)))
    assert not found["bound"].unfit
    said = found["bound"].sentence.replace("\xa0", " ")
    assert said.startswith("That cannot be: 40 req/s is more than the 36 req/s of the bound")
    assert said.endswith("The calibration is wrong: run again.")
    # A machine of which its own burns say that it has no steady speed may do a little more,
    unsteady = {"noise_fraction": 0.13, "forecast": expecting(bound_ci_rps=(35.0, 37.0))}
    assert list(checks(sure, **unsteady)) == ["noise"]
    steady = {"forecast": expecting(bound_ci_rps=(35.0, 37.0))}
    # or one whose burns were that much faster,
    assert checks(replace(sure, core_speed=1.13), **steady) == {}
    assert list(checks(replace(sure, core_speed=0.87), **steady)) == ["bound"]
    far = {"noise_fraction": 0.13, "forecast": expecting(bound_ci_rps=(32.0, 34.0))}
    assert list(checks(sure, **far)) == ["bound", "noise"]  # and not as much more as it likes.
    # Few draws may be light ones.
    drawn = replace(examples.EXPERIMENT, workload=Workload(cpu_s=0.05, cpu_cv=1.0))
    assert checks(replace(sure, completed=30.0), drawn, expecting(bound_ci_rps=(35.0, 37.0))) == {}


def test_users_in_step_explain_two_visits_that_differ():
    """Their machine has not changed: now more and now fewer of them come back together."""
    twice = join(visited(GOOD, 1.0), visited(replace(GOOD, throughput_rps=33.0), 9.0))

    def of(lower_rps: float, **more) -> list[str]:
        level = {"model_rps": 41.0, "lower_rps": lower_rps, "lower_by": "users in step"}
        found = checks(twice, forecast=expecting(**(level | more)))
        return [name + "!" * check.unfit for name, check in found.items() if name != "interval"]

    assert of(30.0) == ["in step"]
    assert of(36.0) == of(30.0, lower_by="separate run queues") == ["repeated!"]
    assert of(30.0, model_rps=37.0, bound_rps=50.0) == ["repeated!"]


def test_what_another_deal_of_connections_does_is_not_blamed_on_the_machine():
    """Four processes of 16 threads had 17, 10, 19 and 18 of 64 users, and when the server was
    started anew 11, 9, 26 and 18."""
    first = visited(GOOD, 1.0)
    again = visited(replace(GOOD, throughput_rps=32.0, throughput_ci_rps=(31.4, 32.6)), 9.0)
    found = checks(join(first, again), connection_split=-0.2)
    assert list(found) == ["dealt"] and not found["dealt"].unfit
    said = found["dealt"].sentence.replace("\xa0", " ")
    assert "gave 20 % less throughput" in said and said.endswith("changes the forecast by -20 %.")
    for dealt in (0.0, 0.2, -0.5):  # a deal, but not one that does this
        assert checks(join(first, again), connection_split=dealt)["repeated"].unfit
    noisy = visited(replace(GOOD, throughput_rps=32.0, throughput_ci_rps=(26.0, 38.0)), 9.0)
    assert set(checks(join(first, noisy), connection_split=-0.2)) == {"dealt", "interval"}


def test_a_level_without_a_single_answer_is_unfit_and_no_crash():
    zero = dict.fromkeys(
        ("completed", "throughput_rps", "mean_response_time_s", "demand_s", "littles_law"), 0.0
    )
    none = (0.0, 0.0)
    nothing = replace(GOOD, throughput_ci_rps=none, halves_rps=none, never_served=8, **zero)
    thinks = replace(examples.EXPERIMENT, load=replace(examples.EXPERIMENT.load, think_time_s=1.0))
    assert {"few", "starved"} <= set(checks(nothing)) == set(checks(nothing, thinks))
    assert "demand" not in checks(nothing), "nothing tells what a request costs"


def test_a_fault_that_is_the_result_may_be_recorded() -> None:
    small, work = Workload(page="file"), Workload(cpu_s=0.05)

    def shown(faults: list[str], workload: Workload, overflows: int = 0) -> bool:
        checks = tuple(validity.unfit(name, "") for name in faults)
        point = replace(GOOD, checks=checks, listen_overflows=overflows)
        return validity.is_the_result(point, workload)

    assert shown(["load generator", "interval"], small)
    assert not shown(["interval"], small)
    assert not shown(["load generator"], work)
    assert shown(["starved"], work, overflows=40)
    assert shown(["starved", "interval", "few"], work, overflows=40)
    for other in (["others"], ["starved", "errors"], ["interval"], []):
        assert not shown(other, work, overflows=1)
    assert not shown(["load generator", "others"], small)


def test_a_run_above_its_bound_is_not_recorded_however_fit_its_points_are():
    above = validity.told(validity.BOUND, "That cannot be.")
    run = replace(examples.run(), points=(replace(GOOD, checks=(above,)), *examples.run().points))
    lab = SweepLab(examples.EXPERIMENT)
    assert lab.rejection(examples.recording()) == ""
    assert lab.rejection(structs.replace(examples.recording(), runs=(run,))) == "That cannot be."


def test_half_a_run_is_recorded_from_five_of_six_points_on():
    unfit = replace(GOOD, checks=(examples.UNFIT,))
    assert validity.enough_fit([GOOD] * 5 + [unfit])
    assert not validity.enough_fit([GOOD] * 4 + [unfit])


def test_where_the_limits_of_a_good_point_lie():
    """Each a little below is not mentioned, a little above is; the point has 40 in a second."""
    for name, below, above in (
        ("few", {"completed": 20.0}, {"completed": 19.9}),
        ("interval", {"throughput_ci_rps": (38.1, 41.9)}, {"throughput_ci_rps": (37.9, 40.1)}),
        ("interval", {"throughput_ci_rps": (38.1, 41.9)}, {"throughput_ci_rps": (39.9, 42.1)}),
        ("drift", {"halves_rps": (42.0, 38.1)}, {"halves_rps": (38.0, 42.1)}),
        ("little", {"littles_law": 0.951}, {"littles_law": 0.949}),
        ("little", {"littles_law": 1.049}, {"littles_law": 1.051}),
        ("demand", {"demand_s": 0.0549}, {"demand_s": 0.0551}),
        ("demand", {"demand_s": 0.0451}, {"demand_s": 0.0449}),
        ("others", {"others_cpu": 0.059}, {"others_cpu": 0.061}),
        ("steal", {"steal_cpu": 0.059}, {"steal_cpu": 0.061}),
        ("page", {"page_cpu": 0.059}, {"page_cpu": 0.061}),
        ("load generator", {"generator_cpu": 0.8}, {"generator_cpu": 0.81}),
    ):
        assert checks(replace(GOOD, **below)) == {}, name
        assert list(checks(replace(GOOD, **above))) == [name]
    assert checks(GOOD, noise_fraction=0.05) == {}
    assert list(checks(GOOD, noise_fraction=0.051)) == ["noise"]
    lone = replace(examples.point(2), littles_law=0.5)
    assert checks(lone) == {}  # of so few users the law says little
    assert list(checks(replace(examples.point(4), littles_law=0.5))) == ["little"]


def test_interval_is_told_from_a_twentieth_and_unfit_from_a_tenth():
    for width, unfit in ((0.051, False), (0.099, False), (0.101, True)):
        ends = (40 * (1 - width), 40 * (1 + width))
        assert checks(replace(GOOD, throughput_ci_rps=ends))["interval"].unfit == unfit


def test_what_moves_the_model_by_a_tenth_makes_a_point_unfit():
    for by, unfit in ((-0.09, False), (-0.11, True), (0.11, True)):
        found = checks(replace(GOOD, others_cpu=0.2), surroundings={"others": by})
        assert list(found) == ["others"] and found["others"].unfit == unfit
    quiet = checks(GOOD, surroundings={"others": -0.2})  # of many cores it may be little
    assert quiet["others"].unfit
    assert checks(GOOD, surroundings={"others": -0.05}) == {}
    tied = checks(replace(GOOD, server_cores=1), surroundings={"affinity": -0.5})["affinity"]
    assert tied.unfit and "were allowed 1 core only" in tied.sentence


def test_nobody_is_hung_up_on_where_no_request_failed():
    busy = replace(examples.EXPERIMENT, server=Server("threaded", by="apache-event", threads=4))
    assert checks(GOOD, busy) == {}
    edge = replace(GOOD, failed=8)  # a tenth of its 80
    assert list(checks(edge, busy)) == ["hung up"]
    assert list(checks(replace(GOOD, failed=9), busy)) == ["errors"]


def test_a_quota_saves_up_one_period():
    """40 a second beside a bound of 37 at most: a tenth of a second's more in one second."""
    high = expecting(bound_rps=36.0, bound_ci_rps=(35.0, 37.0))
    short, long = replace(GOOD, seconds=1.0), replace(GOOD, seconds=2.0)
    assert checks(short, forecast=high) == {}
    assert list(checks(long, forecast=high)) == ["bound"]
    found = validity.check(short, examples.EXPERIMENT, BARE, forecast=high)
    assert [each.name for each in found] == ["bound"]
    edge = expecting(bound_ci_rps=(35.0, 39.2))
    assert validity.check(short, examples.EXPERIMENT, BARE, forecast=edge) == ()


def test_sampling_error_is_that_of_what_is_drawn() -> None:
    """Two standard errors of 100 requests: of work, of waits, and of pauses."""
    work, waits = Workload(cpu_s=0.05, cpu_cv=0.5), Workload(wait_s=0.45, wait_cv=0.8)
    assert validity.sampling_error(work, 100.0) == pytest.approx(0.1)
    assert validity.sampling_error(waits, 100.0) == pytest.approx(0.16)
    assert validity.sampling_error(waits, 100.0, pauses=True) == pytest.approx(0.2)
    assert validity.sampling_error(Workload(cpu_s=0.05), 100.0) == 0.0


def test_pauses_are_drawn_where_the_users_are_the_limit() -> None:
    thinks = replace(examples.EXPERIMENT, load=replace(examples.EXPERIMENT.load, think_time_s=9.0))
    point = replace(GOOD, completed=100.0)
    for limit, names in (("users", []), ("cpu", ["bound"])):
        expected = expecting(bound_ci_rps=(1.0, 39.2 / 1.19), limit=limit)
        found = validity.check(point, thinks, BARE, forecast=expected)
        assert [each.name for each in found if each.name == "bound"] == names


def test_a_miss_that_is_the_cores_speed_alone_is_unfit_where_burns_are_unsteady() -> None:
    """Seen: 62 % above the forecast, and no check raised."""
    fast = replace(GOOD, demand_s=GOOD.demand_s / 1.62)
    fast = replace(fast, throughput_rps=GOOD.throughput_rps * 1.62, throughput_ci_rps=(62, 67))
    run = replace(examples.run(), points=(fast,))
    for noise, unfit in ((0.02, False), (0.08, False), (0.6, True)):
        burned = replace(run, calibration=replace(run.calibration, noise_fraction=noise))
        effects = causes.effects(*modelled(examples.EXPERIMENT, BARE, burned), fast)
        found = checks(fast, speed_alone=effects.speed_alone).get("unsteady cores")
        assert (found is not None and found.unfit) is unfit
    steady = replace(burned, points=(GOOD,))
    assert causes.effects(*modelled(examples.EXPERIMENT, BARE, steady), GOOD).speed_alone == 0


def test_an_unsteady_machine_is_told_once_for_all_parts() -> None:
    noisy = Check(name="repeated", unfit=True, sentence="Visited again: another throughput.")
    points = tuple(examples.point(users, checks=(noisy,)) for users in examples.USERS)
    run = replace(
        examples.run(), points=points, calibration=replace(examples.CALIBRATION, noise_fraction=1.0)
    )
    part = structs.replace(examples.by_law(examples.EXPERIMENT), runs=(run,))
    both = Comparison(machine=part.machine, parts={"a": part, "b": part}, over="users")
    first, *parts = [" ".join(found) for _, found in findings(both)]
    assert first.startswith("This machine's speed changed by 100\u00a0% in this run")
    assert all(word in first for word in ("waits", "one visit", "recorded run"))
    for said in parts:
        assert "speed changed" not in said and "Visited again" not in said
    calm = replace(run, calibration=examples.CALIBRATION)
    calmly = verdict(*modelled(part.experiment, part.machine, calm))
    assert "speed changed" not in " ".join(calmly)
