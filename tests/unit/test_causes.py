"""Causes of a miss: put into the model they remove it, and without their evidence none is named."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import examples
import pytest
from examples import modelled
from markup import plain

from labs.analysis import causes
from labs.analysis.checks import check
from labs.analysis.visits import visited
from labs.present.verdict import agreement
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration, Point, Run
from labs.records.time_split import PARTS, TimeSplit
from labs.theory.forecast import forecast

FOUR = replace(examples.MACHINE, cores=4, logical_cores=4, physical_cores=4, quota_cores=None)
BURNED = replace(examples.CALIBRATION, loops_per_s=(20e6, 40e6, 60e6, 80e6))
G = BURNED.generator_s
PREFORK = Experiment(Server("prefork", processes=8), Workload(cpu_s=0.05), Load((1, 8)))
D = BURNED.demand_s(0.05)
WAITS = Workload(wait_s=0.2)
MANY = Server("prefork", processes=64)


def measured(
    experiment: Experiment, *rates: float | None, burned: Calibration = BURNED, **seen: Any
) -> Run:
    """A run whose levels had those throughputs, None for as forecast; `seen` of each point."""
    expected = forecast(experiment, burned, FOUR)

    def point(users: int, rps: float) -> Point:
        cost = {"demand_s": expected.demand_s} | seen
        return replace(
            examples.point(users),
            throughput_rps=rps,
            throughput_ci_rps=(0.98 * rps, 1.02 * rps),
            mean_response_time_s=users / rps,
            **{"server_cpu": rps * cost["demand_s"], "generator_cpu": rps * G, **cost},
        )

    levels = zip(expected.levels[-len(rates) :], rates, strict=True)
    points = tuple(point(level.users, rps or level.model_rps) for level, rps in levels)
    return Run(recorded_at=examples.WHEN, calibration=burned, forecast=expected, points=points)


def cause(experiment: Experiment, run: Run) -> causes.Cause | None:
    return causes.cause(*modelled(experiment, FOUR, run), run.points[-1])


def named(experiment: Experiment, run: Run) -> str:
    found = cause(experiment, run)
    return found.name if found else ""


def said_of(experiment: Experiment, run: Run) -> str:
    return plain(" ".join(agreement(*modelled(experiment, FOUR, run))))


def twice(point: Point, first: dict[str, Any], again: dict[str, Any], *, anew: bool = False):
    """The point of two visits, of each of which that was seen."""
    visits = [
        visited(replace(point, **seen), float(at_s), anew=anew and at_s > 0).visits[0]
        for at_s, seen in enumerate((first, again))
    ]
    return replace(point, visits=tuple(visits))


def waiting(users: int, server: Server = MANY, **work: Any) -> Experiment:
    return Experiment(server, replace(WAITS, **work), Load((1, users)))


HASHING = Experiment(
    Server("threaded", threads=8), Workload(cpu_s=0.05, cpu_by="hashing"), Load((1, 8))
)
HASHING_TWICE = replace(HASHING, server=Server("threaded", processes=2, threads=4))
POOLS = waiting(8, Server("threaded", processes=2, threads=4))
STEP = waiting(40, cpu_s=0.02, wait_s=0.18, wait_cv=0.0)
ASKS = waiting(16, wait_by="backend")
IN_A_LOOP = waiting(8, Server("event-loop"), wait_s=0.05)
TINY = Experiment(Server("prefork", processes=8), Workload(cpu_s=0.002), Load((1,)))
OVERHEAD = BURNED.overhead_s

SCRIPTED = replace(TINY, load=Load((1,), script_s=0.004))
KNEE = replace(PREFORK, load=Load((1, 4)))
OVERFLOWS, SWITCHES = {"listen_overflows": 1}, {"involuntary_switches": 2.0}
AROUND = {"others", "page", "steal", "throttled"}
BEGINS = [  # evidence that is just enough, and just too little; the throughput by law; and more
    ("others", PREFORK, "others_cpu", 0.121, 0.119, lambda used: (4 - used) / (D + G), {}),
    ("others", PREFORK, "others_cpu", 3.5, 0.119, lambda used: 4 / (1 + used) / (D + G), {}),
    ("page", PREFORK, "page_cpu", 0.121, 0.119, lambda used: (4 - used) / (D + G), {}),
    ("page", PREFORK, "browser_cpu", 0.061, 0.059, lambda used: 3.88 / (D + G), {"page_cpu": 0.06}),
    ("steal", PREFORK, "steal_cpu", 0.121, 0.119, lambda used: (4 - used) / (D + G), {}),
    ("throttled", PREFORK, "throttled_s", 0.241, 0.239, lambda s: (4 - s / 2) / (D + G), {}),
    ("affinity", PREFORK, "server_cores", 3, 4, lambda cores: 3 / D, {}),
    ("core speed", PREFORK, "core_speed", 0.949, 0.951, lambda of: 4 / (D / of + G), {}),
    ("core speed", PREFORK, "core_speed", 1.051, 1.049, lambda of: 4 / (D / of + G), {}),
    ("load generator", TINY, "generator_cpu", 0.51, 0.49, lambda used: (1 - used) / 0.0025, {}),
    (
        "load generator", SCRIPTED, "generator_cpu", 0.636, 0.632,  # a twentieth dearer: 0.6326
        lambda used: (1 - used) / 0.0025, {},
    ),
    ("listen queue", waiting(64), "never_served", 1, 0, lambda _: 63 / 0.2006, OVERFLOWS),
    ("wait", waiting(16), "service_time_s", 0.211, 0.2105, lambda s: 16 / s, {}),
    ("backend", ASKS, "service_time_s", 0.211, 0.2105, lambda s: 16 / s, {}),
    ("in step", STEP, "backend_cpu", 1.49, 1.51, lambda _: 40 / 0.395, {}),
    ("run queues", KNEE, "involuntary_switches", 2.0, 1.9, lambda _: 3.2 / D, {}),
    ("run queues", KNEE, "backend_cpu", 0.36, 0.42, lambda _: 3.2 / D, SWITCHES),
    ("blocking", IN_A_LOOP, "service_time_s", 0.0575, 0.0585, lambda _: 1 / 0.0505, {}),
    (
        "blocking", IN_A_LOOP, "littles_law", 0.91, 0.89,
        lambda _: 1 / 0.0505, {"service_time_s": 0.0505},
    ),
    ("interpreter lock", HASHING, "server_cpu", 0.88, 0.86, lambda _: 1 / D, {}),
    ("interpreter lock", HASHING, "server_cpu", 1.14, 1.16, lambda _: 1 / D, {}),
    ("interpreter lock", HASHING_TWICE, "server_cpu", 1.76, 1.72, lambda _: 2 / D, {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "experiment", "what", "enough", "short", "law", "more"), BEGINS)
def test_where_evidence_begins(
    name: str,
    experiment: Experiment,
    what: str,
    enough: float,
    short: float,
    law: Callable[[float], float],
    more: dict[str, float],
) -> None:
    """What is just enough is named and removes the miss; what is too little is not named."""
    run = measured(experiment, law(enough), **more, **{what: enough})
    model_rps = run.forecast.levels[-1].model_rps
    found = cause(experiment, run)
    assert found is not None and found.name == name
    assert found.removed == pytest.approx(1, abs=0.1)
    assert found.expected == 0 or name not in AROUND
    slower = run.points[-1].throughput_rps < model_rps
    away = measured(experiment, (1.2 if slower else 0.8) * model_rps, **more, **{what: enough})
    assert named(experiment, away) != name, "it cannot have moved it the other way"
    run = measured(experiment, law(short), **more, **{what: short})
    assert named(experiment, run) == ""


def test_who_uses_what_was_idle_takes_nothing() -> None:
    waits = waiting(16)
    run = measured(waits, None, others_cpu=3.9)
    effects = causes.effects(*modelled(waits, FOUR, run), run.points[0])
    (by,) = effects.surroundings.values()
    assert by == pytest.approx(0, abs=0.02)
    assert named(waits, measured(waits, 16 / 0.25, others_cpu=3.9)) == ""


def test_the_cpu_time_comes_last_and_only_where_it_moved_the_right_way() -> None:
    slow = 4 / (1.3 * D + G)
    assert named(PREFORK, measured(PREFORK, slow, demand_s=1.3 * D)) == "demand"
    both = measured(PREFORK, 3.1 / (1.3 * D + G), demand_s=1.3 * D, others_cpu=0.9)
    assert named(PREFORK, both) == "others"  # each would remove half of it
    assert named(PREFORK, measured(PREFORK, slow, demand_s=0.8 * D)) == ""
    tiny = waiting(16)  # 8 times as much, of next to nothing
    assert named(tiny, measured(tiny, 16 / 0.22, demand_s=0.004)) == ""


def test_a_calibration_that_was_disturbed_shows_where_more_cores_are_used_than_it_found() -> None:
    few = replace(BURNED, use=0.85)
    run = measured(PREFORK, 4 / (D + G), burned=few)
    assert named(PREFORK, run) == "burn"
    (stays,) = (replace(point, others_cpu=0.41) for point in run.points)
    assert named(PREFORK, replace(run, points=(stays,))) == "left by others"


@pytest.mark.parametrize(
    ("others_cpu", "dearer", "name"),
    [(0.39, 1.2, "demand"), (0.41, 1.2, "beside others"), (0.41, 0.8, "demand")],
)
def test_a_dearer_request_is_theirs_who_have_cores_beside_it(
    others_cpu: float, dearer: float, name: str
) -> None:
    """They were there before the calibration, so it found 3.2 cores, and they take no more now.
    A request that became cheaper is not their doing."""
    few, cost_s = replace(BURNED, use=0.8), dearer * D
    rates = [1 / (cost_s + G), 3.2 / (cost_s + G)]
    run = measured(PREFORK, *rates, burned=few, demand_s=cost_s, others_cpu=others_cpu)
    assert named(PREFORK, run) == name
    told = "which used 10 % of the cores' time" in said_of(PREFORK, run)
    assert told == (name == "beside others")


def test_what_the_crowd_used_is_of_the_cores_that_the_server_had() -> None:
    """Tied to two of four cores, of which a crowd could use 1.7: two are more than that, though
    the machine has others."""
    tied = replace(PREFORK, server=Server("prefork", processes=8, cores=2))
    found = cause(tied, measured(tied, 2 / D, burned=replace(BURNED, use=0.85)))
    assert found is not None and found.name == "burn"
    assert (found.measured, found.expected) == (pytest.approx(2.0), pytest.approx(1.7))


def split_of(service_s: float, **parts: float) -> TimeSplit:
    """Of a request that was to wait for 200 ms."""
    rest_s = service_s - sum(parts.values()) - 0.2
    return TimeSplit(**dict.fromkeys(PARTS, 0.0) | parts | {"asked_s": 0.2 + rest_s})


def test_who_waited_for_a_core_in_service_did_not_wait_late() -> None:
    ready, waits = split_of(0.24, ready_s=0.04), waiting(16)
    for split, name in (
        (split_of(0.24, unexplained_s=0.04), "wait"),
        (ready, ""),
        (replace(ready, missing="No stamps."), "wait"),
    ):
        run = measured(waits, 16 / 0.24, service_time_s=0.24 + OVERHEAD, time_split=split)
        assert named(waits, run) == name


def test_connections_of_both_starts_explain_a_part_of_a_comparison() -> None:
    """Started anew they fell otherwise: the point is of both, and so is its cause."""
    starts: list[dict[str, Any]]
    starts = [{"connections": {"1": 8}}, {"connections": {"3": 7, "4": 1}}]
    run = measured(POOLS, (4 + 5) / 2 / 0.2, **starts[0])
    both = replace(run, points=(twice(run.points[0], *starts, anew=True),))
    found = cause(POOLS, both)
    assert found is not None and found.name == "split" and found.removed > 0.9
    said = said_of(POOLS, both)
    assert "0 and 8 connections, and with the server started anew 1 and 7 connections" in said


@pytest.mark.parametrize(
    ("again", "by"),
    [
        ({"3": 5, "4": 3}, (4 + 3) / (4 + 1) - 1),
        ({"3": 8}, 4 / (4 + 1) - 1),
        ({"3": 7}, 0.0),  # of one user it is not known
    ],
)
def test_another_deal_moves_the_forecast_as_a_start_lets_it(again: dict[str, int], by: float):
    run = measured(POOLS, 25.0, connections={"1": 7, "2": 1})
    both = twice(run.points[0], {}, {"connections": again}, anew=True)
    twice_started = causes.effects(*modelled(POOLS, FOUR, run), both)
    assert twice_started.connection_split == pytest.approx(by, abs=0.02)
    started_once = causes.effects(*modelled(POOLS, FOUR, run), run.points[0])
    assert started_once.connection_split == 0.0


def test_a_point_whose_surroundings_changed_is_unfit() -> None:
    for name, what, used in (
        ("others", "others_cpu", 1.0),
        ("page", "page_cpu", 0.5),
        ("throttled", "throttled_s", 4.0),
        ("steal", "steal_cpu", 2.0),
        ("affinity", "server_cores", 1),
    ):
        run = measured(PREFORK, 60.0, **{what: used})
        (point,), model = run.points, modelled(PREFORK, FOUR, run)
        effects = causes.effects(*model, point)
        found = check(point, PREFORK, FOUR, forecast=run.forecast, effects=effects)
        (why,) = [each for each in found if each.unfit]
        assert why.name == name and "With that the forecast changes by -" in why.sentence
    little = measured(PREFORK, 3.8 / (D + G), others_cpu=0.2)
    effects = causes.effects(*modelled(PREFORK, FOUR, little), little.points[0])
    (by,) = effects.surroundings.values()
    assert by == pytest.approx(-0.05, abs=0.01)


def test_a_small_miss_is_not_blamed_on_the_cpu_time() -> None:
    """Which varies by as much: from a twentieth on it is, if the time itself moved by as much."""
    model = forecast(PREFORK, BURNED, FOUR).at(8).model_rps
    for missed, dearer, name in ((0.04, 1.06, ""), (0.06, 1.06, "demand"), (0.06, 1.04, "")):
        run = measured(PREFORK, (1 - missed) * model, demand_s=dearer * D)
        assert named(PREFORK, run) == name


def test_what_a_script_and_the_warm_ups_crowd_cost_a_load_generator_was_to_be_expected() -> None:
    """Though an empty request cost it 0.1 ms. Beyond that it is a cause, at its price."""
    work = replace(SCRIPTED, workload=Workload(cpu_s=0.001))
    tried = replace(BURNED, crowd_ratio=1.0, generator_s=0.004)
    for each_s, name in ((0.008, ""), (0.012, "load generator")):
        rps = 1 / (0.001 + OVERHEAD + each_s)
        found = cause(work, measured(work, rps, burned=tried, generator_cpu=rps * each_s))
        assert (found.name if found else "") == name
        if found is not None:
            assert (found.measured, found.expected) == pytest.approx((0.012, 0.008))


def test_full_cores_leave_no_run_queue_idle() -> None:
    """Slower by 1.3, and all in use: requests are moved about, and nothing is gained by it."""
    slower = 4 / (1.3 * D)
    run = measured(KNEE, 4 / (D + G), slower, demand_s=1.3 * D, involuntary_switches=6.0)
    assert named(KNEE, run) == "demand"


@pytest.mark.parametrize(("ready_s", "name"), [(0.14, "in step"), (0.06, "")])
def test_users_half_in_step_wait_for_cores_by_half(ready_s: float, name: str) -> None:
    """As far as requests were seen ready without a core; the rest of the miss is something else."""
    split = dict.fromkeys(PARTS, 0.0) | {"on_core_s": D, "asked_s": 0.18}
    split |= {"ready_s": ready_s, "queued_s": 0.14 - ready_s}
    assert named(STEP, measured(STEP, 40 / 0.34, time_split=TimeSplit(**split))) == name


def test_users_in_step_who_wait_for_a_worker_too_are_as_many_as_there_are_workers() -> None:
    """Who is outside has no part in it: 40 users in rounds would do more than 20 workers can."""
    few = waiting(40, Server("prefork", processes=20), cpu_s=0.02, wait_s=0.18, wait_cv=0.0)
    parts = dict.fromkeys(PARTS, 0.0) | {"on_core_s": D, "ready_s": 0.06, "asked_s": 0.18}
    run = measured(few, 20 / 0.26, time_split=TimeSplit(**parts))
    assert named(few, run) == "in step"


@pytest.mark.parametrize("sharing", [True, False])
def test_requests_that_keep_sharing_a_core_get_less_than_blindly_placed_ones(sharing: bool) -> None:
    """Two users on one of two cores all the time: a half, where blindly two thirds are left. It
    shows in how long they were ready without a core."""
    rps = 1.5 / D
    ready_s = (4 / rps - D) * sharing
    parts = dict.fromkeys(PARTS, 0.0) | {"on_core_s": D, "ready_s": ready_s}
    run = measured(KNEE, rps, involuntary_switches=6.0, time_split=TimeSplit(**parts))
    lower = run.forecast.levels[-1].lower_rps
    assert lower is not None and rps < 0.8 * lower
    found = cause(KNEE, run)
    assert (found is not None and found.name == "run queues" and found.removed > 0.9) == sharing
    said = said_of(KNEE, run)
    assert ("This cause explains" in said) == sharing and "lies within that" not in said


def test_a_wait_for_an_idle_loop_is_a_late_wait() -> None:
    """It came late to the loop; on a core or elsewhere it was not."""
    late = waiting(8, Server("event-loop"), wait_s=0.2)
    for turn_at, name in (("event loop", "wait"), ("interpreter", "wait"), ("database", "")):
        split = replace(split_of(0.24, turn_s=0.04), turn_at=turn_at)
        run = measured(late, 8 / 0.24, service_time_s=0.24 + OVERHEAD, time_split=split)
        assert named(late, run) == name


def test_late_waits_are_seen_on_idle_cores_only() -> None:
    busy = waiting(9, cpu_s=0.05, wait_s=0.2)
    run = measured(busy, 9 / 0.31, service_time_s=0.3 + OVERHEAD, server_cpu=1.21)
    assert named(busy, run) == ""
    idle = measured(busy, 9 / 0.31, service_time_s=0.3 + OVERHEAD, server_cpu=1.19)
    assert named(busy, idle) == "wait"


def test_holds_where_the_interval_or_two_percent_reach_the_band() -> None:
    run = measured(PREFORK, 100.0)
    point, level = run.points[-1], replace(run.forecast.levels[-1], band_rps=None)
    for ends, model, held in (
        ((97.0, 103.0), 97.5, True),
        ((97.0, 103.0), 96.9, False),
        ((97.0, 103.0), 103.1, False),
        ((99.9, 100.1), 98.1, True),
        ((99.9, 100.1), 101.9, True),
        ((99.9, 100.1), 97.9, False),
        ((99.9, 100.1), 102.1, False),
    ):
        seen = replace(point, throughput_ci_rps=ends)
        assert causes.holds(seen, replace(level, model_rps=model)) is held
        below = replace(level, model_rps=50.0, band_rps=(40.0, model))
        assert causes.holds(seen, below) is (held or model > 100)
