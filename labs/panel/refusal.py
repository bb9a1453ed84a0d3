"""Why something cannot be measured, as the reader of a panel has it: by the name of the control."""

from __future__ import annotations

from collections.abc import Mapping

import ipywidgets

from labs.records.errors import Unusable
from labs.records.server_facts import called
from labs.records.written import shown


def in_words(error: Unusable, controls: Mapping[str, ipywidgets.Widget]) -> str:
    """What is wrong with the value of one of these controls, by its name and as it shows the value;
    of anything else as a cell has it, where it was written.

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
