"""The still picture of Little's law: two staircases, and the area between them by rows."""

import itertools
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from labs.site.svg import box, dashed, drawing, line, text

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
    return drawing(said, 190, _parts(come, gone, over))


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
        how = Markup(' fill-opacity="{}"').format(0.35 if n % 2 else 0.18)
        yield box(x(a), BOTTOM - high * n, x(min(b, over)) - x(a), high, how)
    yield line(stairs(come), 2.5)
    yield line(stairs(gone), 1.5, dashed())
    yield line(f"M{x(over):.1f} {TOP}V{BOTTOM}", 1)
    yield text(LEFT, BOTTOM + 20, "0")
    yield text(x(over), BOTTOM + 20, f"watched for {over:g} s", "end")
    yield text(x(over) - 8, BOTTOM - 10, "solid: have come; dashed: have left", "end")
