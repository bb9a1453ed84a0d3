"""Arrivals: Erlang's formula, Pollaczek and Khinchine's, a SimPy simulation
request by request, and the chain against the simulated runs."""

import math

import numpy as np
import pytest
import simpy

from labs.theory.open_load import evolve, loops_in_turn, reckon, replicate, sharing_cores
from labs.theory.simulation import in_turn

TWO = (1.0, 2.0)


def poisson(rate, number, seed=1):
    return np.cumsum(np.random.default_rng(seed).exponential(1 / rate, number))


def on_average(rate, come, ends):
    """Under way in the long run: Little's law, without the first tenth."""
    return rate * float((ends - come)[len(come) // 10 :].mean())


def steady(rate, rps, seconds=3000.0, pieces=30):
    edges = np.linspace(0, seconds, pieces + 1)
    return reckon([rate] * pieces, [rps] * pieces, edges)


@pytest.mark.parametrize(("rate", "c"), [(1.8, 2), (0.5, 1), (3.0, 4), (6.0, 8)])
def test_in_the_long_run_it_is_erlangs_queue(rate, c):
    offered = rate  # each takes a second
    waits = offered**c / math.factorial(c) * c / (c - offered)
    waits /= sum(offered**k / math.factorial(k) for k in range(c)) + waits
    mean = offered + waits * offered / (c - offered)
    found = steady(rate, np.minimum(np.arange(1.0, 400.0), c))
    assert found.under_way[-1] == pytest.approx(mean, rel=1e-3)
    assert found.throughput_rps[-1] == pytest.approx(rate, rel=1e-4)
    assert found.response_time_s[-1] == pytest.approx(mean / rate, rel=1e-2)  # Little's law
    if (rate, c) == (1.8, 2):
        assert mean == pytest.approx(9.47, abs=0.01)
        # Geometric: P(more than k) = 0.853 * 0.9^(k - 1), so a tenth of runs show 22 and more.
        assert found.under_way_band[-1].tolist() == [1, 22]


def test_a_loop_with_constant_work_is_pollaczek_and_khinchines_queue():
    come = poisson(0.8, 60_000)
    ends = loops_in_turn(come, 1.0, 0.0, processes=1, dice=np.random.default_rng(3))
    assert on_average(0.8, come, ends) == pytest.approx(0.8 + 0.8**2 / (2 * 0.2), rel=0.05)
    both = poisson(1.6, 60_000)  # two loops, on which they fall like coins
    ends = loops_in_turn(both, 1.0, 0.0, processes=2, dice=np.random.default_rng(3))
    assert on_average(1.6, both, ends) == pytest.approx(2 * 2.4, rel=0.07)


# --- a simulation in another framework --------------------------------------------------


def simpy_ends(come, D, V, *, c, W=None, slice_s=None):
    """When each is answered: a pool, cores in turn or in slices, then a wait; events by SimPy."""
    world, ends = simpy.Environment(), np.empty(len(come))
    cores, pool = simpy.Resource(world, c), simpy.Resource(world, W or len(come))

    def request(number, at):
        yield world.timeout(at)
        with pool.request() as worker:
            yield worker
            left = D
            while left > 1e-9:
                with cores.request() as core:
                    yield core
                    yield world.timeout(min(left, slice_s or left))
                    left -= slice_s or left
            yield world.timeout(V)
        ends[number] = world.now

    for number, at in enumerate(come):
        world.process(request(number, at))
    world.run()
    return ends


@pytest.mark.parametrize(
    ("rate", "V", "c", "W"), [(1.8, 0.0, 2, None), (1.8, 0.0, 2, 8), (1.6, 2.0, 2, 6), (2, 3, 4, 4)]
)
def test_each_request_ends_when_simpy_ends_it_on_shared_cores(rate, V, c, W):
    come = poisson(rate, 250)
    capacity = tuple(float(n) for n in range(1, c + 1))
    dice = np.random.default_rng(0)
    ours = sharing_cores(come, 1.0, V, capacity=capacity, W=W or math.inf, dice=dice)
    theirs = simpy_ends(come, 1.0, V, c=c, W=W, slice_s=0.004)
    assert np.abs(ours - theirs).max() < 0.1 + 0.03 * (theirs - come).max()
    assert (ours - come).mean() == pytest.approx((theirs - come).mean(), rel=0.01)


@pytest.mark.parametrize(("rate", "V", "W"), [(0.9, 0.0, None), (0.9, 3.0, None), (1.5, 2.0, 3)])
def test_each_request_ends_when_simpy_ends_it_in_turn(rate, V, W):
    come = poisson(rate, 300)
    works, waits = [1.0] * 300, [float(V)] * 300
    ours = in_turn(come.tolist(), works, waits, W=W or math.inf)
    assert ours == pytest.approx(simpy_ends(come, 1.0, V, c=1, W=W))


def test_a_pool_that_grows_serves_more_from_then_on():
    """2 workers for a second each do 2 of 4 a second; from second 10 on there are 6."""
    come = np.arange(0, 20, 0.25)
    kind = {"capacity": TWO, "W": 2, "dice": np.random.default_rng(0)}
    ends = sharing_cores(come, 0.0, 1.0, growth=[(10.0, 4)], **kind)
    done = np.histogram(ends, np.arange(0.5, 20))[0]
    assert set(done[1:9]) == {2} and set(done[10:13]) == {6}
    assert (ends - come)[-1] == pytest.approx(1.0)


# --- over time --------------------------------------------------------------------------


def test_who_only_waits_is_as_many_as_came_in_that_time():
    """An endless pool: what is under way is Poisson, of the arrivals of one wait."""

    def serve(come, dice):
        return sharing_cores(come, 0.0, 2.0, capacity=TWO, dice=dice)

    found = replicate(serve, [10.0, 10.0, 10.0, 0.0, 0.0], [0, 1, 2, 3, 4, 6], 200)
    assert found.under_way == pytest.approx([0, 10, 20, 20, 10, 0], rel=0.06)
    assert found.throughput_rps == pytest.approx([0, 0, 10, 10, 5], rel=0.06)
    low, high = found.under_way_band[2]
    assert (low, high) == pytest.approx((20 - 1.28 * 20**0.5, 20 + 1.28 * 20**0.5), abs=1.5)
    assert np.isnan(found.response_time_s[:2]).all()
    assert found.response_time_s[2:] == pytest.approx([2.0] * 3)
    assert found.response_band_s[2] == pytest.approx([2.0, 2.0])


def test_the_chain_says_what_many_runs_show():
    """Of 3 exponential requests a second 2 can be done, then 1 comes: a queue, and its end."""

    def serve(come, dice):
        return sharing_cores(come, 1.0, 0.0, capacity=TWO, W=2, cpu_cv=1.0, dice=dice)

    rates, edges = [3.0] * 4 + [1.0] * 4, np.arange(9) * 5.0
    runs = replicate(serve, rates, edges, 1000)
    answering = np.minimum(np.arange(1.0, 200), 2)
    chain = reckon(rates, [answering] * 8, edges)
    assert runs.under_way == pytest.approx(chain.under_way, rel=0.1, abs=0.3)
    assert runs.throughput_rps == pytest.approx(chain.throughput_rps, rel=0.06)
    assert runs.under_way_band == pytest.approx(chain.under_way_band, rel=0.2, abs=1.5)
    assert runs.response_time_s[1:] == pytest.approx(chain.response_time_s[1:], rel=0.2)
    assert runs.throughput_band_rps == pytest.approx(chain.throughput_band_rps, abs=0.5)


def test_chances_stay_chances_and_none_is_lost():
    chances = np.zeros(60)
    chances[0] = 1.0
    rates = 1.5, np.minimum(np.arange(1.0, 60), 2)
    for seconds in (1e-3, 0.1, 30.0, 500.0):
        found = evolve(chances, *rates, seconds)
        assert found.sum() == pytest.approx(1) and (found >= 0).all()
    half = evolve(evolve(chances, *rates, 2.0), *rates, 3.0)
    assert half == pytest.approx(evolve(chances, *rates, 5.0), abs=1e-9)


def test_whoever_finds_no_place_is_turned_away():
    """Erlang's loss formula: 3 places, 2 of 3 s offered; 4/19 of the arrivals are lost."""
    found = steady(2.0, np.array([1.0, 2.0, 3.0]))
    assert found.throughput_rps[-1] == pytest.approx(2.0 * (1 - 4 / 19), rel=1e-6)


def test_the_seed_is_the_answer():
    def serve(come, dice):
        return sharing_cores(come, 0.1, 0.2, capacity=TWO, cpu_cv=0.5, dice=dice)

    one, two = (replicate(serve, [9.0] * 3, range(4), 20) for _ in range(2))
    other = replicate(serve, [9.0] * 3, range(4), 20, seed=1)
    assert (one.under_way == two.under_way).all() and (one.under_way != other.under_way).any()


def test_a_short_request_alone_takes_what_it_takes():
    """Five milliseconds of work, and a wait."""
    come = np.arange(1.0, 9.0)
    ends = loops_in_turn(come, 0.005, 0.02, processes=2, dice=np.random.default_rng(1))
    assert ends - come == pytest.approx(0.025)
