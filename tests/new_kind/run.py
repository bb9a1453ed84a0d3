"""The naps lab: how late does a sleep end?"""

import time

from labs.kinds.naps.record import Nap, Naps, NapsRun

from labs.kinds.base import LabKind
from labs.measure.rig import Rig
from labs.present.bet import Answer, Question
from labs.records.format import duration


class NapsLab(LabKind[Naps]):
    """How late a sleep ends."""

    result = Naps

    def __init__(self, lengths_s: tuple[float, ...] = (0.01, 0.1)) -> None:
        self.lengths_s = lengths_s
        self.question = Question(
            words="how long will the longest nap take",
            about="for the longest nap",
            unit="ms",
            scale=1000.0,
            say=duration,
        )

    def about(self) -> str:
        return "The lab sleeps."

    def seconds(self) -> float:
        return sum(self.lengths_s)

    def run(self, rig: Rig) -> Naps:
        naps: list[Nap] = []
        for length_s in self.lengths_s:
            rig.measuring(f"a nap of {duration(length_s)}", length_s)
            begin = time.perf_counter()
            rig.pause(length_s)
            slept_s = time.perf_counter() - begin
            naps.append(Nap(name=f"{length_s:g}", asked_s=length_s, slept_s=slept_s))
            run = NapsRun(recorded_at=rig.now(), naps=tuple(naps))
            rig.partial(Naps(machine=rig.machine, runs=(run,)))
        return Naps(machine=rig.machine, runs=(run,))

    def matches(self, found: Naps) -> bool:
        return tuple(nap.asked_s for nap in found.run.naps) == self.lengths_s

    def answer(self, found: Naps) -> Answer:
        return Answer(self.lengths_s[-1], found.run.naps[-1].slept_s)
