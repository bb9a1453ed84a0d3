"""Differences between what was visited by turns: how often a false one is seen, and a true one."""

import math
from dataclasses import replace

import examples
import numpy as np
import pytest

from labs.analysis import contrast
from labs.analysis.contrast import difference, spread, spread_of_parts, student_t
from labs.analysis.visits import visited

RUNS = 500
BETWEEN = 0.016  # of the visits of one level, one standard deviation
DRIFT = 0.05  # of the throughput, over the run
TEN_PERCENT = math.log(1.1)


def pair(users, up, down):
    """A point of two visits, each a time and a logarithm of the throughput."""
    found = [
        visited(replace(examples.point(users), throughput_rps=math.exp(y)), at_s)
        for at_s, y in (up, down)
    ]
    rate_rps = (math.exp(up[1]) + math.exp(down[1])) / 2  # as `visits.join` has it
    visits = tuple(visit for point in found for visit in point.visits)
    return replace(found[0], throughput_rps=rate_rps, visits=visits)


def sweep(dice, levels, *, between=BETWEEN, drift=0.0, more=0.0, starts=(0.0, 0.0), of=None):
    """The points of one server: `more` at the last level, `starts` at the visits up and down, at
    the times of a run in which there are `of` = (this part, parts)."""
    part, parts = of or (0, 1)
    whole = 2 * parts * levels - 1
    points = []
    for level in range(levels):
        at = part * levels + level
        y = [
            4.0 + drift * time / whole + start + dice.normal(0, between)
            for time, start in zip((at, whole - at), starts, strict=True)
        ]
        last = more if level == levels - 1 else 0.0
        points.append(pair(level + 1, (at, y[0] + last), (whole - at, y[1] + last)))
    return points


def levels_differ(dice, levels, more=0.0, **how):
    """What one sweep says of its last level against the first."""
    points = sweep(dice, levels, drift=dice.normal(0, DRIFT), more=more, **how)
    found = difference([(points[-1], points[0], spread(points))])
    assert found is not None
    return found


def parts_differ(dice, levels, more=0.0, *, start=BETWEEN, between=0.01, runs=1, parts=2):
    """What runs of several parts say of the last part against the first."""
    seen = []
    for _ in range(runs):
        drift = dice.normal(0, DRIFT)
        made = [
            sweep(
                dice,
                levels,
                between=between,
                drift=drift,
                more=more if part == parts - 1 else 0.0,
                starts=dice.normal(0, start, 2),
                of=(part, parts),
            )
            for part in range(parts)
        ]
        seen.append((made[-1][-1], made[0][-1], spread_of_parts(made)))
    found = difference(seen, anew=True)
    assert found is not None
    return found


@pytest.mark.parametrize("levels", [3, 4, 5, 6])
def test_levels_that_do_not_differ_are_seldom_told_apart(levels):
    """5 %, whatever drifts evenly; overlapping intervals of single windows gave 9 to 27 %."""
    dice = np.random.default_rng(levels)
    false = [levels_differ(dice, levels).seen for _ in range(RUNS)]
    assert 0.03 <= np.mean(false) <= 0.08


@pytest.mark.parametrize("levels", [4, 5, 6])
def test_levels_that_differ_by_a_tenth_are_told_apart(levels):
    dice = np.random.default_rng(levels)
    found = [levels_differ(dice, levels, TEN_PERCENT) for _ in range(RUNS)]
    assert np.mean([each.seen for each in found]) >= 0.8
    assert np.mean([each.log for each in found]) == pytest.approx(TEN_PERCENT, abs=0.002)
    covered = [each.interval[0] <= 1.1 <= each.interval[1] for each in found]
    assert np.mean(covered) >= 0.92


@pytest.mark.parametrize(("parts", "levels"), [(2, 3), (2, 5), (4, 3), (6, 1)])
def test_parts_that_do_not_differ_are_seldom_told_apart_though_each_start_does(parts, levels):
    """With two parts even seldomer: what is known of starts weighs more there than what is seen."""
    dice = np.random.default_rng(parts)
    false = [parts_differ(dice, levels, parts=parts).seen for _ in range(RUNS)]
    assert np.mean(false) <= 0.08


@pytest.mark.parametrize(("parts", "levels"), [(2, 1), (2, 3), (2, 5), (4, 3), (6, 1)])
def test_parts_that_differ_by_a_tenth_are_told_apart(parts, levels):
    dice = np.random.default_rng(parts)
    found = [parts_differ(dice, levels, TEN_PERCENT, parts=parts).seen for _ in range(RUNS)]
    assert np.mean(found) >= 0.8


def test_levels_are_no_independent_evidence_of_a_start():
    """What counts each level's pair of visits for itself is too sure: the reason for the other."""
    dice, naive, found = np.random.default_rng(1), [], []
    for _ in range(RUNS):
        made = [
            sweep(dice, 5, between=0.005, starts=dice.normal(0, BETWEEN, 2), of=(part, 2))
            for part in (0, 1)
        ]
        a, b = made[1][-1], made[0][-1]
        naive.append(difference([(a, b, spread([*made[0], *made[1]]))]).seen)
        found.append(difference([(a, b, spread_of_parts(made))], anew=True).seen)
    assert np.mean(naive) > 0.1
    assert np.mean(found) <= 0.08


def test_three_runs_know_more_than_one():
    dice = np.random.default_rng(5)
    once, thrice = (
        np.mean([parts_differ(dice, 3, runs=runs).half for _ in range(200)]) for runs in (1, 3)
    )
    assert thrice < 0.7 * once
    false = [parts_differ(dice, 3, runs=3).seen for _ in range(RUNS)]
    assert np.mean(false) <= 0.08


def test_an_even_drift_is_found_and_falls_out():
    points = sweep(np.random.default_rng(1), 4, between=0.0, drift=0.09)
    known = spread(points)
    assert known.drift_per_s * 7 == pytest.approx(0.09)
    assert known.variance == pytest.approx(0.0, abs=1e-12) and known.freedom == 3
    assert difference([(points[3], points[0], known)]).log == pytest.approx(0.0)
    one_way = math.log(points[3].visits[0].throughput_rps / points[0].visits[0].throughput_rps)
    assert one_way > 0.03  # what only went up would have found


def test_recordings_without_visits_go_by_their_runs():
    def run(of_a, of_b):
        rates = (math.exp(of_a), math.exp(of_b))
        return *(replace(examples.point(8), throughput_rps=rate) for rate in rates), None

    runs = [run(0.10, 0.0), run(0.12, 0.0), run(0.11, 0.01)]
    found = difference(runs)
    logs = np.array([0.10, 0.12, 0.10])
    assert found.log == pytest.approx(logs.mean())
    known = contrast.ANEW_FREEDOM * 2 * contrast.ANEW**2  # of a visit each
    variance = (2 * logs.var(ddof=1) + known) / (2 + contrast.ANEW_FREEDOM)
    assert found.half == pytest.approx(student_t(6) * (variance / 3) ** 0.5)
    assert found.seen and found.most > 0.11
    lone = difference(runs[:1])
    assert lone.half == pytest.approx(student_t(4) * contrast.ANEW * 2**0.5)
    assert not difference([run(0.05, 0.0)]).seen
    nothing = replace(examples.point(8), throughput_rps=0.0)
    assert difference([(nothing, examples.point(8), None)]) is difference([]) is None


def test_a_level_that_did_not_repeat_is_no_evidence():
    steady = sweep(np.random.default_rng(1), 4)
    broken = pair(9, (3.5, 4.0), (4.5, 4.2))
    assert contrast.repeats(steady[0]) and not contrast.repeats(broken)
    assert spread([*steady, broken]) == spread(steady)
    assert spread([broken]) is None and spread_of_parts([steady]) is None
    assert spread_of_parts([steady, [broken]]) is None


@pytest.mark.parametrize(
    ("freedom", "confidence", "t"),
    [(1, 0.95, 12.706), (3, 0.95, 3.182), (8, 0.99, 3.355), (30, 0.95, 2.042), (7, 0.99, 3.499)],
)
def test_students_t_as_printed(freedom, confidence, t):
    """The table of any textbook on statistics."""
    assert student_t(freedom, confidence) == pytest.approx(t, abs=0.0006)
