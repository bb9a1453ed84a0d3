"""The measuring protocol against simulated servers whose X and R are known."""

from __future__ import annotations

import heapq
import math

import examples
import numpy as np
import pytest

from labs.analysis import window
from labs.analysis.point import count_level
from labs.analysis.schedule import PAINT_S, Plan
from labs.records.histogram import histogram, percentile
from labs.records.requests import RECORD, Report
from labs.records.snapshot import Snapshot
from workloads.protocol import OK

NEVER = (0.0, 0.0, 0.0, 0.0)  # of service; unlike nan it is as it was
RUNS = 200  # of the interval; the bias is judged over ten times as many


def closed_system(users, cores, draw, until_s, stagger_s, dice):
    """Users 0..N-1, first come first served on `cores`: arrays of starts and ends."""
    free = [0.0] * cores
    coming = [(stagger_s * n / users, n) for n in range(users)]
    heapq.heapify(coming)
    starts, ends = [], []
    while coming[0][0] < until_s:
        start, user = heapq.heappop(coming)
        begin = max(start, heapq.heappop(free))
        end = begin + draw(dice)
        heapq.heappush(free, end)
        heapq.heappush(coming, (end, user))
        starts.append(start)
        ends.append(end)
    return np.array(starts), np.array(ends)


def measured(users, cores, draw, mean_s, seed):
    """One level by the protocol's own plan: (counted, R the simulation should show)."""
    response_s = max(mean_s, users * mean_s / cores)
    plan = Plan.of(users=users, response_s=response_s, think_time_s=0.0, seconds=1.0)
    begin = plan.stagger_s + plan.settle_s
    end = begin + plan.window_s
    now = end + response_s
    starts, ends = closed_system(
        users, cores, draw, now, plan.stagger_s, np.random.default_rng(seed)
    )
    over = ends <= now
    return window.count(
        starts[over], ends[over], starts[~over & (starts < now)], begin=begin, end=end, now=now
    )


DRAWS = {
    "constant": lambda dice: 0.05,
    "a little": lambda dice: dice.gamma(100, 0.0005),
    "exponential": lambda dice: dice.exponential(0.05),
}


@pytest.mark.parametrize(("users", "cores"), [(1, 1), (4, 4), (16, 4)])
@pytest.mark.parametrize("name", DRAWS)
def test_throughput_is_unbiased_and_its_interval_covers_the_truth(users, cores, name):
    truth_rps = min(users, cores) / 0.05
    runs = [measured(users, cores, DRAWS[name], 0.05, seed) for seed in range(10 * RUNS)]
    mean = np.mean([run.throughput_rps for run in runs])
    assert mean == pytest.approx(truth_rps, rel=0.01)
    covered = [run.interval_rps[0] <= truth_rps <= run.interval_rps[1] for run in runs[:RUNS]]
    assert np.mean(covered) >= 0.85
    little = np.mean([run.throughput_rps * run.mean_response_time_s for run in runs])
    assert little == pytest.approx(users, rel=0.02)


def test_no_window_opens_before_the_level_before_it_is_painted():
    for response_s in (0.001, 0.1, 0.3, 2.0):
        plan = Plan.of(users=4, response_s=response_s, think_time_s=0.0, seconds=1.0)
        assert plan.stagger_s + plan.settle_s == pytest.approx(max(2.5 * response_s, PAINT_S))


def test_counting_by_completions_would_be_biased():
    """Why shares: with a window of a few response times, whole requests miss 10 % and more."""
    starts, ends = closed_system(4, 4, DRAWS["constant"], 10.0, 0.05, np.random.default_rng(1))
    begin, end = 1.0, 1.0 + 3 * 0.05 + 0.02
    whole = ((starts >= begin) & (ends <= end)).sum() / (end - begin)
    shared = window.count(starts, ends, np.array([]), begin=begin, end=end, now=9.0)
    assert whole < 0.9 * 80
    assert shared.throughput_rps == pytest.approx(80, rel=0.01)


def test_a_request_in_flight_counts_by_its_share_too():
    starts, ends = np.array([0.0, 1.0]), np.array([1.0, 2.0])
    counted = window.count(starts, ends, np.array([2.0]), begin=0.5, end=2.5, now=2.5)
    assert counted.completed == pytest.approx(2.0)
    assert counted.mean_response_time_s == pytest.approx(1.0)


@pytest.mark.parametrize("mean_s", [0.002, 0.03, 0.4])
def test_a_report_of_several_generators_is_of_one_moment(mean_s):
    """Each told all until a mark of its own, and went on; together they tell all until the first
    of these marks."""
    marks, dice, rows = (1.02, 1.0, 1.05), np.random.default_rng(3), []
    for user in range(30):
        times = np.cumsum(dice.exponential(mean_s, round(4 / mean_s)))
        pairs = zip(times[:-1].tolist(), times[1:].tolist(), strict=True)
        pairs = [pair for pair in pairs if pair[0] < 1.2]
        rows += [examples.record(OK, user, *pair, service=NEVER) for pair in pairs]
    all_there_were = np.array(rows, dtype=RECORD)
    users, starts, ends = (all_there_were[name] for name in ("user", "start", "end"))
    own = np.array(marks)[users % 3]
    open_then = (starts < own) & (ends > own)
    flying = dict(zip(users[open_then].tolist(), starts[open_then].tolist(), strict=True))
    arrived = all_there_were[ends < own + 0.01]  # some of them after the mark
    report = Report.cut(arrived, flying, min(marks))
    assert report.at == 1.0
    assert report.records.tolist() == all_there_were[ends <= 1.0].tolist()
    truth = (starts < 1.0) & (ends > 1.0)
    assert report.flying == dict(zip(users[truth].tolist(), starts[truth].tolist(), strict=True))


def test_a_level_is_counted_as_of_its_report():
    """However much later that is done: a request in flight is as old as it was at the mark."""
    rates, begin, end = [], 1.0, 2.0
    for seed in range(RUNS):
        dice = np.random.default_rng(seed)
        starts, ends = closed_system(16, 4, DRAWS["exponential"], end, 0.2, dice)
        over = ends <= end
        records = np.zeros(over.sum(), dtype=RECORD)
        records["kind"], records["start"], records["end"] = OK, starts[over], ends[over]
        report = Report(records=records, flying=dict(enumerate(starts[~over])), at=end)
        point = count_level(
            report, look(begin), look(end), users=16, think_time_s=0.0, workers=4, pss=None
        )
        rates.append(point.throughput_rps)
    assert np.mean(rates) == pytest.approx(4 / 0.05, rel=0.02)


def look(at):
    names = ("server_s", "generator_s", "busy_s", "own_s", "throttled_s")
    counters = dict.fromkeys((*names, "voluntary", "involuntary", "listen_overflows"), 0)
    return Snapshot(at=at, **counters)


def test_an_idle_window_is_zero_not_an_error():
    none = np.array([])
    counted = window.count(none, none, none, begin=0.0, end=1.0, now=1.0)
    assert counted.throughput_rps == 0
    assert math.isnan(counted.mean_response_time_s)
    assert counted.histogram == {}


def test_percentiles_are_within_one_percent_and_never_from_too_few():
    lives = np.random.default_rng(7).lognormal(-3, 1, 20_000)
    counts = histogram(lives)
    for fraction in (0.5, 0.9, 0.99):
        exact = np.quantile(lives, fraction, method="inverted_cdf")
        assert percentile(counts, fraction) == pytest.approx(exact, rel=0.0101)
    assert sum(counts.values()) == 20_000
    assert set(histogram(lives[:1])) <= set(counts)
    few = histogram(lives[:900])
    assert percentile(few, 0.99) is None  # nine samples beyond it
    assert percentile(few, 0.9) is not None
