"""The labs that are no sweep: what each measures in one run, and when a run may be recorded.

A kind of lab is a class here or in its own module, a row in `labs.kinds.showing` (how its result
looks) and a function in `labs.api` (how a chapter calls it).
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from labs.measure.rig import Progress
from labs.present.verdict import Question
from labs.records.results import Sample

Found = TypeVar("Found", bound=Any)  # what one run of it gives: a frozen record


class Still(ABC, Generic[Found]):
    """One lab: `about` in a sentence, and about how many `seconds` one run takes."""

    result: ClassVar[type[Any]]  # the record it gives
    about: str
    seconds: float
    question: Question | None = None  # for the reader to answer before the first run
    levers: Mapping[str, str] = MappingProxyType({})  # to pull while it runs; a word on each

    @abstractmethod
    def measure(
        self, tell: Callable[[Progress | Sample | Found], None], stop: threading.Event
    ) -> Found:
        """One run. Tells how far it is and, if it likes, what it sees and has found so far; the
        latter only where nothing is measured, because the page then paints it.

        Raises Unusable before anything is started; ServerFailed, LoadFailed or Stopped later.
        """

    def asked_of(self, found: Found) -> bool:
        """Whether that result is of what this lab asks."""
        return True

    def pull(self, lever: str) -> None:
        """Do that to the run that goes on, soon; nothing where none does."""

    def answer(self, found: Found) -> tuple[float | None, float | None]:
        """What the model said to the question, and what was measured: SI units, None without."""
        return None, None

    def unfit(self, found: Found) -> str:
        """Why that run must not be recorded; "" when it may."""
        return ""

    def reduced(self) -> Still[Found]:
        """The same lab in a few seconds, to see that it runs; itself, if it is that short."""
        return self

    def joined(self, rounds: Sequence[Found]) -> Found:
        """Several results of this lab as one."""
        runs = tuple(run for each in rounds for run in each.runs)
        whole: Found = replace(rounds[0], runs=runs)
        return whole
