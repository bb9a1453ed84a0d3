"""What was measured as a table: to read in the page, and to take away as CSV or JSON."""

from __future__ import annotations

import base64
import csv
import html
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labs.findings import Checkup, Clocks
from labs.records import Experiment, Point, Prediction, Recording
from labs.still_figures import checkup_rows
from labs.verdict import ASSUMES, service, split
from labs.words import plain, table

MS = 1000
MIB = 2**20


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of text."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""  # a sentence below it

    def html(self) -> str:
        return table(self.head, self.rows) + (f"<p>{html.escape(self.note)}</p>" * bool(self.note))

    def csv(self) -> str:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.head, *self.rows])
        return text.getvalue()


def folded(name: str, table: Sheet, data: object, *, shown: bool = True) -> str:
    """The table with its downloads as HTML, folded. The files are in the page itself: nothing
    is asked of a server, so this works in a static page too.

    name: of the files, without their ending; data: of the JSON file.
    """
    links = " · ".join(
        [
            link(f"{name}.csv", "text/csv", table.csv(), "CSV"),
            link(f"{name}.json", "application/json", json.dumps(data, indent=1), "JSON"),
        ]
    )
    return (
        f'<details class="wt-data"><summary>Data: the numbers, and as files</summary>'
        f"{table.html() if shown else ''}<p>Save all of it: {links}</p></details>"
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


def sweep_sheet(recording: Recording, explanation: Prediction | None = None) -> Sheet:
    """A row for each level."""
    head = (
        "users",
        "req/s",
        "from",
        "to",
        "bound req/s",
        "forecast req/s",
        "with CPU as measured",
        "limit",
        "mean ms",
        "p50 ms",
        "p90 ms",
        "p99 ms",
        "in service ms",
        "queued ms",
        "CPU ms",
        "cores busy",
        "voluntary switches",
        "involuntary switches",
        "never served",
        "queue overflows",
        "memory MiB",
        "connections",
        "X (R+Z) / N",
        "to know",
    )
    forecast = recording.run.forecast
    rows = tuple(
        _level(recording.experiment, point, forecast, explanation) for point in recording.points
    )
    told = any(point.service_time_s is not None for point in recording.points)
    return Sheet(head, rows, service(recording.experiment.server) if told else "")


def comparison_sheet(parts: Mapping[str, tuple[Recording, Prediction | None]]) -> Sheet:
    """A row for each part and level; each part with its explanation."""
    head: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = []
    for label, (part, explanation) in parts.items():
        table = sweep_sheet(part, explanation)
        head = ("part", *table.head)
        rows += [(label, *row) for row in table.rows]
    return Sheet(head, tuple(rows))


def _level(
    experiment: Experiment, point: Point, forecast: Prediction, explanation: Prediction | None
) -> tuple[str, ...]:
    low, high = point.throughput_ci_rps
    level = forecast.at(point.users)
    percentiles = (point.percentile_s(fraction) for fraction in (0.5, 0.9, 0.99))
    return (
        str(point.users),
        plain(point.throughput_rps),
        plain(low),
        plain(high),
        plain(level.bound_rps),
        plain(level.model_rps),
        plain(explanation.at(point.users).model_rps) if explanation else "",
        level.limit,
        plain(point.mean_response_time_s * MS),
        *("" if value is None else plain(value * MS) for value in percentiles),
        *(
            "" if value is None else plain(value * MS)
            for value in (point.service_time_s, point.queued_s)
        ),
        plain(point.demand_s * MS),
        plain(point.server_cpu),
        *(plain(value) for value in (point.voluntary_switches, point.involuntary_switches)),
        str(point.never_served),
        str(point.listen_overflows),
        "" if point.pss_bytes is None else plain(point.pss_bytes / MIB),
        split(experiment, point).replace(" connections", ""),
        f"{point.littles_law:.2f}",
        " ".join(("Unfit: " if check.unfit else "") + check.sentence for check in point.checks),
    )


def clocks_sheet(clocks: Clocks) -> Sheet:
    """A row for each page."""
    head = (
        "page",
        "wall ms",
        "server's CPU ms",
        "waiting ms",
        "CPU / wall",
        "client",
        "its real ms",
        "its user ms",
        "its sys ms",
    )
    rows = tuple(
        (
            page.name,
            plain(page.median_wall_s * MS),
            plain(page.median_cpu_s * MS),
            plain(page.median_wait_s * MS),
            f"{page.cpu_fraction:.3f}",
            page.client.program,
            plain(page.client.real_s * MS),
            plain(page.client.user_s * MS),
            plain(page.client.system_s * MS),
        )
        for page in clocks.run.pages
    )
    return Sheet(head, rows)


def checkup_sheet(checkup: Checkup) -> Sheet:
    """A row for each thing to know of a machine."""
    return Sheet(("what", "found", "why it matters"), tuple(checkup_rows(checkup)))
