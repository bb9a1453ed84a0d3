"""Registry of the kinds of lab, a line each. Nothing is imported before it is used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labs.kinds.base import LabKind
    from labs.kinds.show import Show
    from labs.records.results import Result

# What a chapter's cell calls: the module in this folder, and the class in it.
KINDS = {
    "calibration": "checkup.run:CheckupLab",
    "classic": "classics.run:ClassicLab",
    "clocks": "clocks.run:ClocksLab",
    "compare": "comparison.run:ComparisonLab",
    "generators": "generators.run:GeneratorsLab",
    "memory": "memory.run:MemoryLab",
    "mystery": "mystery.run:MysteryLab",
    "race": "race.run:RaceLab",
    "sweep": "sweep.run:SweepLab",
    "timeline": "timeline.run:TimelineLab",
    "your_server": "attach.run:AttachLab",
}


def lab_kind(call: str) -> type[LabKind[Any]]:
    """Import the kind of lab that a chapter calls by that name."""
    module, _, name = KINDS[call].partition(":")
    found: type[LabKind[Any]] = getattr(importlib.import_module(f"labs.kinds.{module}"), name)
    return found


def show_of(tag: str) -> Show[Any]:
    """Import the show of results with a tag, which is their folder's name. KeyError without."""
    if tag not in {line.partition(".")[0] for line in KINDS.values()}:
        raise KeyError(tag)
    found: Show[Any] = importlib.import_module(f"labs.kinds.{tag}.show").show
    return found


def showing(result: Result) -> Show[Any]:
    """Import the show of a result."""
    return show_of(str(type(result).__struct_config__.tag))
