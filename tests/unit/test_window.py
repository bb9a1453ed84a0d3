"""The measuring protocol against simulated servers whose X and R are known."""

import errno
import heapq
import math
from dataclasses import replace
from itertools import pairwise

import examples
import numpy as np
import pytest
from examples import snapshot

from labs.analysis import schedule, window
from labs.analysis.point import connections, count_level
from labs.analysis.schedule import PAINT_S, SPEED_S, VISITS, Plan
from labs.analysis.time_split import spans
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.histogram import MoreThan, histogram, percentile, together
from labs.records.requests import RECORD, Report
from labs.records.results import PredictedLevel
from workloads.protocol import FAILED, OK

NEVER = (0.0, 0.0, 0.0, 0.0)  # of service; unlike nan it is as it was
RUNS = 200  # of the interval; the bias is judged over four times as many


def records_of(*rows):
    return np.array(list(rows), dtype=RECORD)


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
    """One level by the protocol's own plan, its windows in one: (counted, R it should show)."""
    response_s = max(mean_s, users * mean_s / cores)
    plan = Plan.of(Load([users], seconds=1.0), users, response_s)
    begin = plan.stagger_s + plan.settle_s
    end = begin + VISITS * plan.window_s
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


@pytest.mark.parametrize(("users", "cores"), [(1, 1), (4, 4), (16, 4), (16, 1)])
@pytest.mark.parametrize("name", DRAWS)
def test_throughput_is_unbiased_and_its_interval_covers_the_truth(users, cores, name):
    """Of sixteen users on one core the windows last three response times."""
    truth_rps = min(users, cores) / 0.05
    runs = [measured(users, cores, DRAWS[name], 0.05, seed) for seed in range(4 * RUNS)]
    mean = np.mean([run.throughput_rps for run in runs])
    assert mean == pytest.approx(truth_rps, rel=0.01)
    covered = [run.interval_rps[0] <= truth_rps <= run.interval_rps[1] for run in runs[:RUNS]]
    assert np.mean(covered) >= 0.85
    little = np.mean([run.throughput_rps * run.mean_response_time_s for run in runs])
    assert little == pytest.approx(users, rel=0.02)


def test_who_is_not_served_is_no_throughput():
    """16 workers at 200 ms answer 80 requests a second, whoever else stands at the door: 48 users
    since the beginning, and one who is let in after 3 s."""
    rates, lives = [], []
    begin, end, now = 2.0, 4.4, 5.2  # by the plan of 64 users
    for seed in range(RUNS // 2):
        dice = np.random.default_rng(seed)
        starts, ends = closed_system(16, 16, lambda dice: dice.gamma(100, 0.002), now, 0.2, dice)
        starts[np.argmin(abs(ends - 3.2))] = 0.0
        over = ends <= now
        waiting = np.concatenate([starts[~over], np.zeros(48)])
        found = window.count(starts[over], ends[over], waiting, begin=begin, end=end, now=now)
        rates.append(found.throughput_rps)
        lives.append(found.throughput_rps * found.mean_response_time_s)
        assert sum(found.histogram.values()) + found.longer == pytest.approx(
            found.completed, abs=0.1
        )
    assert np.mean(rates) == pytest.approx(80, rel=0.01)
    assert 16 < np.mean(lives) < 20  # of 64 users: Little's law tells of the others


@pytest.mark.parametrize("users", [3, 40])
def test_no_request_counts_twice(users):
    """The windows of a run share its requests out between them: each is counted once in all."""
    dice = np.random.default_rng(users)
    starts, ends = closed_system(users, 3, DRAWS["exponential"], 20.0, 0.3, dice)
    edges = [0.0, 0.7, 1.0, 4.0, 4.1, 9.0, ends.max()]
    windows = [
        window.count(starts, ends, starts[:0], begin=a, end=b, now=ends.max() + 1)
        for a, b in pairwise(edges)
    ]
    assert sum(each.completed for each in windows) == pytest.approx(len(starts))
    for each, (a, b) in zip(windows, pairwise(edges), strict=True):
        assert each.longer == 0.0
        departed = window.departures(ends, begin=a, end=b)[0]
        assert abs(each.completed - departed) <= users  # a part of one request of each


def test_a_mean_weighs_each_request_by_its_share():
    """Not every request that touches the window alike: long ones touch more windows."""
    starts, ends = np.array([0.0, 1.0, 1.1, 1.2]), np.array([1.0, 1.1, 1.2, 3.2])
    counted = window.count(starts, ends, starts[:0], begin=0.9, end=1.3, now=4.0)
    shares = [0.1, 1.0, 1.0, 0.05]
    assert counted.completed == pytest.approx(sum(shares))
    assert counted.mean_response_time_s == pytest.approx(0.4 / sum(shares))
    records = np.zeros(len(starts), dtype=RECORD)
    records["start"], records["end"] = starts, ends
    records["service_start"], records["service_end"] = starts, (starts + ends) / 2
    stamped = spans(records, 0.9, 1.3)
    assert stamped.service_s == pytest.approx(0.5 * counted.mean_response_time_s)


def test_a_percentile_knows_whom_it_has_not_seen_to_the_end():
    """Half of the requests take 0.1 s, half 2 s: a window that ends after 1 s sees that the
    second half takes longer than any it knows, and no more."""
    starts = np.repeat(np.arange(0.0, 1.0, 0.01), 2)
    lives = np.tile([0.1, 2.0], 100)
    over = starts + lives <= 1.0
    counted = window.count(
        starts[over], (starts + lives)[over], starts[~over], begin=0.0, end=1.0, now=1.0
    )
    at = [percentile(counted.histogram, fraction, counted.longer) for fraction in (0.3, 0.7)]
    assert at[0] == pytest.approx(0.1, rel=0.0101)
    assert isinstance(at[1], MoreThan)
    assert at[1].seconds == pytest.approx(0.1, rel=0.0201) and at[1].seconds <= 0.1
    later = window.count(starts, starts + lives, starts[:0], begin=0.0, end=1.0, now=3.0)
    assert percentile(later.histogram, 0.7, later.longer) == pytest.approx(2.0, rel=0.0101)


def test_two_windows_together_claim_no_more_than_each_knows():
    short, long = histogram([0.1] * 60), histogram([0.1] * 60 + [2.0] * 40)
    assert together([(short, 0.0), (long, 0.0)]) == (histogram([0.1] * 120 + [2.0] * 40), 0.0)
    known, longer = together([(short, 40.0), (long, 0.0)])
    assert known == histogram([0.1] * 120) and longer == 80.0
    assert percentile(known, 0.5, longer) == pytest.approx(0.1, rel=0.0101)
    late = percentile(known, 0.9, longer)
    assert isinstance(late, MoreThan) and late.seconds <= 0.1
    assert together([({}, 0.0), (short, 0.0)]) == (short, 0.0)


def test_quantiles_are_those_of_all_requests():
    """Of those that began before the window only the long ones reach it, and of those that are
    open at its end the long ones are unknown: neither moves the percentiles."""
    totals: dict[int, float] = {}
    longer = 0.0
    for seed in range(RUNS):
        dice = np.random.default_rng(seed)
        starts, ends = closed_system(30, 30, DRAWS["exponential"], 0.5, 0.1, dice)
        over = ends <= 0.5
        counted = window.count(starts[over], ends[over], starts[~over], begin=0.3, end=0.5, now=0.5)
        longer += counted.longer
        for bucket, many in counted.histogram.items():
            totals[bucket] = totals.get(bucket, 0.0) + many
    for fraction in (0.5, 0.9):
        exact = -0.05 * math.log(1 - fraction)
        assert percentile(totals, fraction, longer) == pytest.approx(exact, rel=0.03)


def test_no_window_opens_before_the_level_before_it_is_painted():
    for response_s in (0.001, 0.1, 0.3, 2.0):
        plan = Plan.of(Load([4], seconds=1.0), 4, response_s)
        assert plan.stagger_s + plan.settle_s == pytest.approx(max(2.5 * response_s, PAINT_S))


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
    all_there_were = records_of(*rows)
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


def test_a_point_says_of_its_window_what_the_counters_and_the_records_say():
    """A window of two seconds; who touches only its edge was not in it."""
    before = replace(snapshot(10.0), server_s=1.0, generator_s=2.0, voluntary=5, involuntary=50)
    counted = {"server_s": 3.0, "generator_s": 2.5, "voluntary": 20, "involuntary": 56}
    counted |= {"backend_s": 1.0, "busy_s": 4.0, "throttled_s": 0.3, "listen_overflows": 7}
    after = snapshot(12.0, **counted, own_s=0.1, steal_s=0.2)
    rows = [
        examples.record(OK, 0, 10.0, 11.0, process=7),
        examples.record(OK, 0, 11.0, 11.5, process=8),
        examples.record(OK, 1, 10.5, 11.5, process=7),
        examples.record(OK, 2, 9.0, 10.0, process=9),
        examples.record(OK, 2, 12.0, 12.5, process=9),
        examples.record(OK, 3, 9.0, 10.0, process=9),
        examples.record(OK, 4, 10.2, 10.8, process=7),  # the level's users are 0 to 3
        examples.record(FAILED, 3, 9.5, 10.0),
        examples.record(FAILED, 3, 10.0, 12.0, process=errno.EADDRNOTAVAIL),
        examples.record(FAILED, 3, 10.0, 12.0),
        examples.record(FAILED, 3, 12.0, 12.1, process=errno.EADDRNOTAVAIL),
    ]
    flying = {3: 11.9, 5: 12.0}
    report = Report(records=records_of(*rows), flying=flying, at=12.6)
    point = count_level(
        report, before, after, users=4, think_time_s=0.5, workers=2, pss=99, server_cores=1
    )
    assert (point.seconds, point.users, point.workers, point.pss_bytes) == (2.0, 4, 2, 99)
    assert (point.failed, point.no_port) == (2, 1)
    assert point.server_cores == 1
    assert point.never_served == 1  # user 3; an answer after the window is one, too
    assert point.connections == {"8": 1, "7": 2}
    assert (point.throttled_s, point.listen_overflows) == (pytest.approx(0.3), 7)
    used = {"server": 1.0, "generator": 0.25, "backend": 0.5, "page": 0.05, "steal": 0.1}
    for name, cpu in used.items():
        assert getattr(point, f"{name}_cpu") == pytest.approx(cpu)
    assert point.others_cpu == pytest.approx(2.0 - 1.0 - 0.25 - 0.5 - 0.05)
    assert point.demand_s * point.throughput_rps == pytest.approx(point.server_cpu)
    assert point.completed == pytest.approx(4.1)  # user 3 is at 0.7 s: it will take 1 s
    assert point.completed == pytest.approx(2 * point.throughput_rps)
    assert point.voluntary_switches * point.completed == pytest.approx(15)
    assert point.involuntary_switches * point.completed == pytest.approx(6)
    users = point.throughput_rps * (point.mean_response_time_s + 0.5)
    assert point.littles_law == pytest.approx(users / 4)
    nobody = Report(records=report.records[:0], flying={}, at=12.0)
    idle = count_level(nobody, before, after, users=4, think_time_s=0.5)
    assert (idle.demand_s, idle.mean_response_time_s, idle.never_served) == (0, 0, 0)
    assert (idle.voluntary_switches, idle.involuntary_switches) == (0, 0)  # of nobody's request


@pytest.mark.parametrize(("think_time_s", "unserved"), [(0.0, 3), (0.5, 1)])
def test_who_thinks_for_all_of_a_window_was_not_left_unserved(think_time_s: float, unserved: int):
    """User 0 is answered, 1 has asked since long, 2 only just now, and 3 still thinks."""
    answered = records_of(examples.record(OK, 0, 10.5, 11.0))
    report = Report(records=answered, flying={1: 9.5, 2: 11.9}, at=12.6)
    point = count_level(report, snapshot(10.0), snapshot(12.0), users=4, think_time_s=think_time_s)
    assert point.never_served == unserved


def test_the_last_answer_tells_with_whom_a_user_is():
    rows = [(0, 3), (1, 3), (2, 4), (0, 4), (3, 0)]
    records = [examples.record(OK, user, 0.0, 1.0, process=each) for user, each in rows]
    assert connections(records_of(*records)) == {"4": 2, "3": 1}  # user 3's did not say


LEVELS = tuple(
    PredictedLevel(
        users=users,
        bound_rps=0.0,
        model_rps=0.0,
        model_response_time_s=response_s,
        limit="cpu",
        demand_s=0.5,
    )
    for users, response_s in ((2, 0.5), (8, 2.0))
)


def test_the_times_of_a_walk_are_those_of_the_protocol():
    """Up: a cycle to come in and 1.5 to settle, three response times in two windows, one to end.
    Down: who leaves ends at the pace of the larger level. By hand for 0.5 s and 2 s."""
    load = Load((2, 8), seconds=1.0)
    up, down = schedule.up(load, LEVELS), schedule.down(load, LEVELS)
    times = [(p.users, p.stagger_s, p.settle_s, p.window_s, p.grace_s) for p in (*up, *down)]
    assert times == [
        (2, 0.5, 0.75, 3.0, 0.5),  # 24 requests of two users at 0.5 s take 6 s
        (8, 2.0, 3.0, 3.0, 2.0),
        (8, 0.0, PAINT_S, 3.0, 2.0),
        (2, 0.0, 2.5, 3.0, 0.5),
    ]
    assert [plan.total_s for plan in up] == [4.75, 10.0]
    anew = schedule.down(load, LEVELS, anew=True)
    assert anew == [up[1], down[1]]
    beside_s, walk_s = schedule.STARTUP_S + schedule.WARM_UP_S, 14.75 + 5.0 + PAINT_S + 6.0
    for work, half, whole in (
        (Workload(cpu_s=0.5), 2, 4),  # burned after each visit,
        (Workload(cpu_s=0.1, wait_s=0.4), 1, 1),  # or when all is over
        (Workload(wait_s=0.5), 1, 1),
    ):
        asked, half_s, whole_s = (
            Experiment(Server("prefork"), work, load),
            half * SPEED_S,
            whole * SPEED_S,
        )
        assert schedule.half_s(asked, LEVELS, second=False) == pytest.approx(14.75 + half_s)
        assert schedule.half_s(asked, LEVELS, second=True) == pytest.approx(10.0 + 6.0 + half_s)
        assert schedule.walk_s(asked, LEVELS) == pytest.approx(walk_s + whole_s)
        assert schedule.duration_s(asked, LEVELS) == pytest.approx(beside_s + walk_s + whole_s)
    thinking = schedule.up(replace(load, think_time_s=1.0), LEVELS[:1])[0]
    assert (thinking.stagger_s, thinking.settle_s, thinking.grace_s) == (1.5, 2.25, 0.5)
    assert thinking.window_s == 24 * 1.5 / 2 / 2


def test_a_level_seen_slower_than_forecast_is_given_its_time():
    """On the way down those who leave the larger level take as long as it was seen to take."""
    load = Load((2, 8), seconds=1.0)
    slow, small = schedule.down(load, LEVELS, {8: 2.0, 2: 1.2})
    assert (slow.grace_s, small.grace_s) == (4.0, 0.6)
    assert small.settle_s == pytest.approx(2 * 2.0 + 0.6)
    assert [plan.grace_s for plan in schedule.up(load, LEVELS, 3.0)] == [1.5, 6.0]
    seen = replace(examples.point(8), completed=9, mean_response_time_s=5.0)
    found = [
        schedule.seen_slower(seen, replace(LEVELS[1], model_response_time_s=each_s))
        for each_s in (2.0, 9.0, 0.1)
    ]
    assert found == [2.5, 1.0, schedule.SLOWEST]
    assert schedule.seen_slower(replace(seen, completed=0), LEVELS[1]) == 1.0


@pytest.mark.parametrize(("seconds", "times"), [(0.2, 1), (1, 1), (2.5, 2.5), (4, 4), (9, 4)])
def test_a_warm_up_lasts_as_the_levels_do_within_limits(seconds, times):
    load = Load((1,), seconds=seconds)
    assert schedule.longer(load) == times
    for work in (Workload(cpu_s=0.01), Workload(cpu_s=0.01, wait_s=0.1), Workload(wait_s=0.1)):
        more_s = schedule.start_s(Experiment(Server("prefork"), work, load)) - schedule.STARTUP_S
        assert more_s == pytest.approx(times * (0.3 + 0.8 + 0.4))


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


def test_an_interval_is_students_t_over_the_parts():
    """95 %, as printed: 4.303, 3.182 and 2.776 standard errors for 3, 4 and 5 parts."""
    for rates, t in (([9, 10, 11], 4.303), ([8, 12, 8, 12], 3.182), ([8, 9, 10, 11, 12], 2.776)):
        half = t * np.std(rates, ddof=1) / len(rates) ** 0.5
        assert window.interval(rates) == pytest.approx((10 - half, 10 + half), rel=2e-4)
    assert window.interval([10.0] * 4) == pytest.approx((9.8, 10.2))
    assert window.interval([0, 0, 3])[0] == 0
    assert window.interval([0.0] * 3) == (0, 0)
    low, high = window.interval([0.09, 0.1, 0.11])
    assert low == pytest.approx(0.2 - high) == pytest.approx(0.1 - 0.04303 / 3**0.5, rel=2e-4)


def test_parts_of_a_window_are_no_shorter_than_a_response_but_three_at_least():
    asked = [(1.0, 0.1), (1.0, 0.21), (1.0, 0.26), (1.0, 0.4), (1.0, 2.0), (1.0, 0.0)]
    assert [window.batches(*each) for each in asked] == [5, 4, 3, 3, 3, 5]


def test_departures_are_those_from_the_first_moment_on_and_before_the_last():
    ends = np.array([0.9, 1.0, 1.2, 2.2, 3.0, 4.2, 5.9, 6.0])
    number, interval = window.departures(ends, begin=1.0, end=6.0)
    assert number == 6
    assert interval == pytest.approx(window.interval([2, 1, 1, 1, 1]))
    half_s = window.departures(ends / 2, begin=0.5, end=3.0)
    assert half_s == (6, pytest.approx(window.interval([4, 2, 2, 2, 2])))


def test_it_does_not_matter_when_a_window_is():
    """The same requests an hour later are counted the same: what is in it, and how surely. (Parts
    of 1.5 s that are no shorter than a response of 0.6 s: three.)"""
    dice = np.random.default_rng(5)
    starts = np.sort(dice.uniform(-1, 3, 60))
    ends, going = starts + dice.exponential(0.6, 60), starts[-5:]
    here, later = (
        window.count(starts + at, ends + at, going + at, begin=at, end=1.5 + at, now=2.9 + at)
        for at in (0.0, 4096.0)
    )
    for name in ("completed", "throughput_rps", "interval_rps", "halves_rps", "longer"):
        assert getattr(later, name) == pytest.approx(getattr(here, name))
    assert later.mean_response_time_s == pytest.approx(here.mean_response_time_s)
    assert sum(here.halves_rps) / 2 == pytest.approx(here.throughput_rps)
