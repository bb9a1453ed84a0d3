"""The classic experiments drawn: each source's figures and ours, side by side."""

from collections.abc import Sequence

from labs.kinds.classics.published import TABLES
from labs.kinds.classics.record import AB, LOCUST, Replication
from labs.present.palette import BLUE, GREEN, GREY, PURPLE
from labs.present.plot import (
    FROM_ZERO,
    HEIGHT,
    Figure,
    Shown,
    Trace,
    layout,
    line,
    nested,
    rule,
)
from labs.records.format import rate

COLOURS = {AB: (BLUE, "circle"), LOCUST: (GREEN, "diamond")}
STYLES = (("solid", ""), ("dash", "-open"))  # of the first setup and the second: line, marks

Spot = tuple[int, float | None, float | None]  # users, ratio, requests per second
Drawn = tuple[str, str, str, Sequence[Spot]]  # label, colour, symbol, and where


def ratios_figure(found: Replication) -> Figure:
    """Draw over the users what each did of what the law allows; of S4, of what one user gets."""
    source, name = TABLES[found.classic], found.classic.upper()
    theirs_at = {users for rows in source.rows.values() for users in rows}
    users = sorted(theirs_at | {each.users for each in found.run.tries})
    places = {count: place for place, count in enumerate(users)}
    traces: list[Trace] = []
    for number, (setup, rows) in enumerate(source.rows.items()):
        of, (dash, hollow) = f", {setup}" if setup else "", STYLES[number % 2]
        theirs = [(count, source.ratio(setup, count), rps) for count, rps in rows.items()]
        drawn: list[Drawn] = [(f"{name}{of}", GREY, "square", theirs)]
        for by, (colour, symbol) in COLOURS.items():
            tries = [each for each in found.run.by(by) if each.setup == setup]
            points = [(t.users, found.ratio(t), t.throughput_rps) for t in tries]
            drawn.append((f"ours by {by}{of}", colour, symbol, points))
        for (label, colour, symbol, spots), mark in zip(drawn, nested(len(drawn)), strict=True):
            there = [each for each in spots if each[1] is not None]
            x, ratios = [places[count] for count, _, _ in there], [ratio for _, ratio, _ in there]
            said = [rate(rps or 0.0) for _, _, rps in there]
            look: Shown = {"dash": dash, "width": 1.5, "size": mark, "symbol": f"{symbol}{hollow}"}
            look |= {"said": said, "hover": "{said}, {y:.2f}", "tag": label}
            if there:
                traces.append(line(label, x, ratios, colour, **look))
    scaled = "over that of one user" if found.classic == "s4" else "over what the law allows"
    made = layout(
        HEIGHT,
        {"l": 48, "r": 12, "t": 40, "b": 112},
        -0.3,
        xaxis={
            "title": {"text": "users"},
            "tickvals": list(places.values()),
            "ticktext": [str(count) for count in users],
            "range": [-0.4, len(users) - 0.6],
        },
        yaxis=FROM_ZERO,
        shapes=[rule(PURPLE, "dash", y=(1, 1), xref="paper")],
        title={"text": f"<b>Throughput {scaled}</b>", "font": {"size": 14}, "x": 0.01},
    )
    return {"data": traces, "layout": made}
