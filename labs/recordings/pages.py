"""The book's pages, read for what they hold: their titles, their labs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from labs.exercises.chapters import EXERCISES
from labs.recordings import store


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A chapter as the page of progress needs it."""

    number: str  # 4
    title: str  # Past the plateau
    labs: tuple[str, ...]
    exercises: tuple[str, ...]  # ids of those with an answer to check

    @property
    def name(self) -> str:
        return f"{self.number} · {self.title}" if self.number else self.title


def chapters() -> tuple[Chapter, ...]:
    """The chapters that have exercises, with their titles and labs as the book's pages have
    them. Where `labs` is installed without the book, with what the exercises know."""
    asked: dict[str, list[str]] = {}
    labs: dict[str, list[str]] = {}
    for row in EXERCISES:
        number = row.id.partition(".")[0]
        asked.setdefault(number, [])
        labs.setdefault(number, [])
        if row.answer is not None:
            asked[number].append(row.id)
        if row.lab and row.lab not in labs[number]:
            labs[number].append(row.lab)
    titles = dict(_pages(labs))
    return tuple(
        Chapter(
            number=number,
            title=titles.get(number, "Chapter"),
            labs=tuple(labs[number]),
            exercises=tuple(asked[number]),
        )
        for number in asked
    )


def _pages(labs: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Number and title of each page with labs, which are added to those of its chapter."""
    book = store.BOOK
    for page in (book / "your-machine.md", *sorted(book.glob("[0-9]-*/*.md"))):
        text = page.read_text("utf-8") if page.is_file() else ""
        title = re.search(r"^# (?:(\d+) · )?(.+)$", text, re.MULTILINE)
        found = re.findall(r'^[a-z]+\("([a-z][\w-]*)"', text, re.MULTILINE)
        number = (title[1] or "0") if title else ""
        if title and number in labs:
            labs[number] += [lab for lab in found if lab not in labs[number]]
            yield number, title[2]
