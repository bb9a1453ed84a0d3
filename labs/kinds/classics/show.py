"""The classic experiments drawn and told: the source's figure, the law's and ours, side by side.

Two machines are set side by side by what each did of what the law allows it, so that neither the
number of cores nor the price of a page takes part.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from labs.kinds.classics.published import TABLES, Printed, Table
from labs.kinds.classics.record import AB, LOCUST, Retrial, Tried
from labs.kinds.classics.tree_figure import tree_figure, tree_said, tree_table
from labs.present.palette import BLUE, GREEN, GREY, PURPLE
from labs.present.plot import HEIGHT, Figure, finite
from labs.records.format import digits, paragraphs, percent, plain, rate, table

NONE = "–"
COLOURS = {AB: (BLUE, "circle"), LOCUST: (GREEN, "diamond")}


def retrial_figure(retrial: Retrial) -> Figure:
    """Over the users, what each did of what the law allows; of S4, of what one user gets; of S3,
    user and system time of both trees."""
    return tree_figure(retrial) if retrial.classic == "s3" else _ratios(retrial)


def retrial_alt(retrial: Retrial) -> str:
    """The figure in sentences."""
    return " ".join(retrial_said(retrial))


def retrial_words(retrial: Retrial) -> str:
    """Under the figure, as HTML: the verdict, and the table."""
    sentences = paragraphs(retrial_said(retrial))
    rows = tree_table(retrial) if retrial.classic == "s3" else _table(retrial)
    return f'<div role="status">{sentences}</div>{table(*rows)}'


def retrial_said(retrial: Retrial) -> list[str]:
    """The verdict, a sentence each."""
    said = [f"{name} {missing}." for name, missing in _missing(retrial)]
    if retrial.classic == "s3":
        return said + list(tree_said(retrial))
    name = retrial.classic.upper()
    whose: list[tuple[str, list[float]]] = [(name, list(_theirs(retrial)))]
    whose += [(f"ours by {by}", list(_ours(retrial, by))) for by in (AB, LOCUST)]
    for who, ratios in whose:
        if ratios and retrial.classic != "s4":
            worst = max(ratios, key=lambda ratio: abs(ratio - 1))
            said.append(
                f"Of what the law allows, {who} has {percent(statistics.median(ratios))} in the "
                f"middle row and {percent(worst)} in the one farthest from it."
            )
        elif ratios:
            said.append(
                f"From one user to many, throughput rises to {digits(max(ratios), 2)} times that "
                f"of one in {who}."
            )
    return said


def retrial_rows(retrial: Retrial) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Head and rows of the table of all numbers."""
    head = (
        *("setup", "users", "by", "server", "requests", "failed", "s", "req/s", "law req/s"),
        *("source req/s", "its law req/s", "mean ms", "longest ms", "X R / N", "generator's cores"),
        *("server's cores", "server's CPU ms a request", "queue overflows", "backlog", "command"),
    )
    return head, tuple(_all(retrial, each) for run in retrial.runs for each in run.tries)


def _all(retrial: Retrial, each: Tried) -> tuple[str, ...]:
    first = (each.setup, str(each.users), each.by, each.server)
    if each.missing:
        return (*first, *[""] * 15, each.missing)
    printed, law, theirs = _row(retrial, each.setup, each.users)
    return (
        *first,
        str(each.requests),
        str(each.failed),
        plain(each.seconds),
        plain(each.throughput_rps),
        plain(law),
        plain(printed.throughput_rps if printed else None),
        plain(theirs),
        plain(each.mean_response_time_s * 1000),
        plain(each.longest_s and each.longest_s * 1000),
        f"{each.littles_law:.2f}",
        plain(each.generator_cpu),
        plain(each.server_cpu),
        plain(each.server_s * 1000),
        str(each.overflows),
        "" if each.backlog is None else str(each.backlog),
        each.command,
    )


def _ratios(retrial: Retrial) -> Figure:
    rows, name = TABLES[retrial.classic].rows, retrial.classic.upper()
    users = sorted({row.users for row in rows})
    places = {count: place for place, count in enumerate(users)}
    setups = list(dict.fromkeys(row.setup for row in rows))
    traces: list[dict[str, Any]] = []
    for number, setup in enumerate(setups):
        of = f", {setup}" if setup else ""
        dash = ("solid", "dash")[number % 2]
        mine = [row for row in rows if row.setup == setup]
        drawn: list[tuple[str, str, str, list[tuple[int, float | None, float | None]]]] = [
            (
                f"{name}{of}",
                GREY,
                "square",
                [(row.users, _their_ratio(retrial, row), row.throughput_rps) for row in mine],
            )
        ]
        for by, (colour, symbol) in COLOURS.items():
            tries = [each for each in _tries(retrial, by) if each.setup == setup]
            points = [(t.users, _our_ratio(retrial, t), t.throughput_rps) for t in tries]
            drawn.append((f"ours by {by}{of}", colour, symbol, points))  # type: ignore[arg-type]
        for label, colour, symbol, values in drawn:
            there = [each for each in values if each[1] is not None]
            if not there:
                continue
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "name": label,
                    "x": [places[count] for count, _, _ in there],
                    "y": finite([ratio or 0.0 for _, ratio, _ in there]),
                    "line": {"color": colour, "width": 1.5, "dash": dash},
                    "marker": {
                        "color": colour,
                        "size": 9,
                        "symbol": symbol if number % 2 == 0 else f"{symbol}-open",
                    },
                    "customdata": [rate(rps or 0.0) for _, _, rps in there],
                    "hovertemplate": f"%{{customdata}}, %{{y:.2f}}<extra>{label}</extra>",
                }
            )
    scaled = "over that of one user" if retrial.classic == "s4" else "over what the law allows"
    return {
        "data": traces,
        "layout": {
            "height": HEIGHT,
            "margin": {"l": 48, "r": 12, "t": 40, "b": 104},
            "hovermode": "closest",
            "legend": {"orientation": "h", "x": 0, "y": -0.26, "yanchor": "top"},
            "xaxis": {
                "title": {"text": "users"},
                "tickvals": list(places.values()),
                "ticktext": [str(count) for count in users],
                "range": [-0.4, len(users) - 0.6],
            },
            "yaxis": {"rangemode": "tozero"},
            "shapes": [
                {
                    "type": "line",
                    "xref": "paper",
                    "x0": 0,
                    "x1": 1,
                    "y0": 1,
                    "y1": 1,
                    "line": {"color": PURPLE, "dash": "dash", "width": 1.5},
                }
            ],
            "title": {"text": f"<b>Throughput {scaled}</b>", "font": {"size": 14}, "x": 0.01},
        },
    }


def _table(retrial: Retrial) -> tuple[Sequence[str], list[tuple[str, ...]]]:
    """A row for each of the source's."""
    source, name = TABLES[retrial.classic], retrial.classic.upper()
    several = len({row.setup for row in source.rows}) > 1
    flat = retrial.classic == "s4"
    there = f"{name}, {source.cores} cores"
    here = f"ours, {retrial.machine.cores} cores"
    scale = "over one user" if flat else "of the law"
    law = ("its law",), ("our law",)
    head = [
        *(("setup",) if several else ()),
        "users",
        f"{there}: req/s",
        *(() if flat else law[0]),
        scale,
        *(() if flat else law[1]),
        f"{here}: ab",
        scale,
        "ab's cores",
        "Locust",
        scale,
        "Locust's cores",
    ]
    rows = []
    for row in source.rows:
        _, ours, theirs = _row(retrial, row.setup, row.users)
        rows.append(
            (
                *((row.setup or "long listen queue",) if several else ()),
                str(row.users),
                _range(row),
                *(() if flat else (_shown(theirs),)),
                _times(_their_ratio(retrial, row)),
                *(() if flat else (_shown(ours),)),
                *_cells(retrial, row, AB),
                *_cells(retrial, row, LOCUST),
            )
        )
    return head, rows


def _cells(retrial: Retrial, row: Printed, by: str) -> tuple[str, str, str]:
    try:
        found = retrial.tried(row.setup, row.users, by)
    except KeyError:
        return NONE, NONE, NONE
    if found.missing:
        return found.missing, NONE, NONE
    ratio = _times(_our_ratio(retrial, found))
    return digits(found.throughput_rps), ratio, digits(found.generator_cpu, 2)


def _row(
    retrial: Retrial, setup: str, users: int
) -> tuple[Printed | None, float | None, float | None]:
    """What the source printed, what the law allows here, and what it allowed there."""
    if retrial.classic == "s3":
        return None, None, None
    source = TABLES[retrial.classic]
    try:
        printed = source.row(setup, users)
    except KeyError:
        printed = None
    ours = source.law_rps(setup, users, retrial.machine.cores)
    return printed, ours, source.law_rps(setup, users, source.cores)


def _their_ratio(retrial: Retrial, row: Printed) -> float | None:
    source = TABLES[retrial.classic]
    law = source.law_rps(row.setup, row.users, source.cores) or _one(source, row.setup)
    return row.throughput_rps / law if row.throughput_rps and law else None


def _our_ratio(retrial: Retrial, tried: Tried) -> float | None:
    """To the law; of S4, to the row of one user."""
    _, law, _ = _row(retrial, tried.setup, tried.users)
    if law is None:
        try:
            law = retrial.tried(tried.setup, 1, tried.by).throughput_rps
        except KeyError:
            return None
    return tried.throughput_rps / law


def _one(source: Table, setup: str) -> float | None:
    try:
        return source.row(setup, 1).throughput_rps
    except KeyError:
        return None


def _theirs(retrial: Retrial) -> Iterator[float]:
    seen = set()
    for row in TABLES[retrial.classic].rows:
        ratio = _their_ratio(retrial, row)
        if ratio is not None and (row.users, row.throughput_rps) not in seen:
            seen.add((row.users, row.throughput_rps))
            yield ratio


def _ours(retrial: Retrial, by: str) -> Iterator[float]:
    for tried in _tries(retrial, by):
        ratio = _our_ratio(retrial, tried)
        if ratio is not None:
            yield ratio


def _tries(retrial: Retrial, by: str) -> list[Tried]:
    return [each for each in retrial.run.tries if each.by == by and not each.missing]


def _missing(retrial: Retrial) -> list[tuple[str, str]]:
    """What was not here, each once."""
    found = dict.fromkeys(each.missing for each in retrial.run.tries if each.missing)
    return [("Not measured:", missing) for missing in found]


def _range(row: Printed) -> str:
    if row.throughput_rps is None:
        return NONE
    plain = f"{row.throughput_rps:g}"
    return f"{plain} to {row.most_rps:g}" if row.most_rps else plain


def _shown(value: float | None) -> str:
    return NONE if value is None else digits(value, 4)


def _times(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"
