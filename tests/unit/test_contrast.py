"""Differences between what was visited by turns: how often a false one is seen, and a true one."""

import math
from dataclasses import replace

import examples
import numpy as np
import pytest

from labs.analysis import contrast
from labs.analysis.contrast import (
    Difference,
    Spread,
    difference,
    spread,
    spread_of_parts,
    student_t,
)
from labs.analysis.visits import visited

RUNS = 500
BETWEEN = 0.016  # of the visits of one level, one standard deviation
DRIFT = 0.05  # of the throughput, over the run
TEN_PERCENT = math.log(1.1)


ONCE = visited(examples.point(1), 0.0)


def pair(users, up, down):
    """A point of two visits, each a time and a logarithm of the throughput."""
    (visit,), rates = ONCE.visits, [math.exp(y) for _, y in (up, down)]
    visits = tuple(
        replace(visit, at_s=at_s, throughput_rps=rate)
        for (at_s, _), rate in zip((up, down), rates, strict=True)
    )
    mean_rps = sum(rates) / 2  # as `visits.join` has it
    return replace(ONCE, users=users, throughput_rps=mean_rps, visits=visits)


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


def levels_differ(dice, levels, more=0.0):
    """What one sweep says of its last level against the first."""
    points = sweep(dice, levels, drift=dice.normal(0, DRIFT), more=more)
    found = difference([(points[-1], points[0], spread(points))])
    assert found is not None
    return found


def parts_differ(dice, levels, more=0.0, *, parts=2):
    """What a run of several parts says of the last part against the first."""
    drift = dice.normal(0, DRIFT)
    made = []
    for part in range(parts):
        last, starts = more * (part == parts - 1), dice.normal(0, BETWEEN, 2)
        how = {"between": 0.01, "drift": drift, "more": last, "starts": starts}
        made.append(sweep(dice, levels, of=(part, parts), **how))
    found = difference([(made[-1][-1], made[0][-1], spread_of_parts(made))], anew=True)
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


def test_a_difference_is_told_as_a_ratio_with_its_ends():
    for log in (0.10, -0.10):
        found = Difference(log=log, half=0.05)
        assert found.seen and found.ratio == pytest.approx(math.exp(log))
        assert found.interval == pytest.approx((math.exp(log - 0.05), math.exp(log + 0.05)))
        assert found.most == pytest.approx(math.exp(0.15) - 1)
    assert not Difference(log=0.05, half=0.05).seen


def differing(at_s, apart_s, d):
    """A pair of visits that lie d apart, the first of them so many seconds later."""
    return pair(1, (at_s + apart_s, 4.0 + d), (at_s, 4.0))


def test_a_spread_is_what_a_line_leaves_of_the_pairs():
    """By hand, as the docstring has it: drift 2/35 of a percent, two degrees of freedom."""
    pairs = [(-5, 0.01), (-3, -0.02), (-1, 0.03)]
    points = [differing(9, apart_s, d) for apart_s, d in pairs]
    found = spread(points)
    drift = (-0.05 + 0.06 - 0.03) / 35
    squares = sum((d - drift * apart_s) ** 2 for apart_s, d in pairs)
    assert found.drift_per_s == pytest.approx(drift) and found.freedom == 2
    assert found.variance == pytest.approx(squares / 4)
    assert spread(points[:2]).freedom == 1
    assert spread(points[:1]) is None
    at_once = spread([differing(9, 0, d) for d in (0.01, 0.03)])
    assert (at_once.drift_per_s, at_once.variance) == (0, pytest.approx(0.001 / 2))


def test_a_part_counts_as_one_however_many_levels_it_has():
    """Visits without a drift: of means 0.02 and -0.01, about which the levels lie 0.01 apart."""
    parts = [[0.01, 0.03], [-0.02, -0.01, 0.0]]
    found = spread_of_parts(
        [[differing(9, (-1) ** n * 2, d) for n, d in enumerate(part)] for part in parts]
    )
    drift = sum(d * (-1) ** n * 2 for part in parts for n, d in enumerate(part)) / (5 * 4)
    rests = [[d - drift * (-1) ** n * 2 for n, d in enumerate(part)] for part in parts]
    means = [sum(rest) / len(rest) for rest in rests]
    around = sum((d - m) ** 2 for rest, m in zip(rests, means, strict=True) for d in rest) / (2 * 3)
    starts = sum(m**2 for m in means) / 2
    assert found.freedom == 1 and found.drift_per_s == pytest.approx(drift)
    assert found.variance == pytest.approx(starts + around * (1 / 2 + 2 / 3) / 2)
    lone = spread_of_parts([[differing(9, 0, 0.02)], [differing(9, 0, -0.01)]])
    assert lone.variance == pytest.approx((0.02**2 + 0.01**2) / 2)


@pytest.mark.parametrize("freedom", [1, 2, 7])
def test_little_freedom_is_eked_out_by_what_is_known_of_starts(freedom):
    a, b = differing(9, 2, 0.0), differing(9, 2, 0.0)
    variance, prior = 0.01**2, contrast.ANEW_FREEDOM * contrast.ANEW**2

    def half(of, **how):
        return difference([(a, b, Spread(drift_per_s=0, variance=of, freedom=freedom))], **how).half

    moderated = (variance * freedom + prior) / (freedom + contrast.ANEW_FREEDOM)
    by_prior = student_t(freedom + contrast.ANEW_FREEDOM) * moderated**0.5
    plain = student_t(freedom) * variance**0.5
    assert half(variance) == pytest.approx(by_prior if freedom < 2 else plain)
    assert half(variance, anew=True) == pytest.approx(by_prior)


def test_a_point_of_one_visit_makes_it_twice_as_uncertain():
    a, b = differing(9, 2, 0.0), differing(9, 2, 0.0)
    once = replace(b, visits=b.visits[:1])
    known = Spread(drift_per_s=0, variance=0.0, freedom=3)
    found = difference([(a, once, known)])
    prior = 2 * contrast.ANEW_FREEDOM * contrast.ANEW**2
    freedom = 3 + contrast.ANEW_FREEDOM
    assert found.half == pytest.approx(student_t(freedom) * (prior / freedom) ** 0.5)
    assert difference([(a, b, known)]).half == 0


def test_runs_that_lie_apart_are_evidence_too():
    known = Spread(drift_per_s=0, variance=0.01**2, freedom=3)
    runs = [(differing(9, 2, d), differing(9, 2, 0.0), known) for d in (0.0, 0.04, 0.02)]
    logs = [0.0, 0.02, 0.01]  # of the mean of two visits
    squares = sum((log - 0.01) ** 2 for log in logs) + 3 * 3 * 0.01**2
    found = difference(runs)
    assert found.log == pytest.approx(0.01)
    assert found.half == pytest.approx(student_t(2 + 9) * (squares / 11 / 3) ** 0.5)


def test_visits_repeat_within_a_tenth_and_nothing_repeats_nothing():
    def of(up, down):
        found = [visited(replace(examples.point(1), throughput_rps=x), 1.0) for x in (up, down)]
        return replace(found[0], visits=found[0].visits + found[1].visits)

    assert contrast.repeats(of(40, 43.9)) and contrast.repeats(of(40, 36.1))
    for up, down in ((40, 44.1), (40, 35.9), (0, 40), (40, 0), (0, 0)):
        assert not contrast.repeats(of(up, down))
    assert contrast.repeats(replace(of(0, 0), visits=of(0, 0).visits[:1]))
    still = replace(of(0, 40), throughput_rps=20.0)  # its own is all that has a logarithm
    assert difference([(still, of(20, 20), None)]).log == pytest.approx(0)
