"""The checkup: fingerprint and calibration, with the cost of an empty request to either side."""

from __future__ import annotations

from typing import Self

from labs.analysis.scale import BOOK_CORES
from labs.kinds.base import LabKind
from labs.kinds.checkup.record import Checkup
from labs.measure.latency import loopback_s
from labs.measure.rig import Rig
from labs.present.bet import Answer, Question
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.format import cores as so_many
from labs.records.format import digits

NOTHING = Experiment(Server("event-loop"), Workload(), Load((1, 8)))  # is what its requests do
CHECKUP_S = 3.5  # seen: 3.0 on two steady cores; a machine whose burns differ burns up to thrice


def _question(cores: int) -> Question | None:
    """Ask for the work of so many cores together; of one alone there is nothing to ask."""
    if cores < 2:
        return None
    return Question(
        words=f"how many times the work of one core will {so_many(cores)} do together",
        about="the work of one core",
        unit="times",
        say=lambda value: f"{digits(value)} times",
    )


class CheckupLab(LabKind[Checkup]):
    """Measure what this machine can do."""

    result = Checkup
    by_round = ("calibrations", "loopbacks_s")
    question = _question(BOOK_CORES)

    def about(self) -> str:
        return (
            "The lab reads what the system says of this machine, burns all its cores for a second, "
            "and lets the load generator ask a server for nothing, as fast as it can."
        )

    def seconds(self) -> float:
        return CHECKUP_S

    def run(self, rig: Rig) -> Checkup:
        """Warm up a testbed, which finds all of it; no level of users is measured."""
        with rig.testbed(NOTHING) as bed:
            return Checkup(
                machine=bed.machine,
                calibrations=(bed.calibration,),
                loopbacks_s=(loopback_s(),),
                recorded_at=rig.now(),
            )

    def answer(self, found: Checkup) -> Answer:
        return Answer(measured=found.capacity)

    def at_scale(self, cores: int) -> Self:
        scaled = type(self)()
        scaled.question = _question(cores)
        return scaled
