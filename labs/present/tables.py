"""What was measured as a table: to read in the page, and to take away as CSV or JSON."""

from __future__ import annotations

import base64
import csv
import html
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass

from labs.present.verdict import ASSUMES
from labs.records.format import table

MS = 1000
MIB = 2**20


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""  # a sentence below it

    def html(self) -> str:
        return table(self.head, self.rows) + (f"<p>{html.escape(self.note)}</p>" * bool(self.note))

    def csv(self) -> str:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.head, *self.rows])
        return text.getvalue()


def folded(name: str, sheet: Table, data: object, *, shown: bool = True) -> str:
    """The table with its downloads as HTML, folded. The files are in the page itself: nothing
    is asked of a server, so this works in a static page too.

    name: of the files, without their ending; data: of the JSON file.
    """
    links = " · ".join(
        [
            link(f"{name}.csv", "text/csv", sheet.csv(), "CSV"),
            link(f"{name}.json", "application/json", json.dumps(data, indent=1), "JSON"),
        ]
    )
    return (
        f'<details class="wt-data"><summary>Data: the numbers, and as files</summary>'
        f"{sheet.html() if shown else ''}<p>Save all of it: {links}</p></details>"
    )


def assumptions(sentences: Sequence[str]) -> str:
    """What a forecast assumes as HTML, to stand below the figure with its line: one sentence
    plainly, several folded, nothing for none."""
    if not sentences:
        return ""
    first, *more = (html.escape(sentence) for sentence in sentences)
    if not more:
        return f'<div class="wt-data"><p><b>{ASSUMES}.</b> {first}</p></div>'
    items = "".join(f"<p>{each}</p>" for each in (first, *more))
    return f'<details class="wt-data"><summary>{ASSUMES}</summary>{items}</details>'


def link(name: str, kind: str, text: str, label: str) -> str:
    """A link that holds the file it saves."""
    data = base64.b64encode(text.encode()).decode()
    return f'<a download="{html.escape(name)}" href="data:{kind};base64,{data}">{label}</a>'
