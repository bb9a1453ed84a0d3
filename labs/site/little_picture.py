"""The still picture of Little's law: two staircases, and the area between them by rows.

For readers without JavaScript, and in print. In the page's own colours, as the other drawings.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from markupsafe import Markup

LEFT, RIGHT, TOP, BOTTOM = 8, 632, 10, 164
AFTER = 1.2  # of the watched time is drawn


def picture(arrive: Sequence[float], leave: Sequence[float], over: float) -> Markup:
    """An SVG of who comes when and leaves when, seen by somebody who watches for `over` (s)."""
    come, gone = sorted(arrive), sorted(leave)
    inside = by_columns(arrive, leave, over) / over
    stays = [left - came for came, left in zip(arrive, leave, strict=True) if left <= over]
    said = (
        f"In {over:g} s {len(stays)} requests have left, each after "
        f"{sum(stays) / len(stays):.3g} s on average; {inside:.3g} were inside on average."
    )
    frame = Markup(
        '<svg viewBox="0 0 640 190" role="img" aria-label="{}" fill="currentColor" '
        'font-size="15" font-family="inherit">{}</svg>\n'
    )
    return frame.format(said, Markup("").join(_parts(come, gone, over)))


def by_columns(arrive: Sequence[float], leave: Sequence[float], until: float) -> float:
    """The area (requests times s), counted by how many are inside from one moment to the next."""
    moments = sorted({0.0, until, *(at for at in (*arrive, *leave) if at < until)})
    return sum(
        sum(a <= here < b for a, b in zip(arrive, leave, strict=True)) * (there - here)
        for here, there in itertools.pairwise(moments)
    )


def _parts(come: Sequence[float], gone: Sequence[float], over: float) -> Iterator[Markup]:
    high = (BOTTOM - TOP) / len(come)

    def x(at: float) -> float:
        return LEFT + (RIGHT - LEFT) * at / (AFTER * over)

    def stairs(of: Sequence[float]) -> str:
        steps = "".join(f"H{x(at):.1f}V{BOTTOM - high * n:.1f}" for n, at in enumerate(of, 1))
        return f"M{LEFT} {BOTTOM}{steps}H{RIGHT}"

    for n, (a, b) in enumerate(zip(come, gone, strict=True), 1):
        yield Markup(
            '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill-opacity="{}"/>'
        ).format(x(a), BOTTOM - high * n, x(min(b, over)) - x(a), high, 0.35 if n % 2 else 0.18)
    line = Markup('<path d="{}" fill="none" stroke="currentColor" stroke-width="{}"{}/>')
    yield line.format(stairs(come), 2.5, "")
    yield line.format(stairs(gone), 1.5, Markup(' stroke-dasharray="6 5"'))
    yield line.format(f"M{x(over):.1f} {TOP}V{BOTTOM}", 1, "")
    text = Markup('<text x="{:.1f}" y="{}" text-anchor="{}">{}</text>')
    yield text.format(LEFT, BOTTOM + 20, "start", "0")
    yield text.format(x(over), BOTTOM + 20, "end", f"watched for {over:g} s")
    yield text.format(x(over) - 8, BOTTOM - 10, "end", "solid: have come; dashed: have left")
