"""The still picture of memory after a fork: a master and workers, and the pages of each.

For readers without JavaScript, and in print. In the page's own colours, as the other drawings.
"""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

# Those of book/web/src/scenes/pages_model.ts: of the interpreter, of the application that are only
# read, and of the application that get written to.
CODE, LOADED, DATA = 16, 16, 40
COLUMNS = 12  # pages in a row
PAGE, APART, TOP = 11, 160, 30
DRAWN = 3  # workers
WRITTEN = 20, 10, 30  # pages that each of them has copied so far


def picture(preload: bool) -> Markup:
    """An SVG of the master and three workers that have answered some requests."""
    owned = [_owned(preload, copied) for copied in WRITTEN]
    base = CODE + (LOADED + DATA if preload else 0)
    used = base + sum(map(len, owned))
    said = (
        f"A master and {DRAWN} workers, {CODE + LOADED + DATA} pages in the reach of each worker; "
        f"{', '.join(str(len(own)) for own in owned)} of them are copies of its own, so that all "
        f"together use {used} pages."
    )
    frame = Markup(
        '<svg viewBox="0 0 632 104" role="img" aria-label="{}" fill="currentColor" '
        'font-size="15" font-family="inherit">{}</svg>\n'
    )
    parts = [*_process(0, "master", base, set())]
    for number, own in enumerate(owned, 1):
        parts += _process(number, f"worker {number}: {len(own)} own", CODE + LOADED + DATA, own)
    return frame.format(said, Markup("").join(parts))


def _owned(preload: bool, copied: int) -> set[int]:
    if not preload:
        return set(range(CODE, CODE + LOADED + DATA))
    return {CODE + LOADED + 7 * n % DATA for n in range(copied)}  # here and there: 7 and 40


def _process(number: int, name: str, pages: int, own: set[int]) -> Iterator[Markup]:
    left = number * APART
    yield Markup('<text x="{}" y="18">{}</text>').format(left, name)
    for page in range(pages):
        x, y = left + page % COLUMNS * PAGE, TOP + page // COLUMNS * PAGE
        opacity = 0.85 if page in own else 0.2
        yield Markup(
            f'<rect x="{x}" y="{y}" width="{PAGE - 1}" height="{PAGE - 1}" '
            f'fill-opacity="{opacity}"/>'
        )
