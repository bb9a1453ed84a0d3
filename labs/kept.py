"""What the labs of this kernel have measured, so that an exercise can ask about it."""

from __future__ import annotations

from labs.comparison import Comparison
from labs.counts import Race
from labs.findings import Checkup, Clocks
from labs.footprint import Memory
from labs.gauges import Gauges
from labs.records import Recording
from labs.retrials import Retrial
from labs.riddle import Mystery
from labs.timelines import Timeline

Result = (
    Recording
    | Clocks
    | Checkup
    | Comparison
    | Memory
    | Race
    | Gauges
    | Retrial
    | Timeline
    | Mystery
)

_latest: dict[str, Result] = {}


def keep(lab: str, result: Result) -> None:
    """Remember the newest result of a lab."""
    _latest[lab] = result


def latest(lab: str) -> Result | None:
    """The newest result of a lab, None before its first run in this kernel."""
    return _latest.get(lab)
