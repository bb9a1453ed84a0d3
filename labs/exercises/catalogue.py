"""All exercises of the book, as its build has written them beside the pages."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from labs.exercises import page
from labs.exercises.exercise import Exercise
from labs.host.project import BOOK, SITE

NAME = "exercises.json"
BUILT = SITE / NAME


@cache
def exercises() -> tuple[Exercise, ...]:
    """The exercises of the built book, in its order; of its pages where it has not been built."""
    if BUILT.is_file():
        return msgspec.json.decode(BUILT.read_bytes(), type=tuple[Exercise, ...])
    return in_pages()


def in_pages() -> tuple[Exercise, ...]:
    """The exercises as the pages' sources have them now, for whoever builds or proofreads."""
    return in_order(each for file in pages() for each in of_page(file))


def pages() -> list[Path]:
    """The sources of the pages that ask."""
    return [BOOK / "your-machine.md", *sorted(BOOK.glob("[0-9]-*/*.md"))]


def of_page(file: Path) -> tuple[Exercise, ...]:
    """The exercises in that source of a page."""
    name = file.relative_to(BOOK).with_suffix("").as_posix()
    return page.read(file.read_text("utf-8"), name).exercises if file.is_file() else ()


def in_order(found: Iterable[Exercise]) -> tuple[Exercise, ...]:
    """Exercises by their numbers: 10.2 comes after 9.1."""
    return tuple(sorted(found, key=lambda each: [int(part) for part in each.id.split(".")]))
