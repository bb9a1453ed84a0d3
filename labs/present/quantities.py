"""A number for prose with its words: rounded to what is worth saying, with its unit.

A quantity is text where it is shown, and a number for whoever asks.
"""

from dataclasses import dataclass


class NoSuchNumber(LookupError):
    """A recording or an exercise cannot give that number. Says what it can."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and the words for it."""

    value: float
    text: str

    def __str__(self) -> str:
        return self.text

    def __float__(self) -> float:
        return float(self.value)
