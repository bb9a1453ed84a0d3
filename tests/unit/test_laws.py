"""The laws, against printed examples, the book's own exercises and each other. Each has one more
example in its docstring."""

import inspect
import math
import random

import pytest

from labs.records.errors import Unusable
from labs.theory import laws


def test_printed_examples():
    # Lazowska et al. 1984, chapter 3: a disk, 40 requests/s of 22.5 ms, 4 of them present.
    assert laws.utilisation(X=40, D=0.0225) == pytest.approx(0.90)
    assert laws.response_time(N=4, X=40) == pytest.approx(0.1)
    # Denning & Buzen 1978: 25 terminals, 18 s of thinking, 20 visits to a disk that is 30 % busy
    # at 25 ms a visit: 0.6 jobs per second, 23.7 s.
    X = laws.ceiling(units=0.30, seconds=20 * 0.025)
    assert pytest.approx(0.6) == X
    assert laws.response_time(N=25, X=X, Z=18) == pytest.approx(23.7, abs=0.05)


def test_the_laws_agree_with_each_other():
    dice = random.Random(1)
    for _ in range(500):
        N, Z = dice.randint(1, 2000), dice.choice([0.0, dice.uniform(0, 10)])
        D, V = dice.uniform(1e-4, 0.3), dice.choice([0.0, dice.uniform(0, 2)])
        c, W = dice.randint(1, 64), dice.choice([math.inf, dice.randint(1, 512)])
        X = laws.bound(N, D, V, Z=Z, c=c, W=W)
        R = laws.response_time(N, X, Z)
        assert pytest.approx(laws.response_time_bound(N, D, V, Z=Z, c=c, W=W)) == R
        assert laws.users(X, R, Z) == pytest.approx(N)
        assert laws.throughput(N, R, Z) == pytest.approx(X)
        assert laws.utilisation(X, D, c) <= 1 + 1e-12
        assert laws.queued(R, D, V) >= -1e-12
        # Up to the knee everybody is served as if alone; past it nobody is added.
        knee = laws.knee(D, V, Z=Z, c=c, W=W)
        assert pytest.approx(min(N, knee)) == X * (D + V + Z)
        # A pool that just fills the cores puts both ceilings at one place.
        pool = laws.pool_size(D, V, c)
        assert laws.ceiling(pool, D + V) == pytest.approx(laws.ceiling(c, D))


def test_what_costs_nothing_has_no_limit():
    assert laws.bound(N=5, D=0) == math.inf
    assert laws.knee(D=0) == math.inf
    assert laws.most_users(R=1, D=0) == math.inf
    assert laws.pool_size(D=0, V=0.2) == math.inf
    assert laws.pool_size(D=0, V=0, c=4) == 4
    assert laws.backlog(arrivals=40, X=50, seconds=300) == 0


def assert_refuses(law, name, bad, rule):
    parameters = inspect.signature(law).parameters.values()
    given = {each.name: 1 for each in parameters if each.default is inspect.Parameter.empty}
    with pytest.raises(Unusable, match=f"^{name}={bad}: {rule}"):
        law(**{**given, name: bad})


@pytest.mark.parametrize("bad", [-1, math.nan])
@pytest.mark.parametrize(
    ("law", "name"),
    [
        pytest.param(law, name, id=f"{law.__name__}-{name}")
        for _, law in inspect.getmembers(laws, inspect.isfunction)
        if law.__module__ == laws.__name__ and not law.__name__.startswith("_")
        for name in inspect.signature(law).parameters
    ],
)
def test_every_law_refuses_every_number_that_cannot_be(law, name, bad):
    assert_refuses(law, name, bad, "must ")


def test_nothing_is_divided_by_nothing():
    for law, name in (
        (laws.response_time, "X"),
        (laws.demand, "completed"),
        (laws.utilisation, "c"),
        (laws.bound, "W"),
        (laws.response_time_bound, "c"),
        (laws.knee, "W"),
        (laws.most_users, "c"),
        (laws.pool_size, "c"),
        (laws.workers_in_memory, "each"),
        (laws.looks, "most"),
    ):
        assert_refuses(law, name, 0, "must be more than 0")


def test_what_is_left_out_is_nothing_and_one_core():
    assert laws.bound(N=100, D=0.5) == 2.0 == laws.bound(N=100, D=0.5, V=0, Z=0, c=1)
    assert laws.response_time_bound(N=100, D=0.5) == 50.0
    assert laws.knee(D=0.5) == laws.pool_size(D=0.5, V=0) == 1.0
    assert laws.pool_size(D=0.5, V=0.5) == laws.most_users(R=1, D=0.5) == 2.0
    assert laws.most_users(R=1, D=0.5, Z=9) == 20.0
    assert laws.utilisation(X=1, D=0.5) == 0.5
    assert (laws.users(X=2, R=3), laws.throughput(N=6, R=3)) == (6, 2)
    assert laws.generators(X=9, each=10) == 2  # to 80 % of each
