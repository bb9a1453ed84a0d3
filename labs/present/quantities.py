"""A number for prose with its words, and what every recording can say of its machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labs.records.results import Machine


class NoSuchNumber(LookupError):
    """The recording cannot give that number. Says what it can."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and the words for it."""

    value: float
    text: str

    def __str__(self) -> str:
        return self.text

    def __float__(self) -> float:
        return float(self.value)

    def _repr_markdown_(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Said:
    """What every recording can say of its machine."""

    result: Any  # a recording of any kind

    def machine(self) -> Quantity:
        """The machine in one line, and how many cores it has."""
        machine: Machine = self.result.machine
        return Quantity(machine.cores, machine.caption)

    def cores(self) -> Quantity:
        """The cores it may use: `1 core`, `2 cores`."""
        cores = self.result.machine.cores
        return Quantity(cores, "1 core" if cores == 1 else f"{cores} cores")
