"""The still picture of a race: two threads that both read before either of them has written.

For readers without JavaScript, and in print. In the page's own colours, as the other drawings.
"""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

ACROSS, ROW, TOP = 150, 30, 44
COLUMNS = ("thread A", "thread B", "counter")
LOST_UPDATE = (  # column, words, and the counter once it is written
    (0, "reads 0", ""),
    (1, "reads 0", ""),
    (0, "writes 1", "1"),
    (1, "writes 1", "1"),
)
SAID = (
    "Thread A reads 0, thread B reads 0, thread A writes 1, thread B writes 1: two additions were "
    "made, and the counter says 1."
)


def picture() -> Markup:
    """An SVG of two additions of which one is lost."""
    frame = Markup(
        '<svg viewBox="0 0 450 176" role="img" aria-label="{}" fill="currentColor" '
        'font-size="15" font-family="inherit" text-anchor="middle">{}</svg>\n'
    )
    return frame.format(SAID, Markup("").join(_parts()))


def _parts() -> Iterator[Markup]:
    text = Markup('<text x="{}" y="{}">{}</text>')
    for column, name in enumerate(COLUMNS):
        yield text.format((column + 0.5) * ACROSS, 20, name)
    yield Markup(f'<path d="M0 {TOP - 10}H{3 * ACROSS}" stroke="currentColor"/>')
    for who in (0, 1):  # from reading to writing
        yield Markup(
            f'<rect x="{who * ACROSS + 18}" y="{TOP + who * ROW}" width="{ACROSS - 36}" '
            f'height="{3 * ROW - 4}" rx="5" fill="none" stroke="currentColor" stroke-width="1.3"/>'
        )
    for row, (who, words, counter) in enumerate(LOST_UPDATE):
        y = TOP + row * ROW + 19
        yield text.format((who + 0.5) * ACROSS, y, words)
        yield text.format(2.5 * ACROSS, y, counter)
