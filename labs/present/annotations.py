"""Notes to lines of an output: which words each is about.

Notes are a numbered list that goes from the top of the output down. Each begins with whole words of
the output in backticks, one blank for any blanks. A number to look for is bold, `**17**`, and among
those words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

NOTE = re.compile(r"(?P<number>\d+)\. +(`+)(?P<words>.+?)\2(?P<rest>.*)", re.DOTALL)
NUMBER = r"\d+(?:\.\d+)*"


class NoSuchLine(ValueError):
    """A note about words or a number that the output does not have, or notes that are none."""


@dataclass(frozen=True, slots=True)
class Note:
    """The place in an output that a note is about."""

    line: int  # from 0
    begin: int  # of the words in that line, in characters
    end: int
    bold: Sequence[str] = ()  # the numbers to look for


def notes(content: Sequence[str], lines: Sequence[str]) -> list[Note]:
    """Find a directive's notes in an output's lines. NoSuchLine, with the remedy, where one is no
    note, or is about words or a number that are not there (any more)."""
    found = [Note(0, 0, 0)]
    for number, written in enumerate(re.split(r"\n(?=\d+\. )", "\n".join(content)), 1):
        match = NOTE.fullmatch(written)
        if match is None or int(match["number"]) != number:
            raise NoSuchLine(
                f"{written!r}: no note. Write `{number}. ` and words of the output in backticks, "
                "then what they say."
            )
        words, bold = match["words"], re.findall(rf"\*\*({NUMBER})", match["rest"])
        found.append(Note(*_place(words, found[-1], lines), bold))
        for each in bold:
            if each not in re.findall(NUMBER, words):
                raise NoSuchLine(f"**{each}**: `{words}` has no such number.")
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
            row += line[done : note.begin] + _marked(line[note.begin : note.end], note.bold)
            done = note.end
        numbers = Markup("<b>{}</b>").format(" ".join(map(str, here)))
        margin = Markup('<span class="wt-output-number">{}</span>').format(numbers if here else "")
        rows.append(Markup("<span>{}{}\n</span>").format(margin, row + line[done:]))
    return Markup().join(rows)


def _marked(words: str, bold: Sequence[str]) -> Markup:
    pieces = re.split(f"({NUMBER})", words)
    strong = Markup("<strong>{}</strong>")
    row = Markup().join(strong.format(each) if each in bold else each for each in pieces)
    return Markup("<mark>{}</mark>").format(row)
