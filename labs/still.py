"""The labs that are no sweep: what each measures in one run, and when a run may be recorded.

A kind of lab is a class here or in its own module, a row in `labs.showing` (how its result
looks) and a function in `labs.lab` (how a chapter calls it).
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from labs import stopwatch
from labs.findings import Checkup, Clocks
from labs.measure import Measurement, Progress
from labs.records import Experiment, Load, Sample, Server, Workload
from labs.verdict import Question

Found = TypeVar("Found", bound=Any)  # what one run of it gives: a frozen record

CHECKUP_S = 8.0
CHECKUP = Experiment(Server("event-loop"), Workload(), Load((1, 8)))


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


class OneRequest(Still[Clocks]):
    """One request, three clocks."""

    result = Clocks

    def __init__(self, pages: Mapping[str, Workload] | None = None) -> None:
        self.pages = dict(pages) if pages else stopwatch.PAGES
        self.seconds = stopwatch.duration_s(self.pages)
        self.about = (
            f"One worker answers {stopwatch.FETCHES} requests to each of its pages "
            f"({', '.join(self.pages)}), one at a time, while three clocks run: on the wall, on "
            "the server's CPU, and the client's own."
        )

    def measure(self, tell: Callable[[Any], None], stop: threading.Event) -> Clocks:
        return stopwatch.clock(self.pages, tell=tell, stop=stop)

    def asked_of(self, found: Clocks) -> bool:
        return {page.name: page.workload for page in found.run.pages} == self.pages


class ThisMachine(Still[Checkup]):
    """Fingerprint and calibration, with the cost of an empty request to either side."""

    result = Checkup
    seconds = CHECKUP_S
    about = (
        "The lab reads what the system says of this machine, burns all its cores for a second, "
        "and lets the load generator ask a server for nothing, as fast as it can."
    )

    def measure(self, tell: Callable[[Any], None], stop: threading.Event) -> Checkup:
        def progress(told: object) -> None:
            if isinstance(told, Progress):
                tell(told)

        measured = Measurement(CHECKUP, tell=progress, stop=stop).run()
        return Checkup(
            machine=measured.machine,
            calibrations=(measured.run.calibration,),
            recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def joined(self, rounds: Sequence[Checkup]) -> Checkup:
        calibrations = tuple(one for each in rounds for one in each.calibrations)
        return replace(rounds[0], calibrations=calibrations)
