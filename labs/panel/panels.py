"""Which panel a lab has: most have the usual one."""

import importlib
from typing import Any

from labs.kinds.base import LabKind
from labs.panel.lab import LabPanel
from labs.panel.prediction_prompt import Bets
from labs.recordings.last_run import LastRun

PANELS = {  # by what a cell calls
    "mystery": "mystery:MysteryPanel",
    "sweep": "sweep:SweepPanel",
    "your_server": "your_server:YourServerPanel",
}


def panel(
    call: str,
    name: str,
    lab: LabKind[Any],
    *,
    recorded: Any = None,
    bets: Bets | None = None,
    last: LastRun | None = None,
) -> LabPanel[Any]:
    """A panel for that lab, beside what the book recorded of it, what was bet before, and the
    reader's last run, which comes back."""
    module, _, kind = PANELS.get(call, "lab:LabPanel").partition(":")
    made = getattr(importlib.import_module(f"labs.panel.{module}"), kind)
    found: LabPanel[Any] = made(name, lab, recorded=recorded, bets=bets, last=last)
    return found
