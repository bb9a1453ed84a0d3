"""Numbers for prose, drawn from a recording: rounded to what is worth saying, with units.

A quantity shows as text, and is a number for whoever asks. Change the recording and the page
that quotes it changes.
"""

from __future__ import annotations

from collections.abc import Callable

from labs.kinds.checkup.quotes import CheckupNumbers
from labs.kinds.checkup.record import Checkup
from labs.kinds.classics.quotes import RetrialNumbers
from labs.kinds.classics.record import Retrial
from labs.kinds.clocks.quotes import ClocksNumbers
from labs.kinds.clocks.record import Clocks
from labs.kinds.comparison.quotes import ComparisonNumbers
from labs.kinds.comparison.record import Comparison
from labs.kinds.generators.quotes import GaugesNumbers
from labs.kinds.generators.record import Gauges
from labs.kinds.memory.quotes import MemoryNumbers
from labs.kinds.memory.record import Memory
from labs.kinds.mystery.quotes import MysteryNumbers
from labs.kinds.mystery.record import Mystery
from labs.kinds.race.quotes import RaceNumbers
from labs.kinds.race.record import Race
from labs.kinds.result import Result
from labs.kinds.sweep.quotes import SweepNumbers
from labs.kinds.sweep.record import Recording
from labs.kinds.timeline.quotes import TimelineNumbers
from labs.kinds.timeline.record import Timeline
from labs.present.quantities import NoSuchNumber, Quantity

__all__ = ["NoSuchNumber", "Numbers", "Quantity", "ask", "numbers"]


Numbers = (
    SweepNumbers
    | ComparisonNumbers
    | ClocksNumbers
    | CheckupNumbers
    | MemoryNumbers
    | RaceNumbers
    | TimelineNumbers
    | GaugesNumbers
    | RetrialNumbers
    | MysteryNumbers
)

NUMBERS: dict[type[object], type[Numbers]] = {
    Recording: SweepNumbers,
    Comparison: ComparisonNumbers,
    Clocks: ClocksNumbers,
    Checkup: CheckupNumbers,
    Memory: MemoryNumbers,
    Race: RaceNumbers,
    Timeline: TimelineNumbers,
    Gauges: GaugesNumbers,
    Retrial: RetrialNumbers,
    Mystery: MysteryNumbers,
}


def numbers(result: Result) -> Numbers:
    """The quotable numbers of a recording."""
    kind: Callable[..., Numbers] = NUMBERS[type(result)]
    return kind(result)


def ask(source: Numbers, quantity: str, *arguments: object) -> Quantity:
    """The quantity of that name. NoSuchNumber says which there are, or what it needs."""
    names = sorted(name for name in dir(type(source)) if name[0] != "_" and name != "result")
    if quantity not in names:
        raise NoSuchNumber(f"{quantity!r}: no such number. There are {', '.join(names)}.")
    method: Callable[..., Quantity] = getattr(source, quantity)
    try:
        return method(*arguments)
    except TypeError:
        raise NoSuchNumber(f"{quantity} {arguments}: not what {quantity} needs.") from None
