"""The classic experiments drawn: the source's ratios to the law, and ours, over the users."""

from __future__ import annotations

from typing import Any

from labs.kinds.classics.published import TABLES
from labs.kinds.classics.record import AB, LOCUST, Replication
from labs.present.palette import BLUE, GREEN, GREY, PURPLE
from labs.present.plot import HEIGHT, Figure, finite
from labs.records.format import rate

COLOURS = {AB: (BLUE, "circle"), LOCUST: (GREEN, "diamond")}


def ratios_figure(found: Replication) -> Figure:
    """Over the users, what each did of what the law allows; of S4, of what one user gets."""
    source, name = TABLES[found.classic], found.classic.upper()
    rows = source.rows
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
                [(row.users, source.ratio(row), row.throughput_rps) for row in mine],
            )
        ]
        for by, (colour, symbol) in COLOURS.items():
            tries = [each for each in found.run.by(by) if each.setup == setup]
            points = [(t.users, found.ratio(t), t.throughput_rps) for t in tries]
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
    scaled = "over that of one user" if found.classic == "s4" else "over what the law allows"
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
