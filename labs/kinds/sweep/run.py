"""The lab over levels of users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Self

from labs.analysis.checks import rejection
from labs.analysis.scale import own_experiment
from labs.analysis.schedule import duration_s
from labs.host.hardware import fingerprint
from labs.kinds.base import LabKind, Scale
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.walk import sweep
from labs.measure.calibration import last
from labs.measure.latency import loopback_s
from labs.measure.rig import Rig
from labs.present.bet import UNSETTLED, Answer, Place, throughput
from labs.present.verdict import about
from labs.records.errors import instance
from labs.records.experiment import Experiment, Server, Workload
from labs.records.settings import check_named
from labs.theory.forecast import forecast


class SweepLab(LabKind[Recording]):
    """A lab over levels of users; the reader predicts the throughput at the last one. With
    `by_cores` users and workers are meant for two cores, and grow with those there are. `about`
    are the settings that the lab is about. `also` are servers or workloads that its page shows it
    with as well, by their labels: each is recorded in place of the experiment's own."""

    result = Recording
    panel = "sweep:SweepPanel"

    def __init__(
        self,
        experiment: Experiment,
        *,
        by_cores: bool = False,
        about: Sequence[str] = (),
        also: Mapping[str, Server | Workload] = MappingProxyType({}),
    ) -> None:
        instance(
            "experiment", experiment, Experiment, "Give an Experiment(server, workload, load)."
        )
        self.experiment = experiment
        self.scale = Scale(experiment if by_cores else None)
        self.given = {"experiment": experiment, "about": about}
        instance("also", also, Mapping, "Give servers or workloads by their labels.")
        for label, other in also.items():
            instance(f"also[{label!r}]", other, (Server, Workload), "Give a Server or a Workload.")
        self.also, self.others = tuple(also), also
        self.settings = check_named(about)
        users = experiment.load.users[-1]
        self.question = throughput(f"at {users} user{'s' if users > 1 else ''}")

    def about(self) -> str:
        return f"{about(self.experiment)} {self.scale.why}".strip()

    def seconds(self) -> float:
        """Estimate a run's seconds by the last calibration of this machine. What an empty request
        costs is seen in the first run only: until then it is a way to a local socket and back."""
        machine = fingerprint()
        calibration = last(machine, self.experiment)
        if not calibration.generator_s:
            calibration = replace(calibration, generator_s=loopback_s())
        return duration_s(self.experiment, forecast(self.experiment, calibration, machine).levels)

    def run(self, rig: Rig) -> Recording:
        return sweep(rig, self.experiment)

    def matches(self, found: Recording) -> bool:
        """Whether a recording is of this experiment; with `by_cores`, at its machine's scale."""
        return found.experiment.asks_as(self.at_scale(found.machine.cores).experiment)

    def answer(self, found: Recording) -> Answer:
        level, last = found.run.forecast.levels[-1], found.last
        return Answer(level.model_rps, last.throughput_rps if last else None, level.band_rps)

    def place(self) -> Place:
        load = self.experiment.load
        users = load.users[-1]
        return Place(at=users, users=users, think_time_s=load.think_time_s)

    def unsettled(self, found: Recording) -> str:
        return "" if found.last is None or found.last.fit else UNSETTLED

    def rejection(self, found: Recording) -> str:
        return rejection({"": found.points})

    def grown(self, cores: int) -> Mapping[str, Any]:
        return {"experiment": own_experiment(self.scale.written, cores)}

    @property
    def each_s(self) -> float:
        return self.experiment.load.seconds

    def lasting(self, seconds: float) -> Self:
        written = self.scale.written and self.scale.written.lasting(seconds)
        longer = self.experiment.lasting(seconds)
        return self.again(replace(self.scale, written=written), experiment=longer)

    def under(self, label: str) -> Self:
        other = self.others[label]
        place = {"server": other} if isinstance(other, Server) else {"workload": other}
        experiment = replace(self.experiment, **place)
        written = experiment if self.scale.by_cores else None
        return self.again(replace(self.scale, written=written), experiment=experiment)

    def experiments(self) -> Sequence[Experiment]:
        return (self.experiment,)

    def with_experiments(self, asked: Sequence[Experiment], scale: Scale | None = None) -> Self:
        (experiment,) = asked
        return self.again(scale, experiment=experiment)

    def compares(self, experiment: Experiment, found: Recording) -> bool:
        """Whether a recording is of the same server and work as that experiment, at any levels, or
        both are this lab's at the scales of their machines."""
        server, workload = experiment.server, experiment.workload
        if found.experiment.workload != workload:
            return False
        both_own = server == self.experiment.server and self.matches(found)
        return found.experiment.server == server or both_own
