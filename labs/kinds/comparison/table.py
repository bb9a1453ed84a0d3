"""A comparison's table: a row for each part and level."""

from __future__ import annotations

from collections.abc import Mapping

from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.table import sweep_sheet
from labs.present.tables import Table
from labs.records.results import Prediction


def comparison_sheet(parts: Mapping[str, tuple[Recording, Prediction | None]]) -> Table:
    """A row for each part and level; each part with its explanation."""
    head: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = []
    for label, (part, explanation) in parts.items():
        table = sweep_sheet(part, explanation)
        head = ("part", *table.head)
        rows += [(label, *row) for row in table.rows]
    return Table(head, tuple(rows))
