"""The still pictures of two scenes, ceilings and core-hopping, by their laws.

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
