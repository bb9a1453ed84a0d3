"""Which panel a lab has: most have the usual one."""

from __future__ import annotations

from typing import Any

from labs.kinds.base import LabKind
from labs.panel.lab import LabPanel
from labs.panel.mystery import MysteryPanel
from labs.panel.sweep import SweepPanel

PANELS: dict[str, Any] = {"mystery": MysteryPanel, "sweep": SweepPanel}  # by what a cell calls


def panel(call: str, name: str, lab: LabKind[Any], *, recorded: Any = None) -> LabPanel[Any]:
    """A panel for that lab, beside what the book recorded of it."""
    found: LabPanel[Any] = PANELS.get(call, LabPanel)(name, lab, recorded=recorded)
    return found
