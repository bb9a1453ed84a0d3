"""Lab over time: a load in steps, and what is done to the server meanwhile.

Each step begins when its time has come, whatever the one before has left behind.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, Self

from labs.analysis.checks import is_the_result
from labs.analysis.scale import own_steps
from labs.analysis.schedule import start_s
from labs.kinds.base import LabKind, Scale
from labs.kinds.timeline import verdict
from labs.kinds.timeline.question import least_obvious
from labs.kinds.timeline.record import Timeline
from labs.kinds.timeline.walk import TAIL_S, Order, Walk
from labs.measure.rig import Rig
from labs.present.bet import UNSETTLED, Answer, Question
from labs.records.errors import Unusable, instance
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Machine
from labs.records.server_facts import server_facts
from labs.records.settings import check_named
from labs.records.steps import KILL, Step, check_steps
from labs.servers.control import MORE, check_kill, check_raise, check_steps_for

MOST_AT_HAND = 2048  # users of the load generator
CONTROLS = {"Kill a worker": KILL, "Add workers": MORE}


class TimelineLab(LabKind[Timeline]):
    """One load after the other, and what is done to the server meanwhile. The reader predicts
    the requests under way when the most have arrived, where they arrive at a rate; the workers at
    the end of a server that starts more; else the throughput of the last step. With `by_cores`
    users and workers are meant for two cores, and grow with those there are. `about` are the
    settings that the lab is about."""

    result = Timeline
    question: Question
    fixed = ("architecture", "by", "users")  # the steps go with that server, and say who comes
    each = "step"
    draws_cores = True

    def __init__(
        self,
        server: Server,
        workload: Workload,
        steps: Sequence[Step],
        *,
        by_cores: bool = False,
        about: Sequence[str] = (),
    ) -> None:
        instance("server", server, Server, "Give a Server(…).")
        instance("workload", workload, Workload, "Give a Workload(…).")
        check_steps(steps)
        self.settings = check_named(about)
        self.server, self.workload, self.steps = server, workload, tuple(steps)
        self.scale = Scale((server, self.steps) if by_cores else None)
        self.given = {"server": server, "workload": workload, "steps": self.steps}
        self.given |= {"about": about}
        self.asked_step, self.question = least_obvious(server, self.steps)
        self.controls = _controls(server)
        self._orders: SimpleQueue[Order] | None = None  # for the run that goes on

    def about(self) -> str:
        return f"{verdict.about(self.server, self.workload, self.steps)} {self.scale.why}".strip()

    def seconds(self) -> float:
        (asked,) = self.experiments()
        return start_s(asked) + sum(step.seconds for step in self.steps) + TAIL_S

    def check(self, machine: Machine) -> None:
        check_steps_for(self.server, self.steps)
        super().check(machine)

    def run(self, rig: Rig) -> Timeline:
        server, workload, steps = self.server, self.workload, self.steps
        groups = {step.users for step in steps if step.users is not None}
        experiment = Experiment(server, workload, Load(sorted(groups) or [1]))
        come = sum((step.rate or 0.0) * step.seconds for step in steps)
        busy = max(groups, default=0) if come else 0  # while they come: at worst none is answered
        at_hand = min(MOST_AT_HAND, busy + math.ceil(come + 4 * math.sqrt(come)))
        # A crowd would leave a server that grows with more workers than it begins with.
        alone = 1 if server_facts(server.by).first is not None else None
        self._orders = SimpleQueue()
        try:
            with rig.testbed(experiment, at_hand=at_hand, warm_up_with=alone) as bed:
                return Walk(rig, bed, steps, self._orders).walk()
        finally:
            self._orders = None

    def perform(self, control: str) -> None:
        if self._orders is not None:
            self._orders.put(Order(CONTROLS[control], by_reader=True))

    def matches(self, found: Timeline) -> bool:
        """Whether a timeline is of this load; with `by_cores`, at its machine's scale."""
        own = self.at_scale(found.machine.cores)
        asked = own.server, own.workload, own.steps
        return (found.server, found.workload, found.steps) == asked

    def answer(self, found: Timeline) -> Answer:
        if len(found.walked) <= self.asked_step:
            return Answer()
        step = found.walked[self.asked_step]
        if self.question.unit == "workers":
            return Answer(measured=step.found.workers)
        if self.question.unit == "requests":
            return Answer(step.forecast_at_end.in_flight[1], step.found.in_flight)
        return Answer(step.forecast_rps, step.found.throughput_rps)

    def unsettled(self, found: Timeline) -> str:
        number = self.asked_step
        if found.run.intervened_s < found.begins_s[number] + self.steps[number].seconds:
            return (
                f"But {verdict.INTERVENED}: it settles no bet, and the next undisturbed run does."
            )
        asked = found.run.step_results[number:][:1]
        believed = all(each.fit or is_the_result(each, self.workload) for each in asked)
        return "" if believed else UNSETTLED

    def rejection(self, found: Timeline) -> str:
        results = found.runs[-1].step_results
        if len(results) < len(self.steps):
            return "Not all steps were walked."
        spoiled = [each for each in results if not is_the_result(each, self.workload)]
        unfit = [check.sentence for each in spoiled for check in each.checks if check.unfit]
        return " ".join(dict.fromkeys(unfit))

    def grown(self, cores: int) -> Mapping[str, Any]:
        server, steps = self.scale.written
        server, steps = own_steps(server, self.workload, steps, cores)
        return {"server": server, "steps": steps}

    @property
    def each_s(self) -> float:
        return max(step.seconds for step in self.steps)

    def lasting(self, seconds: float) -> Self:
        times = seconds / self.each_s
        written = self.scale.written
        if written is not None:
            server, steps = written
            written = server, _longer(steps, times)
        return self.again(replace(self.scale, written=written), steps=_longer(self.steps, times))

    def experiments(self) -> Sequence[Experiment]:
        return (Experiment(self.server, self.workload, Load([1])),)

    def with_experiments(self, asked: Sequence[Experiment], scale: Scale | None = None) -> Self:
        (set_,) = asked
        return self.again(scale, server=set_.server, workload=set_.workload)


def _longer(steps: Sequence[Step], times: float) -> tuple[Step, ...]:
    """Make each step so many times as long."""
    return tuple(replace(step, seconds=step.seconds * times) for step in steps)


def _controls(server: Server) -> dict[str, str]:
    """Name what a reader may do to a server that runs: each button, and what it does."""
    found = {}
    with contextlib.suppress(Unusable):
        check_kill(server)
        found["Kill a worker"] = "End one of its processes without warning; a busy one if there is"
        check_raise(server, 2 * server.processes, server.processes)
        found["Add workers"] = "Let it have twice as many"
    return found
