"""A reader's bet before a run, and how near it was. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from labs.present.advice import HOLLOW
from labs.records.format import digits, percent, quotient, rate

CLOSE = 0.05  # a prediction is as good as the measurement
UNSETTLED = f"But that point is {HOLLOW}: it settles no bet, and the next fit one does."
SPELT = {"req/s": "requests a second"}  # a unit, as a question may say it


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that a reader is to bet on before a run."""

    words: str  # without question mark: how many requests a second will it answer at 8 users
    about: str  # for the sentence with the answer: at 8 users
    unit: str  # of what is typed: ms
    scale: float = 1.0  # what is typed over the value in SI units: 1000
    say: Callable[[float], str] = digits  # a value in SI units, in words with its unit

    @property
    def asked(self) -> str:
        """Ask in words, with the unit of the answer where they do not have it."""
        spelt = SPELT.get(self.unit, self.unit)
        known = self.unit in self.words or spelt in self.words
        return f"{self.words}?" if known else f"{self.words}, in {self.unit}?"


def throughput(about: str) -> Question:
    """Ask for the throughput `at 8 users`, requests per second."""
    words = f"how many requests a second will it answer {about}"
    return Question(words=words, about=about, unit="req/s", say=rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """A reader's guess, committed to before the run."""

    users: int
    rps: float

    def __str__(self) -> str:
        return rate(self.rps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Place of a throughput that is asked for, in a figure of throughput and response time."""

    at: int  # on the x axes
    users: int
    think_time_s: float


class Answer(NamedTuple):
    """The answer to a question as far as it is known, in SI units; None without."""

    model: float | None = None  # what the forecast says, or a law
    measured: float | None = None
    band: tuple[float, float] | None = None  # where that lies by the forecast, nine times in ten
    unsettled: str = ""  # why it settles no bet, in a sentence


def on_answer(question: Question, value: float, known: Answer) -> str:
    """Compare what a reader said to any question, in SI units, with what came of it."""
    model, found, band, unsettled = known
    said = f"You said {question.say(value)} {question.about}"
    if model is not None:
        said += f", the model {question.say(model)}"
    if found is None:
        return f"{said}; that was not measured."
    told = f"{said}, and it was {question.say(found)}"
    if unsettled:
        judged = f"{told}. {unsettled}"
    else:
        judged = (_points if question.unit == "%" else _beside)(told, value, found)
    if band is None:
        return judged
    low, high = band
    side = "below" if value < low else "above" if value > high else "inside"
    span = f"{digits(low * question.scale)} to {question.say(high)}"
    return f"{judged} Your bet lay {side} the forecast's band, {span}."


def is_close(value: float, found: float, unit: str) -> bool:
    """Whether a prediction came as near as a measurement would; both in that unit."""
    if unit == "%":
        return abs(value - found) <= 100 * CLOSE
    return bool(found) and abs(value / found - 1) <= CLOSE


def _points(said: str, value: float, found: float) -> str:
    """Compare shares: how far apart they are is told in points, as per cents of per cents
    mislead."""
    off = value - found
    if is_close(100 * value, 100 * found, "%"):
        return f"{said}. Well predicted!"
    points = digits(abs(off) * 100, 2)
    return f"{said}: yours was {points} percentage points too {'high' if off > 0 else 'low'}."


def _beside(said: str, value: float, found: float) -> str:
    if not found:
        return f"{said}."
    off = quotient(value, found) - 1
    if is_close(value, found, ""):
        return f"{said}. Well predicted!"
    if off >= 0.95:
        return f"{said}: yours was {digits(quotient(value, found), 2)} times as much."
    if off <= -0.95:
        return f"{said}: it was {digits(quotient(found, value), 2)} times what you said."
    return f"{said}: yours was {percent(abs(off))} too {'high' if off > 0 else 'low'}."
