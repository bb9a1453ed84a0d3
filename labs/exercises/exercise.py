"""An exercise without its words, which stand in the book: ranges, laws and likely slips. Pure.

The numbers an exercise speaks of are given (a seed draws others, so that a class gets different
ones), read from what the reader's lab has measured, or worked out from these. A formula is text
of numbers and laws, as `labs.theory.expression` reads it: `"ceiling(cores, cpu_ms / 1000)"`. What
that cannot say is a function, whose parameters are the numbers it needs.
"""

import inspect
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from labs.analysis.causes import UNSTEADY
from labs.records.format import digits
from labs.theory.expression import evaluate

Formula = str | Callable[..., float]
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


class NoSuchNumber(LookupError):
    """An exercise has no number of that name."""


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
        """The formula's value. NoSuchNumber for a name that is none of these, Unusable for what is
        no formula."""
        if isinstance(formula, str):
            return evaluate(formula, self)
        return formula(*(self[name] for name in inspect.signature(formula).parameters))

    def said(self, name: str) -> str:
        """A number as it stands in a sentence. Whole ones, and all that the exercise gives
        itself, stand as they are: 1024 users are not 1,020. Others have three digits."""
        value = float(f"{self[name]:.12g}")  # 0.1 + 0.2 is 0.3
        if value.is_integer():
            return f"{value:.0f}"
        return f"{value:.12g}" if name in self._exact else digits(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """One exercise. `{names}` in the hints of its slips, and in the page's words, are its numbers.

    Fixed: `given` lists choices for each number, the first is the one printed in the book.
    Own machine: `lab` names the lab and `read` takes the numbers from its result.
    Open: no `answer`.
    `slips` are the likely wrong turns: the number that each leads to, and the sentence that helps.
    With numbers that make the turn a right one it leads nowhere, to NaN.
    """

    id: str
    kind: Kind
    level: Level
    minutes: int  # of a reader who has read the chapter and tries before looking
    unit: str = ""
    given: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    lab: str = ""
    read: Callable[[Any], Mapping[str, float]] | None = None
    answer: Formula | None = None
    also: Mapping[str, Formula] = field(default_factory=dict)  # more numbers that words speak of
    tolerance: Formula | None = None  # relative; else as well as it is `known`
    slips: Mapping[Formula, str] = field(default_factory=dict)

    @property
    def effort(self) -> str:
        """Its kind, its level and its minutes in words."""
        minutes = "1 minute" if self.minutes == 1 else f"{self.minutes} minutes"
        return f"{self.kind.capitalize()}, {self.level}, {minutes}"

    def known(self, numbers: Numbers) -> float:
        """How well its answer is known, relatively: as well as what was read from a lab, and at
        least what is lost by rounding. What is known less well than to 10 % is a point drawn
        hollow."""
        if self.tolerance is not None:
            return numbers.of(self.tolerance)
        return max(CLOSE, min(numbers.get("interval", 0.0), UNSTEADY))

    @property
    def fixed(self) -> bool:
        """Whether it has an answer that needs no lab."""
        return self.answer is not None and self.read is None

    def numbers(self, seed: str | None = None, measured: object = None) -> Numbers:
        """Its numbers: the book's, or those that the seed draws; and those read from what its lab
        measured."""
        known = {
            name: choices[0]
            if seed is None
            else random.Random(f"{self.id} {name} {seed}").choice(choices)
            for name, choices in self.given.items()
        }
        if self.read is not None and measured is not None:
            known |= self.read(measured)
        formulas = dict(self.also)
        if self.answer is not None:
            formulas["answer"] = self.answer
        return Numbers(known, formulas, self.given)
