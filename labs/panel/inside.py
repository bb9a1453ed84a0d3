"""Inside of a panel: the work of its lab, and its widgets, by whose names it is refused."""

from collections.abc import Mapping
from typing import Any

import ipywidgets
from markupsafe import Markup

from labs.kinds.base import LabKind
from labs.present.settings import Settings, shared
from labs.records.errors import Unusable
from labs.records.experiment import Experiment
from labs.records.format import digits
from labs.records.server_facts import called
from labs.records.written import shown


def about(words: str) -> Markup:
    """Put the words on what is measured into their paragraph."""
    return Markup('<p class="wt-about">{}</p>').format(words)


def work(lab: LabKind[Any]) -> list[Experiment]:
    """List the experiments that a lab measures, however long."""
    return [each.lasting(1.0) for each in lab.experiments()]


def told(lab: LabKind[Any], cores: int) -> Settings:
    """Say what a lab's reader can set, in words."""
    can = {n: words for n, words in shared(lab.experiments(), cores).items() if n not in lab.fixed}
    return {**can, "seconds": f"{digits(lab.each_s)} s a {lab.each}"} if lab.each_s else can


def close(widget: ipywidgets.Widget) -> None:
    """Close a widget and those in it."""
    for child in getattr(widget, "children", ()):
        close(child)
    widget.close()


def in_words(error: Unusable, controls: Mapping[str, ipywidgets.Widget]) -> str:
    """Say what is wrong with the value of one of these controls, by its name and as it shows the
    value; of anything else as a cell has it, where it was written.

    >>> users = ipywidgets.Text(description="Users", value="4, 2")
    >>> rule = "comes after a larger level. Give each level once."
    >>> in_words(Unusable("users=2: …", name="users", value=2, rule=rule), {"users": users})
    'Users “2”: comes after a larger level. Give each level once.'
    """
    control = controls.get(error.name)
    if control is None:
        return str(error)
    said = ""
    if isinstance(control, ipywidgets.Text):  # of what is typed a part may be at fault
        said = "" if error.value is None else f" “{shown(str(error.value))}”"
    elif error.name == "by":
        said = f" {called(str(error.value))}"
    else:
        said = f" {control.label}"
    return f"{control.description}{said}: {error.rule}"
