"""Cores that do less than they are listed for: why, as far as a burn can tell, and never more."""

from dataclasses import replace
from typing import Any

import examples
from markup import sheet
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from labs.kinds.checkup.show import show
from labs.kinds.checkup.verdict import shortfall
from labs.present.blocks import html

ALIKE = replace(examples.MACHINE, physical_cores=2, logical_cores=2, core_kinds=())
OTHERS = "Other programs had the rest"


def told(burned: dict[str, Any], machine: dict[str, Any]) -> str:
    found = replace(examples.CALIBRATION, **burned)
    said = shortfall(replace(ALIKE, **machine), found)
    return " ".join(said).replace("\u00a0", " ")


def test_shortfall_words(snapshot: SnapshotAssertion) -> None:
    said = {
        "whole cores": told({}, {}),
        "others": told({"use": 0.51}, {}),
        "shared parts": told({"loops_per_s": (20e6, 20.4e6)}, {}),
        "hyper-threads": told({"loops_per_s": (20e6, 20.4e6)}, {"physical_cores": 1}),
        "others, and shared parts": told({"loops_per_s": (20e6, 24e6), "use": 0.6}, {}),
        "a little of each": told({"loops_per_s": (20e6, 37.9e6), "use": 0.94}, {}),
        "two kinds": told({"loops_per_s": (20e6, 28e6)}, {"core_kinds": (1, 1)}),
        "a quota": told({"use": 0.75}, {"quota_cores": 1.5}),
        "one core": told({"loops_per_s": (20e6,), "use": 0.4}, {}),
    }
    assert sheet(said) == snapshot


def test_the_words_stand_below_what_the_checkup_found() -> None:
    assert "wt-verdict" not in html(show.verdict(examples.checkup()))
    busy = replace(examples.CALIBRATION, use=0.51)
    shown = html(show.verdict(structs.replace(examples.checkup(), calibrations=(busy,))))
    assert shown.index("</table>") < shown.index("wt-verdict") < shown.index(OTHERS)
