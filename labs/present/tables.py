"""Tables of what was measured: to read in the page, and to take away as CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass

from markupsafe import Markup

from labs.present.markup import paragraphs, wide_table

MS = 1000
KIB = 2**10
MIB = 2**20
MARKED = re.compile(r"[^\w/:,;=+*()\[\]{}!@$.~?| -]", re.ASCII)  # in an address


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text below a head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""  # a sentence below it
    main: tuple[str, ...] = ()  # columns that are shown before it is unfolded; all, without any
    reason: str = ""  # the column that stands below each row, in a line of its own

    def html(self) -> Markup:
        shown = wide_table(self.head, self.rows, self.main, self.reason)
        return shown + paragraphs([self.note] if self.note else [])

    def turned(self) -> Table:
        """Turn rows into columns: for a few rows of many numbers, which are all to be seen."""
        head, *rows = zip(self.head, *self.rows, strict=True)
        return Table(head, tuple(rows), self.note)

    def csv(self) -> str:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.head, *self.rows])
        return text.getvalue()


def folded(name: str, sheet: Table, data: object, *, shown: bool = True) -> Markup:
    """Write the table with its downloads as HTML, folded. The files are in the page itself: nothing
    is asked of a server, so this works in a static page too.

    name: of the files, without their ending; data: of the JSON file.
    """
    links = Markup(" · ").join(
        [
            link(f"{name}.csv", "text/csv", sheet.csv(), "CSV"),
            link(f"{name}.json", "application/json", json.dumps(data), "JSON"),
        ]
    )
    return Markup(
        '<details class="wt-data"><summary>Data: the numbers, and as files</summary>'
        "{}<p>Save all of it: {}</p></details>"
    ).format(sheet.html() if shown else "", links)


def link(name: str, kind: str, text: str, label: str) -> Markup:
    """Write a link that holds the file it saves; its letters as they are, which compress well."""
    data = MARKED.sub(lambda one: "".join(f"%{byte:02X}" for byte in one[0].encode()), text)
    file = '<a download="{}" href="data:{},{}">{}</a>'
    return Markup(file).format(name, kind, data, label)
