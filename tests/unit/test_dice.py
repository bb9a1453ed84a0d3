"""Tests of the users' dice: any one draw has the whole distribution, any two have its mean."""

import statistics

import pytest

from workloads.dice import Dice

LEVEL = 20  # requests that a short level may have


@pytest.mark.parametrize("cv", [0.1, 0.5, 1.0])
def test_draws_have_their_mean_and_variation(cv):
    dice = Dice(1)
    draws = [dice.draw("wait", 0.2, cv) for _ in range(20_000)]
    assert statistics.fmean(draws) == pytest.approx(0.2, rel=0.01)
    assert statistics.stdev(draws) == pytest.approx(0.2 * cv, rel=0.04)


@pytest.mark.parametrize("cv", [0.1, 1.0])
def test_few_draws_already_have_the_mean(cv):
    """Twenty independent draws are off by cv / sqrt(20); mirrored ones by much less."""
    off = [
        statistics.fmean(dice.draw("wait", 1.0, cv) for _ in range(LEVEL)) - 1
        for dice in map(Dice, range(400))
    ]
    assert statistics.pstdev(off) < (0.15 if cv < 0.5 else 0.7) * cv / LEVEL**0.5
    assert abs(statistics.fmean(off)) < 0.1 * cv


def test_each_kind_has_mirrors_of_its_own():
    both, alone = Dice(1), Dice(1)
    for _ in range(10):
        first = both.draw("wait", 1.0, 0.5)
        both.draw("think", 1.0, 1.0)
        second = both.draw("wait", 1.0, 0.5)
        both.draw("think", 1.0, 1.0)
        assert (first - 1) * (second - 1) <= 0 or abs(first - second) < 0.2
    assert alone.draw("wait", 3.0, 0.0) == 3.0  # constant


def test_a_user_draws_the_same_in_every_run_with_that_seed_and_no_two_users_do():
    def draws(user, seed):
        dice = Dice(user, seed)
        return tuple(dice.draw("wait", 1, 1) for _ in range(10))

    assert draws(7, 3) == draws(7, 3)
    everybody = {draws(user, seed) for user in range(20) for seed in range(20)}
    assert len(everybody) == 400


def test_the_longest_waits_of_another_run_are_others():
    """Else the 99th percentile of three runs would be one number, three times."""

    def ninety_ninth(seed):
        drawn = [dice.draw("wait", 1, 1) for dice in (Dice(user, seed) for user in range(400))]
        return statistics.quantiles(drawn, n=100)[-1]

    several = [ninety_ninth(seed) for seed in range(30)]
    assert ninety_ninth(5) == several[5]
    assert len(set(several)) > 25
    assert statistics.fmean(several) == pytest.approx(4.6, rel=0.1)  # ln 100
