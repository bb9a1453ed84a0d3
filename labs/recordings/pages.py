"""The book's pages, read for what they hold: their titles, their labs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from labs.exercises import catalogue
from labs.exercises.exercise import Exercise, place
from labs.kinds.registry import KINDS, lab_kind
from labs.recordings import store


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A chapter as the page of progress needs it."""

    number: str  # 4
    title: str  # Past the plateau
    labs: tuple[str, ...]
    exercises: tuple[str, ...] = ()  # ids of those with an answer to check
    page: str = ""  # 1-cpu-time/past-the-plateau.html, seen from the book's front page
    sections: Mapping[str, str] = field(default_factory=dict)  # lab -> where in the page it stands

    def place(self, of: str) -> str:
        """Link to one of the chapter's exercises or labs; "" where its page is not known."""
        if not self.page:
            return ""
        section = place(of) if of in self.exercises else self.sections.get(of, "")
        return f"{self.page}#{section}" if section else self.page

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


def whose(lab: str) -> str:
    """Name the page that a lab is of, by its title, or the lab itself where no page calls it: to be
    said after "the lab"."""
    for page in _pages("appendix/*.md"):
        if lab in page.labs:
            return f"of “{page.title}”"
    return f"“{lab}”"


def _pages(*more: str) -> Iterator[Chapter]:
    """Read each page with a title as a chapter, with the labs that its cells call; also those of
    `more` patterns, below the book's folder."""
    book = store.BOOK
    patterns = ("your-machine.md", "[0-9]-*/*.md", *more)
    for page in (page for pattern in patterns for page in sorted(book.glob(pattern))):
        text = page.read_text("utf-8") if page.is_file() else ""
        title = re.search(r"^# (?:(\d+) · )?(.+)$", text, re.MULTILINE)
        sections = dict(_sections(text))
        if title:
            yield Chapter(
                number=title[1] or "0",
                title=title[2],
                labs=tuple(sections),
                page=page.relative_to(book).with_suffix(".html").as_posix(),
                sections=sections,
            )


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """List the labs that a page's cells call, each with its section's name, as docutils has it."""
    section = ""
    for heading, call, lab in re.findall(
        r'^(?:##+|# \d+ ·) (.+)$|^([a-z_]+)\("([a-z][\w-]*)"', text, re.MULTILINE
    ):
        if heading:
            words = re.sub(r"[^a-z0-9]+", "-", heading.replace("'", "-").lower())
            section = words.strip("-").lstrip("0123456789-")
        elif call in KINDS:
            yield lab_kind(call).recording(lab), section
