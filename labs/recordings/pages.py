"""The book's pages, read for what they hold: their titles, their labs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from labs.exercises import catalogue
from labs.exercises.exercise import Exercise
from labs.kinds.registry import KINDS
from labs.recordings import store


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A chapter as the page of progress needs it."""

    number: str  # 4
    title: str  # Past the plateau
    labs: tuple[str, ...]
    exercises: tuple[str, ...] = ()  # ids of those with an answer to check
    page: str = ""  # 1-cpu-time/past-the-plateau.html, seen from the book's front page

    @property
    def name(self) -> str:
        return f"{self.number} · {self.title}" if self.number else self.title


def chapters() -> tuple[Chapter, ...]:
    """List the chapters that have exercises, with their titles and labs as the book's pages have
    them. Where `labs` is installed without the book, with what the exercises know."""
    asked: dict[str, list[Exercise]] = {}
    for row in catalogue.in_pages():
        asked.setdefault(row.id.partition(".")[0], []).append(row)
    pages = {page.number: page for page in _pages() if page.number in asked}
    found = []
    for number, rows in asked.items():
        page = pages.get(number, Chapter(number=number, title="Chapter", labs=()))
        labs = dict.fromkeys((*(row.lab for row in rows if row.lab), *page.labs))
        exercises = tuple(row.id for row in rows if row.answer is not None)
        found.append(replace(page, labs=tuple(labs), exercises=exercises))
    return tuple(found)


def _pages() -> Iterator[Chapter]:
    """Read each page with a title as a chapter, with the labs that its cells call."""
    for page in (store.BOOK / "your-machine.md", *sorted(store.BOOK.glob("[0-9]-*/*.md"))):
        text = page.read_text("utf-8") if page.is_file() else ""
        calls = re.findall(r'^([a-z_]+)\("([a-z][\w-]*)"', text, re.MULTILINE)
        if title := re.search(r"^# (?:(\d+) · )?(.+)$", text, re.MULTILINE):
            yield Chapter(
                number=title[1] or "0",
                title=title[2],
                labs=tuple(lab for kind, lab in calls if kind in KINDS),
                page=page.relative_to(store.BOOK).with_suffix(".html").as_posix(),
            )
