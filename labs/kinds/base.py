"""Kind of lab: what it measures in one run, and how what it finds is shown.

A kind is a folder here and a line in `labs.kinds.registry`. The folder has `record.py` with the
result, `run.py` with the lab itself, and `show.py` with how a result looks: a figure, a table,
sentences and the numbers that prose may quote. Everything else (panel, page, recorder, command
line, quotes) asks these three.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Self, TypeVar

import msgspec

from labs.analysis.scale import why_scaled
from labs.analysis.small_machine import scaled_down
from labs.measure.rig import Rig
from labs.present.bet import Answer, Place, Question
from labs.records.experiment import Experiment
from labs.records.results import Machine, Result
from labs.servers.serve import check

Found = TypeVar("Found", bound=Result)


@dataclass(frozen=True, slots=True)
class Scale:
    """Scale at which a lab is run: as it is written, or as suits a machine's cores."""

    written: Any = None  # what grows with the cores, as it is for two of them; None: nothing does
    why: str = ""  # the numbers are not those of the chapter, in a sentence

    @property
    def by_cores(self) -> bool:
        return self.written is not None


BOOK_SCALE = Scale()


def arguments(names: Mapping[str, Any]) -> Mapping[str, Any]:
    """Take a lab's arguments, of the names that its constructor begins with."""
    return {name: value for name, value in names.items() if name != "self"}


class LabKind(ABC, Generic[Found]):
    """One lab. Its arguments are what a chapter's cell gives after the lab's name, and its
    docstring is what the reference says of it."""

    result: ClassVar[type[Any]]  # what a run of it gives
    by_round: ClassVar[Sequence[str]] = ("runs",)  # fields of it with one for each round
    rounds: ClassVar[int] = 3  # runs of it in the book's recording
    recorded_by: ClassVar[str] = "make record"
    question: Question | None = None  # for the reader to answer before the first run
    scale: Scale = BOOK_SCALE
    given: Mapping[str, Any] = MappingProxyType({})  # its arguments but for the scale
    controls: Mapping[str, str] = MappingProxyType({})  # to use while it runs; a word on each
    settings: Sequence[str] = ()  # that it is about, which its panel shows first
    also: Sequence[str] = ()  # labels of the other settings that it is recorded under
    fixed: ClassVar[Sequence[str]] = ()  # settings that cannot be changed in this kind
    ran_last: str = ""  # of several servers, which in a whole run: the strip of the cores is of it
    each: ClassVar[str] = "level"  # what is measured for `each_s`
    panel: ClassVar[str] = "lab:LabPanel"  # the module in `labs.panel`, and the class in it
    draws_cores: ClassVar[bool] = False  # whether its figure shows what each core did

    @abstractmethod
    def about(self) -> str:
        """Say what is measured, in a sentence."""

    @abstractmethod
    def seconds(self) -> float:
        """Estimate how long one run takes, in seconds."""

    @abstractmethod
    def run(self, rig: Rig) -> Found:
        """Run the lab once, in the machine's turn. Tells the rig how far it is and, if it likes,
        what it has found so far. Raises ServerFailed, LoadFailed or Stopped."""

    def check(self, machine: Machine) -> None:
        """Raise Unusable, with a remedy, for what cannot run here; before anything is started."""
        for asked in self.experiments():
            check(asked.server, machine, asked.workload)

    @property
    def each_s(self) -> float | None:
        """Seconds for which each level, step or way is measured at least; the longest, where they
        differ. None where that is not to be set."""
        seconds: float | None = self.given.get("seconds")
        return seconds

    def lasting(self, seconds: float) -> Self:
        """Make the lab measure each for so many seconds. Unusable for what is too long."""
        return self.again(seconds=seconds) if "seconds" in self.given else self

    def experiments(self) -> Sequence[Experiment]:
        """List what a panel may change, in this order; none where there is nothing to set."""
        return ()

    def with_experiments(self, asked: Sequence[Experiment], scale: Scale | None = None) -> Self:
        """Make the lab one of those experiments, see `again`. Unusable for what cannot be."""
        return self

    def under(self, label: str) -> Self:
        """Make the lab one under the other settings of a label (see `also`). KeyError without."""
        raise KeyError(label)

    def matches(self, found: Found) -> bool:
        """Whether a result is of this experiment."""
        return True

    def perform(self, control: str) -> None:
        """Do what a control says to the run that goes on, soon; nothing where none does."""

    def asks(self, found: Found) -> Question | None:
        """Choose the question that a page with a recorded run asks: nothing of the machine that
        builds the page may be in it."""
        return self.question

    def answer(self, found: Found) -> Answer:
        """Answer the question: what the model said to it, and what was measured."""
        return Answer()

    def outcome(self, found: Found) -> Answer:
        """Answer the question, and say why that settles no bet, if so."""
        return self.answer(found)._replace(unsettled=self.unsettled(found))

    def place(self) -> Place | None:
        """Find where in its figure the answer lies, if the figure is one over the users."""
        return None

    def unsettled(self, found: Found) -> str:
        """Say why what was measured settles no bet, in a sentence; "" where it can be believed."""
        return ""

    def rejection(self, found: Found) -> str:
        """Say why a result's newest run must not be recorded; "" when it may."""
        return ""

    def grown(self, cores: int) -> Mapping[str, Any]:
        """Give the arguments that grow with the cores, as they suit that many."""
        return {}

    def at_scale(self, cores: int) -> Self:
        """Make the lab one with as many users and workers as suit that many cores; itself where
        those are its own, as on two, for which chapters are written."""
        own = self.grown(cores) if self.scale.by_cores else {}
        if all(self.given[name] == value for name, value in own.items()):
            return self
        return self.again(replace(self.scale, why=why_scaled(cores)), **own)

    def scaled_down(self, cores: int, *, shared: bool) -> Self:
        """Make the lab one for a small machine to begin with, or a service that others share."""
        smaller = [scaled_down(each, cores, shared=shared) for each in self.experiments()]
        why = next((why for _, why in smaller if why), "")
        if not why:
            return self
        return self.with_experiments([each for each, _ in smaller], Scale(why=why))

    def merge(self, rounds: Sequence[Found]) -> Found:
        """Merge several results of this lab into one."""
        every = {
            name: tuple(one for each in rounds for one in getattr(each, name))
            for name in self.by_round
        }
        return msgspec.structs.replace(rounds[0], **every)

    def in_a_line(self, found: Found) -> str:
        """Say the newest of what was found, for a terminal; "" for nothing to say on the way."""
        return ""

    def again(self, scale: Scale | None = None, /, **other: Any) -> Self:
        """Make the lab anew with some other arguments; without a scale they are a reader's own,
        which no machine's cores change any more."""
        again = type(self)(**{**self.given, **other})
        again.scale = scale or Scale(why=self.scale.why)
        return again

    @classmethod
    def signature(cls) -> inspect.Signature:
        """Sign the function that a cell calls: a name, then the lab's own arguments."""
        name = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="str")
        return inspect.Signature([name, *inspect.signature(cls).parameters.values()])
