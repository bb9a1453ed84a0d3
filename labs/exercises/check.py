"""Check an answer: right, wrong with the likely slip, or measure first.

An exercise is a row of `labs.exercises.chapters` and its words in the book; a later chapter adds
rows, not code. Where its numbers are read from what the reader's lab has measured, the
tolerance follows the measurement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import EllipsisType

from markupsafe import escape

from labs.exercises import chapters, latest, words
from labs.exercises.exercise import CLOSE, Exercise, Formula, Numbers
from labs.exercises.words import Words
from labs.present.markup import paragraphs
from labs.records.errors import Unusable, instance
from labs.records.format import NARROW, digits, percent
from labs.records.written import written

LONGEST_SEED = 200  # letters: a name, not a book

UNIT_SLIPS: dict[str, dict[Formula, str]] = {  # those that all questions with that unit share
    "as a fraction": {
        "100 * answer": "That is the percentage; as a fraction it is a hundredth of it.",
    },
    "ms": {"answer / 1000": "That is in seconds; this asks for milliseconds."},
    "s": {"1000 * answer": "That is in milliseconds; this asks for seconds."},
    "req/s": {
        lambda answer: 60 * answer: "That is for a minute; this asks for a second.",
        "answer / 1000": "Milliseconds for seconds: a second has 1,000 of them.",
        "1 / answer": "Upside down: that is seconds per request.",
    },
}


class NoSuchExercise(LookupError):
    """No row has that id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the page says to an answer."""

    kind: str  # right, wrong, measure (a run comes first), later (an answer does), open
    sentence: str
    value: float | None = None  # the answer that was judged
    solution: str = ""  # with the numbers of a seed, which the page's own does not have

    @property
    def right(self) -> bool:
        return self.kind == "right"

    def __repr__(self) -> str:
        return "\n\n".join(filter(None, (self.sentence, self.solution)))

    def _repr_html_(self) -> str:
        mark = {"right": "✓", "wrong": "✗"}.get(self.kind, "…")
        return (
            f'<div class="wt-answer wt-{self.kind}" role="status">'
            f'<span aria-hidden="true">{mark}</span> {escape(self.sentence)}</div>'
            f"{_folded('solution', self.solution)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its numbers, to be read."""

    id: str
    seed: str | None
    effort: str  # its kind, its level and its minutes
    sentence: str
    hints: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"{self.id} ({self.effort}) {self.sentence}"

    def _repr_html_(self) -> str:
        seed = "" if self.seed is None else f", seed={self.seed!r}"
        how = escape(f'check("{self.id}", ...{seed})')
        first, *more = self.sentence.split("\n\n")
        return (
            f'<div class="wt-question"><p><b>{escape(self.id)}</b> '
            f"<i>{escape(self.effort)}.</i> {escape(first)}</p>"
            f"{paragraphs(more)}<p>Answer with <code>{how}</code>.</p></div>"
            f"{''.join(_folded('hint', hint) for hint in self.hints)}"
        )


def exercise(id: str, *, seed: str | None = None) -> Asked:
    """The question and the hints of exercise `id`, to be answered with `check` and the same seed.

    `seed`, any text, gives it other numbers, the same for everybody who writes the same text.
    NoSuchExercise names the ids there are.
    """
    row = _find(id)
    said = _words(row)
    numbers, measured = _numbers(row, seed)
    question = _said(said.question, numbers)
    if not measured:
        first = f"First press Run in the lab “{row.lab}”: this asks about your machine."
        return Asked(id=id, seed=seed, effort=row.effort, sentence=f"{question} {first}")
    hints = tuple(_said(hint, numbers) for hint in said.hints)
    return Asked(id=id, seed=seed, effort=row.effort, sentence=question, hints=hints)


def check(id: str, *value: object, seed: str | None = None) -> Reply:
    """Judge `value` as the answer to exercise `id`; without a value, ask for one. Numbers are read
    as people write them, see `labs.records.written`.

    `seed`, any text, gives the exercise other numbers and prints the question with them; a right
    answer then brings the solution. NoSuchExercise names the ids there are.
    """
    row = _find(id)
    numbers, measured = _numbers(row, seed)
    if not measured:
        first = (
            f"First press Run in the lab “{row.lab}” above, then run this cell again: this asks "
            "about your machine."
        )
        return Reply(kind="measure", sentence=first)
    if row.answer is None:
        said = _words(row)
        both = " ".join(_said(text, numbers) for text in (said.question, *said.hints[:1]))
        return Reply(kind="open", sentence=both)
    if all(each is None or isinstance(each, EllipsisType) for each in value):
        asked = "" if seed is None else f"{_said(_words(row).question, numbers)} "
        prompt = f"{asked}Put your answer{_in(row.unit)} in place of the dots, and run."
        return Reply(kind="later", sentence=prompt)
    try:
        answer = written(value[0] if len(value) == 1 else value, row.unit)
    except Unusable as refused:
        return Reply(kind="wrong", sentence=str(refused))
    return replace(_judge(row, numbers, answer, seed), value=answer)


def _judge(row: Exercise, numbers: Numbers, value: float, seed: str | None) -> Reply:
    truth = numbers["answer"]
    unit = "" if row.unit.startswith("as ") or not row.unit else f" {row.unit}"
    known = row.known(numbers)
    alike = row.read is not None and math.isclose(value, float(f"{truth:.2g}"))
    if alike or math.isclose(value, truth, rel_tol=known):
        measured = f" Your measurement knows it to ±{NARROW}{percent(known)}." if row.read else ""
        solved = "" if seed is None or row.read else _said(_words(row).solution, numbers)
        return Reply(
            kind="right", sentence=f"Right: {digits(truth)}{unit}.{measured}", solution=solved
        )
    for wrong, hint in slips(row, numbers):
        if math.isclose(value, wrong, rel_tol=CLOSE):
            return Reply(kind="wrong", sentence=f"Not quite. {_said(hint, numbers)}")
    size = "too large" if value > truth else "too small"
    hint = _said(_words(row).hints[0], numbers)
    return Reply(kind="wrong", sentence=f"Not yet: {digits(value)}{unit} is {size}. {hint}")


def key(row: Exercise) -> dict[str, object]:
    """What a page needs to check a fixed exercise as `check` does, without Python: numbers, and the
    sentences that go with them."""
    numbers, said = row.numbers(), _words(row)
    truth = numbers["answer"]
    return {
        "unit": row.unit,
        "answer": truth,
        "tolerance": row.known(numbers),
        "right": _judge(row, numbers, truth, None).sentence,
        "slips": [(wrong, _said(hint, numbers)) for wrong, hint in slips(row, numbers)],
        "hint": _said(said.hints[0], numbers),
        "prompt": f"Put your answer{_in(row.unit)} into the field.",
    }


def slips(row: Exercise, numbers: Numbers) -> list[tuple[float, str]]:
    """What the turns that are wrong with these numbers lead to, each with its hint; those of the
    unit among them."""
    of_unit = UNIT_SLIPS.get(row.unit, {}) if numbers["answer"] else {}
    found = [(numbers.of(each), hint) for each, hint in [*row.slips.items(), *of_unit.items()]]
    return [(wrong, hint) for wrong, hint in found if not math.isnan(wrong)]


def _find(id: str) -> Exercise:
    for row in chapters.EXERCISES:
        if row.id == id:
            return row
    ids = [row.id for row in chapters.EXERCISES]
    chapter = str(id).partition(".")[0]
    known = [each for each in ids if each.partition(".")[0] == chapter] or ids
    if not isinstance(id, str):
        raise NoSuchExercise(f'id={id!r}: an exercise is named in quotes, such as "{known[0]}".')
    raise NoSuchExercise(f"id={id!r}: no such exercise. Choose one of {', '.join(known)}.")


def _numbers(row: Exercise, seed: str | None) -> tuple[Numbers, bool]:
    """An exercise's numbers, and whether those of the reader's own lab are among them. Unusable
    for a seed that is no text: it is kept in the reader's record."""
    if seed is not None:
        instance("seed", seed, str, "Give any text between quotes, such as your name.")
        if len(seed) > LONGEST_SEED:
            raise Unusable(f"seed: {len(seed)} letters. Give at most {LONGEST_SEED}.")
    found = latest.latest(row.lab) if row.read else None
    return row.numbers(seed, found), row.read is None or found is not None


def _words(row: Exercise) -> Words:
    return words.of(chapters.slug(row.id), row.id)


def _said(text: str, numbers: Numbers) -> str:
    return words.plain(words.fill(text, numbers))


def _in(unit: str) -> str:
    return f" {unit}" if unit.startswith("as ") else f" in {unit}" if unit else ""


def _folded(kind: str, text: str) -> str:
    if not text:
        return ""
    body = paragraphs(text.split("\n\n"))
    return f'<details class="{kind}"><summary>{kind.capitalize()}</summary>{body}</details>'
