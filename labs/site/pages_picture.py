"""The still picture of memory after a fork: a master and workers, and the pages of each."""

from collections.abc import Iterator

from markupsafe import Markup

from labs.site.svg import FILLED, box, drawing, text

# Those of book/web/src/scenes/pages_model.ts: of the interpreter, of the application that are only
# read, and of the application that get written to.
CODE, LOADED, DATA = 16, 16, 40
COLUMNS = 12  # pages in a row
PAGE, APART, TOP = 11, 160, 30
DRAWN = 3  # workers
SHARED = Markup(' fill-opacity="0.2"')
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
    parts = [*_process(0, "master", base, set())]
    for number, own in enumerate(owned, 1):
        parts += _process(number, f"worker {number}: {len(own)} own", CODE + LOADED + DATA, own)
    return drawing(said, 104, parts, wide=632)


def _owned(preload: bool, copied: int) -> set[int]:
    if not preload:
        return set(range(CODE, CODE + LOADED + DATA))
    return {CODE + LOADED + 7 * n % DATA for n in range(copied)}  # here and there: 7 and 40


def _process(number: int, name: str, pages: int, own: set[int]) -> Iterator[Markup]:
    left = number * APART
    yield text(left, 18, name)
    for page in range(pages):
        x, y = left + page % COLUMNS * PAGE, TOP + page // COLUMNS * PAGE
        yield box(x, y, PAGE - 1, PAGE - 1, FILLED if page in own else SHARED)
