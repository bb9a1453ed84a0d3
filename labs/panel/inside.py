"""What is inside a panel: the work of its lab, and its widgets."""

from typing import Any

import ipywidgets

from labs.kinds.base import LabKind
from labs.records.experiment import Experiment


def controls(widget: ipywidgets.Widget) -> set[str]:
    """By what names a reader knows the controls in it."""
    found = {getattr(widget, "description", "")} - {""}
    return found.union(*(controls(each) for each in getattr(widget, "children", ())))


def work(lab: LabKind[Any]) -> list[Experiment]:
    """What is measured, however long."""
    return [each.lasting(1.0) for each in lab.experiments()]


def close(widget: ipywidgets.Widget) -> None:
    """Close a widget and those in it."""
    for child in getattr(widget, "children", ()):
        close(child)
    widget.close()
