"""The rows of the table of servers, as parameters of a test: what is not installed is skipped with
the sentence that says how to have it."""

from collections.abc import Iterable
from typing import Any

import pytest

from labs.records.experiment import Page
from labs.servers.catalogue import CATALOGUE, ServerRow, missing


def page_of(row: ServerRow) -> Page:
    """What it can answer: work, or only files."""
    return "file" if row.product and row.product.for_work is None else "work"


def needed(row: ServerRow) -> pytest.MarkDecorator:
    """Skip where it is not installed."""
    remedy = missing(row, page_of(row))
    return pytest.mark.skipif(remedy is not None, reason=f"{row.by}: {remedy}")


def parameters(rows: Iterable[ServerRow] = CATALOGUE) -> list[Any]:
    """Each of those rows."""
    return [
        pytest.param(row, id=f"{row.architecture} by {row.by}", marks=needed(row)) for row in rows
    ]


WORKING = [row for row in CATALOGUE if page_of(row) == "work"]
