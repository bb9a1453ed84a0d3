"""Whatever is measured, a verdict is true of its own numbers: properties of random recordings.

Every kind: sweeps, comparisons, timelines, mysteries, races, load generators, memory, checkups,
clocks and classics. The recordings are drawn about the forecast, with checks as the labs make them.
"""

import itertools
import re
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from operator import attrgetter
from typing import Any

import examples
import msgspec
import pytest
from examples import modelled
from hypothesis import given, settings
from hypothesis import strategies as st
from markup import plain
from msgspec import structs

from labs.analysis import causes
from labs.analysis.checks import check
from labs.analysis.limit import ceiling, used
from labs.analysis.point import half_width
from labs.analysis.visits import join, judge, visited
from labs.kinds.checkup.show import checkup_alt, checkup_rows, shortfall
from labs.kinds.classics import show as classics
from labs.kinds.classics.published import TABLES
from labs.kinds.classics.record import AB, LOCUST, Replication, ReplicationRun, Tried
from labs.kinds.clocks.show import clocks_alt
from labs.kinds.comparison import verdict as comparing
from labs.kinds.comparison.contrast import decided
from labs.kinds.comparison.record import Comparison
from labs.kinds.generators.record import Generators
from labs.kinds.generators.show import generators_said
from labs.kinds.memory.record import MemoryCurve
from labs.kinds.memory.show import memory_said
from labs.kinds.mystery import verdict as solving
from labs.kinds.mystery.record import VARIANTS, Mystery
from labs.kinds.mystery.scenarios import LIMITS, Limit
from labs.kinds.mystery.scenarios import draw as drawn_scenario
from labs.kinds.race.run import WAYS
from labs.kinds.race.show import race_said
from labs.kinds.registry import showing
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import SweepLab
from labs.kinds.timeline import verdict as story
from labs.kinds.timeline.forecast import course
from labs.kinds.timeline.record import Expected, Timeline, WalkedStep
from labs.present import reasons
from labs.present.advice import HOLLOW
from labs.present.bet import UNSETTLED, on_answer
from labs.present.verdict import verdict
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.format import digits, duration, percent, quotient, rate, rounded, size
from labs.records.processes import Seen
from labs.records.results import Point, PredictedLevel, Prediction, Result, Run
from labs.records.steps import Step
from labs.theory.forecast import forecast
from labs.theory.laws import GENERATOR_FULL

MACHINE = replace(examples.MACHINE, cores=4, logical_cores=4, physical_cores=4, quota_cores=None)
BURNED = replace(
    examples.CALIBRATION,
    loops_per_s=(20e6, 40e6, 60e6, 80e6),
    crowd_ratio=1.0,
    use=0.97,
)
CPU = Workload(cpu_s=0.05)
WAIT = Workload(wait_s=0.2)
LEVELS = Load((1, 4, 16))
EXPERIMENTS = (
    Experiment(Server("prefork", processes=8), CPU, LEVELS),
    Experiment(Server("prefork", processes=8, cores=2), CPU, LEVELS),
    Experiment(Server("prefork", processes=8), WAIT, LEVELS),
    Experiment(Server("prefork", processes=64), replace(WAIT, wait_by="backend"), LEVELS),
    Experiment(Server("threaded", processes=2, threads=4), WAIT, LEVELS),
    Experiment(Server("event-loop"), Workload(cpu_s=0.01, wait_s=0.05), LEVELS),
    Experiment(Server("prefork", processes=64), Workload(cpu_s=0.02, wait_s=0.18), LEVELS),
    Experiment(Server("prefork", by="apache", processes=4), WAIT, replace(LEVELS, think_time_s=1)),
    Experiment(Server("threaded", threads=16), Workload(cpu_s=0.0005, cpu_by="hashing"), LEVELS),
)
SAYING = {"/s": rate, "ms": duration, " s": duration, "MiB": size, "KiB": size}
rarely = st.sampled_from([False, False, False, True])
properties = settings(max_examples=60, derandomize=True)


@cache
def expected(experiment: Experiment) -> Prediction:
    return forecast(experiment, BURNED, MACHINE)


def near(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False)


@st.composite
def points(draw: st.DrawFn, experiment: Experiment, level: PredictedLevel) -> Point:
    """A level, visited twice, without checks."""
    D = expected(experiment).demand_s
    rps = level.model_rps * draw(near(0.4, 1.3))
    starved = draw(st.integers(0, level.users - 1)) if draw(rarely) else 0
    seen: dict[str, Any] = {
        "others_cpu": draw(near(0, 2)) if draw(rarely) else 0.02,
        "page_cpu": draw(near(0, 1)) if draw(rarely) else 0.0,
        "throttled_s": draw(near(0, 2)) if draw(rarely) else 0.0,
        "steal_cpu": draw(near(0, 1)) if draw(rarely) else 0.0,
        "server_cores": draw(st.sampled_from([None, None, None, 1, 2])),
        "service_time_s": draw(st.none() | near(0.01, 0.5)),
        "generator_cpu": draw(near(0, 1)),
        "listen_overflows": draw(st.sampled_from([0, 0, 7])),
        "involuntary_switches": draw(near(0, 8)),
        "never_served": starved,
        "connections": draw(st.sampled_from([{}, {"7": level.users - 1, "8": 1}])),
    }
    demand_s = D * draw(near(0.7, 1.5))
    visits = []
    for at_s in (1.0, 9.0):
        found = rps * draw(near(0.93, 1.07))
        half = draw(near(0.02, 0.12))
        visit = replace(
            examples.point(level.users),
            **seen,
            throughput_rps=found,
            throughput_ci_rps=(found * (1 - half), found * (1 + half)),
            halves_rps=(found, found * draw(near(0.96, 1.04))),
            completed=2 * found,
            mean_response_time_s=(level.users - starved) / found,
            demand_s=demand_s,
            server_cpu=found * demand_s,
        )
        visits.append(visited(visit, at_s))
    return join(*visits)


@st.composite
def runs(draw: st.DrawFn, experiment: Experiment) -> Run:
    """A run with the checks that the labs would make of it."""
    model = expected(experiment)
    made = judge([draw(points(experiment, level)) for level in model.levels])
    run = Run(recorded_at=examples.WHEN, calibration=BURNED, forecast=model, points=tuple(made))

    def checked(point: Point) -> Point:
        effects = causes.effects(*modelled(experiment, MACHINE, run), point)
        found = check(point, experiment, MACHINE, forecast=model, effects=effects)
        return replace(point, checks=found)

    return replace(run, points=tuple(map(checked, made)))


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    experiment = draw(st.sampled_from(EXPERIMENTS))
    return Recording(experiment=experiment, machine=MACHINE, runs=(draw(runs(experiment)),))


# -- what is known of a recording ------------------------------------------------------------


def known(value: Any, name: str = "") -> Iterator[str]:
    """Rates and times in a record, as they would be said; by the name of the field."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from known(each, str(key))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from known(each, name)
    elif isinstance(value, int | float) and name.endswith(("_rps", "_s")):
        yield plain(rate(value) if name.endswith("_rps") else duration(value))


def of_sweep(found: Recording) -> set[str]:
    """Those, and the seconds that a bound is made of, a cause's evidence and its own number."""
    whose = found.model, found.run
    said = {*known(msgspec.to_builtins(found))}
    for point in found.points:
        if bound := ceiling(*whose, point.users):
            said.add(plain(duration(bound.seconds)))
        if cause := causes.cause(*whose, point):
            said |= {plain(duration(each)) for each in (cause.measured, cause.expected)}
            said |= {plain(rate(each)) for each in (cause.measured, cause.expected)}
        opened = (point.completed + point.failed) / point.seconds
        really_s = point.users / point.throughput_rps - found.experiment.load.think_time_s
        said |= {plain(rate(opened)), plain(duration(really_s))}
    return said


def quoted(said: str) -> set[str]:
    """Rates and times in it."""
    return {" ".join(each) for each in re.findall(r"([\d.,]*\d) (req/s|ms|µs|s)\b", said)}


def value(text: str) -> float:
    return float(text.replace(",", ""))


def table_of(found: Any) -> set[str]:
    """The numbers that stand in its table."""
    cells = [cell for row in showing(found).table(found).rows for cell in row]
    return {number.replace(",", "") for cell in cells for number in re.findall(r"[\d.,]*\d", cell)}


def tabled(found: Any) -> set[str]:
    """What its table has, as words say it: they are made from the same numbers."""
    show = showing(found)
    rows = list(show.rows(found))
    said = set()
    for column in filter(attrgetter("head"), show.columns):
        say = next((say for unit, say in SAYING.items() if column.head.endswith(unit)), digits)
        values = [column.value(row) for row in rows]
        said |= {plain(say(each)) for each in values if isinstance(each, int | float)}
    return said


def parts(said: str) -> set[tuple[str, str]]:
    """Counts that are said as so many of so many."""
    told = re.findall(r"([\d,]+) of (?:the )?([\d,]*\d)\b(?! %)", said)
    return {(part.replace(",", ""), whole.replace(",", "")) for part, whole in told}


def shares(said: str) -> set[str]:
    """Its per cents."""
    return set(re.findall(r"[\d.,]+(?= %)", said))


def percents(values: Iterable[float]) -> set[str]:
    return {plain(percent(each)).split()[0] for each in values}


# -- sweeps ----------------------------------------------------------------------------------


@pytest.mark.extended
@properties
@given(recordings())
def test_every_rate_and_time_of_a_verdict_stands_in_the_recording(found: Recording) -> None:
    said = [plain(each) for each in verdict(found.model, found.run)]
    for sentence in said:
        assert quoted(sentence) <= of_sweep(found), sentence


@pytest.mark.extended
@properties
@given(recordings())
def test_every_count_and_miss_of_a_verdict_is_the_table_s(found: Recording) -> None:
    fit = [point for point in found.points if point.fit]
    forecast_ = found.run.forecast
    met = [p for p in fit if causes.holds(p, forecast_.at(p.users))]
    counted = {(str(p.never_served), str(p.users)) for p in found.points}
    counted |= {(str(len(found.points) - len(fit)), str(len(found.points)))}
    counted |= {(str(len(met)), str(len(fit)))}
    misses = percents(abs(causes.off(point, forecast_)) for point in fit)
    known_to = percents(half_width(point) for point in fit)
    for sentence in map(plain, verdict(found.model, found.run)):
        for each in parts(sentence):
            assert each in counted, sentence
            if "never served" in sentence:
                assert {*each} <= table_of(found), sentence
        for miss in re.findall(r"(?:miss|measured) ([\d.]+) %", sentence):
            assert miss in misses, sentence
        for half in re.findall(r"itself is known to ± ?([\d.]+) %", sentence):
            assert half in known_to, sentence


@properties
@given(near(0.8, 1.3))
def test_nothing_measured_lies_above_no_more(factor: float) -> None:
    found = examples.by_law(EXPERIMENTS[0], factor, of=MACHINE, server_cpu=4.0)
    last, bound = found.points[-1], found.run.forecast.levels[-1].bound_rps
    said = plain(reasons.limit(found.model, found.run, last))
    most = re.search(r"can do ([\d.,]+) req/s and no more", said)
    assert bool(most) == (last.throughput_rps <= min(bound, rounded(bound))), said
    if most:
        assert value(plain(rate(last.throughput_rps)).split()[0]) <= value(most[1])


@pytest.mark.extended
@properties
@given(recordings())
def test_no_side_and_no_cause_has_the_wrong_sign(found: Recording) -> None:
    whose = found.model, found.run
    said = [plain(each) for each in verdict(*whose)]
    for sentence in said:
        for users, off, side in re.findall(
            r"at (\d+) users?: measured ([\d.]+) % (above|below) it", sentence
        ):
            point = found.at(int(users))
            miss = causes.off(point, found.run.forecast)
            assert (miss > 0) == (side == "above") and point.fit
            assert plain(percent(abs(miss))).split()[0] == off
    for point in found.points:
        cause = causes.cause(*whose, point)
        if cause is None:
            continue
        miss, told = causes.off(point, found.run.forecast), reasons_of(found, point, cause)
        if " instead of " in told and " took " in told:  # more time, less done
            assert (cause.measured > cause.expected) == (miss < 0), told
        if cause.name in ("others", "page", "throttled", "steal", "affinity", "listen queue"):
            assert miss < 0, told
        if cause.name == "burn":
            assert miss > 0 and cause.measured > cause.expected
        for removed in re.findall(r"explains ([\d.]+) % of the miss", told):
            assert 50 <= value(removed) <= 100


def reasons_of(found: Recording, point: Point, cause: causes.Cause) -> str:
    return plain(reasons.explains(cause, found.model, point))


@properties
@given(recordings())
def test_a_cause_moves_the_model_towards_the_measurement_by_half_and_more(found: Recording) -> None:
    for point in found.points:
        cause = causes.cause(found.model, found.run, point)
        model = found.run.forecast.at(point.users).model_rps
        if cause is not None and point.throughput_rps != model:
            miss, moved = point.throughput_rps - model, cause.model_rps - model
            assert miss * moved > 0
            assert abs(miss - moved) <= 0.5 * abs(miss) + 1e-9
            assert cause.removed == pytest.approx(1 - abs(miss - moved) / abs(miss))


@properties
@given(recordings())
def test_a_limit_is_a_fact_only_where_it_was_used_and_its_sum_is_right(found: Recording) -> None:
    assert_limit(found)


def assert_limit(found: Recording) -> None:
    """Asserts that what is said to limit the last fit level was in use, that the seconds and cores
    in the sentence make the rate in it, and that its share is the one that was used."""
    fit = [point for point in found.points if point.fit]
    if not fit:
        return
    whose = found.model, found.run
    said, part = plain(reasons.limit(*whose, fit[-1])), used(*whose, fit[-1])
    fact = bool(re.search(r"(is|are) the limit", said))
    assert fact == (part is not None and part >= 0.9) != ("the forecast expected" in said)
    had = min(found.machine.cores, found.machine.quota_cores or found.machine.cores)
    others = [fit[-1].others_cpu / had]
    assert shares(said) <= percents(([] if part is None else [min(part, 1.0)]) + others), said
    summed = re.search(
        r" at ([\d.,]+) (µs|ms|s) .*?([\d.,]+) cores? (?:can do|make) ([\d.,]+) req/s", said
    )
    if summed:
        each, unit, cores, best = summed.groups()
        assert value(cores) / seconds((each, unit)) == pytest.approx(value(best), rel=0.015), said


@properties
@given(recordings())
def test_who_was_never_served_comes_first_and_hollow_points_are_named(found: Recording) -> None:
    said = [plain(each) for each in verdict(found.model, found.run)]
    without = [point for point in found.points if point.never_served]
    assert ("were never served" in said[0]) == bool(without)
    for point in without:
        assert f"{point.never_served} of {point.users} user" in said[0]
    assert sum("were never served, and are not in the averages" in each for each in said) <= 1
    hollow = [point for point in found.points if not point.fit]
    assert any("drawn hollow" in each for each in said) == bool(hollow)
    for sentence in said:
        talks = re.findall(
            r"[Aa]t (\d+) users?[ :](?!connections|the forecast was missed)", sentence
        )
        unfit = [users for users in map(int, talks) if not found.at(users).fit]
        assert not unfit or "hollow" in sentence, sentence


@properties
@given(recordings(), near(0.1, 10))
def test_a_bet_is_settled_by_a_fit_point_alone(found: Recording, factor: float) -> None:
    right, lab = found.points[-1].throughput_rps, SweepLab(found.experiment)
    known = lab.outcome(found)
    said = on_answer(lab.question, right * factor, known)
    judged = re.search(r"Well predicted|too (high|low)|times", said)
    fit = found.points[-1].fit
    assert bool(judged) == fit and (UNSETTLED in said) != fit
    if fit and (wrong := re.search(r"too (high|low)", said)):
        assert (wrong[1] == "high") == (factor > 1)
    assert "the forecast's band" in said
    low, high = known.band or (1, 0)
    assert ("bet lay inside" in said) == (low <= right * factor <= high)


# -- comparisons -----------------------------------------------------------------------------


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    chosen = draw(st.lists(st.sampled_from(EXPERIMENTS), min_size=2, max_size=3, unique=True))
    rounds = draw(st.integers(1, 3))
    parts = {
        f"part {number}": Recording(
            experiment=each,
            machine=MACHINE,
            runs=tuple(draw(runs(each)) for _ in range(rounds)),
        )
        for number, each in enumerate(chosen)
    }
    return Comparison(machine=MACHINE, over="users", parts=parts)


@pytest.mark.extended
@settings(properties, max_examples=40)
@given(comparisons())
def test_a_comparison_is_true_of_its_own_numbers(found: Comparison) -> None:
    said = plain(" ".join(comparing.findings(found)[0][1]))
    numbers = set().union(*(of_sweep(part) for part in found.parts.values()))
    assert quoted(said) <= numbers, said
    without = [
        point for part in found.parts.values() for point in part.points if point.never_served
    ]
    assert ("were never served" in said.split(". ")[0]) == bool(without)
    everyone = [point for part in found.parts.values() for point in part.points]
    for each in parts(said.partition(" points")[0]):
        assert each in {(str(p.never_served), str(p.users)) for p in everyone}, said
        assert {*each} <= table_of(found), said
    decision = decided(found.parts)
    if decision is None:
        assert "nothing is said of their ratio" in said
        return
    over, under = (found.part(each).at(decision.users) for each in (decision.over, decision.under))
    if not (over.fit and under.fit):
        assert "drawn hollow" in said
    if "hollow" in said:
        assert not all(point.fit for part in found.parts.values() for point in part.points)


def assert_as_decided(said: str, found: Comparison) -> int:
    """By how much the parts differ, and its interval, are what was decided; how often that is
    said."""
    decision = decided(found.parts)
    assert decision is not None
    turned = 1 if decision.ratio > 1 else -1
    each = [decision.ratio**turned, *(end**turned for end in decision.interval)]
    more = re.findall(r"answered ([\d.,]+) % more than “part \d” \((.*?) % to (.*?) %\)", said)
    times = re.findall(r"answered (\S+) times what “part \d” did \((.*?) to (.*?)\)\.", said)
    assert all({*told} <= percents(ratio - 1 for ratio in each) for told in more), said
    assert all({*told} <= {comparing.times(ratio) for ratio in each} for told in times), said
    return len(more) + len(times)


@properties
@given(near(0.75, 1.45) | st.just(3.0), st.integers(1, 3))
def test_rates_of_parts_give_the_ratio_that_is_said(factor: float, runs: int) -> None:
    """Of runs that are drawn about one ratio, so that it is mostly said in per cent; and it is
    what was decided."""
    factors = [[1 + 0.003 * run, factor * (1 - 0.002 * run)] for run in range(runs)]
    parts = {
        f"part {number}": examples.by_law(
            EXPERIMENTS[0], *(each[number] for each in factors), of=MACHINE
        )
        for number in range(2)
    }
    found = Comparison(machine=MACHINE, over="users", parts=parts)
    said = plain(" ".join(comparing.between(found)))
    decision = decided(parts)
    assert decision is not None
    low, high = decision.interval
    assert assert_as_decided(said, found) == (not low <= 1 <= high)
    ends = [plain(rate(found.part(f"part {n}").at(16).throughput_rps)) for n in (1, 0)]
    over, under = (value(each.split()[0]) for each in ends)
    if more := re.search(r"“(part \d)” answered", said):
        assert (more[1] == "part 1") == (over > under)
    if most := re.search(r"smaller than ([\d.]+) %", said):
        assert {most[1]} == percents([max(high, 1 / low) - 1])
    quoted_ratio = showing(found).quote(found, "ratio", "part 1", "part 0", 16)
    assert str(quoted_ratio) == comparing.times(over / under)


# -- timelines -------------------------------------------------------------------------------


GROWING = Server("prefork", by="spare", processes=16)


@cache
def walked(work: Workload, users: int) -> tuple[tuple[Step, ...], tuple[Expected, ...]]:
    """Two groups of users, then arrivals; and what is expected of them."""
    steps = (Step(seconds=3, users=2), Step(seconds=5, users=users), Step(seconds=4, rate=30.0))
    return steps, course(GROWING, work, steps, BURNED, MACHINE)


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    """A pool that grows in the second step, more or less; workers are killed, arrivals are late
    or find no user, and others take the cores."""
    work = draw(st.sampled_from([WAIT, Workload(cpu_s=0.02), Workload(cpu_s=0.01, wait_s=0.1)]))
    steps, model = walked(work, draw(st.sampled_from([8, 16])))
    whole, results = replace(examples.timeline_run(), forecast=model), []
    plan = Timeline(server=GROWING, workload=work, steps=steps, machine=MACHINE, runs=(whole,))
    for number, step in enumerate(steps, 1):
        rps = WalkedStep(plan, number).forecast_rps * draw(near(0.3, 1.2))
        lost, killed = draw(st.integers(0, 6)), draw(st.integers(1, 3))
        made = replace(
            examples.step_result(number),
            seconds=step.seconds,
            throughput_rps=rps,
            completed=rps * step.seconds if not draw(rarely) else 3,
            begun=draw(st.integers(1, 300)),
            failed=lost + (draw(st.integers(1, 9)) if draw(rarely) else 0),
            missed=draw(st.integers(1, 90)) if draw(rarely) else 0,
            in_flight=draw(st.integers(0, 40)),
            mean_response_time_s=draw(near(0.001, 20)),
            late=7,
            late_s=draw(near(0, 1)) if draw(rarely) else 0.0,
            others_cpu=draw(near(0, 4)) if draw(rarely) else 0.02,
            page_cpu=draw(near(0, 1)) if draw(rarely) else 0.0,
            generator_cpu=draw(near(0, 1)),
            server_cpu=draw(near(0, 4)),
        )
        checks = tuple(story.checks(made, step, GROWING, MACHINE, lost, killed))
        results.append(replace(made, checks=checks))
    ramp = ((0.0, 3), (3.0 + draw(near(0.1, 4.5)), draw(st.integers(4, 16))))
    run = replace(whole, calibration=BURNED, step_results=tuple(results), ramp=ramp, events=())
    return structs.replace(plan, runs=(run,))


@settings(properties, max_examples=80)
@given(timelines())
def test_a_timeline_is_true_of_its_own_numbers(found: Timeline) -> None:
    run, rows = found.run, found.walked
    *told, workers = map(plain, story.verdict(found))
    assert len(told) == len(rows)
    for number, (row, sentence) in enumerate(zip(rows, told, strict=True)):
        result, model = row.found, row.forecast_rps
        reasons = [plain(each.sentence) for each in result.checks if each.unfit]
        assert ("cannot be believed" in sentence) == bool(reasons)
        if reasons:  # and the table has them
            assert sentence == f"Step {number + 1} cannot be believed: {' '.join(reasons)}"
            continue
        told_besides = set()
        if row.asked.rate is None:
            assert_miss(sentence, result.throughput_rps, model)
        else:
            told_besides = {plain(duration(row.forecast_response_s or 0.0))}
            left = f"; then {result.in_flight} request{'' if result.in_flight == 1 else 's'} w"
            said = f", forecast {digits(row.forecast_at_end.in_flight[1], 2)}"
            assert left in sentence and said in sentence
        asked = quoted(row.asked.load)
        assert quoted(sentence) <= tabled(found) | told_besides | asked, sentence
    (_, first), (at_s, most) = run.ramp
    grown = f"There were {first} workers at the beginning, {most} at most, "
    assert workers.startswith(f"{grown}{plain(duration(at_s - found.begins_s[1]))} after step 2")
    assert workers.endswith(f"and {most} at the end.")


def assert_miss(sentence: str, found_rps: float, model_rps: float) -> None:
    """Its share and its side are those of the rates."""
    side = re.search(r"([\d.]+) % (above|below) the forecast", sentence)
    assert (side is None) == ("as the forecast said" in sentence)
    if side:
        assert (side[2] == "above") == (found_rps > model_rps)
        assert {side[1]} == percents([abs(quotient(found_rps, model_rps) - 1)])


@properties
@given(timelines())
def test_requests_that_failed_with_killed_workers_are_told_apart_from_others(
    found: Timeline,
) -> None:
    for row in found.walked:
        told = {each.name: plain(each.sentence) for each in row.found.checks}
        with_them, others = (int(told.get(name, "0").split()[0]) for name in ("killed", "errors"))
        assert with_them + others == row.found.failed


# -- mysteries, races ------------------------------------------------------------------------


@st.composite
def mysteries(draw: st.DrawFn) -> Mystery:
    seed = draw(st.integers(1, 14))
    scenario = drawn_scenario(seed, MACHINE.cores)
    variants = {}
    for name in VARIANTS:
        factor, hollow = draw(near(0.3, 3)), draw(rarely)
        more = {
            "service_time_s": draw(st.none() | near(0.001, 5)),
            "workers": draw(st.none() | st.integers(1, 40)),
            "server_cpu": draw(near(0, 4)),
            "generator_cpu": draw(near(0, 2)),
            "checks": (examples.UNFIT,) if hollow else (),
        }
        variants[name] = examples.by_law(scenario.experiment(name), factor, of=MACHINE, **more)
    seen = tuple(
        Seen(
            who=draw(st.sampled_from(["server", "generator"])),
            number=number,
            parent=1 if number > 1 else None,
            threads=draw(st.integers(1, 20)),
            cpu=0.5,
            on_disk=None if draw(rarely) else draw(near(0, 5)),
            written_bps=None if draw(rarely) else draw(near(0, 1e7)),
            files=draw(st.sampled_from([(), ("stock.db",), ("counter", "stock.db")])),
        )
        for number in range(1, draw(st.integers(1, 5)))
    )
    return Mystery(
        seed=seed, limit=scenario.limit.name, machine=MACHINE, variants=variants, seen=seen
    )


@pytest.mark.extended
@settings(properties, max_examples=40)
@given(mysteries())
def test_a_mystery_is_true_of_its_own_numbers(found: Mystery) -> None:
    users = found.users or 0
    numbers = set().union(*(of_sweep(part) for part in found.variants.values()))
    told = zip(("wrong", "right"), solving.repaired(found), strict=True)
    for name, (_, words) in told:
        sentence = plain(words)
        change = sentence.split(": ")[0] + ": " + sentence.split(": ")[1].split(". ")[0]
        before, after = (found.variants[each].at(users) for each in ("before", name))
        assert quoted(change) <= numbers, change
        assert ("drawn hollow" in change) == (not (before.fit and after.fit))
        ratio = after.throughput_rps / before.throughput_rps
        first, last_ = (value(each) for each in re.findall(r"([\d.,]+) req/s", change))
        if side := re.search(r"([\d.]+) % (more|less)", change):
            assert (side[2] == "more") == (ratio > 1)
            assert {side[1]} == percents([abs(last_ / first - 1)]), change
        elif times := re.search(r"([\d.,]+) times as much", change):
            assert times[1] == digits(last_ / first, 2) and ratio > 1, change
        else:
            assert "as good as nothing" in change and 0.85 < ratio < 1.16
    last = found.before.points[-1]
    revealed = [plain(each) for each in solving.revealed(found)]
    for sentence in revealed[2:4]:
        if f"at {last.users} users" in sentence.lower():
            assert ("drawn hollow" in sentence) == (not last.fit), sentence


@properties
@given(mysteries(), st.sampled_from(LIMITS))
def test_what_a_diagnosis_is_told_was_measured(found: Mystery, guess: Limit) -> None:
    first, last = found.before.points[0], found.before.points[-1]
    server = [each for each in found.seen if each.who == "server"]
    said = plain(" ".join(solving.answered(found, guess.name)))
    right = guess.name == found.limit
    here = plain(solving.fact(guess, found, unsure=HOLLOW if right else solving.UNSURE))
    assert here in said and said.startswith("Yes." if right else "No, not ")
    ends = (first, last)
    told = tabled(found)
    assert quoted(here) <= told, here
    assert set(re.findall(r"at ([\d,]+) users?", here)) <= {str(each.users) for each in ends}
    assert shares(here) <= percents([last.generator_cpu, last.server_cpu]), here
    busy = {digits(last.server_cpu, 2), digits(last.generator_cpu, 2)}
    assert {digits(last.server_cpu), digits(last.generator_cpu)} <= told
    kept = re.findall(r"(?:kept|load generator) ([\d.]+) (?:of \d|core|of a)", here)
    assert {*kept} <= busy, here
    if workers := re.search(r"(\d+|one) workers?,", here):
        assert workers[1] == ("one" if last.workers == 1 else str(last.workers))
    if trees := re.search(r"(\d+|one) process(?:es)? with (\d+) threads?", here):
        assert trees[1] == ("one" if len(server) == 1 else str(len(server)))
        assert int(trees[2]) == sum(each.threads for each in server)
    if opened := re.search(r"(\d+|one) process(?:es)? had (.*) open", here, re.IGNORECASE):
        holders = [each for each in server if each.files]
        assert opened[1].lower() == ("one" if len(holders) == 1 else str(len(holders)))
        assert opened[2] in {"stock.db", "counter and stock.db"}
    if to_disk := re.search(r"handed (.*?) to the disk, and ([\d.]+) threads", here):
        written = sum(each.written_bps or 0.0 for each in server)
        assert to_disk[1] == plain(size(written / last.throughput_rps))
        assert to_disk[2] == digits(sum(each.on_disk or 0.0 for each in server), 2)
    if law := re.search(r"that makes (\S+) req/s.*it was (\S+) req/s", said):
        assert law[2] == plain(rate(last.throughput_rps)).split()[0]


@properties
@given(st.lists(st.tuples(st.integers(1, 900), near(0, 1)), min_size=len(WAYS), max_size=len(WAYS)))
def test_a_race_is_true_of_its_own_numbers(ways: list[tuple[int, float]]) -> None:
    names = tuple(way.name for way in WAYS)
    counts = tuple(
        examples.count(name, asked, round(asked * part), asked / 3)
        for name, (asked, part) in zip(names, ways, strict=True)
    )
    race = examples.race(counts)
    said = [plain(each) for each in race_said(race)]
    assert quoted(" ".join(said)) <= tabled(race) | {"40 ms", "25 req/s"}  # that it is held
    text = " ".join(said).lower()
    counted = {(str(each.lost), str(each.asked)) for each in counts}
    assert parts(text) <= counted and {n for pair in parts(text) for n in pair} <= table_of(race)
    assert shares(text) <= percents(each.lost_fraction for each in counts), text
    for count in counts:
        if count.lost:
            assert f"{count.name}, " in text or f"{count.name}: " in text
    assert ("nothing was lost" in text) == all(not count.lost for count in counts)


# -- load generators, memory -----------------------------------------------------------------


@st.composite
def gauges(draw: st.DrawFn) -> Generators:
    narrow = draw(rarely)
    made = []
    for name in ("locust", "2 locusts", "ab", "wrk"):
        own, its = draw(near(0.01, 1)), draw(near(0.01, 1))
        result = examples.gauge(
            name,
            1000 * draw(near(1, 1.14) if narrow else near(0.1, 10)),
            own,
            its,
            processes=2 if name == "2 locusts" else 1,
            mean_response_time_s=draw(near(0.001, 0.1)),
            busy=draw(near(0, 1)),
        )
        made.append(result)
    return examples.gauges(tuple(made))


@properties
@given(gauges())
def test_what_generators_say_together_is_true_of_each(found: Generators) -> None:
    text = plain(" ".join(generators_said(found)))
    shown = found.run.measured
    ours = found.run.by("locust")
    numbers = tabled(found) | {plain(duration(ours.generator_s))}
    numbers |= {plain(rate(GENERATOR_FULL * ours.ceiling_rps))}
    assert quoted(text) <= numbers
    rates = [each.throughput_rps for each in shown]
    sides = [side for each in shown for side in (each.generator_fullest, each.server_fullest)]
    apart = rounded(max(rates)) / rounded(min(rates))
    assert shares(text) <= percents([*sides, GENERATOR_FULL, apart - 1]), text
    for times in re.findall(r"saw ([\d.,]+) times the throughput", text):
        assert times == digits(apart, 2), text
    if within := re.search(r"agree within ([\d.]+) %", text):
        assert within[1] in percents([apart - 1]), text


@properties
@given(st.lists(st.integers(1, 400), min_size=3, max_size=3), st.booleans())
def test_memory_is_true_of_its_own_numbers(mib: list[int], has_pss: bool) -> None:
    taken = tuple(2**20 * each for each in mib)
    curve = MemoryCurve(
        kind="process",
        sizes=(1, 4, 16),
        pss_bytes=taken if has_pss else (),
        rss_bytes=tuple(2 * each for each in taken),
    )
    memory = examples.memory((curve,))
    text = plain(" ".join(memory_said(memory)))
    assert ("told from noise" in text) == (curve.each_bytes <= 0)
    told = (curve.each_bytes, curve.rss_each_bytes)
    sizes = re.findall(r"[\d.,]*\d [KMG]iB", text)
    assert {*sizes} <= {plain(size(each)) for each in told}, text
    assert {*sizes} <= tabled(memory), text
    if share := re.search(r"([\d.]+) % of that is shared", text):
        assert share[1] in percents([1 - curve.each_bytes / curve.rss_each_bytes]), text
        assert 0 <= value(share[1]) <= 100 and has_pss


# -- checkups, clocks, classics ---------------------------------------------------------------


@properties
@given(st.lists(near(0.5, 1.02), max_size=7), near(0.3, 1.0))
def test_a_checkup_is_true_of_its_own_numbers(steps: list[float], use: float) -> None:
    loops = tuple(itertools.accumulate((20e6, *(20e6 * each for each in steps))))
    burned = replace(examples.CALIBRATION, loops_per_s=loops, use=use)
    number = len(loops)
    found = structs.replace(examples.checkup(), calibrations=(burned,))
    said = plain(shortfall(burned))
    rows = {name: plain(cell) for name, cell, _ in checkup_rows(found)}
    assert (said == "") == (burned.capacity[-1] >= 0.9 * number)
    if told := re.search(r"did ([\d.]+) cores' worth of work", said):
        assert told[1] == rows["cores' worth of work"], said
    if had := re.search(r"The burn got ([\d.]+) of them", said):
        assert had[1] == digits(use * number)
    if most := re.search(r"did ([\d.]+) cores' worth", plain(checkup_alt(found))):
        assert abs(value(most[1]) - value(rows["cores' worth of work"])) <= 0.0051


@properties
@given(st.lists(st.tuples(near(0.0005, 0.5), near(0.0, 1.0), near(0.5, 3)), min_size=3, max_size=9))
def test_clocks_add_up_as_they_are_said(requests: list[tuple[float, float, float]]) -> None:
    """A wall time is its CPU time and its wait, but for the rounding of three numbers."""
    page = replace(
        examples.clocks().run.pages[0],
        wall_s=tuple(cpu + wait for cpu, wait, _ in requests),
        cpu_s=tuple(cpu for cpu, _, _ in requests),
    )
    run = replace(examples.clocks().run, pages=(page,))
    found = structs.replace(examples.clocks(), runs=(run,))
    wall, cpu, wait = (seconds(each) for each in quoted_times(clocks_alt(found)))
    assert wall == pytest.approx(cpu + wait, rel=0.011)
    table = showing(found).table(found)
    row = dict(zip(table.head, table.rows[0], strict=True))
    assert value(row["CPU / wall"]) == pytest.approx(cpu / wall, rel=0.02, abs=0.001)


def quoted_times(said: str) -> list[tuple[str, str]]:
    return re.findall(r"([\d.,]*\d) (ms|µs|s)\b", plain(said))


def seconds(told: tuple[str, str]) -> float:
    return value(told[0]) * {"µs": 1e-6, "ms": 1e-3, "s": 1}[told[1]]


@st.composite
def replications(draw: st.DrawFn) -> Replication:
    """A source's rows tried again by both load generators, as far as they are there."""
    name = draw(st.sampled_from(["s1", "s2", "s4"]))
    tries = []
    places = [(setup, users) for setup, rows in TABLES[name].rows.items() for users in rows]
    for (setup, users), by in itertools.product(places, (AB, LOCUST)):
        found = Tried(setup=setup, users=users, by=by, server="Apache", missing="no ab here")
        if not draw(rarely):
            found = replace(
                found,
                missing="",
                throughput_rps=draw(near(1, 5000)),
                generator_cpu=draw(near(0, 1)),
                others_cpu=draw(near(0, 2)) if draw(rarely) else 0.0,
            )
        tries.append(found)
    run = ReplicationRun(recorded_at=examples.WHEN, capacity=(1.0, 1.95), tries=tuple(tries))
    return Replication(classic=name, machine=MACHINE, runs=(run,))


@properties
@given(replications())
def test_a_classic_is_true_of_its_own_numbers(found: Replication) -> None:
    said = [plain(each) for each in classics.said(found)]
    missing = {each.missing for each in found.run.tries if each.missing}
    assert [each for each in said if each.startswith("Not measured")] == [
        f"Not measured: {each}." for each in sorted(missing)
    ]
    others = max(each.others_cpu for each in found.run.tries)
    busy = [each for each in said if each.startswith("Other programs")]
    assert len(busy) == (others > 0.03 * MACHINE.cores)
    assert all(f"up to {digits(others, 2)} of the machine's 4" in each for each in busy)
    for sentence in said:
        by = re.search(r"ours by (ab|Locust)", sentence)
        if by is None:
            continue
        ratios = [found.ratio(each) for each in found.run.by(by[1])]
        known_ = [each for each in ratios if each is not None]
        if told := re.search(r"has ([\d.]+) in the middle row and ([\d.]+) in the row", sentence):
            assert told[1] == f"{statistics.median(known_):.2f}"
            assert abs(value(told[2]) - 1) >= max(abs(each - 1) for each in known_) - 0.006
        if rises := re.search(r"rises to (\S+) times that of one", sentence):
            assert rises[1] == digits(max(known_), 2) and value(rises[1]) > 1, sentence
        assert ("does not rise" in sentence) == (found.classic == "s4" and max(known_) < 1.05)


# -- the book's recordings -------------------------------------------------------------------


@given(near(0, 3))
def test_percent_never_says_all_of_what_is_more(fraction: float) -> None:
    said = value(plain(percent(fraction)).split()[0])
    assert abs(said - 100 * fraction) <= max(0.5, fraction * 5)
    assert (said <= 100) == (fraction < 1.005)


def assert_told_true(found: Result, shown: dict[str, Any]) -> None:
    """Asserts that the caption of what is shown of a recording says by what a run is the middle
    one; what is hollow or other is there."""
    said = plain(" ".join(shown["said"]))
    assert not re.search(r"the middle of \d+ runs(?! by [a-z])", plain(shown["caption"]))
    assert "drawn hollow" not in said or b'"unfit":true' in msgspec.json.encode(found), said
    for part in [found, *getattr(found, "parts", getattr(found, "variants", {})).values()]:
        if isinstance(part, Recording):
            assert_limit(part)
            for sentence in verdict(part.model, part.run):
                assert quoted(plain(sentence)) <= of_sweep(part), sentence


@properties
@given(recordings())
def test_no_check_asks_a_single_user_to_be_fewer(found: Recording) -> None:
    for point in found.points:
        said = " ".join(each.sentence for each in point.checks)
        assert point.users > 1 or not re.search(r"[Ff]ewer users", said), said
