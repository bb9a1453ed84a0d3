"""An exercise as its page defines it: numbers, law, likely slips and words. Pure.

The numbers an exercise speaks of are given (a seed draws others, so that a class gets different
ones), read from what the reader's lab has measured, or worked out from these. A formula is text
of numbers and laws, as `labs.theory.expression` reads it: `ceiling(cores, cpu_ms / 1000)`.
"""

import random
from collections.abc import Mapping
from typing import Any, Literal, get_args

import msgspec

from labs.analysis.causes import UNSTEADY
from labs.present.quantities import NoSuchNumber
from labs.records.format import digits
from labs.theory.expression import evaluate

Formula = str | int | float
Level = Literal["warm-up", "standard", "hard"]
Kind = Literal[
    "compute",
    "predict",
    "your machine",
    "break the model",
    "proof",
    "read the output",
    "repair",
    "costing",
    "your application",
]
LEVELS: tuple[Level, ...] = get_args(Level)
KINDS: tuple[Kind, ...] = get_args(Kind)

CLOSE = 0.02  # an answer rounded to two digits is meant exactly


class Numbers(dict[str, float]):
    """The numbers of an exercise by name; those with a formula are worked out when asked for, and
    what is known in ms (`wait_ms`) is in seconds too (`wait_s`), and the other way."""

    def __init__(
        self, known: Mapping[str, float], formulas: Mapping[str, Formula], exact: Mapping[str, Any]
    ) -> None:
        super().__init__(known)
        self._formulas = formulas
        self._exact = exact

    def __missing__(self, name: str) -> Any:
        if name not in self._formulas:
            for unit, other, factor in (("_s", "_ms", 0.001), ("_ms", "_s", 1000)):
                twin = f"{name.removesuffix(unit)}{other}"
                if name.endswith(unit) and (twin in self or twin in self._formulas):
                    return self[twin] * factor
            names = ", ".join([*self, *(each for each in self._formulas if each not in self)])
            raise NoSuchNumber(f"{name}: no such number. Choose one of {names or 'none'}.")
        self[name] = self.of(self._formulas[name])
        return self[name]

    def of(self, formula: Formula) -> float:
        """Work out a formula. NoSuchNumber for a name that is none of these, Unusable for what is
        no formula."""
        return evaluate(str(formula), self)

    def said(self, name: str) -> str:
        """Say a number as it stands in a sentence. Whole ones, and all that the exercise gives
        itself, stand as they are: 1024 users are not 1,020. Others have three digits."""
        value = float(f"{self[name]:.12g}")  # 0.1 + 0.2 is 0.3
        if value.is_integer():
            return f"{value:.0f}"
        return f"{value:.12g}" if name in self._exact else digits(value)


class Exercise(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One exercise. `{names}` in its words and in the hints of its slips are its numbers.

    Fixed: `given` lists choices for each number, the first is the one printed in the book.
    Own machine: `lab` names the lab; `read` names the reading of `labs.exercises.readings` that
    takes the numbers from its result, and what of it.
    Open: no `answer`.
    `slips` are the likely wrong turns: the number that each leads to, and the sentence that helps.
    With numbers that make the turn a right one it is none.
    """

    id: str
    title: str = ""
    page: str = ""  # that it stands on: 1-cpu-time/one-core
    kind: Kind
    level: Level
    minutes: int  # of a reader who has read the chapter and tries before looking
    unit: str = ""
    lab: str = ""
    read: tuple[str, ...] = ()
    given: dict[str, tuple[int | float, ...]] = {}
    answer: Formula | None = None
    also: dict[str, Formula] = {}  # more numbers that words speak of
    tolerance: Formula | None = None  # relative; else as well as it is `known`
    slips: dict[str, str] = {}  # formula -> hint
    question: str = ""
    hints: tuple[str, ...] = ()
    solution: str = ""

    @property
    def effort(self) -> str:
        """Say the exercise's kind, its level and its minutes in words."""
        minutes = "1 minute" if self.minutes == 1 else f"{self.minutes} minutes"
        return f"{self.kind.capitalize()}, {self.level}, {minutes}"

    def known(self, numbers: Numbers) -> float:
        """Tell how well the answer is known, relatively: as well as what was read from a lab, and
        at least what is lost by rounding. What is known less well than to 10 % is a point drawn
        hollow."""
        if self.tolerance is not None:
            return numbers.of(self.tolerance)
        return max(CLOSE, min(numbers.get("interval", 0.0), UNSTEADY))

    @property
    def fixed(self) -> bool:
        """Whether the exercise has an answer that needs no lab."""
        return self.answer is not None and not self.read

    def numbers(self, seed: str | None = None, read: Mapping[str, float] | None = None) -> Numbers:
        """Give the exercise its numbers: the book's or a seed's, and those `read` from a lab."""
        known = {
            name: choices[0]
            if seed is None
            else random.Random(f"{self.id} {name} {seed}").choice(choices)
            for name, choices in self.given.items()
        }
        formulas = dict(self.also)
        if self.answer is not None:
            formulas["answer"] = self.answer
        return Numbers({**known, **(read or {})}, formulas, self.given)


def place(id: str) -> str:
    """Name the place in its page where an exercise's question stands.

    >>> place("3.1")
    'exercise-3-1'
    """
    return f"exercise-{id.replace('.', '-')}"
