"""Panels for a cell of a page, of labs that measure nothing: what they find was made by hand. They
take no turn of the machine, so that no test waits for another's."""

import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import examples
from msgspec import structs

from labs.analysis.checks import STARVED
from labs.kinds.mystery.record import Mystery
from labs.kinds.mystery.run import MysteryLab
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import SweepLab
from labs.measure import rig as rigs
from labs.measure.rig import Rig
from labs.panel import sweep as sweeps
from labs.panel.mystery import MysteryPanel
from labs.panel.sweep import SweepPanel
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import unfit

USERS = (1, 2, 4, 8, 16, 32, 64)
SPOILED, HUNGRY = 32, 64  # levels whose points cannot be believed
STARVING = 26
REPAIR_S = 60.0


def take_no_turn() -> None:
    """In the kernel of a page that opens these panels, and no other lab."""
    rigs.turn = lambda *_: nullcontext()


class ToldSweep(SweepLab):
    """Its last level but one had too few requests, and at its last users got no answer."""

    def run(self, rig: Rig) -> Recording:
        found = examples.by_law(self.experiment)
        faults = {
            SPOILED: {"checks": (unfit("few", "Only 3 requests ended."),)},
            HUNGRY: {
                "checks": (unfit(STARVED, "They starved."),),
                "never_served": STARVING,
                "listen_overflows": STARVING,
            },
        }
        points = (replace(each, **faults.get(each.users, {})) for each in found.points)
        return structs.replace(found, runs=(replace(found.run, points=tuple(points)),))


class ToldMystery(MysteryLab):
    """What the laws say of it, measured too shortly; of a repair after a while."""

    def run(self, rig: Rig) -> Mystery:
        name = self.variants[0]
        if name != "before":
            rig.measuring("8 users", REPAIR_S)
            rig.pause(REPAIR_S)
        experiment = self.scenario.experiment(name)
        vague = (unfit("few", "Only 3 requests ended."),)
        found = examples.by_law(experiment, of=rig.machine, service_time_s=0.01, checks=vague)
        before = self.before or Mystery(
            seed=self.seed,
            limit=self.scenario.limit.name,
            machine=rig.machine,
            variants={"before": found},
        )
        return before.with_variant(name, found)


def sweep() -> SweepPanel:
    """Of users so far apart that they want a logarithmic axis."""
    take_no_turn()
    server, work = Server("prefork", processes=8), Workload(cpu_s=0.05)
    lab = ToldSweep(Experiment(server, work, Load(USERS, seconds=1)))
    sweeps.last = lambda *_, **__: examples.CALIBRATION
    return SweepPanel("told", lab)


def mystery() -> MysteryPanel:
    """Of seed 1."""
    take_no_turn()
    return MysteryPanel("told-mystery", ToldMystery(1))
