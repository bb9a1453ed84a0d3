"""Measure a seed's server, as it is or with a fix, and look on while it is busy."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Self

import msgspec

from labs.analysis.checks import GENERATOR, rejection
from labs.analysis.schedule import VISITS, burns_s, start_s
from labs.host.hardware import fingerprint
from labs.host.processes import ProcessMonitor, Trees
from labs.kinds.base import LabKind
from labs.kinds.comparison.record import merged
from labs.kinds.mystery import verdict
from labs.kinds.mystery.record import VARIANTS, Mystery, Variant
from labs.kinds.mystery.scenarios import LEVEL_S as USUAL_S
from labs.kinds.mystery.scenarios import Scenario, draw
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.walk import sweep
from labs.measure.rig import Rig, Testbed
from labs.records.errors import Unusable
from labs.records.processes import Seen
from labs.records.results import Machine, Point
from labs.servers.serve import check

LEVEL_S = 3.5  # a level takes about so long: nothing may be forecast here, it would tell


class MysteryLab(LabKind[Mystery]):
    """A server with a hidden limit, drawn by the seed: to measure, to diagnose, and to repair,
    once wrongly and once rightly. Seeds 1 to 7 have seven limits, and so on."""

    result = Mystery
    panel = "mystery:MysteryPanel"

    def __init__(
        self,
        seed: int = 1,
        users: Sequence[int] | None = None,
        *,
        variants: Sequence[Variant] = VARIANTS,
        before: Mystery | None = None,
        cores: int | None = None,
        seconds: float | None = None,
    ) -> None:
        if before is None and variants[0] != "before":
            raise Unusable(f"{variants[0]}: measure the server as it is first.")
        self.seed, self.variants, self.before = seed, tuple(variants), before
        self.scenario: Scenario = draw(seed, cores or fingerprint().cores, users, seconds)
        self.given = {
            "seed": seed,
            "users": self.users,
            "variants": self.variants,
            "before": before,
            "seconds": self.each_s,
        }

    @property
    def users(self) -> tuple[int, ...]:
        """The levels asked for."""
        return tuple(self.scenario.before.load.users)

    def variant(
        self, name: Variant, before: Mystery | None = None, users: Sequence[int] | None = None
    ) -> Self:
        """Make a lab of one variant alone, beside what was found before. Unusable for a fix of what
        was not measured."""
        return self.again(users=users or self.users, variants=(name,), before=before)

    def another(self, seed: int) -> Self:
        """Make a lab of another seed's server, as it is, for as many users. Unusable for none."""
        return self.again(seed=seed, variants=("before",), before=None)

    @property
    def each_s(self) -> float:
        return self.scenario.before.load.seconds

    def about(self) -> str:
        return verdict.ABOUT

    def seconds(self) -> float:
        return self._each_s * len(self.variants)

    def check(self, machine: Machine) -> None:
        for name in self.variants:
            experiment = self.scenario.experiment(name)
            check(experiment.server, machine, experiment.workload)

    def run(self, rig: Rig) -> Mystery:
        found = self.before
        for left, name in zip(range(len(self.variants))[::-1], self.variants, strict=True):
            found = self._measured(rig, name, found, later_s=left * self._each_s)
        assert found is not None
        return found

    def matches(self, found: Mystery) -> bool:
        """Whether a result is of the same seed, drawn for a machine of its size."""
        load = found.before.experiment.load
        scenario = draw(self.seed, found.machine.cores, load.users, load.seconds)
        return found.seed == self.seed and all(
            scenario.experiment(name) == each.experiment for name, each in found.variants.items()
        )

    def rejection(self, found: Mystery) -> str:
        """Say why a run is unfit, as of a sweep, variant by variant; a load generator that is full
        does not count where it is what is to be found."""
        to_find = {GENERATOR} & {self.scenario.limit.name}

        def counting(point: Point) -> Point:
            return replace(
                point, checks=tuple(each for each in point.checks if each.name not in to_find)
            )

        points = {name: [*map(counting, of.points)] for name, of in found.variants.items()}
        return " ".join(filter(None, (rejection({name: of}) for name, of in points.items())))

    def merge(self, rounds: Sequence[Mystery]) -> Mystery:
        variants = merged([each.variants for each in rounds])
        return msgspec.structs.replace(rounds[0], variants=variants)

    @property
    def _each_s(self) -> float:
        """Seconds that a variant takes."""
        level_s, before = LEVEL_S + max(0.0, self.each_s - USUAL_S), self.scenario.before
        after_s = burns_s(before.workload, VISITS * len(self.users))
        return start_s(before) + level_s * len(self.users) + after_s

    def _measured(self, rig: Rig, name: Variant, before: Mystery | None, later_s: float) -> Mystery:
        """Measure one variant, beside what is there."""
        experiment = self.scenario.experiment(name)
        seen: tuple[Seen, ...] = ()

        def found(recording: Recording) -> Mystery:
            if before is not None and name != "before":
                return before.with_variant(name, recording)
            return Mystery(
                seed=self.seed,
                limit=self.scenario.limit.name,
                machine=rig.machine,
                variants={"before": recording},
                seen=seen,
            )

        @contextlib.contextmanager
        def watched(bed: Testbed) -> Iterator[None]:
            nonlocal seen
            last, sampler = experiment.load.users[-1], bed.sampler
            trees: Trees = {"server": bed.running.pids, "generator": bed.driver.pids}
            with ProcessMonitor(trees, lambda: sampler.users == last) as monitor:
                yield
            seen = monitor.seen()

        part = rig.part("", later_s=later_s, found=lambda each: rig.partial(found(each)))
        part.expect(self._each_s)
        # Nobody is shown who was there with a fix: to look on would only disturb it.
        beside = watched if name == "before" else contextlib.nullcontext
        return found(sweep(part, experiment, beside=beside))
