"""Bets against measurements: a point for each, on axes that grow by factors, and the line on which
both are the same. The static page draws the same by itself (book/web/src/scatter.ts). Pure."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import escape

from labs.present.palette import GREEN, GREY
from labs.present.plot import LOG, Axis, Figure, dots, layout, line
from labs.records.format import NARROW, digits

LEAST, MOST = 1e-6, 1e12  # no rate, time or memory lies outside
SIDE = 360  # pixels of the plot, and of a telephone's
MOST_TICKS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Bet:
    """What somebody said and what was measured then, in that unit."""

    lab: str
    unit: str
    said: float
    measured: float


def bets_figure(all_bets: Iterable[Bet]) -> Figure:
    """A point for each bet that has a place on the axes; a figure without data where none has."""
    bets = drawn(all_bets)
    if not bets:
        return {"data": [], "layout": {}}
    values = [value for bet in bets for value in (bet.said, bet.measured)]
    low = math.floor(math.log10(min(values)))
    high = max(low + 1, math.ceil(math.log10(max(values))))
    ends = [10.0**low, 10.0**high]
    same = line("as you said", ends, ends, GREY, dash="dash", width=1.5)
    said = [
        f"{escape(bet.lab)}: you said {_say(bet.said, bet)}, and it was {_say(bet.measured, bet)}"
        for bet in bets
    ]
    x, y = [bet.said for bet in bets], [bet.measured for bet in bets]
    points = dots("your bets", x, y, GREEN, size=10, said=said, hover="{said}")
    margin = {"l": 64, "r": 16, "t": 16, "b": 96}
    return {
        "data": [same, points],
        "layout": layout(
            SIDE + margin["t"] + margin["b"],
            margin,
            -0.18,
            xaxis={**_axis(low, high), "title": {"text": f"you said{LOG}"}},
            yaxis={**_axis(low, high), "title": {"text": f"it was{LOG}"}},
        ),
    }


def bets_alt(all_bets: Iterable[Bet]) -> str:
    """The same in words; "" without a point."""
    bets = drawn(all_bets)
    if not bets:
        return ""
    count = "one bet" if len(bets) == 1 else f"{len(bets)} bets"
    more = sum(bet.said > bet.measured for bet in bets)
    less = sum(bet.said < bet.measured for bet in bets)
    return (
        f"What was said against what was measured, for {count}, both on logarithmic axes. "
        f"Too high: {more}. Too low: {less}. The table has the numbers."
    )


def drawn(bets: Iterable[Bet]) -> Sequence[Bet]:
    """Those with a place on the axes."""
    return [bet for bet in bets if LEAST <= bet.said <= MOST and LEAST <= bet.measured <= MOST]


def _axis(low: int, high: int) -> Axis:
    powers = range(low, high + 1, math.ceil((high - low) / MOST_TICKS))
    ticks = [10.0**power for power in powers]
    labels = [digits(each) for each in ticks]
    return {"type": "log", "range": [low, high], "tickvals": ticks, "ticktext": labels}


def _say(value: float, bet: Bet) -> str:
    return f"{digits(value)}{NARROW}{escape(bet.unit)}"
