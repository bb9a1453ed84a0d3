"""Measure several experiments one after the other, in one turn of the machine and as one lab."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from labs.analysis.checks import enough_fit, is_the_result
from labs.analysis.scaling import reduced
from labs.analysis.schedule import STARTUP_S, WARM_UP_S, duration_s
from labs.host import hardware as this_machine
from labs.host.lock import turn
from labs.kinds.base import Still
from labs.kinds.comparison import verdict
from labs.kinds.comparison.record import Comparison, Over, check_parts
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import Measurement, Told
from labs.measure.calibration import calibrate, last
from labs.measure.rig import Progress
from labs.present.verdict import Question, crowd
from labs.records.errors import Unusable
from labs.records.experiment import CpuBy, Experiment
from labs.records.format import rate
from labs.records.results import Calibration, Machine, Prediction, Run, Sample
from labs.servers.serve import check
from labs.theory.forecast import forecast

BURN_S = 1.2  # of a run's start; the parts share it
START_S = STARTUP_S + WARM_UP_S - BURN_S  # of each part
UNKNOWN_S = 2.0  # a level whose forecast needs what only a run can tell


class Comparing(Still[Comparison]):
    """The parts of a comparison. Raises Unusable for those that do not fit in one figure."""

    result = Comparison

    def __init__(
        self,
        parts: Mapping[str, Experiment],
        over: Over = "users",
        *,
        why: str = "",
        measurement: Callable[..., Measurement] = Measurement,
    ) -> None:
        check_parts(parts, over)
        self.parts, self.over = dict(parts), over
        self.about = f"{verdict.about(parts)} {why}".strip()
        self._measurement = measurement
        self._seconds: float | None = None
        label, experiment = list(parts.items())[-1]
        where = f"with “{label}” at {crowd(experiment.load.users[-1])}"
        self.question = Question(
            words=f"how many requests a second will it answer {where}",
            about=where,
            unit="req/s",
            say=rate,
        )

    @property
    def seconds(self) -> float:  # type: ignore[override]
        """Of one run of all parts. Worked out when it is asked for: a page that is built from
        its recording asks nothing of the machine."""
        if self._seconds is None:
            machine = this_machine.fingerprint()
            expected = self._expect(machine).values()
            units = {part.workload.cpu_by for part in self.parts.values()}
            self._seconds = BURN_S * len(units) + sum(_part_s(*each) for each in expected)
        return self._seconds

    def measure(
        self, tell: Callable[[Progress | Sample | Comparison], None], stop: threading.Event
    ) -> Comparison:
        machine = this_machine.fingerprint()
        for experiment in self.parts.values():
            check(experiment.server, machine, experiment.workload)

        def waiting() -> None:
            tell(_waiting("waiting: another page or program is measuring on this machine"))

        with turn(waiting, stop):
            tell(_waiting("calibrating: how fast is a core right now?"))
            units = dict.fromkeys(part.workload.cpu_by for part in self.parts.values())
            burns = {unit: calibrate(machine, cpu_by=unit, stop=stop) for unit in units}
            round_ = _Round(self, machine, burns, tell)
            for label, experiment in self.parts.items():
                measurement = self._measurement(experiment, tell=round_.told, stop=stop)
                round_.begin(label, measurement)
                burned = burns[experiment.workload.cpu_by]
                round_.found[label] = measurement.in_turn(burned)
        return round_.comparison()

    def asked_of(self, found: Comparison) -> bool:
        asked = {label: part.experiment for label, part in found.parts.items()}
        return list(asked.items()) == list(self.parts.items()) and found.over == self.over

    def answer(self, found: Comparison) -> tuple[float | None, float | None]:
        part = found.parts.get(next(reversed(self.parts)))
        if part is None:
            return None, None
        users = part.experiment.load.users[-1]
        measured = [point.throughput_rps for point in part.points if point.users == users]
        return part.run.forecast.at(users).model_rps, measured[0] if measured else None

    def unfit(self, found: Comparison) -> str:
        """As of a sweep, all parts together; a point whose fault is the result does not count."""
        counting = [
            (label, point)
            for label, part in found.parts.items()
            for point in part.points
            if point.fit
            or not is_the_result(
                [check.name for check in point.checks if check.unfit],
                part.experiment.workload,
                overflows=point.listen_overflows,
            )
        ]
        if enough_fit([point for _, point in counting]):
            return ""
        reasons = (f"{label}: {c.sentence}" for label, p in counting for c in p.checks if c.unfit)
        return " ".join(dict.fromkeys(reasons))

    def reduced(self) -> Comparing:
        """Every part, each with the first of its levels only: a sweep's own trial has two. Of
        pools, which differ in nothing but their size, the smallest and the largest."""
        few = list(self.parts.items())
        if self.over == "pool":
            few.sort(key=lambda part: part[1].server.pool or 0)
            few = [few[0], few[-1]]
        smaller = {}
        for label, experiment in few:
            small = reduced(experiment)
            load = replace(small.load, users=small.load.users[:1])
            smaller[label] = replace(small, load=load)
        if self.over == "pool":  # the pools stay apart
            smaller = {
                label: replace(experiment, server=self.parts[label].server)
                for label, experiment in smaller.items()
            }
        return Comparing(smaller, self.over, measurement=self._measurement)

    def joined(self, rounds: Sequence[Comparison]) -> Comparison:
        first, *others = rounds
        return first.joined(others)

    def _expect(self, machine: Machine) -> dict[str, tuple[Experiment, Prediction | None]]:
        """The forecast of each part, as far as the calibrations of earlier runs allow one."""
        expected: dict[str, tuple[Experiment, Prediction | None]] = {}
        for label, experiment in self.parts.items():
            try:
                calibration = last(machine, experiment.server, experiment.workload)
                expected[label] = experiment, forecast(experiment, calibration, machine)
            except Unusable:
                expected[label] = experiment, None
        return expected


class _Round:
    """One run of all parts: what was found so far, and how far it is."""

    def __init__(
        self,
        comparing: Comparing,
        machine: Machine,
        burns: Mapping[CpuBy, Calibration],
        tell: Callable[[Any], None],
    ) -> None:
        self.found: dict[str, Recording] = {}
        self._machine, self._comparing, self._tell = machine, comparing, tell
        self._measurement: Measurement | None = None
        self._label = ""
        expected = comparing._expect(machine)
        self._left = {label: _part_s(*each) for label, each in expected.items()}
        self._whole_s = sum(self._left.values())
        self._fraction = 0.0
        now = datetime.now(UTC).isoformat(timespec="seconds")
        for label, (experiment, prediction) in expected.items():
            if prediction is not None:  # its line stands there from the beginning
                burned = burns[experiment.workload.cpu_by]
                run = Run(recorded_at=now, calibration=burned, forecast=prediction, points=())
                self.found[label] = Recording(experiment=experiment, machine=machine, runs=(run,))

    def begin(self, label: str, measurement: Measurement) -> None:
        """The next part is measured; those before are done."""
        for before in self._left:
            if before == label:
                break
            self._left[before] = 0.0
        self._label, self._measurement = label, measurement

    def told(self, told: Told) -> None:
        """What a part tells: its progress and its points are some of the whole."""
        if isinstance(told, Progress):
            self._progress(told)
        elif isinstance(told, Sample):
            self._tell(told)
        elif self._measurement is not None:  # a forecast or a point
            recording = self._measurement.recording()
            if recording is not None:
                self.found[self._label] = recording
                self._tell(self.comparison())

    def comparison(self) -> Comparison:
        """What was found so far, in the order of the parts."""
        parts = {label: self.found[label] for label in self._comparing.parts if label in self.found}
        return Comparison(machine=self._machine, over=self._comparing.over, parts=parts)

    def _progress(self, told: Progress) -> None:
        """A part knows its own time left once its load begins; the rest is as expected."""
        left_s = told.seconds_left
        if self._measurement is None or self._measurement.forecast is None:
            left_s = max(0.0, left_s - BURN_S) + max(0.0, self._left[self._label] - START_S)
        left_s += sum(left for label, left in self._left.items() if label != self._label)
        self._fraction = max(self._fraction, 1 - left_s / self._whole_s)
        stage = f"{self._label}: {told.stage}"
        self._tell(replace(told, stage=stage, fraction=self._fraction, seconds_left=left_s))


def _part_s(experiment: Experiment, prediction: Prediction | None) -> float:
    """Seconds that a part takes, without the burn."""
    load = experiment.load
    if prediction is None:
        return START_S + (len(load.users) + 1) * (load.seconds + UNKNOWN_S)
    return duration_s(load, prediction.levels) - BURN_S


def _waiting(stage: str) -> Progress:
    return Progress(stage=stage, fraction=0.0, seconds_left=0.0)
