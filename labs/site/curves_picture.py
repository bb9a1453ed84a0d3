"""The still picture of curves: throughput and response time over the users, by bound and model.
Beside them, paler, the curves of other numbers of cores.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from markupsafe import Markup

from labs.records.format import cores
from labs.site.svg import dashed, drawing, line, text
from labs.theory import laws, queueing

WIDE, HIGH = 240, 130
LEFT, TOP = 60, 28
APART = 320  # from one plot to the other
POINTS = 40


def picture(numbers: Mapping[str, float], most: int, beside: Sequence[int] = ()) -> Markup:
    """An SVG for these numbers (seconds, as in the page), from one user to `most`; beside: numbers
    of cores whose curves by the model are drawn too, paler and with their names."""
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
    drawn = (
        Markup('<g transform="translate({})">{}</g>').format(
            index * APART, Markup("").join(_plot(most, *plot))
        )
        for index, plot in enumerate(plots)
    )
    return drawing(said, 190, drawn)


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

    for name, curve in beside:
        yield line(path(curve), 2, Markup(' stroke-opacity="0.45"'))
        height = TOP + HIGH * (1 - curve(most) / top)
        yield text(LEFT + WIDE - 4, height - 5, name, "end")
    yield line(f"M{LEFT} {TOP}V{TOP + HIGH}H{LEFT + WIDE}")
    yield line(path(bound), 1.5, dashed())
    yield line(path(model), 2.5)
    yield text(LEFT + 6, TOP - 10, title)
    yield text(LEFT - 6, TOP + 5, highest, "end")
    yield text(LEFT + WIDE, TOP + HIGH + 20, f"{most} users", "end")
