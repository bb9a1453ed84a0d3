"""Ask an exercise, and say what its answer is judged by.

Python works out an exercise's `Key`: the answer and the slips, with the book's numbers, with a
seed's, or with what the reader's lab has measured; then the tolerance follows the measurement. The
page has the field and judges by the key (book/web/src/exercises.ts).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from markupsafe import Markup
from msgspec import structs

from labs.exercises import catalogue, readings, words
from labs.exercises.exercise import Exercise, Numbers
from labs.present.markup import each_in, paragraphs, script_data
from labs.records.errors import Unusable, choice, instance
from labs.records.format import NARROW, digits, percent
from labs.records.results import Result

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
    """Key by which an answer is judged: numbers, and the sentences that go with them."""

    unit: str
    answer: float
    tolerance: float  # relative
    rounded: float | None  # right as well: an answer that was measured, with two digits
    right: str
    slips: tuple[tuple[float, str], ...]
    hint: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its numbers, to be read, and the place of its field."""

    row: Exercise
    seed: str

    def _said(self, text: str) -> str:
        return _said(text, self.row.numbers(self.seed or None))

    def __repr__(self) -> str:
        return f"{self.row.id} ({self.row.effort}) {self._said(self.row.question)}"

    def _repr_html_(self) -> str:
        first, *more = self._said(self.row.question).split("\n\n")
        hints = [paragraphs(self._said(hint).split("\n\n")) for hint in self.row.hints]
        question = Markup("<p><b>{}</b> <i>{}.</i> {}</p>{}")
        return (
            question.format(self.row.id, self.row.effort, first, paragraphs(more))
            + field(self.row, self.seed)
            + each_in('<details class="hint"><summary>Hint</summary>{}</details>', hints)
        )


def exercise(id: str, *, seed: str = "") -> Asked:
    """Ask exercise `id`: its question and its hints, and a field that judges what is typed there.

    `seed`, any text, gives it other numbers, the same for everybody who writes the same text; a
    right answer then brings the solution. The answer is kept with its seed in the reader's own
    record (the page *My progress*). Unusable names the ids there are.
    """
    instance("id", id, str, 'Name an exercise in quotes, such as "3.1".')
    instance("seed", seed, str, "Give any text between quotes, such as your name.")
    if len(seed) > LONGEST_SEED:  # it is kept in the reader's record
        raise Unusable(f"seed: {len(seed)} letters. Give at most {LONGEST_SEED}.")
    rows = {row.id: row for row in catalogue.exercises()}
    near = [each for each in rows if each.partition(".")[0] == id.partition(".")[0]]
    choice("id", id, near or [*rows])
    return Asked(rows[id], seed)


def field(row: Exercise, seed: str = "") -> Markup:
    """Make the place in which a page's script puts an exercise's field, with the key of its answer
    or, of one on the reader's own machine, the lab to be run. None of an open one."""
    if row.answer is None:
        return Markup("")
    known: object = row.lab
    if row.fixed:
        numbers = row.numbers(seed or None)
        own = key(row, numbers)
        if seed:  # the solution that stands in the page has other numbers
            own = structs.replace(own, right=f"{own.right} {_said(row.solution, numbers)}")
        known = msgspec.to_builtins(own)
    place = Markup('<div class="wt-asked" data-exercise="{}" data-seed="{}">{}</div>')
    return place.format(row.id, seed, script_data(known))


def key(row: Exercise, numbers: Numbers) -> Key:
    """Make the key of an exercise that has an answer, with these numbers."""
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
    """Make the keys of the exercises that ask about a lab, with what it has measured, by id. None
    of an exercise that asks for a level, part or way which this run hasn't."""
    made = {}
    for row in catalogue.exercises():
        if row.lab == lab and row.read and row.answer is not None:
            with contextlib.suppress(LookupError):
                made[row.id] = key(row, measured(row, found))
    return made


def script(lab: str, found: Result) -> Markup:
    """Let a page's exercises ask about what a lab has found: their keys, for its script."""
    return script_data(msgspec.to_builtins(keys(lab, found)), class_="wt-keys")


def slips(row: Exercise, numbers: Numbers) -> list[tuple[float, str]]:
    """List what the turns that are wrong with these numbers lead to, each with its hint; those of
    the unit among them."""
    truth = numbers["answer"]
    own = [(numbers.of(formula), hint) for formula, hint in row.slips.items()]
    of_unit = [(turn(truth), hint) for unit, turn, hint in UNIT_SLIPS if unit == row.unit and truth]
    return [(wrong, hint) for wrong, hint in own + of_unit if wrong != truth]


def measured(row: Exercise, found: Result) -> Numbers:
    """Give an exercise its numbers, with those it reads from what its lab has found."""
    reading, *of = row.read
    return row.numbers(read=readings.READINGS[reading](found, *of))


def _said(text: str, numbers: Numbers) -> str:
    return words.plain(words.fill(text, numbers))


def _unit(unit: str) -> str:
    return f" {unit}" if unit and not unit.startswith("as ") else ""


def _in(unit: str) -> str:
    return f" {unit}" if unit.startswith("as ") else f" in {unit}" if unit else ""
