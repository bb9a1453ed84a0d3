"""Catalogue of the book's exercises, as its build has written them beside the pages."""

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
    """Read the built book's exercises, in its order; its pages' where it has not been built."""
    if BUILT.is_file():
        return msgspec.json.decode(BUILT.read_bytes(), type=tuple[Exercise, ...])
    return in_pages()


def in_pages() -> tuple[Exercise, ...]:
    """Read the exercises as the pages' sources have them now, for whoever builds or proofreads."""
    return in_order(each for file in pages() for each in of_page(file))


def pages() -> list[Path]:
    """List the sources of the pages that ask."""
    return [BOOK / "your-machine.md", *sorted(BOOK.glob("[0-9]-*/*.md"))]


def of_page(file: Path) -> tuple[Exercise, ...]:
    """Read the exercises in a page's source."""
    name = file.relative_to(BOOK).with_suffix("").as_posix()
    return page.read(file.read_text("utf-8"), name).exercises if file.is_file() else ()


def in_order(found: Iterable[Exercise]) -> tuple[Exercise, ...]:
    """Order exercises by their numbers: 10.2 comes after 9.1."""
    return tuple(sorted(found, key=lambda each: [int(part) for part in each.id.split(".")]))
