"""A mystery's numbers as tables, and as the words under its figure in a page."""

from __future__ import annotations

import html
from collections.abc import Sequence

from labs.kinds.mystery import verdict
from labs.kinds.mystery.record import Mystery
from labs.kinds.mystery.show import fixes_alt, fixes_figure
from labs.present.core_strip import strip_alt, strip_figure
from labs.present.html import static
from labs.present.tables import Table
from labs.records.format import digits, paragraphs
from labs.records.processes import Seen, Who

MS = 1000
KIB = 1024
NAMES: dict[Who, str] = {"server": "server", "generator": "load generator"}


def symptoms_sheet(mystery: Mystery) -> Table:
    """A row for each level of the server as it is: what was measured, and no forecast."""
    head = (
        *("users", "req/s", "response ms", "in service ms", "queued ms"),
        *("cores busy: server", "load generator", "others", "workers"),
    )
    rows = tuple(
        (
            str(point.users),
            _plain(point.throughput_rps),
            _plain(point.mean_response_time_s * MS),
            _plain(point.service_time_s, MS),
            _plain(point.queued_s, MS),
            _plain(point.server_cpu),
            _plain(point.generator_cpu),
            _plain(point.others_cpu),
            "" if point.workers is None else str(point.workers),
        )
        for point in mystery.before.points
    )
    return Table(head, rows)


def processes_sheet(mystery: Mystery) -> Table:
    """The process trees at the last level; a row for those who are alike."""
    head = (
        *("processes", "whose", "below", "threads each", "cores busy"),
        *("threads waiting for the disk", "written KiB/s", "open files"),
    )
    alike: dict[tuple[object, ...], list[Seen]] = {}
    for each in mystery.seen:
        key = (each.who, each.parent is None, each.threads, each.files)
        alike.setdefault(key, []).append(each)
    return Table(head, tuple(_alike(group) for group in alike.values()))


def variants_sheet(mystery: Mystery) -> Table:
    """A row for each variant and level, with its forecast and its limit."""
    riddle = verdict.riddle_of(mystery)
    head = ("server", "users", "req/s", "forecast req/s", "at most", "limit", "response ms")
    rows = []
    for variant, found in mystery.variants.items():
        for point in found.points:
            level = found.run.forecast.at(point.users)
            rows.append(
                (
                    riddle.name(variant),
                    str(point.users),
                    _plain(point.throughput_rps),
                    _plain(level.model_rps),
                    _plain(level.bound_rps),
                    level.limit,
                    _plain(point.mean_response_time_s * MS),
                )
            )
    return Table(head, tuple(rows))


def symptoms_html(mystery: Mystery) -> str:
    """The tables of what was seen. Nothing of it says what the limit is."""
    tables = f"<p>Level by level:</p>{symptoms_sheet(mystery).html()}"
    if mystery.seen:
        last = mystery.before.points[-1].users if mystery.before.points else 0
        tables += f"<p>The processes, at {last} users:</p>{processes_sheet(mystery).html()}"
    return f'<div class="wt-data">{tables}</div>'


def repaired_html(mystery: Mystery) -> str:
    """What the fixes brought."""
    return "".join(
        f"<p><b>{html.escape(label)}.</b> {html.escape(sentence)}</p>"
        for label, sentence in verdict.repaired(mystery)
    )


def mystery_words(mystery: Mystery) -> str:
    """Under a recorded figure: the other tools, and the solution folded away."""
    samples = mystery.before.run.samples
    strip = static(strip_figure(samples), alt=strip_alt(samples)).html() if samples else ""
    solution = paragraphs(verdict.revealed(mystery)) if mystery.before.points else ""
    if len(mystery.variants) > 1:
        drawn = static(fixes_figure(mystery), alt=fixes_alt(mystery)).html()
        solution += repaired_html(mystery) + drawn
        solution += f'<div class="wt-data">{variants_sheet(mystery).html()}</div>'
    return (
        f"{strip}{symptoms_html(mystery)}"
        '<details class="solution"><summary>What it is, and what two repairs brought</summary>'
        f'<div class="wt-verdict">{solution}</div></details>'
    )


def _alike(group: Sequence[Seen]) -> tuple[str, ...]:
    first = group[0]
    on_disk = [each.on_disk for each in group if each.on_disk is not None]
    written = [each.written_bps for each in group if each.written_bps is not None]
    parents = sorted({each.parent for each in group if each.parent is not None})
    return (
        str(len(group)),
        NAMES[first.who],
        f"process {parents[0]}" if parents else "",
        str(first.threads),
        _plain(sum(each.cpu for each in group)),
        _plain(sum(on_disk)) if on_disk else "",
        _plain(sum(written) / KIB) if written else "",
        ", ".join(first.files),
    )


def _plain(value: float | None, scale: float = 1.0) -> str:
    return "" if value is None else digits(value * scale)
