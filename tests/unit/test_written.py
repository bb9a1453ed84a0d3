"""Numbers are read as people write them, or refused with a hint that is no answer."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.records.errors import Unusable
from labs.records.written import written


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("1,000", "req/s", 1000),
        ("1\u00a0000", "", 1000),
        ("1_000", "", 1000),
        ("500,0", "req/s", 500),
        ("0,125", "s", 0.125),
        ("1.000,5", "", 1000.5),
        (",5", "", 0.5),
        ("1e3", "", 1000),
        ("\u22122", "", -2),
        ("12 ms", "ms", 12),
        ("12ms", "s", 0.012),
        ("0.2 s", "ms", 200),
        ("43.6\u00a0µs", "ms", 0.0436),
        ("85 %", "as a fraction", 0.85),
        ("85\u202f%", "as a fraction", 0.85),
        ("4 workers", "workers", 4),
    ],
)
def test_a_number_is_read_as_it_was_meant(text: str, unit: str, number: float) -> None:
    assert written(text, unit) == pytest.approx(number)


@pytest.mark.parametrize(
    ("text", "unit", "said"),
    [
        ("", "ms", "Nothing is written there yet. Write digits, in ms"),
        ("many", "", "many: not an ordinary number"),
        ("1,2,3", "", "not an ordinary number"),
        ("1/2", "req/s", "1/2: not an ordinary number"),
        ("2 0", "", "not an ordinary number"),
        ("1e999", "", "not an ordinary number"),
        ("1e308 as a fraction", "%", "not an ordinary number"),
        ("x" * 500, "", "…: not an ordinary number"),
        ("12 km", "ms", "12 km: it is asked for in ms. Leave “km” out"),
        ("12 ms", "req/s", "it is asked for in req/s"),
        ("5 apples", "", "a plain number is asked for"),
    ],
)
def test_what_is_none_is_refused_with_what_to_do(text: str, unit: str, said: str) -> None:
    with pytest.raises(Unusable) as refused:
        written(text, unit)
    assert said in str(refused.value) and len(str(refused.value)) < 200


@given(st.floats(min_value=0.001, max_value=1e9))
def test_what_the_book_prints_is_read_back(number: float) -> None:
    assert written(f"{number:,.3f}") == pytest.approx(number, abs=0.001)
    assert written(repr(number)) == number


@given(st.text(max_size=30), st.sampled_from(["", "ms", "req/s", "as a fraction"]))
def test_whatever_is_typed_is_a_finite_number_or_a_sentence(text: str, unit: str) -> None:
    number, said = 0.0, ""
    try:
        number = written(text, unit)
    except Unusable as refused:
        said = str(refused)
    assert math.isfinite(number) and len(said) < 300
    assert said.endswith(".") or not said
