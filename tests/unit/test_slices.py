"""Cores dealt out in slices: what the order costs, and where it costs nothing."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.theory.queueing import in_step, sharing
from labs.theory.slices import least_served_first

ROUND = {"D": 0.010, "V": 0.090, "c": 2}


@pytest.mark.parametrize("m", [12, 16, 20, 30])
def test_where_times_vary_no_order_changes_how_many_are_served(m: int) -> None:
    found = least_served_first(m, **ROUND, cpu_cv=1.0, wait_cv=1.0)
    assert found == pytest.approx(sharing(m, 0.010, 0.090, (1, 2)), rel=0.03)


@pytest.mark.parametrize("m", [16, 20, 24])
def test_alike_times_fall_in_step_where_the_least_served_come_first(m: int) -> None:
    shared = sharing(m, 0.010, 0.090, (1, 2))
    least = least_served_first(m, **ROUND, wait_cv=0.1)
    assert in_step(m, 0.010, 0.090, 2) < 1.05 * least < 0.88 * shared


@pytest.mark.parametrize(("name", "cv"), [("wait_cv", 0.5), ("cpu_cv", 0.7)])
def test_half_as_much_variation_keeps_them_apart(name: str, cv: float) -> None:
    """What `slices.VARIED_CV` takes for granted."""
    varied = least_served_first(16, **ROUND, **({"wait_cv": 0.1} | {name: cv}))
    assert varied > 0.93 * sharing(16, 0.010, 0.090, (1, 2))


@given(
    m=st.integers(1, 30),
    D=st.floats(0.0005, 0.1),
    V=st.floats(0.001, 0.5),
    c=st.integers(1, 8),
    cv=st.sampled_from([0.0, 0.1, 1.0]),
)
def test_no_order_gets_beyond_the_bounds(m: int, D: float, V: float, c: int, cv: float) -> None:
    found = least_served_first(m, D, V, c, wait_cv=cv)
    assert 0 < found < 1.08 * min(m / (D + V), c / D)
    if m <= c:
        assert found == pytest.approx(m / (D + V), rel=0.08)


def test_one_of_them_alone_has_its_round() -> None:
    assert least_served_first(1, **ROUND) == pytest.approx(10.0)


@pytest.mark.parametrize("m", [12, 16, 20])
def test_least_served_first_comes_to_what_steps_of_half_a_millisecond_give(m: int) -> None:
    """Another simulation: in each step those run who have had least of their request."""
    dice, step_s, work_s = random.Random(7), 0.0005, 0.010
    wakes = {who: dice.uniform(0, 0.1) for who in range(m)}
    had: dict[int, float] = {}
    done = 0
    for number in range(60_000):
        now = number * step_s
        for who in [who for who, at in wakes.items() if at <= now]:
            del wakes[who]
            had[who] = 0.0
        for who in sorted(had, key=had.__getitem__)[:2]:
            had[who] += step_s
            if had[who] > work_s - step_s / 2:
                del had[who]
                wakes[who] = now + step_s + dice.gauss(0.09, 0.009)
                done += now > 5.0
    found = least_served_first(m, work_s, 0.090, 2, wait_cv=0.1)
    assert found == pytest.approx(done / 25.0, rel=0.08)
