"""Panels of the labs: most have the usual one."""

import importlib
from typing import Any

from labs.kinds.base import LabKind
from labs.panel.lab import LabPanel

PANELS = {  # by what a cell calls
    "mystery": "mystery:MysteryPanel",
    "sweep": "sweep:SweepPanel",
    "your_server": "your_server:YourServerPanel",
}


def panel(call: str, name: str, lab: LabKind[Any], **more: Any) -> LabPanel[Any]:
    """Make a lab's panel, with `more` as LabPanel takes it."""
    module, _, kind = PANELS.get(call, "lab:LabPanel").partition(":")
    made = getattr(importlib.import_module(f"labs.panel.{module}"), kind)
    found: LabPanel[Any] = made(name, lab, **more)
    return found
