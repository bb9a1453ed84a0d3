"""Arrivals: Erlang's formula, Pollaczek and Khinchine's, and many runs of one loop."""

import math

import numpy as np
import pytest

from labs.theory.open_load import Station, reckon


def station(rps=1.0, places=1.0, **more):
    return Station(rps=rps, places=places, **{"alone_s": places / rps} | more)


def steady(rate, one, seconds=3000.0, pieces=30):
    edges = np.linspace(0, seconds, pieces + 1)
    return reckon([rate] * pieces, [one] * pieces, edges)


def erlang(offered, c):
    """Mean number in Erlang's queue, each served for a second."""
    waits = offered**c / math.factorial(c) * c / (c - offered)
    waits /= sum(offered**k / math.factorial(k) for k in range(c)) + waits
    return offered + waits * offered / (c - offered)


@pytest.mark.parametrize("c", [1, 2, 4, 8, 32])
def test_reckon_comes_to_erlangs_queue_in_the_long_run(c):
    for part in (0.5, 0.8, 0.95):
        mean = erlang(part * c, c)
        found = steady(part * c, station(c, c, cv=1.0))
        assert found.under_way[-1] == pytest.approx(mean, rel=0.04)
        assert found.throughput_rps[-1] == pytest.approx(part * c, rel=1e-3)
        assert found.response_time_s[-1] == pytest.approx(mean / part / c, rel=0.04)  # Little


def test_reckon_spreads_a_queue_as_far_as_its_chances_do():
    """Geometric: P(more than k) = 0.853 * 0.9^(k - 1), so a tenth of runs show 22 and more."""
    assert steady(1.8, station(2, 2, cv=1.0)).under_way_band[-1] == pytest.approx([1, 22], abs=3)


def test_reckon_of_regular_work_is_pollaczek_and_khinchines_queue():
    one = 0.8 + 0.8**2 / (2 * 0.2)
    assert steady(0.8, station()).under_way[-1] == pytest.approx(one)
    two = station(2.0, lines=2, alone_s=1.0)  # on which they fall like coins
    assert steady(1.6, two).under_way[-1] == pytest.approx(2 * one)


def test_who_only_waits_is_as_many_as_came_in_that_time():
    """An endless pool: what is under way is Poisson, of the arrivals of one wait."""
    endless = station(1e6, 2e6, alone_s=2.0)
    found = reckon([10.0, 10.0, 10.0, 0.0, 0.0], [endless] * 5, [0, 1, 2, 3, 4, 6])
    assert found.under_way == pytest.approx([0, 10, 20, 20, 10, 0])
    assert found.throughput_rps == pytest.approx([0, 0, 10, 10, 5])
    low, high = found.under_way_band[2]
    assert (low, high) == pytest.approx((20 - 1.28 * 20**0.5, 20 + 1.28 * 20**0.5), abs=0.1)
    assert np.isnan(found.response_time_s[:2]).all()
    assert found.response_time_s[2:] == pytest.approx([2.0] * 3)


def test_reckon_says_what_many_runs_of_a_loop_show():
    """One a second can be done, and for 40 seconds 1.5 come: a queue, which then shrinks."""
    rates, edges = np.repeat([0.6, 1.5, 0.6], [4, 4, 3]), np.arange(12) * 10.0
    dice, under_way = np.random.default_rng(1), np.empty((300, 12))
    for run in under_way:
        counts = dice.poisson(rates * 10)
        come = np.sort(np.repeat(edges[:-1], counts) + 10 * dice.random(counts.sum()))
        places = np.arange(len(come))  # in line, each second one is answered
        ends = np.maximum.accumulate(come - places) + places + 1
        run[:] = np.searchsorted(come, edges) - np.searchsorted(ends, edges)
    found = reckon(rates.tolist(), [station()] * 11, edges)
    assert found.under_way == pytest.approx(under_way.mean(axis=0), rel=0.1, abs=1.5)
    band = np.quantile(under_way, (0.1, 0.9), axis=0).T
    assert found.under_way_band == pytest.approx(band, rel=0.1, abs=3)
