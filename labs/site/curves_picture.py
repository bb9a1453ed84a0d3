"""The still picture of curves: throughput and response time over the users, by bound and model.
Beside them, paler, the curves of other numbers of cores.

For readers without JavaScript, and in print. In the page's own colours, as the other drawings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from markupsafe import Markup

from labs.records.format import cores
from labs.site.scene_picture import NUMBERS
from labs.theory import laws, queueing

WIDE, HIGH = 240, 130
LEFT, TOP = 60, 28
APART = 320  # from one plot to the other
POINTS = 40


def picture(given: Mapping[str, float], most: int, beside: Sequence[int] = ()) -> Markup:
    """An SVG for these numbers (seconds, as in the page), from one user to `most`; beside: numbers
    of cores whose curves by the model are drawn too, paler and with their names."""
    numbers = {**NUMBERS, **given}
    D, V, Z = numbers["cpu"], numbers["wait"], numbers["think"]
    W, c = int(numbers["workers"]), int(numbers["cores"])

    def model(N: int, c: int = c) -> float:
        return queueing.closed(N, D, V, tuple(range(1, c + 1)), W=W, Z=Z)

    def bound(N: int) -> float:
        return laws.bound(N, D, V, Z=Z, c=c, W=W)

    def response_bound(N: int) -> float:
        return laws.response_time_bound(N, D, V, Z=Z, c=c, W=W)

    def response(N: int, c: int = c) -> float:
        return laws.response_time(N, model(N, c), Z)

    highest = max([bound(most), *(model(most, n) for n in beside)])
    slowest = max([response_bound(most), response(most), *(response(most, n) for n in beside)])
    said = (
        f"From 1 to {most} users: throughput rises to {model(most):.3g} requests a second, of at "
        f"most {bound(most):.3g}; the response time goes from {D + V:.3g} s to "
        f"{response(most):.3g} s."
    )
    for n in beside:
        said += f" With {cores(n)}: {model(most, n):.3g} requests a second."
    pale = [(cores(n), partial(model, c=n)) for n in beside]
    slow = [(cores(n), partial(response, c=n)) for n in beside]
    plots = [
        ("requests a second", f"{highest:.3g}", highest, bound, model, pale),
        ("response time", f"{slowest:.3g} s", slowest, response_bound, response, slow),
    ]
    frame = Markup(
        '<svg viewBox="0 0 640 190" role="img" aria-label="{}" fill="currentColor" '
        'font-size="15" font-family="inherit">{}</svg>\n'
    )
    drawn = Markup("").join(
        Markup('<g transform="translate({})">{}</g>').format(
            index * APART, Markup("").join(_plot(most, *plot))
        )
        for index, plot in enumerate(plots)
    )
    return frame.format(said, drawn)


def _plot(
    most: int,
    title: str,
    highest: str,
    top: float,
    bound: Callable[[int], float],
    model: Callable[[int], float],
    beside: Sequence[tuple[str, Callable[[int], float]]],
) -> Iterator[Markup]:
    users = sorted({max(1, round(most * part / POINTS)) for part in range(1, POINTS + 1)})

    def path(of: Callable[[int], float]) -> str:
        places = (
            f"{LEFT + WIDE * N / most:.1f} {TOP + HIGH * (1 - of(N) / top):.1f}" for N in users
        )
        return "M" + "L".join(places)

    line = Markup('<path d="{}" fill="none" stroke="currentColor" stroke-width="{}"{}/>')
    text = Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>')
    for name, curve in beside:
        yield line.format(path(curve), 2, Markup(' stroke-opacity="0.45"'))
        height = TOP + HIGH * (1 - curve(most) / top)
        yield text.format(LEFT + WIDE - 4, f"{height - 5:.1f}", "end", name)
    axes = f"M{LEFT} {TOP}V{TOP + HIGH}H{LEFT + WIDE}"
    yield line.format(axes, 1.3, "")
    yield line.format(path(bound), 1.5, Markup(' stroke-dasharray="6 5"'))
    yield line.format(path(model), 2.5, "")
    yield text.format(LEFT + 6, TOP - 10, "start", title)
    yield text.format(LEFT - 6, TOP + 5, "end", highest)
    yield text.format(LEFT + WIDE, TOP + HIGH + 20, "end", f"{most} users")
