"""What a battery, a setting and heat are told as."""

from dataclasses import replace

import examples
import msgspec
import pytest

from labs.kinds.sweep import report
from labs.kinds.sweep.show import show
from labs.kinds.timeline import verdict as timeline_verdict
from labs.present.blocks import html
from labs.present.power import powered
from labs.records.results import Power

WELL = Power(throttles=7)


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        (Power(on_battery=True), Power(on_battery=True), "The machine was on battery: it may"),
        (WELL, replace(WELL, on_battery=True), "on battery when the run ended"),
        (Power(on_battery=True), Power(), "on battery when the run began"),
        (Power(saving="power"), Power(saving="power"), "set to save power (power)"),
        (WELL, replace(WELL, throttles=8), "Heat held the processor back once while"),
        (WELL, replace(WELL, throttles=19), "held the processor back 12 times"),
        (Power(), Power(speed=0.82), "back to 82\xa0% of its speed"),
    ],
)
def test_what_makes_a_machine_slow_is_told(first: Power, last: Power, said: str) -> None:
    (sentence,) = powered((first, last))
    assert said in sentence


def test_nothing_is_said_where_all_is_well_or_nobody_knows() -> None:
    assert powered(()) == powered((WELL,)) == powered((WELL, WELL)) == ()


def test_a_run_says_it() -> None:
    recording = examples.recording()
    runs = [replace(run, power=(Power(on_battery=True), WELL)) for run in recording.runs]
    kept = msgspec.structs.replace(recording, runs=tuple(runs))
    for said in (report.text(kept), html(show.verdict(kept))):
        assert "on battery when the run began" in said
    assert "battery" not in html(show.verdict(recording))
    timeline = examples.timeline()
    runs = [replace(run, power=(Power(on_battery=True),)) for run in timeline.runs]
    told = timeline_verdict.verdict(msgspec.structs.replace(timeline, runs=tuple(runs)))
    assert "on battery" in told[-1]
