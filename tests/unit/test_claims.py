"""Claims: what a sentence says of a recording. How a build holds it to that: `test_quotes.py`."""

import math
from collections.abc import Sequence

import pytest

from labs.present.claims import contradiction, split
from labs.present.quantities import NoSuchNumber, Quantity
from labs.records.errors import Unusable

NUMBERS = {
    "throughput(2)": 40.0,
    "throughput(8)": 80.0,
    "throughput(16)": 82.0,
    "demand": 0.05,
    "cores": 4.0,
    "busy('burn')": 0.97,
    "weigh/2 × 8: memory(2)": 3 * 2**20,
    "slow(2)": 0.5,
    "slow(8)": math.nan,  # more than 3 s, and nobody knows how much
}


def quote(lab: str, name: str, given: Sequence[object]) -> Quantity:
    told = f"({', '.join(map(repr, given))})" if given else ""
    text = (f"{lab}: " if lab else "") + name + told
    if text not in NUMBERS:
        raise NoSuchNumber(f"{text}: not recorded.")
    return Quantity(NUMBERS[text], f"{NUMBERS[text]:g}")


@pytest.mark.parametrize(
    "claim",
    [
        "throughput(2) < throughput(8) < throughput(16)",
        "1.9 <= throughput(8) / throughput(2) <= 2.1",
        "throughput(8) = 2 * throughput(2)",
        "throughput(16) within 5 % of throughput(8)",
        "throughput(N) > 30 req/s and demand() <= 50 ms with N = 2, 8",
        "throughput(N) within 3 % of bound(N=N, D=demand, c=cores) with N = 8, 16",
        "throughput(8) = ceiling(cores, seconds=demand)",
        'busy("burn") > 96 % and busy("burn") < 1',
        "weigh/2 × 8: memory(2) = 3 MiB",
        "weigh/2 × N: memory(2) > 2 MiB with N = 8",
    ],
)
def test_a_claim_that_is_so(claim: str) -> None:
    assert contradiction(claim, quote) == ""


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("throughput(8) > throughput(16)", "throughput(8) is 80; throughput(16) is 82."),
        ("throughput(8) / throughput(2) > 3", "throughput(8) / throughput(2) is 2."),
        ("throughput(16) within 2 % of throughput(8)", "throughput(8) is 80"),
        ("throughput(8) within 2 % of throughput(16)", "throughput(16) is 82"),
        ("throughput(N) < 81 with N = 2, 8, 16", "that throughput(16) < 81: throughput(16) is 82."),
        ("demand < 60 ms and cores > 4", "that cores > 4: cores is 4."),
        ("throughput(8) < 0.9 * bound(N=8, D=demand, c=cores)", "* bound(N=8, D=demand, c=cores)"),
        ('busy("burn") > 98 %', 'busy("burn") is 0.97'),
        ("slow(8) within 5 % of slow(8)", "no number"),
        ("slow(8) < 1", "no number"),
    ],
)
def test_a_claim_that_is_not_so_says_the_numbers(claim: str, said: str) -> None:
    assert said in contradiction(claim, quote)


@pytest.mark.parametrize(
    "claim",
    [
        "throughput(8)",
        "throughput(N) > 1",
        "throughput(8) > 1 with N = 8",
        "throughput(8) > [].__class__",
        "throughput(8) > (lambda: 1)()",
        "throughput(8) != 80",
        "throughput(8) is 80",
        "throughput(8) > nonsense(a=1)",
        "throughput(8) > 1 / 0",
        "throughput(8) >",
    ],
)
def test_what_is_no_claim_is_refused(claim: str) -> None:
    with pytest.raises(Unusable):
        contradiction(claim, quote)


def test_a_number_that_is_not_recorded_is_told() -> None:
    with pytest.raises(NoSuchNumber, match=r"throughput\(3\): not recorded"):
        contradiction("throughput(3) > 1", quote)


def test_words_and_claim_are_both_there() -> None:
    assert split("it *fell* [twice] fivefold [a(1) > 5 * a(2)]") == (
        "it *fell* [twice] fivefold",
        "a(1) > 5 * a(2)",
    )
    for text in ("it fell fivefold", "[a(1) > a(2)]", "it fell []"):
        with pytest.raises(Unusable):
            split(text)
