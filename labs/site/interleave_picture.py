"""The still picture of a race: two threads that both read before either of them has written."""

from collections.abc import Iterator

from markupsafe import Markup

from labs.site.svg import OUTLINED, ROUND, box, drawing, line, text

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
    return drawing(SAID, 176, _parts(), wide=450)


def _parts() -> Iterator[Markup]:
    for column, name in enumerate(COLUMNS):
        yield text((column + 0.5) * ACROSS, 20, name, "middle")
    yield line(f"M0 {TOP - 10}H{3 * ACROSS}", 1)
    for who in (0, 1):  # from reading to writing
        yield box(who * ACROSS + 18, TOP + who * ROW, ACROSS - 36, 3 * ROW - 4, OUTLINED + ROUND)
    for row, (who, words, counter) in enumerate(LOST_UPDATE):
        y = TOP + row * ROW + 19
        yield text((who + 0.5) * ACROSS, y, words, "middle")
        yield text(2.5 * ACROSS, y, counter, "middle")
