"""Sphinx's role for measured numbers: {measured}`throughput(8)`, from the page's recording.

A page quotes the lab that is named after it; {measured}`many-cores: throughput(8)` quotes
another, and {measured}`threads/4 × 16: throughput(64)` one part of a comparison. What can be
quoted stands in the columns and quotes of the lab's kind (`labs/kinds/*/show.py`). A number that is
not there is a warning with its line, so a strict build fails. (myst-nb's {eval} was tried: it needs
a kernel for every number, and does not run the cells that a page hides.)
"""

from collections.abc import Sequence
from pathlib import PurePosixPath

from sphinx.environment import BuildEnvironment

from labs.kinds.registry import showing
from labs.present import claims
from labs.present.quantities import NoSuchNumber, Quantity
from labs.recordings import store
from labs.records.errors import BadRecording, Unusable
from labs.site.roles.number_role import NumberRole


class MeasuredRole(NumberRole):
    """One measured number of a recording."""

    refused = (BadRecording, NoSuchNumber, Unusable)

    def number(self) -> str:
        return str(quoted_on(self.env, *claims.quantity(self.text)))


def measured(lab: str, text: str) -> Quantity:
    """Find the quantity that `name` or `name(1, "page")` stands for in a lab's recording, or with
    `lab/part` in one part of it."""
    return quoted(lab, *claims.quantity(text)[1:])


def quoted_on(page: BuildEnvironment, lab: str, name: str, given: Sequence[object]) -> Quantity:
    """Quote a number on that page, which depends on its lab, or else on the one of its name."""
    lab = lab or PurePosixPath(page.docname).name
    if file := store.chosen(lab.partition("/")[0]):
        page.note_dependency(str(file))
    return quoted(lab, name, given)


def quoted(lab: str, name: str, given: Sequence[object]) -> Quantity:
    """Quote a number of a lab's recording, or with `lab/part` of one part of it."""
    lab, slash, label = lab.partition("/")
    result = store.recording(lab)
    with store.blamed(lab):
        if slash:
            result = showing(result).part(result, label)
        return showing(result).quote(result, name, *given)
