"""Judge an answer: right, wrong with the likely slip, or measure first.

Python works out an exercise's `Key`: the answer and the slips, with the book's numbers, with a
seed's, or with what the reader's lab has measured; then the tolerance follows the measurement. The
page has the field and judges by the key (book/web/src/exercises.ts); `check` does the same in code,
for a seed's numbers.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import EllipsisType

import msgspec
from markupsafe import Markup, escape

from labs.exercises import catalogue, latest, readings, words
from labs.exercises.exercise import CLOSE, Exercise, Numbers
from labs.present.markup import paragraphs, script_data
from labs.records.errors import Unusable, instance
from labs.records.format import NARROW, digits, percent
from labs.records.results import Result
from labs.records.written import written

LONGEST_SEED = 200  # letters: a name, not a book

# Of questions with that unit: the number that a slip leads to, and its hint.
UNIT_SLIPS: tuple[tuple[str, Callable[[float], float], str], ...] = (
    (
        "as a fraction",
        lambda right: 100 * right,
        "That is the percentage; as a fraction it is a hundredth of it.",
    ),
    ("ms", lambda right: right / 1000, "That is in seconds; this asks for milliseconds."),
    ("s", lambda right: 1000 * right, "That is in milliseconds; this asks for seconds."),
    ("req/s", lambda right: 60 * right, "That is for a minute; this asks for a second."),
    ("req/s", lambda right: right / 1000, "Milliseconds for seconds: a second has 1,000 of them."),
    ("req/s", lambda right: 1 / right, "Upside down: that is seconds per request."),
)


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer is judged by: numbers, and the sentences that go with them."""

    unit: str
    answer: float
    tolerance: float  # relative
    rounded: float | None  # right as well: an answer that was measured, with two digits
    right: str
    slips: tuple[tuple[float, str], ...]
    hint: str
    prompt: str


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
    row = catalogue.find(id)
    found = latest.latest(row.lab)
    numbers = numbers_of(row, seed, found)
    question = _said(row.question, numbers)
    if row.read and found is None:
        first = f"First press Run in the lab “{row.lab}”: this asks about your machine."
        return Asked(id=id, seed=seed, effort=row.effort, sentence=f"{question} {first}")
    hints = tuple(_said(hint, numbers) for hint in row.hints)
    return Asked(id=id, seed=seed, effort=row.effort, sentence=question, hints=hints)


def check(id: str, *value: object, seed: str | None = None) -> Reply:
    """Judge `value` as the answer to exercise `id`; without a value, ask for one. Numbers are read
    as people write them, see `labs.records.written`.

    `seed`, any text, gives the exercise other numbers and prints the question with them; a right
    answer then brings the solution. NoSuchExercise names the ids there are.
    """
    row = catalogue.find(id)
    found = latest.latest(row.lab)
    numbers = numbers_of(row, seed, found)
    if row.read and found is None:
        first = (
            f"First press Run in the lab “{row.lab}” above, then run this cell again: this asks "
            "about your machine."
        )
        return Reply(kind="measure", sentence=first)
    if row.answer is None:
        both = " ".join(_said(text, numbers) for text in (row.question, *row.hints[:1]))
        return Reply(kind="open", sentence=both)
    if all(each is None or isinstance(each, EllipsisType) for each in value):
        asked = "" if seed is None else f"{_said(row.question, numbers)} "
        prompt = f"{asked}Put your answer{_in(row.unit)} in place of the dots, and run."
        return Reply(kind="later", sentence=prompt)
    try:
        answer = written(value[0] if len(value) == 1 else value, row.unit)
    except Unusable as refused:
        return Reply(kind="wrong", sentence=str(refused))
    reply = judge(key(row, numbers), answer)
    solved = reply.right and seed is not None and not row.read
    return replace(reply, solution=_said(row.solution, numbers)) if solved else reply


def judge(key: Key, value: float) -> Reply:
    """What is said to an answer; book/web/src/exercises.ts says the same."""
    alike = key.rounded is not None and math.isclose(value, key.rounded)
    if alike or math.isclose(value, key.answer, rel_tol=key.tolerance):
        return Reply(kind="right", sentence=key.right, value=value)
    for wrong, hint in key.slips:
        if math.isclose(value, wrong, rel_tol=CLOSE):
            return Reply(kind="wrong", sentence=f"Not quite. {hint}", value=value)
    size = "too large" if value > key.answer else "too small"
    said = f"Not yet: {digits(value)}{_unit(key.unit)} is {size}. {key.hint}"
    return Reply(kind="wrong", sentence=said, value=value)


def key(row: Exercise, numbers: Numbers) -> Key:
    """The key of an exercise that has an answer, with these numbers."""
    truth, known = numbers["answer"], row.known(numbers)
    how = "The forecast's band is" if row.tolerance == "band" else "Your measurement knows it to"
    measured = f" {how} ±{NARROW}{percent(known)}." if row.read else ""
    return Key(
        unit=row.unit,
        answer=truth,
        tolerance=known,
        rounded=float(f"{truth:.2g}") if row.read else None,
        right=f"Right: {digits(truth)}{_unit(row.unit)}.{measured}",
        slips=tuple((wrong, _said(hint, numbers)) for wrong, hint in slips(row, numbers)),
        hint=_said(row.hints[0], numbers),
        prompt=f"Put your answer{_in(row.unit)} into the field.",
    )


def keys(lab: str, found: Result) -> dict[str, Key]:
    """The keys of the exercises that ask about that lab, with what it has measured, by id. None of
    an exercise that asks for a level, part or way which this run hasn't."""
    made = {}
    for row in catalogue.exercises():
        if row.lab == lab and row.answer is not None:
            with contextlib.suppress(LookupError):
                made[row.id] = key(row, numbers_of(row, None, found))
    return made


def keep(lab: str, found: Result) -> Markup:
    """Let exercises ask about what a lab has found: `check`, and the page, by what this gives."""
    latest.keep(lab, found)
    return script_data(msgspec.to_builtins(keys(lab, found)), class_="wt-keys")


def slips(row: Exercise, numbers: Numbers) -> list[tuple[float, str]]:
    """What the turns that are wrong with these numbers lead to, each with its hint; those of the
    unit among them."""
    truth = numbers["answer"]
    own = [(numbers.of(formula), hint) for formula, hint in row.slips.items()]
    of_unit = [(turn(truth), hint) for unit, turn, hint in UNIT_SLIPS if unit == row.unit and truth]
    return [(wrong, hint) for wrong, hint in own + of_unit if wrong != truth]


def numbers_of(row: Exercise, seed: str | None, found: Result | None) -> Numbers:
    """An exercise's numbers, with those read from what its lab has found. Unusable for a seed that
    is no text: it is kept in the reader's record."""
    if seed is not None:
        instance("seed", seed, str, "Give any text between quotes, such as your name.")
        if len(seed) > LONGEST_SEED:
            raise Unusable(f"seed: {len(seed)} letters. Give at most {LONGEST_SEED}.")
    measured: readings.Read = {}
    if row.read and found is not None:
        measured = readings.READINGS[row.read[0]](found, *row.read[1:])
    return row.numbers(seed, measured)


def _said(text: str, numbers: Numbers) -> str:
    return words.plain(words.fill(text, numbers))


def _unit(unit: str) -> str:
    return f" {unit}" if unit and not unit.startswith("as ") else ""


def _in(unit: str) -> str:
    return f" {unit}" if unit.startswith("as ") else f" in {unit}" if unit else ""


def _folded(kind: str, text: str) -> str:
    if not text:
        return ""
    body = paragraphs(text.split("\n\n"))
    return f'<details class="{kind}"><summary>{kind.capitalize()}</summary>{body}</details>'
