"""Notes to lines of an output: which words each is about, and what the output says there.

Notes are a numbered list. Each begins with words of the output in backticks, in which … stands
for one word, whatever it is, and any blanks for blanks; ^ before them is the begin of a line, and $
behind them its end. `{1}` in the note is what the first … stands for. Notes go from the top of the
output down. In exactly one of them a figure of the output is bold, `**{1}**`: the number to look
for.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

ANY = "…"
NOTE = re.compile(
    r"(?P<number>\d+)\. +(?P<ticks>`+)(?P<words>.+?)(?P=ticks)(?P<rest>.*)", re.DOTALL
)
FIGURE = re.compile(r"(\*\*)?\{(\d+)\}")


class NoSuchLine(ValueError):
    """A note about words that the output does not have, or notes that are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note, found in the output."""

    number: int
    line: int  # of the output, from 0
    begin: int  # of the words in that line, in characters
    end: int
    bold: tuple[tuple[int, int], ...]  # where the number to look for stands, begin and end
    text: str  # in Markdown, with the output's own words and figures


def notes(content: Sequence[str], lines: Sequence[str]) -> list[Note]:
    """The notes of a directive's content, found in an output's lines. NoSuchLine, with the
    remedy, where there are none, where one is about words that are not there (any more), and
    where not exactly one has the number to look for."""
    found: list[Note] = []
    for number, written in enumerate(_items(content), 1):
        match = NOTE.fullmatch(written)
        if match is None or int(match["number"]) != number:
            raise NoSuchLine(
                f"{written.splitlines()[0]!r}: no note. Write `{number}. ` and words of the "
                "output in backticks, then what they say."
            )
        found.append(_placed(match, number, found[-1] if found else None, lines))
    if not found:
        raise NoSuchLine("no notes. Write a numbered list that begins with words of the output.")
    if sum(bool(note.bold) for note in found) != 1:
        raise NoSuchLine(
            "the number to look for is missing, or there are several. Write one figure of one note "
            "bold: **{1}**."
        )
    return found


def _items(content: Sequence[str]) -> list[str]:
    """The items of a list: what is not the beginning of one goes on with the last."""
    items: list[str] = []
    for line in content:
        if re.match(r"\d+\. ", line) or not items:
            items.append(line)
        else:
            items[-1] += f"\n{line}"
    return [item.rstrip() for item in items if item.strip()]


def _placed(match: re.Match[str], number: int, last: Note | None, lines: Sequence[str]) -> Note:
    words = match["words"].strip()
    pattern = _pattern(words)
    for line in range(last.line if last else 0, len(lines)):
        done = last.end if last and last.line == line else 0
        if there := pattern.search(lines[line], done):
            break
    else:
        below = f" from line {last.line + 1} on" if last else ""
        raise NoSuchLine(
            f"`{words}`: no line of the output has this{below}. Take words that it has, in the "
            f"order of its lines; {ANY} stands for any one word."
        )
    bold: list[tuple[int, int]] = []

    def fill(figure: re.Match[str]) -> str:
        group = int(figure[2])
        if not 1 <= group < pattern.groups:
            raise NoSuchLine(f"{figure[0]}: `{words}` has {pattern.groups - 1} times {ANY}.")
        value = there[group + 1]  # the first group is all of the words
        if figure[1]:
            bold.append(there.span(group + 1))
        return (figure[1] or "") + value

    text = FIGURE.sub(fill, match["rest"])
    quoted = match["ticks"] + " ".join(there["words"].split()) + match["ticks"]
    return Note(
        number=number,
        line=line,
        begin=there.start("words"),
        end=there.end("words"),
        bold=tuple(bold),
        text=f"{number}. {quoted}{text}",
    )


def _pattern(words: str) -> re.Pattern[str]:
    """What finds them: … is one word or the rest of one, blanks are any blanks, ^ and $ are a
    line's begin and end. They begin where a word of the output does."""
    begin, end = words.startswith("^"), words.endswith("$")
    pieces = [
        r"\s+".join(re.escape(word) for word in re.split(r"\s+", piece))
        for piece in words[begin : len(words) - end].split(ANY)
    ]
    before = r"^\s*" if begin else r"(?<!\S)"
    after = r"\s*$" if end else r"(?!\S)" * words.endswith(ANY)
    return re.compile(before + "(?P<words>" + r"(\S+?)".join(pieces) + ")" + after)


def annotated(lines: Sequence[str], found: Sequence[Note]) -> Markup:
    """The output as HTML for within <pre>: what a note is about is marked, and its number stands
    in the margin."""
    rows = []
    for at, line in enumerate(lines):
        here = [note for note in found if note.line == at]
        row, done = Markup(), 0
        for note in here:
            row += line[done : note.begin]
            row += Markup("<mark>{}</mark>").format(_emphasised(line, note))
            done = note.end
        numbers = Markup("<b>{}</b>").format(" ".join(str(note.number) for note in here))
        margin = Markup('<span class="wt-output-number">{}</span>').format(numbers if here else "")
        rows.append(Markup("<span>{}{}\n</span>").format(margin, row + line[done:]))
    return Markup().join(rows)


def _emphasised(line: str, note: Note) -> Markup:
    row, done = Markup(), note.begin
    for begin, end in note.bold:
        row += line[done:begin]
        row += Markup("<strong>{}</strong>").format(line[begin:end])
        done = end
    return row + line[done : note.end]
