"""Worked numbers in prose: what the role {law} says, and what it refuses."""

import math

import pytest

from labs.records.errors import Unusable
from labs.site.roles.law_role import worked
from labs.theory import expression, laws
from labs.theory.expression import evaluate


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bound(N=16, D=0.05, c=4) req/s", "80 req/s"),
        ("response_time_bound(N=200, D=0.02, c=2) s", "2 s"),
        ("demand(busy=412.8, completed=3e6) µs to 3 digits", "138 µs"),
        ("utilisation(X=100, D=0.005, c=4) %", "12.5 %"),
        ("longer(3) % to 1 digit", "5 %"),
        ("users(X=5.04, R=0.198) to 2 places", "1.00"),
        ("10_000 / 663.02", "15.08"),
        ("bound(N=256, D=0, V=0.2)", "1280"),  # as pages write it: a mark from 10,000 on
        ("min(32, 21 + 16) + max(1, 2) + ceil(7 / 2)", "38"),
        ("bound(N=16,\n  D=0.05) ms", "20,000 ms"),
    ],
)
def test_a_worked_number_is_said_as_pages_say_it(text: str, said: str) -> None:
    assert worked(text) == said.replace(" ", "\u00a0")


NO_LAW = (
    *("__import__('os')", "bound.__globals__", "(lambda: 1)()", "bound(*[1, 2])", "True", "1j"),
    *("bound(**{'N': 1, 'D': 2})", "'a' * 3", "5 // 2", "9 ** 9 ** 9"),
)


def test_an_expression_is_what_python_makes_of_it() -> None:
    names = expression.FUNCTIONS
    for text in (
        "2 * 3 + 4 / 5 - 6 ** 0.5 * -1",
        "max(knee(D=0.02, V=0.18), 3) / 2",
        "round((320 ** 2 + 304 ** 2) / (43 / 2) ** 2, -2)",
        "by_coins(64, 4, D=0, V=0.2, W=16) - in_step(40, D=0.02, V=0.18, c=4)",
    ):
        assert math.isclose(evaluate(text), eval(text, {"__builtins__": {}}, dict(names)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bound(N=-1, D=1)", r"N=-1: must not be negative"),  # the law's own words
        ("bound(N=1)", "missing 1 required positional argument"),
        ("bond(N=1, D=1)", r"bond: no such law\. There are backlog, bound, "),
        ("coin_flips(4, 2, 1)", "no such law"),
        ("bound(N=1, D=1) km", r"km: no unit of worked numbers\. There are s, req/s, ms, µs, %\."),
        ("ms", "neither a law nor a number"),
        ("", "an expression, as in"),
        ("bound(N=1, D=1) to 0 digits", "no unit"),
        ("2 +* 3", "not an expression"),
        ("1 / 0", "division by zero"),
        ("(-8) ** 0.5", "math domain error"),
        ("ceiling(4, 0)", "comes to inf"),
        *((text, ".") for text in NO_LAW),
        ("filling(0.5, D=0, V=1, c=4)", r"Give a smaller part"),
    ],
)
def test_worked_refuses_what_is_no_number_of_a_law(text: str, message: str) -> None:
    with pytest.raises(Unusable, match=message):
        worked(text)


def test_looks_are_not_counted_one_by_one() -> None:
    for wanted, start, most in ((32, 6, 32), (256, 5, 32), (9, 9, 8), (1, 0, 1), (50, 7, 5)):
        count, forked, workers = 0, 1, start
        while workers < wanted:
            workers, forked, count = workers + forked, min(2 * forked, most), count + 1
        assert laws.looks(wanted, start, most) == count
    assert evaluate("looks(9999999, 0, most=0.001)") == 9999999
