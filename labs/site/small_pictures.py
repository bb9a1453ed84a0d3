"""The still pictures of four scenes: ceilings, samples, core-hopping and quota, by their laws.

For readers without JavaScript, and in print. In the page's own colours, as the other drawings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from markupsafe import Markup

from labs.site.scene_picture import NUMBERS
from labs.theory import laws

WIDE = 640
LEFT, RIGHT = 110, 530  # edges of bars, with words on both sides
ROW = 30
PERIOD_S = 0.1  # of a quota, as Linux has it
PERIODS = 5
MOVES = 24
GOLDEN = 0.618034  # steps of this part go over all cores without a pattern


def ceilings(given: Mapping[str, float]) -> Markup:
    """Bars as long as each thing allows requests a second; the lowest is filled."""
    of = {**NUMBERS, **given}
    everything = sum(of[name] for name in ("cpu", "wait", "locked", "query", "disk"))
    needs = {
        "pool": laws.ceiling(of["workers"], everything),
        "cores": laws.ceiling(of["cores"], of["cpu"]),
        "lock": laws.ceiling(1, of["locked"]),
        "database": laws.ceiling(of["connections"], of["query"]),
        "disk": laws.ceiling(1, of["disk"]),
    }
    shown = {name: allows for name, allows in needs.items() if allows < math.inf}
    lowest, highest = min(shown, key=lambda name: shown[name]), max(shown.values())
    parts = []
    for row, (name, allows) in enumerate(shown.items()):
        y, wide = 8 + ROW * row, (RIGHT - LEFT) * allows / highest
        parts += [
            _box(LEFT, y, wide, 20, 0.65 if name == lowest else 0),
            _text(LEFT - 10, y + 15, name, "end"),
            _text(LEFT + wide + 10, y + 15, f"{allows:.3g}"),
        ]
    said = ", ".join(f"{name} {allows:.3g}" for name, allows in shown.items())
    end = LEFT + (RIGHT - LEFT) * shown[lowest] / highest
    parts.append(_line(f"M{end:.1f} 2V{8 + ROW * len(shown)}", dash="5 4"))
    return _frame(
        f"Requests a second that each allows: {said}. The lowest, {lowest}, holds, "
        "whatever the others allow.",
        12 + ROW * len(shown),
        parts,
    )


def samples(given: Mapping[str, float]) -> Markup:
    """For two tests of so many requests, where their means are going to lie, nineteen times of
    twenty, and the difference."""
    of = {**NUMBERS, **given}
    half = 1.96 * of["deviation"] / of["requests"] ** 0.5
    both = half * 2**0.5
    first, last = -half * 1.2, of["apart"] + half * 1.2
    rows = [("one", 0.0, half), ("the other", of["apart"], half)]
    parts = []
    for row, (name, middle, around) in enumerate(rows):
        y = 14 + ROW * row
        wide = (RIGHT - LEFT) / (last - first)
        x = LEFT + (middle - first) * wide
        parts += [
            _text(LEFT - 10, y + 5, name, "end"),
            _line(f"M{x - around * wide:.1f} {y}H{x + around * wide:.1f}", thick=5),
            Markup('<circle cx="{:.1f}" cy="{}" r="6"/>').format(x, y),
            _text(RIGHT + 10, y + 5, f"± {1000 * around:.3g} ms"),
        ]
    said = (
        f"Two tests of {of['requests']:.0f} requests each. Their means waver by "
        f"{1000 * half:.3g} ms, the difference by {1000 * both:.3g} ms; the servers are "
        f"{1000 * of['apart']:.3g} ms apart."
    )
    parts.append(
        _text(
            LEFT,
            84,
            f"the difference: {1000 * of['apart']:.3g} ± {1000 * both:.3g} ms",
        )
    )
    return _frame(said, 94, parts)


def hopping(given: Mapping[str, float]) -> Markup:
    """Rows of cores with one thread at work on another core each time."""
    cores = int({**NUMBERS, **given}["cores"])
    step = (RIGHT - LEFT) / MOVES
    parts = []
    for core in range(cores):
        y = 8 + ROW * core
        stays = [move for move in range(MOVES) if int(move * GOLDEN % 1 * cores) == core]
        parts += [
            _box(LEFT, y, RIGHT - LEFT, 20, 0),
            _text(LEFT - 10, y + 15, f"core {core}", "end"),
        ]
        parts += [_box(LEFT + step * move, y, step, 20, 0.65) for move in stays]
        parts.append(_text(RIGHT + 10, y + 15, f"{len(stays) / MOVES:.0%}".replace("%", " %")))
    said = (
        f"One thread on {cores} cores: never two at work at once, and each of them busy for a "
        "part of the time."
    )
    return _frame(said, 12 + ROW * cores, parts)


def quota(given: Mapping[str, float]) -> Markup:
    """What is left of the budget over some periods, and when the workers stand still."""
    of = {**NUMBERS, **given}
    running = min(of["workers"], of["cores"])
    allowed = of["quota"] or of["cores"]
    runs = min(1.0, allowed / running)  # of a period
    period = (RIGHT - LEFT) / PERIODS
    parts = [_text(LEFT - 10, 30, "budget", "end"), _text(LEFT - 10, 115, "workers", "end")]
    for each in range(PERIODS):
        x = LEFT + each * period
        parts.append(_line(f"M{x:.1f} 14L{x + runs * period:.1f} 84H{x + period:.1f}", thick=2))
        parts.append(_box(x, 100, runs * period, 20, 0.65))
    parts.append(_text(LEFT, 142, f"{PERIODS * PERIOD_S:g} s"))
    said = (
        f"A budget of {1000 * allowed * PERIOD_S:.3g} ms CPU time for each 100 ms: "
        f"{of['workers']:.0f} workers run for {100 * runs:.3g} ms of them and stand still for "
        f"{100 - 100 * runs:.3g}."
    )
    return _frame(said, 150, parts)


def _frame(said: str, high: int, parts: Iterable[Markup]) -> Markup:
    svg = Markup(
        '<svg viewBox="0 0 {} {}" role="img" aria-label="{}" fill="currentColor" '
        'font-size="15" font-family="inherit">{}</svg>\n'
    )
    return svg.format(WIDE, high, said, Markup("").join(parts))


def _box(x: float, y: float, wide: float, high: float, filled: float) -> Markup:
    box = Markup(
        '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2" fill-opacity="{:g}" '
        'stroke="currentColor" stroke-width="1.2"/>'
    )
    return box.format(x, y, wide, high, filled)


def _text(x: float, y: float, words: str, anchor: str = "start") -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        x, y, anchor, words
    )


def _line(path: str, thick: float = 1.3, dash: str = "") -> Markup:
    return Markup('<path d="{}" fill="none" stroke="currentColor" stroke-width="{:g}"{}/>').format(
        path, thick, Markup(' stroke-dasharray="{}"').format(dash) if dash else ""
    )
