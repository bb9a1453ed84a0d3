"""Notes to lines of an output: which words each is about.

Notes are a numbered list that goes from the top of the output down. Each begins with whole words of
the output in backticks, one blank for any blanks.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

NOTE = re.compile(r"(?P<number>\d+)\. +(`+)(?P<words>.+?)\2.*", re.DOTALL)


class NoSuchLine(ValueError):
    """A note about words that the output does not have, or notes that are none."""


@dataclass(frozen=True, slots=True)
class Note:
    """The place in an output that a note is about."""

    line: int  # from 0
    begin: int  # of the words in that line, in characters
    end: int


def notes(content: Sequence[str], lines: Sequence[str]) -> list[Note]:
    """Find a directive's notes in an output's lines. NoSuchLine, with the remedy, where one is no
    note, or is about words that are not there (any more)."""
    found = [Note(0, 0, 0)]
    for number, written in enumerate(re.split(r"\n(?=\d+\. )", "\n".join(content)), 1):
        match = NOTE.fullmatch(written)
        if match is None or int(match["number"]) != number:
            raise NoSuchLine(
                f"{written!r}: no note. Write `{number}. ` and words of the output in backticks, "
                "then what they say."
            )
        found.append(Note(*_place(match["words"], found[-1], lines)))
    return found[1:]


def _place(words: str, last: Note, lines: Sequence[str]) -> tuple[int, int, int]:
    """Find the line, begin and end of words that come after the last note's."""
    pattern = re.compile(r"(?<!\S)" + r"\s+".join(map(re.escape, words.split())) + r"(?!\S)")
    for line in range(last.line, len(lines)):
        if there := pattern.search(lines[line], last.end if line == last.line else 0):
            return line, *there.span()
    raise NoSuchLine(
        f"`{words}`: no line of the output has this from line {last.line + 1} on. Take whole words "
        "that it has, in the order of its lines."
    )


def annotated(lines: Sequence[str], found: Sequence[Note]) -> Markup:
    """Write the output as HTML for within <pre>: what a note is about is marked, and its number
    stands in the margin."""
    rows = []
    for at, line in enumerate(lines):
        here = {number: note for number, note in enumerate(found, 1) if note.line == at}
        row, done = Markup(), 0
        for note in here.values():
            marked = Markup("<mark>{}</mark>").format(line[note.begin : note.end])
            row += line[done : note.begin] + marked
            done = note.end
        numbers = Markup("<b>{}</b>").format(" ".join(map(str, here)))
        margin = Markup('<span class="wt-output-number">{}</span>').format(numbers if here else "")
        rows.append(Markup("<span>{}{}\n</span>").format(margin, row + line[done:]))
    return Markup().join(rows)
