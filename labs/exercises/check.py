"""Check an answer: right, wrong with the likely slip, or measure first.

An exercise is a row of `labs.exercises.exercise`; a later chapter adds rows, not code. The numbers
a question gives are either its own (a seed draws others, so that a class gets different ones)
or read from what the reader's lab has measured, and then the tolerance follows the
measurement.
"""

from __future__ import annotations

import html
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import EllipsisType
from typing import Any

from labs.exercises import latest
from labs.records.format import digits

Given = Mapping[str, float]
Formula = Callable[[Given], float]

CLOSE = 0.02  # an answer rounded to two digits is meant exactly


class NoSuchExercise(LookupError):
    """No row has that id."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A likely wrong turn: the number it leads to and the sentence that helps."""

    leads_to: Formula
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """One question. `{names}` in its texts stand for the numbers given.

    Fixed: `given` lists choices for each number, the first is the one printed in the book.
    Own machine: `lab` names the lab and `read` takes the numbers from its result.
    Open: no `answer`; `hint` says what to look at.
    """

    id: str
    question: str
    unit: str = ""
    answer: Formula | None = None
    given: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    lab: str = ""
    read: Callable[[Any], Given] | None = None
    tolerance: Formula = lambda given: CLOSE  # relative
    slips: tuple[Slip, ...] = ()
    hint: str = ""  # when no slip fits

    def numbers(self, seed: str | None) -> Given | None:
        """The numbers given; None when the lab has not measured yet."""
        if self.read is not None:
            result = latest.latest(self.lab)
            return None if result is None else self.read(result)
        if seed is None:
            return {name: choices[0] for name, choices in self.given.items()}
        draw = random.Random(f"{self.id} {seed}")
        return {name: draw.choice(choices) for name, choices in self.given.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the page says to an answer."""

    kind: str  # right, wrong, later (measure or answer first), open
    sentence: str

    @property
    def right(self) -> bool:
        return self.kind == "right"

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        mark = {"right": "✓", "wrong": "✗"}.get(self.kind, "…")
        return (
            f'<div class="wt-answer wt-{self.kind}" role="status">'
            f'<span aria-hidden="true">{mark}</span> {html.escape(self.sentence)}</div>'
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its numbers, to be read."""

    id: str
    seed: str | None
    sentence: str

    def __repr__(self) -> str:
        return f"{self.id} {self.sentence}"

    def _repr_html_(self) -> str:
        seed = "" if self.seed is None else f", seed={self.seed!r}"
        how = html.escape(f'check("{self.id}", ...{seed})')
        return (
            f'<div class="wt-question"><p><b>{html.escape(self.id)}</b> '
            f"{html.escape(self.sentence)}</p><p>Answer with <code>{how}</code>.</p></div>"
        )


def exercise(id: str, *, seed: str | None = None) -> Asked:
    """The question of exercise `id`, to be answered with `check` and the same seed.

    `seed`, any text, gives it other numbers, the same for everybody who writes the same text.
    NoSuchExercise names the ids there are.
    """
    asked = _find(id)
    given = asked.numbers(seed)
    if given is None:
        first = f" First press Run in the lab “{asked.lab}”: this asks about your machine."
        plain = "" if "{" in asked.question else asked.question
        return Asked(id=id, seed=seed, sentence=f"{plain}{first}".strip())
    unit = f" Answer{_in(asked.unit)}." if asked.unit else ""
    question = _fill(asked.question, asked, given)
    return Asked(id=id, seed=seed, sentence=f"{question}{unit}")


def number(value: object) -> float | None:
    """An answer as a number; None for what is none."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return None
    found = float(value)
    return found if math.isfinite(found) else None


def check(id: str, value: object = ..., *, seed: str | None = None) -> Reply:
    """Judge `value` as the answer to exercise `id`; without a value, ask for one.

    `seed`, any text, gives the exercise other numbers and prints the question with them.
    NoSuchExercise names the ids there are.
    """
    exercise = _find(id)
    given = exercise.numbers(seed)
    if given is None:
        first = f"First press Run in the lab “{exercise.lab}” above: this asks about your machine."
        return Reply(kind="later", sentence=first)
    question = _fill(exercise.question, exercise, given)
    if exercise.answer is None:
        return Reply(kind="open", sentence=f"{question} {_fill(exercise.hint, exercise, given)}")
    if value is None or isinstance(value, EllipsisType):
        asked = "" if seed is None else f"{question} "  # the page prints the usual numbers
        prompt = f"{asked}Put your answer{_in(exercise.unit)} in place of the dots, and run."
        return Reply(kind="later", sentence=prompt)
    given_number = number(value)
    if given_number is None:
        plain = f"{value!r}: not an ordinary number. Write it plainly{_in(exercise.unit)}: 12.5"
        return Reply(kind="wrong", sentence=plain)
    return _judge(exercise, given, given_number)


def _judge(exercise: Exercise, given: Given, number: float) -> Reply:
    assert exercise.answer is not None
    truth = exercise.answer(given)
    if math.isclose(number, truth, rel_tol=exercise.tolerance(given)):
        measured = " It is within what your measurement allows." if exercise.read else ""
        unit = "" if exercise.unit.startswith("as ") else f" {exercise.unit}"
        return Reply(kind="right", sentence=f"Right: {digits(truth)}{unit}.{measured}")
    for slip in (*exercise.slips, *_unit_slips(exercise.unit, truth)):
        if math.isclose(number, slip.leads_to(given), rel_tol=CLOSE):
            return Reply(kind="wrong", sentence=f"Not quite. {_fill(slip.hint, exercise, given)}")
    size = "too large" if number > truth else "too small"
    hint = f" {_fill(exercise.hint, exercise, given)}" if exercise.hint else ""
    return Reply(kind="wrong", sentence=f"Not yet: {digits(number)} is {size}.{hint}")


def _unit_slips(unit: str, truth: float) -> tuple[Slip, ...]:
    """The slips of the unit, which every question shares."""
    known = {
        "as a fraction": (100, "That is the percentage; as a fraction it is a hundredth of it."),
        "ms": (0.001, "That is in seconds; this asks for milliseconds."),
        "s": (1000, "That is in milliseconds; this asks for seconds."),
        "req/s": (60, "That is for a minute; this asks for a second."),
    }
    slips = []
    if unit in known:
        factor, hint = known[unit]
        slips.append(Slip(lambda given: truth * factor, hint))
    if unit == "req/s" and truth:
        slips.append(
            Slip(lambda given: truth / 1000, "Milliseconds for seconds: 20 ms are 0.020 s.")
        )
        slips.append(Slip(lambda given: 1 / truth, "Upside down: that is seconds per request."))
    return tuple(slips)


def _find(id: str) -> Exercise:
    from labs.exercises.exercise import QUESTIONS

    for exercise in QUESTIONS:
        if exercise.id == id:
            return exercise
    known = ", ".join(exercise.id for exercise in QUESTIONS)
    raise NoSuchExercise(f"id={id!r}: no such exercise. Choose one of {known}.")


def _in(unit: str) -> str:
    return f" {unit}" if unit.startswith("as ") else f" in {unit}" if unit else ""


def _fill(text: str, exercise: Exercise, given: Given) -> str:
    """Whole numbers, and all that the question gives itself, stand as they are: 1024 users are
    not 1,020. Measured ones are rounded to what they are worth."""
    measured = exercise.read is not None

    def said(value: float) -> str:
        if float(value).is_integer():
            return f"{value:.0f}"
        return digits(value) if measured else f"{value:.12g}"

    return text.format_map({name: said(value) for name, value in given.items()})
