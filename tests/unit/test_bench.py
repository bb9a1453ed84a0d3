"""What the benches say of figures."""

import re
from dataclasses import replace

import examples
import pytest

from bench import levels
from labs.analysis import checks
from labs.records.results import Check

OTHERS = Check(name="others", unfit=False, sentence="Others used 12 % of the machine.")


def row(users: int, off: float, *checks: Check, work: str = "mixed"):
    """A level that lies so far from its forecast, with an interval of 2 %."""
    return levels.Row(
        point=replace(examples.point(users), checks=checks),
        work=work,
        forecast=off,
        at_speed=off,
        consistency=0.0,
        covered=abs(off) <= 0.02,
        above=False,
        inside=abs(off) <= 0.05,
        half=0.05,
    )


def cells(text: str, title: str) -> list[str]:
    """The figures of that line."""
    lines = (re.split(r" {2,}", line.strip()) for line in text.splitlines())
    (found,) = (line[1:] for line in lines if line[0] == title)
    return found


def test_a_row_says_whether_the_forecast_lies_in_the_interval_and_the_interval_above_the_bound():
    """The example's forecast is 0.99 of its bound, and its interval ± 2 %."""
    for factor, covered, above in ((1.0, True, False), (1.03, False, True), (0.9, False, False)):
        for each in levels.rows(examples.recording(factor)):
            assert (each.covered, each.above) == (covered, above)
            assert each.forecast == pytest.approx(factor / 0.99 - 1)
            assert each.work == "CPU only"
    wider = examples.with_levels(
        examples.recording(1.03),
        lambda each: replace(each, bound_ci_rps=(0.98 * each.bound_rps, 1.02 * each.bound_rps)),
    )
    assert not any(row.above for row in levels.rows(wider))


def test_what_the_machine_did_is_not_counted_as_the_instrument_s_failure() -> None:
    few = Check(name="few", unfit=True, sentence="Only 12 requests.")
    drift = Check(name="drift", unfit=True, sentence="It changed under way.")
    full = Check(name="load generator", unfit=True, sentence="Locust was full.")
    found = [
        row(1, 0.001),
        row(8, 0.01),
        row(8, 0.01, drift),
        row(8, 0.2, few),
        row(8, -0.3, OTHERS),
        row(8, -0.5, full, examples.UNFIT),
        row(8, 0.4, *checks.noise(0.2)),
        row(8, 0.0, work="waits only"),
    ]
    text = levels.by_work(found)
    told = "disturbed by the machine: 3 of 8 levels (others 1, load generator 1, noise 1)"
    assert told in text
    assert "measured for too short a time: 2 of 8 levels (few 1, interval 1)" in text
    assert "left alone, and the instrument failed: 1 of 4 levels (drift 1)" in text
    figures = ["2", "+1.0 %", "1.0 %", "+1.0 %", "100.0 %", "0.0 %", "50.0 %!", "100.0 %", "5.0 %"]
    assert cells(text, "mixed, left alone") == figures
    assert cells(text, "mixed, all")[3] == "-50.0 %!"
    assert cells(text, "mixed, 1 user, left alone")[1] == "+0.1 %"
    assert cells(text, "any work, left alone")[0] == "4"
    assert levels.by_work([row(8, 0.0, OTHERS)])  # nothing was left alone
    blunt = replace(row(8, 0.3), half=0.01)
    assert cells(levels.by_work([row(8, 0.01), blunt]), "mixed, sharp")[0] == "1"
