"""When a machine counts as on battery, and what is said of it."""

import sys
from dataclasses import replace

import examples
import msgspec
import psutil
import pytest

from labs.host import power as host
from labs.kinds.sweep import report
from labs.kinds.sweep.show import show
from labs.kinds.timeline import verdict as timeline_verdict
from labs.present.blocks import html
from labs.present.power import powered
from labs.records.results import Power

WELL = Power()
ON_BATTERY = Power(on_battery=True)


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        (ON_BATTERY, ON_BATTERY, "The machine was on battery: it may"),
        (WELL, ON_BATTERY, "on battery when the run ended"),
        (ON_BATTERY, WELL, "on battery when the run began"),
    ],
)
def test_powered_tells_of_a_battery_and_when(first: Power, last: Power, said: str) -> None:
    (sentence,) = powered((first, last))
    assert said in sentence


def test_powered_says_nothing_where_all_is_well_or_nobody_knows() -> None:
    assert powered(()) == powered((WELL,)) == powered((WELL, WELL)) == ()


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux's files")
def test_power_knows_the_system_s_battery_from_a_mouse_s(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(host, "SUPPLIES", tmp_path)
    monkeypatch.setattr(psutil._pslinux, "POWER_SUPPLY_PATH", str(tmp_path))
    for name, on_battery in (("hidpp_battery_0", False), ("BAT0", True)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "capacity").write_text("50")
        (tmp_path / name / "status").write_text("Discharging")
        assert host.power().on_battery == on_battery


def test_a_run_says_it() -> None:
    recording = examples.recording()
    runs = [replace(run, power=(ON_BATTERY, WELL)) for run in recording.runs]
    kept = msgspec.structs.replace(recording, runs=tuple(runs))
    for said in (report.text(kept), html(show.verdict(kept))):
        assert "on battery when the run began" in said
    assert "battery" not in html(show.verdict(recording))
    timeline = examples.timeline()
    runs = [replace(run, power=(ON_BATTERY,)) for run in timeline.runs]
    told = timeline_verdict.verdict(msgspec.structs.replace(timeline, runs=tuple(runs)))
    assert "on battery" in told[-1]
