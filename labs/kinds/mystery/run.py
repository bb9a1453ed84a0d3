"""Measure a seed's server, as it is or with a fix, and look on while it is busy."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from labs.analysis.checks import ENOUGH
from labs.analysis.schedule import STARTUP_S, WARM_UP_S
from labs.host import hardware as this_machine
from labs.host.lock import turn
from labs.host.monitor import Sampler
from labs.host.onlooker import onlooking
from labs.kinds.base import Still
from labs.kinds.mystery import verdict
from labs.kinds.mystery.record import VARIANTS, Mystery, Variant
from labs.kinds.mystery.scenarios import Riddle, draw
from labs.kinds.sweep.run import Measurement
from labs.load.locust import Driver
from labs.measure.calibration import calibrate
from labs.measure.rig import Progress
from labs.records.errors import Unusable
from labs.records.experiment import Experiment
from labs.records.processes import Seen
from labs.records.results import Sample
from labs.servers.serve import Running, check
from labs.servers.storage import Database, database

LEVEL_S = 3.0  # a level takes about so long: nothing may be forecast here, it would tell
BRIEF_S = 0.5
FEW_USERS = (2, 8)

Told = Progress | Sample | Mystery


class Solving(Still[Mystery]):
    """The mystery of a seed. What it is called after is not said by any of its attributes that
    a panel shows; `riddle` knows it."""

    result = Mystery

    def __init__(
        self,
        seed: int,
        users: Sequence[int] | None = None,
        *,
        variants: Sequence[Variant] = VARIANTS,
        cores: int | None = None,
    ) -> None:
        self.seed, self.variants = seed, tuple(variants)
        self.riddle: Riddle = draw(seed, cores or this_machine.fingerprint().cores, users)
        self.about = verdict.ABOUT
        levels = len(self.riddle.before.load.users) + 1
        each_s = STARTUP_S + WARM_UP_S + LEVEL_S * levels
        self.seconds = each_s * len(self.variants)

    def __repr__(self) -> str:
        return f"Solving(seed={self.seed})"

    @property
    def users(self) -> tuple[int, ...]:
        """The levels asked for."""
        return tuple(self.riddle.before.load.users)

    def measure(self, tell: Callable[[Any], None], stop: threading.Event) -> Mystery:
        """The server as it is, then with the wrong fix, then with the right one."""
        found: Mystery | None = None
        for number, variant in enumerate(self.variants):

            def told(news: Told, number: int = number) -> None:
                if isinstance(news, Progress):
                    parts, left = len(self.variants), len(self.variants) - number - 1
                    news = replace(
                        news,
                        fraction=(number + news.fraction) / parts,
                        seconds_left=news.seconds_left + left * self.seconds / parts,
                    )
                tell(news)

            found = self.measure_one(variant, found, told, stop)
        assert found is not None
        return found

    def measure_one(
        self,
        variant: Variant,
        before: Mystery | None,
        tell: Callable[[Any], None],
        stop: threading.Event,
    ) -> Mystery:
        """One variant, beside what is there. Tells points as Mysteries, as they come.

        Raises Unusable before anything is started, or for a fix of what was not measured;
        ServerFailed, LoadFailed or Stopped later.
        """
        if variant != "before" and before is None:
            raise Unusable(f"{variant}: measure the server as it is first.")
        experiment, machine = self.riddle.experiment(variant), this_machine.fingerprint()
        check(experiment.server, machine, experiment.workload)

        def told(news: object) -> None:
            if isinstance(news, Progress | Sample):
                tell(news)
            elif (found := self._found(variant, before, measurement)) is not None:
                tell(found)

        def waiting() -> None:
            stage = "waiting: another page or program is measuring on this machine"
            tell(Progress(stage=stage, fraction=0.0, seconds_left=0.0))

        measurement = Watched(experiment, tell=told, stop=stop)
        with turn(waiting, stop):
            stage = "calibrating: how fast is a core right now?"
            tell(Progress(stage=stage, fraction=0.0, seconds_left=self.seconds))
            measurement.in_turn(calibrate(machine, stop=stop))
        found = self._found(variant, before, measurement)
        assert found is not None
        return found

    def asked_of(self, found: Mystery) -> bool:
        """Of the same seed, drawn for a machine of that size."""
        riddle = draw(self.seed, found.machine.cores, found.before.experiment.load.users)
        asked = {name: riddle.experiment(name) for name in VARIANTS}
        return found.seed == self.seed and all(
            asked[name] == each.experiment for name, each in found.variants.items()
        )

    def unfit(self, found: Mystery) -> str:
        """As of a sweep, variant by variant; a load generator that is full does not count where
        it is what is to be found."""
        told = "load generator" if self.riddle.limit.name == "load generator" else ""
        reasons = []
        for name, recording in found.variants.items():
            bad = [
                each.sentence
                for point in recording.points
                for each in point.checks
                if each.unfit and each.name != told
            ]
            points = [
                all(not each.unfit or each.name == told for each in point.checks)
                for point in recording.points
            ]
            if sum(points) < ENOUGH * len(points):
                reasons.append(f"{name}: {' '.join(dict.fromkeys(bad))}")
        return " ".join(reasons)

    def reduced(self) -> Solving:
        """The server as it is, at two levels."""
        smaller = Solving(self.seed, FEW_USERS, variants=("before",))
        before = smaller.riddle.before
        load = replace(before.load, seconds=BRIEF_S)
        smaller.riddle = replace(smaller.riddle, before=replace(before, load=load))
        return smaller

    def joined(self, rounds: Sequence[Mystery]) -> Mystery:
        first, *others = rounds
        return first.joined(others)

    def _found(
        self, variant: Variant, before: Mystery | None, measurement: Watched
    ) -> Mystery | None:
        recording = measurement.recording()
        if recording is None:
            return None
        if before is not None and variant != "before":
            return before.with_variant(variant, recording)
        return Mystery(
            seed=self.seed,
            limit=self.riddle.limit.name,
            machine=measurement.machine,
            variants={"before": recording},
            seen=measurement.seen,
            database=measurement.database.name,
            instead=measurement.database.instead,
        )


class Watched(Measurement):
    """A measurement that somebody looks on to."""

    def __init__(self, experiment: Experiment, **more: Any) -> None:
        super().__init__(experiment, **more)
        self.seen: tuple[Seen, ...] = ()
        asks = experiment.workload.wait_by.startswith("database")
        self.database = database() if asks else Database("")

    def _levels(self, driver: Driver, running: Running, sampler: Sampler) -> None:
        last = self.experiment.load.users[-1]
        trees = {"server": running.pids, "generator": driver.pids}
        with onlooking(trees, lambda: sampler.users == last) as onlooker:  # type: ignore[arg-type]
            super()._levels(driver, running, sampler)
        self.seen = onlooker.seen()
