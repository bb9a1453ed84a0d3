"""What the still pictures of scenes are drawn with: frame, words, lines and boxes of an SVG.

For readers without JavaScript, and in print. In the page's own colours, as the other drawings.
"""

from collections.abc import Iterable

from markupsafe import Markup

FILLED = Markup(' fill-opacity="0.85"')
HALF = Markup(' fill-opacity="0.65"')
PALE = Markup(' fill-opacity="0.4"')
OUTLINED = Markup(' fill="none" stroke="currentColor" stroke-width="1.3"')
ROUND = Markup(' rx="4"')


def dashed(drawn: int = 6, left_out: int = 5) -> Markup:
    """Of a line or an outline."""
    return Markup(' stroke-dasharray="{} {}"').format(drawn, left_out)


def drawing(said: str, high: float, parts: Iterable[Markup], *, wide: int = 640) -> Markup:
    """All parts in a frame of that size; `said` is for whoever cannot see them."""
    return Markup(
        '<svg viewBox="0 0 {} {:g}" role="img" aria-label="{}" fill="currentColor" '
        'font-size="15" font-family="inherit">{}</svg>\n'
    ).format(wide, high, said, Markup("").join(parts))


def text(x: float, y: float, words: object, anchor: str = "start") -> Markup:
    """Words that start, end or have their middle there."""
    return Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(
        _short(x), _short(y), anchor, words
    )


def line(path: str, thick: float = 1.3, how: str = "") -> Markup:
    """A line along that path, with further attributes."""
    return Markup('<path d="{}" fill="none" stroke="currentColor" stroke-width="{:g}"{}/>').format(
        path, thick, how
    )


def box(x: float, y: float, wide: float, high: float, how: str = "") -> Markup:
    """A rectangle from its upper left corner, with further attributes."""
    return Markup('<rect x="{}" y="{}" width="{}" height="{}"{}/>').format(
        *map(_short, (x, y, wide, high)), how
    )


def _short(length: float) -> str:
    """To a tenth, which nobody sees."""
    return f"{round(length, 1):g}"
