"""The point of a level from its visits, and how sure it may be."""

import math
from dataclasses import fields, replace

import examples
import pytest

from labs.analysis import checks, visits
from labs.analysis.contrast import Spread, student_t
from labs.analysis.visits import interval, join, judge, visited
from labs.analysis.window import LEAST_HALF_WIDTH
from labs.records.histogram import histogram
from labs.records.results import Point
from labs.records.time_split import PARTS, TimeSplit


def window(rate, at_s, *, users=4, half=0.03, **more):
    """One visit that found so many requests a second, its batches an interval of ± `half`."""
    ends = rate * (1 - half), rate * (1 + half)
    changes = {"throughput_rps": rate, "throughput_ci_rps": ends, "completed": rate * 2} | more
    return visited(replace(examples.point(users), **changes), at_s)


def widths(point):
    low, high = point.throughput_ci_rps
    return (high - low) / 2 / point.throughput_rps


def test_two_visits_are_one_point():
    up = window(40.0, 3.0, histogram=histogram([0.1] * 3), failed=1, never_served=2, pss_bytes=9)
    down = window(44.0, 9.0, histogram=histogram([0.1, 0.3]), never_served=0, demand_s=0.06)
    found = join(up, down)
    assert found.throughput_rps == pytest.approx((80 + 88) / 4)
    assert found.seconds == 4.0 and found.completed == pytest.approx(168) and found.failed == 1
    assert sum(found.histogram.values()) == 5
    assert found.never_served == 0 and found.pss_bytes == 9
    assert found.demand_s == pytest.approx((0.05 * 80 + 0.06 * 88) / 168)
    assert [(each.at_s, each.throughput_rps) for each in found.visits] == [(3.0, 40), (9.0, 44)]
    assert [each.seconds for each in found.visits] == [2.0, 2.0]


@pytest.mark.parametrize(("rate", "seconds"), [(44.0, 2.0), (60.0, 2.0), (30.0, 5.0)])
def test_the_laws_hold_of_both_visits_together(rate, seconds):
    """However much the two differ in throughput and length: X D = U, X (R + Z) = L N."""

    def visit(rate, seconds, cpu, response_s, think_s=0.1):
        little = rate * (response_s + think_s) / 4
        return window(
            rate,
            3.0,
            seconds=seconds,
            completed=rate * seconds,
            server_cpu=cpu,
            demand_s=cpu / rate,
            mean_response_time_s=response_s,
            littles_law=little,
        )

    found = join(visit(40.0, 2.0, 1.9, 0.1), visit(rate, seconds, 1.2, 0.07))
    assert found.throughput_rps == pytest.approx(found.completed / found.seconds)
    assert found.throughput_rps * found.demand_s == pytest.approx(found.server_cpu)
    users = found.throughput_rps * (found.mean_response_time_s + 0.1)
    assert users / found.users == pytest.approx(found.littles_law)


def test_both_starts_of_a_server_keep_how_their_connections_fell():
    first, others = {"7": 3, "8": 1}, {"17": 2, "18": 2}
    up, same = (window(40, at, connections=first) for at in (1, 9))
    down = replace(same, connections=others)
    anew, replaced = (visited(down, 9, anew=each) for each in (True, False))
    assert join(up, same).splits == (first,)
    assert join(up, anew).splits == (first, others)
    assert join(up, replaced).splits == (first,)  # its children were killed, or were too many
    assert replace(up, visits=()).splits == (up.connections,)


def test_the_parts_of_the_time_still_add_up():
    parts = dict.fromkeys(PARTS, 0.0)
    fast, slow = (
        TimeSplit(**parts | {"asked_s": s, "queued_s": 2 * s}, excess_s=s, missing=why)
        for s, why in ((0.1, ""), (0.2, "No stamps."))
    )
    up = window(40.0, 3.0, mean_response_time_s=0.3, time_split=fast)
    down = window(44.0, 9.0, mean_response_time_s=0.6, time_split=slow)
    found = join(up, down)
    assert found.time_split.total_s == pytest.approx(found.mean_response_time_s)
    assert found.time_split.queued_s == pytest.approx((0.2 * 80 + 0.4 * 88) / 168)
    assert found.time_split.excess_s == pytest.approx((0.1 * 80 + 0.2 * 88) / 168)
    assert found.time_split.missing == "No stamps."
    untold = replace(down, time_split=None)
    assert join(up, untold).time_split == join(untold, up).time_split == fast
    assert join(untold, untold).time_split is None


def test_every_field_of_a_point_is_joined_by_some_rule():
    """A new one would else silently be that of the way up."""
    ruled = {*visits.TOGETHER, *visits.BY_TIME, *visits.BY_REQUEST, *visits.OF_A_MOMENT}
    by_itself = "users throughput_ci_rps never_served halves_rps"
    by_itself += " histogram longer time_split visits checks"  # each as `join` says
    assert {field.name for field in fields(Point)} == ruled | {*by_itself.split()}


def test_two_windows_know_more_than_one_but_never_all():
    rough, fine = (
        join(window(40, 1, half=half), window(40, 5, half=half)) for half in (0.06, 0.02)
    )
    assert widths(rough) == pytest.approx(0.06 / 2**0.5)
    assert widths(fine) == pytest.approx(LEAST_HALF_WIDTH)
    lone = window(40.0, 1.0, half=0.06)
    assert judge([lone])[0].throughput_ci_rps == lone.throughput_ci_rps


def test_visits_that_differ_widen_every_interval():
    steady = [join(window(40, at), window(40, 20 - at)) for at in range(4)]
    rates = [(40, 43), (43, 40), (40, 43), (43, 40)]
    shaky = [join(window(a, at), window(b, 20 - at)) for at, (a, b) in enumerate(rates)]
    assert [widths(point) for point in judge(steady)] == [pytest.approx(0.0212, abs=1e-4)] * 4
    assert all(widths(point) > 0.05 for point in judge(shaky))
    two = join(window(40, 1), window(43, 9))
    low, high = judge([two])[0].throughput_ci_rps
    assert low <= 40 and high >= 43 * 0.999  # one pair: both lie inside


def test_one_visit_of_two_needs_half_of_the_requests():
    def names(point):
        return [check.name for check in checks.disturbances(point)]

    enough, few = window(40, 1, completed=12.0), window(40, 9, completed=5.0)
    assert names(enough) == names(join(enough, enough)) == []
    assert names(few) == names(join(enough, few)) == ["few"]


@pytest.mark.parametrize("freedom", [1, 2, 9])
def test_between_visits_it_is_students_t_where_that_says_something(freedom):
    """t s / √2 of the mean of two; with less than two degrees of freedom both visits lie inside."""
    point = join(window(40, 1, half=0.03), window(41, 9, half=0.04))
    known = Spread(drift_per_s=0, variance=0.02**2, freedom=freedom)
    low, high = interval(point, known)
    between = student_t(freedom) * 0.02 / 2**0.5
    half = max(math.hypot(0.03, 0.04) / 2, between if freedom >= 2 else 0.5 / 40.5)
    assert (low, high) == pytest.approx((40.5 * (1 - half), 40.5 * (1 + half)))
    surer = replace(known, variance=0.0)
    assert interval(point, surer) == pytest.approx((40.5 * 0.975, 40.5 * 1.025))


def test_a_pair_that_did_not_repeat_goes_by_itself():
    point = join(window(40, 1), window(60, 9))
    certain = Spread(drift_per_s=0, variance=0.0, freedom=9)
    assert interval(point, certain) == pytest.approx((40, 60)) == interval(point, None)


def test_no_interval_goes_below_nothing():
    assert interval(join(window(40, 1, half=3.0), window(40, 9, half=3.0)), None)[0] == 0
    nothing = window(0, 1, half=0.5)
    assert interval(join(nothing, nothing), None) == (0, 0)
    assert interval(join(nothing, window(40, 9)), None) == pytest.approx((0, 40))


def test_what_was_seen_on_one_visit_only_is_kept():
    up, down = window(40, 1, service_time_s=None), window(40, 9, service_time_s=0.3)
    assert join(up, down).service_time_s == join(down, up).service_time_s == pytest.approx(0.3)
    assert join(up, up).service_time_s is None
    idle = window(0, 1, completed=0.0, service_time_s=None, demand_s=0.0)
    assert join(idle, idle).service_time_s is None and join(idle, idle).demand_s == 0
    counted = replace(idle, service_time_s=0.3)
    assert join(counted, counted).service_time_s == 0.0
