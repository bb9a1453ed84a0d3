"""What is wrong with the exercises on a page: fields, bare numbers, ids, and what is missing."""

import re
from collections.abc import Iterable, Iterator, Sequence

from labs.exercises.exercise import Exercise, NoSuchNumber
from labs.exercises.words import (
    CODE,
    CONSTANT,
    FIELD,
    KINDS,
    ROLE,
    Part,
    constant,
    fill,
    parts,
    plain,
)

NO_NUMBER = tuple(  # where digits are none, or are accounted for
    re.compile(pattern, re.MULTILINE | re.DOTALL)
    for pattern in (
        r"^(`{3,}).*?^\1$",  # code
        ROLE.pattern,
        CODE.pattern,
        FIELD.pattern,
        CONSTANT.pattern,
        r"\]\([^)]*\)",  # a link's target
        r"</?[a-z][^>]*>",
        r"\b[A-Za-z]+\d+\b",  # S1, a source
        r"\^\d",  # an exponent
        r"\b[Cc]hapters? \d+",
        r"\b[Ee]xercises? \d+\.\d+",
        r"^\s*\d+\. ",  # of a list
    )
)
NUMBER = re.compile(r"\d[\d.,]*")
CELL = re.compile(r'^check\("(?P<id>[^"]*)", \.\.\.\)$', re.MULTILINE)


def bare(text: str) -> Iterator[tuple[int, str]]:
    """Numbers that are no fields, each with its line, counted from 0."""

    def away(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n") or " "

    for pattern in NO_NUMBER:
        text = pattern.sub(away, text)
    for number, line in enumerate(text.split("\n")):
        for found in NUMBER.finditer(line):
            yield number, found[0].rstrip(".,")


def complaints(page: str, rows: Sequence[Exercise]) -> list[tuple[int, str]]:
    """What is wrong with the exercises on a page, by line: fields, numbers, ids, their order, and
    what a row or the words lack. `rows` are those of the page's chapter."""
    found = parts(page)
    asked = [each for each in found if each.kind == "exercise"]
    said = [(each.line, sentence) for each, sentence in _misplaced(asked, rows)]
    known = {row.id: row for row in rows}
    last = asked[-1].line if asked else 1
    ids = {each.id for each in asked}
    said += [(last, f"{id}: has a row but no words.") for id in known if id not in ids]
    for each in found:
        if each.id in known:
            said += _unfit(each, known[each.id])
        elif each.kind != "exercise":
            said.append((each.line, f"{each.id}: no exercise of this page has that id."))
    for each in asked:
        if each.id in known:
            own = [part for part in found if part.id == each.id]
            said += [(each.line, f"{each.id}: {what}") for what in _lacking(own, known[each.id])]
    return sorted(said)


def _misplaced(asked: list[Part], rows: Sequence[Exercise]) -> Iterator[tuple[Part, str]]:
    ids = [row.id for row in rows]
    before = -1
    for each in asked:
        if each.id not in ids:
            yield each, f"{each.id}: no row of this chapter has that id."
            continue
        place = ids.index(each.id)
        if place <= before:
            yield each, f"{each.id}: stands after {ids[before]}. Give ids once and in order."
        before = max(before, place)


def _unfit(part: Part, row: Exercise) -> Iterator[tuple[int, str]]:
    numbers = row.numbers()
    for line, text in part.lines:
        try:
            fill(text, numbers)
        except (NoSuchNumber, ValueError) as error:
            yield line, f"{row.id}: {error}"
    for number, found in bare(part.text):
        yield (
            part.line + 1 + number,
            f"{row.id}: {found} is no field. Name a number of the row, or write {{{found}}} if it "
            "is always the same.",
        )
    if (part.kind != "solution" or row.fixed) and (odd := _odd(part.text)):
        yield part.line, f"{row.id}: {odd} cannot be said in plain words."


def _odd(text: str) -> str:
    """What `plain` leaves of the page's marks."""
    text = CONSTANT.sub(constant, FIELD.sub("0", text))
    text = re.sub(CODE, "", re.sub(r"\{term\}`[^`]*`", "", text))
    found = re.search(r"\{\w*\}|\\\w+|[$\\`]", plain(text))
    return found[0] if found else ""


def _lacking(own: list[Part], row: Exercise) -> Iterator[str]:
    text = {kind: "".join(each.text for each in own if each.kind == kind) for kind in KINDS}
    for kind in KINDS:
        if not text[kind].strip():
            yield f"has no {kind}."
    if sum(each.kind == "solution" for each in own) > 1:
        yield "has more than one solution."
    cells = [id for each in own for id in CELL.findall(each.after)]
    wanted = [] if row.answer is None else [row.id]
    if cells != wanted:
        yield f'wants {"a cell" if wanted else "no cell"} with check("{row.id}", ...).'
    if row.fixed:
        for name in _unused(row.given, text["exercise"]):
            yield f"the question does not say {{{name}}}."
        for name in _unused(["answer"], text["solution"]):
            yield f"the solution does not say {{{name}}}."


def _unused(names: Iterable[str], text: str) -> list[str]:
    used = {match["name"] for match in FIELD.finditer(text)}
    return [name for name in names if name not in used]
