"""Proofreading of a page's exercises: options, fields, ids, and what is missing."""

import re
from collections.abc import Iterable, Iterator

from labs.exercises.exercise import Exercise
from labs.exercises.page import KINDS, Page, Part
from labs.exercises.readings import READINGS
from labs.exercises.words import CODE, FIELD, fill, plain
from labs.present.quantities import NoSuchNumber
from labs.records.errors import Unusable


def complaints(page: Page) -> list[tuple[int, str]]:
    """List what is wrong with the exercises on a page, by line: options, fields, ids, and
    what the words lack."""
    asked = [each for each in page.parts if each.kind == "exercise"]
    known = {each.id: each for each in page.exercises}
    said = [*page.unread, *_misnamed(asked)]
    ids = {each.id for each in asked}
    for each in page.parts:
        if each.id in known:
            said += _unfit(each, known[each.id])
        elif each.id not in ids:
            said.append((each.line, f"{each.id}: no exercise of this page has that id."))
    for each in asked:
        if each.id in known:
            own = [part for part in page.parts if part.id == each.id]
            lacking = [*_unworkable(known[each.id]), *_lacking(own, known[each.id])]
            said += [(each.line, f"{each.id}: {what}") for what in lacking]
    return sorted(said)


def _misnamed(asked: list[Part]) -> Iterator[tuple[int, str]]:
    for number, each in enumerate(asked):
        if not re.fullmatch(r"\d+\.\d+", each.id):
            yield each.line, f"{each.id}: no id. Give the chapter and a number, as in 3.1."
        elif any(each.id == above.id for above in asked[:number]):
            yield each.line, f"{each.id}: stands on this page already. Give ids once."


def _unworkable(row: Exercise) -> Iterator[str]:
    """Say which options can't be worked out; numbers of a lab are not there yet."""
    if row.read and (row.read[0] not in READINGS or not row.lab):
        yield f"reads {row.read[0]} of a lab. Give `lab`, and one of {', '.join(READINGS)}."
    numbers = row.numbers()
    formulas = [*row.also.values(), *row.slips, row.tolerance or 0]
    for formula in formulas if row.answer is None else [row.answer, *formulas]:
        try:
            numbers.of(formula)
        except Unusable as error:
            yield str(error)
        except NoSuchNumber as error:
            if not row.read:
                yield str(error)


def _unfit(part: Part, row: Exercise) -> Iterator[tuple[int, str]]:
    numbers = row.numbers()
    for line, text in part.lines:
        try:
            fill(text, numbers)
        except (NoSuchNumber, Unusable, ValueError) as error:
            until = " Of a lab's number say what stands there before: {users|many}."
            yield line, f"{row.id}: {error}{until if row.read else ''}"
    if (part.kind != "solution" or row.fixed) and (odd := _odd(part.text)):
        yield part.line, f"{row.id}: {odd} cannot be said in plain words."


def _odd(text: str) -> str:
    """Find what `plain` leaves of the page's marks."""
    text = FIELD.sub("0", text)
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
    if row.fixed:
        for name in _unused(row.given, text["exercise"]):
            yield f"the question does not say {{{name}}}."
        for name in _unused(["answer"], text["solution"]):
            yield f"the solution does not say {{{name}}}."


def _unused(names: Iterable[str], text: str) -> list[str]:
    used = {match["name"] for match in FIELD.finditer(text)}
    return [name for name in names if name not in used]
