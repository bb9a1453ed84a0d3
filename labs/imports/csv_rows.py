"""Columns of a CSV file by their names, row by row. Pure."""

import csv
from collections.abc import Iterable, Iterator, Sequence

from labs.records.errors import Unusable


def rows(lines: Iterable[str], wanted: Sequence[str], between: str = ",") -> Iterator[list[str]]:
    """The cells of the wanted columns. Unusable where one is missing, a row isn't as long as the
    head, or the last line has no end."""
    table = csv.reader(ended(lines), strict=True, delimiter=between)
    try:
        head = next(table, [])
        if missing := [name for name in wanted if head.count(name) != 1]:
            raise Unusable(f"it has no column “{missing[0]}”, or two.")
        places = [head.index(name) for name in wanted]
        for row in table:
            if len(row) != len(head):
                said = f"line {table.line_num} has {len(row)} cells of {len(head)}"
                raise Unusable(f"{said}: it is cut or damaged.")
            yield [row[place] for place in places]
    except csv.Error as error:
        raise Unusable(f"line {table.line_num} is no CSV ({error}).") from None


def ended(lines: Iterable[str]) -> Iterator[str]:
    """Pass lines on. Unusable for one without its end."""
    for line in lines:
        if not line.endswith("\n"):
            raise Unusable("its last line has no end: it is cut.")
        yield line
