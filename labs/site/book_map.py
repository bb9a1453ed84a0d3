"""The map of the book: a drawing of all its pages as stops of two lines, with a link at each.

Computing and waiting leave from the reader's own machine, have a part of the book each, and run
side by side through the third, whose pages do both. The parts and their pages are those of
_toc.yml. It is drawn wide, and narrow for a telephone; the style sheet is book/web/front.css.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

ROW = 34  # from one stop to the next
BACK_ROW = 27  # the same at the back, where no line goes
HEADING = 58
START = 30
BEND = 14  # radius
TITLES = ("Part I", "Part II", "Part III")
RULES = ("the cores decide", "the pool decides", "the lowest limit decides")


@dataclass(frozen=True, kw_only=True)
class Stop:
    """A page."""

    title: str
    address: str  # as seen from the page with the map


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of the book, with its heading in _toc.yml; the first has none."""

    caption: str
    stops: tuple[Stop, ...]


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """Where things stand, in units of the drawing."""

    name: str
    width: int
    tracks: tuple[int, int]  # of computing and of waiting, where each is alone
    labels: tuple[int, int]  # beside them
    together: tuple[int, int]  # both tracks, in the third part
    beside: int  # their labels
    back: int  # labels of what stands at the back
    columns: bool  # whether two parts stand side by side


WIDE = _Plan(
    name="wide",
    width=720,
    tracks=(16, 384),
    labels=(40, 408),
    together=(16, 38),
    beside=62,
    back=408,
    columns=True,
)
NARROW = _Plan(
    name="narrow",
    width=340,
    tracks=(14, 36),
    labels=(60, 60),
    together=(14, 36),
    beside=60,
    back=60,
    columns=False,
)


def drawing(parts: Sequence[Part]) -> Markup:
    """The map as two SVGs, of which the style sheet shows one. ValueError when the book has not
    the parts that the map knows: a start, three parts, and what stands at the back."""
    if len(parts) != 5:
        raise ValueError(
            f"{len(parts)} parts in _toc.yml: the map draws a start, three parts and the back. "
            "Change labs/site/book_map.py with them."
        )
    return Markup("").join(_svg(plan, parts) for plan in (WIDE, NARROW))


def words(parts: Sequence[Part]) -> str:
    """What the drawing shows."""
    _, *three, back = parts
    told = "; ".join(
        f"{title}, {part.caption}: {len(part.stops)} pages, {rule}"
        for title, part, rule in zip(TITLES, three, RULES, strict=True)
    )
    return (
        "A map like that of an underground railway. Two lines, computing and waiting, leave from "
        f"your machine, stop at the pages of a part each, and join in the third. {told}. "
        f"{len(back.stops)} pages stand at the back."
    )


def _svg(plan: _Plan, parts: Sequence[Part]) -> Markup:
    start, first, second, third, back = parts
    (x1, x2), (both1, both2) = plan.tracks, plan.together
    top = START + 46
    top2 = top if plan.columns else top + _height(first)
    end = max(top + _height(first), top2 + _height(second))
    top3 = end + (12 if plan.columns else 0)
    top4 = top3 if plan.columns else top3 + _height(third)
    height = max(top3 + _height(third), top4 + 44 + BACK_ROW * len(back.stops))
    last = _stops_from(top3) + ROW * (len(third.stops) - 1)
    turn = START + 24
    across = f"V{end - BEND}a{BEND} {BEND} 0 0 1 -{BEND} {BEND}H{both2 + BEND}"
    tracks = [
        Markup('<path class="wt-computing" d="M{0} {1}V{2}"/>').format(x1, START, last),
        Markup('<path class="wt-waiting" d="M{0} {1}H{2}a{3} {3} 0 0 1 {3} {3}{4}V{5}"/>').format(
            *(x1, turn, x2 - BEND, BEND),
            f"{across}a{BEND} {BEND} 0 0 0 -{BEND} {BEND}" if plan.columns else "",
            last,
        ),
    ]
    parts_drawn = [
        *_stops(start.stops, x1, plan.labels[0], START),
        *_heading(plan.labels[0], top, 0, first),
        *_stops(first.stops, x1, plan.labels[0], _stops_from(top)),
        *_heading(plan.labels[1], top2, 1, second),
        *_stops(second.stops, x2, plan.labels[1], _stops_from(top2)),
        *_heading(plan.beside, top3, 2, third),
        *_stops(third.stops, both1, plan.beside, _stops_from(top3), across=both2 - both1),
        Markup('<text class="wt-part" x="{}" y="{}">At the back</text>').format(
            plan.back, top4 + 20
        ),
        *_back(back.stops, plan.back, top4 + 46),
    ]
    return Markup(
        '<svg class="wt-{}" viewBox="0 0 {} {}" role="group" aria-label="{}" '
        'fill="currentColor" font-size="17">{}</svg>\n'
    ).format(plan.name, plan.width, height, words(parts), Markup("").join(tracks + parts_drawn))


def _height(part: Part) -> int:
    return HEADING + ROW * len(part.stops)


def _stops_from(top: int) -> int:
    return top + HEADING + 6


def _heading(x: int, top: int, number: int, part: Part) -> Iterator[Markup]:
    yield Markup(
        '<text class="wt-part" x="{0}" y="{1}">{2} · {3}</text>'
        '<text class="wt-rule" x="{0}" y="{4}">{5}</text>'
    ).format(x, top + 16, TITLES[number], part.caption, top + 37, RULES[number])


def _stops(
    stops: Sequence[Stop], x: int, label: int, y: int, *, across: int = 0
) -> Iterator[Markup]:
    for at, stop in enumerate(stops):
        middle = y + ROW * at
        yield Markup(
            '<a href="{0}"><rect class="wt-room" x="{1}" y="{2}" width="{3}" height="{4}" rx="4"/>'
            '<rect class="wt-stop" x="{5}" y="{6}" width="{7}" height="14" rx="7"/>'
            '<text x="{8}" y="{9}">{10}</text></a>'
        ).format(
            *(stop.address, label - 6, middle - 15, 20 + 8.6 * len(stop.title), 30),
            *(x - 7, middle - 7, 14 + across, label, middle + 6, stop.title),
        )


def _back(stops: Sequence[Stop], x: int, y: int) -> Iterator[Markup]:
    for at, stop in enumerate(stops):
        middle = y + BACK_ROW * at
        yield Markup(
            '<a href="{0}"><rect class="wt-room" x="{1}" y="{2}" width="{3}" height="25" rx="4"/>'
            '<text class="wt-back" x="{4}" y="{5}">{6}</text></a>'
        ).format(
            *(stop.address, x - 6, middle - 13, 18 + 7.6 * len(stop.title)),
            *(x, middle + 5, stop.title),
        )
