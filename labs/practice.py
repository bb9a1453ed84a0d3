"""What a reader does with a page beside its labs: answer exercises, and see how far they are.

The answers are judged in `labs.exercises`; here they are also kept, in `labs.diary`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from labs import diary, exercises, recordings
from labs.diary import Diary
from labs.exercises import Reply
from labs.lab import mode
from labs.questions import QUESTIONS

if TYPE_CHECKING:
    from labs.diary_panel import Chapter


def check(id: str, value: object = ..., *, seed: str | None = None) -> Reply:
    """Judge `value` as the answer to exercise `id`; without a value, ask for one.

    `seed`, any text, gives the exercise other numbers and prints the question with them. The
    answer is kept in the reader's own record (see `progress`). NoSuchExercise names the ids
    there are.
    """
    reply = exercises.check(id, value, seed=seed)
    found = exercises.number(value)
    if reply.kind in ("right", "wrong") and found is not None:
        diary.answered(id, seed or "", found, reply.right)
    return reply


def progress() -> object:
    """The reader's predictions, answers and diagnoses, by chapter: to read, to save for a teacher,
    and to delete. Where the book is built, an empty example."""
    from labs.diary_panel import ProgressPanel

    if mode() == "live":
        return ProgressPanel(chapters())
    return Example()


class Example:
    """The page of progress of somebody who has not begun."""

    said = (
        "Here a live page shows your predictions and answers. This one has no Python behind it, "
        "so nothing is kept, and the table is empty."
    )

    def __repr__(self) -> str:
        return self.said

    def _repr_html_(self) -> str:
        from labs.diary_panel import progress_table

        empty = progress_table(Diary(), chapters())
        return f'<p>{html.escape(self.said)}</p><div class="wt-data">{empty}</div>'


def chapters() -> tuple[Chapter, ...]:
    """The chapters that have exercises, with their titles and labs as the book's pages have
    them. Where `labs` is installed without the book, with what the exercises know."""
    from labs.diary_panel import Chapter

    asked: dict[str, list[str]] = {}
    labs: dict[str, list[str]] = {}
    for row in QUESTIONS:
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
    book = recordings.BOOK
    for page in (book / "your-machine.md", *sorted(book.glob("[0-9]-*/*.md"))):
        text = page.read_text("utf-8") if page.is_file() else ""
        title = re.search(r"^# (?:(\d+) · )?(.+)$", text, re.MULTILINE)
        found = re.findall(r'^[a-z]+\("([a-z][\w-]*)"', text, re.MULTILINE)
        number = (title[1] or "0") if title else ""
        if title and number in labs:
            labs[number] += [lab for lab in found if lab not in labs[number]]
            yield number, title[2]
