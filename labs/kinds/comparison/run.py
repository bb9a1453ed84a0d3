"""Measure several experiments by turns, in one turn of the machine and as one lab.

All parts are walked up in their order, then down in the opposite order: A B B A at each level,
mirrored in time. Only one server is up at a time, so parts need no more memory, ports and databases
than one has; and each is started anew for its second walk, because two starts of the very same
server differ too, by more than two windows of one start tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

import msgspec

from labs.analysis.checks import is_the_result, rejection
from labs.analysis.scale import own_parts
from labs.analysis.schedule import CALIBRATION_S, PAINT_S, SPEED_S, VISITS, half_s, start_s
from labs.host.hardware import fingerprint
from labs.kinds.base import LabKind, Scale
from labs.kinds.comparison import verdict
from labs.kinds.comparison.record import Comparison, Over, check_parts, merged
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.walk import walk
from labs.measure.calibration import last
from labs.measure.rig import Rig, unit_of
from labs.present.bet import UNSETTLED, Answer, Place, throughput
from labs.records.errors import Unusable
from labs.records.experiment import Experiment
from labs.records.format import crowd
from labs.records.results import Machine, Prediction, Run
from labs.records.settings import check_named
from labs.theory.forecast import forecast


class ComparisonLab(LabKind[Comparison]):
    """Several experiments by turns, in one figure: a line for each `over` the users, or over the
    size of the pool a line for each number of users. Whether the first and the last part differ,
    at the most users, is what it decides. With `by_cores` users and workers are meant for two
    cores, and grow with those there are; so do the numbers in labels. What all
    have in common can be set; `about` are the settings that the lab is about."""

    result = Comparison

    def __init__(
        self,
        parts: Mapping[str, Experiment],
        *,
        over: Over = "users",
        by_cores: bool = False,
        about: Sequence[str] = (),
    ) -> None:
        check_parts(parts, over)
        self.settings = check_named(about)
        self.parts, self.over = dict(parts), over
        self.scale = Scale(self.parts if by_cores else None)
        self.given = {"parts": self.parts, "over": over, "about": about}
        self.ran_last = f"“{next(iter(parts))}”"  # visited first, so on the way back the last
        label, experiment = list(parts.items())[-1]
        self.question = throughput(f"with “{label}” at {crowd(experiment.load.users[-1])}")

    def about(self) -> str:
        return f"{verdict.about(self.parts)} {self.scale.why}".strip()

    def seconds(self) -> float:
        """Estimate a run's seconds by the last calibrations of this machine."""
        machine = fingerprint()
        units = {unit_of(part.server, part.workload) for part in self.parts.values()}
        forecasts = {label: _expected(part, machine) for label, part in self.parts.items()}
        return CALIBRATION_S * len(units) + sum(seconds for _, seconds in self._walks(forecasts))

    def run(self, rig: Rig) -> Comparison:
        burns = {
            label: rig.calibrate(unit_of(part.server, part.workload))
            for label, part in self.parts.items()
        }
        forecasts = {label: _expected(part, rig.machine) for label, part in self.parts.items()}
        found: dict[str, Recording] = {}
        for label, prediction in forecasts.items():
            if prediction is not None:  # its line stands there from the beginning
                run = Run(
                    recorded_at=rig.now(),
                    calibration=burns[label],
                    forecast=prediction,
                    points=(),
                )
                found[label] = Recording(
                    experiment=self.parts[label], machine=rig.machine, runs=(run,)
                )

        def compared() -> Comparison:
            parts = {label: found[label] for label in self.parts if label in found}
            return Comparison(machine=rig.machine, over=self.over, parts=parts)

        def landed(label: str, recording: Recording) -> None:
            found[label] = recording
            rig.partial(compared())

        walks = self._walks(forecasts)
        for number, (label, seconds) in enumerate(walks):
            later_s = sum(each for _, each in walks[number + 1 :])
            part = rig.part(label, later_s=later_s, found=partial(landed, label))
            part.expect(seconds)
            first = found[label] if number >= len(self.parts) else None
            found[label] = walk(part, self.parts[label], first)
        return compared()

    def matches(self, found: Comparison) -> bool:
        """Whether a result is of these parts; with `by_cores`, at the scale of its machine."""
        measured = {label: part.experiment for label, part in found.parts.items()}
        asked = self.at_scale(found.machine.cores).parts
        return (
            list(measured) == list(asked)
            and all(measured[label].asks_as(part) for label, part in asked.items())
            and found.over == self.over
        )

    def place(self) -> Place:
        experiment = list(self.parts.values())[-1]
        load, pool = experiment.load, experiment.server.pool or 0
        users = load.users[-1]
        at = pool if self.over == "pool" else users
        return Place(at=at, users=users, think_time_s=load.think_time_s)

    def answer(self, found: Comparison) -> Answer:
        part = found.parts.get(next(reversed(self.parts)))
        if part is None:
            return Answer()
        level, last = part.run.forecast.levels[-1], part.last
        return Answer(level.model_rps, last.throughput_rps if last else None, level.band_rps)

    def unsettled(self, found: Comparison) -> str:
        part = found.parts.get(next(reversed(self.parts)))
        if part is None or part.last is None or part.last.fit:
            return ""
        return "" if is_the_result(part.last, part.experiment.workload) else UNSETTLED

    def rejection(self, found: Comparison) -> str:
        """Say why a run is unfit; a point whose fault is the result does not count."""
        points = {label: part.points for label, part in found.parts.items()}
        works = {label: part.experiment.workload for label, part in found.parts.items()}
        return rejection(points, lambda label, point: is_the_result(point, works[label]))

    def grown(self, cores: int) -> Mapping[str, Any]:
        return {"parts": own_parts(self.scale.written, cores)}

    @property
    def each_s(self) -> float:
        return max(part.load.seconds for part in self.parts.values())

    def lasting(self, seconds: float) -> Self:
        times = seconds / self.each_s
        written = self.scale.written and _longer(self.scale.written, times)
        longer = _longer(self.parts, times)
        return self.again(replace(self.scale, written=written), parts=longer)

    def experiments(self) -> Sequence[Experiment]:
        return tuple(self.parts.values())

    def with_experiments(self, asked: Sequence[Experiment], scale: Scale | None = None) -> Self:
        return self.again(scale, parts=dict(zip(self.parts, asked, strict=True)))

    def merge(self, rounds: Sequence[Comparison]) -> Comparison:
        parts = merged([each.parts for each in rounds])
        return msgspec.structs.replace(rounds[0], parts=parts)

    def _walks(self, forecasts: Mapping[str, Prediction | None]) -> list[tuple[str, float]]:
        """List the parts in the order of their walks, with the seconds of each, without the
        burn."""
        labels = list(self.parts)
        order = [(label, False) for label in labels] + [(label, True) for label in labels[::-1]]
        walks = []
        for label, second in order:
            part, prediction = self.parts[label], forecasts[label]
            # Of requests without work nothing is known before a run: they are over at once.
            levels_s = SPEED_S + len(part.load.users) * (part.load.seconds / VISITS + PAINT_S)
            if prediction is not None:
                levels_s = half_s(part, prediction.levels, second=second)
            walks.append((label, start_s(part) - CALIBRATION_S + levels_s))
        return walks


def _expected(experiment: Experiment, machine: Machine) -> Prediction | None:
    """Forecast a part, if the calibrations of earlier runs allow one."""
    try:
        return forecast(experiment, last(machine, experiment), machine)
    except Unusable:
        return None


def _longer(parts: Mapping[str, Experiment], times: float) -> dict[str, Experiment]:
    """Measure each level so many times as long."""
    return {label: part.lasting(part.load.seconds * times) for label, part in parts.items()}
