"""The lab over time: a load in steps, what is done to the server meanwhile, and a question."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from queue import SimpleQueue
from typing import Literal, get_args

from labs.analysis.scaling import FEW, reduced
from labs.analysis.schedule import STARTUP_S, WARM_UP_S
from labs.kinds.base import Still
from labs.kinds.timeline import verdict
from labs.kinds.timeline.record import Timeline
from labs.kinds.timeline.walk import MORE, TAIL_S, Walk
from labs.measure.rig import Progress
from labs.present.verdict import Question
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.format import digits, rate
from labs.records.steps import KILL, Step, check_steps
from labs.servers.catalogue import kind_of
from labs.servers.control import check_kill, check_raise

Ask = Literal["throughput", "workers", "under way"]
ASKS: tuple[Ask, ...] = get_args(Ask)
SHORT_S = 1.5  # a step of a trial


class Walking(Still[Timeline]):
    """Raises Unusable for steps that make no run, or that this server cannot do.

    ask: what the reader predicts. The throughput in the last step, the workers at the end, or
    the requests under way at the end of the step with the most arrivals; without it, what is
    least obvious of the three. why: a sentence on what the lab changed for this machine.
    """

    result = Timeline

    def __init__(
        self,
        server: Server,
        workload: Workload,
        steps: Sequence[Step],
        *,
        ask: Ask | None = None,
        why: str = "",
        walk: Callable[..., Walk] = Walk,
    ) -> None:
        check_steps(steps)
        self.server, self.workload, self.steps = server, workload, tuple(steps)
        self.about = f"{verdict.about(server, workload, steps)} {why}".strip()
        self.seconds = STARTUP_S + WARM_UP_S + sum(step.seconds for step in steps) + TAIL_S
        self.ask = ask or _least_obvious(server, steps)
        self.question = self._question()
        self.levers = _levers(server)
        self._walk = walk
        self._pulled: SimpleQueue[str] | None = None  # of the run that goes on

    def measure(
        self, tell: Callable[[Progress | Timeline], None], stop: threading.Event
    ) -> Timeline:
        self._pulled = SimpleQueue()
        walk = self._walk(
            self.server, self.workload, self.steps, tell=tell, stop=stop, pulled=self._pulled
        )
        try:
            return walk.walk()
        finally:
            self._pulled = None

    def pull(self, lever: str) -> None:
        if self._pulled is not None:
            self._pulled.put({"Kill a worker": KILL, "Add workers": MORE}[lever])

    def asked_of(self, found: Timeline) -> bool:
        asked = self.server, self.workload, self.steps
        return (found.server, found.workload, found.steps) == asked

    def answer(self, found: Timeline) -> tuple[float | None, float | None]:
        run = found.run
        begin_s, end_s = self._asked_at()
        number = len([begin for begin in found.begins_s if begin < end_s])
        if len(run.stretches) < number:
            return None, None
        stretch = run.stretch(number)
        if self.ask == "workers":
            return None, stretch.workers
        if self.ask == "under way":
            last = [part for part in run.forecast if part.from_s < end_s][-1]
            return last.in_flight[1], stretch.in_flight
        return run.expected_rps(begin_s, end_s), stretch.throughput_rps

    def unfit(self, found: Timeline) -> str:
        run = found.runs[-1]
        if len(run.stretches) < len(self.steps):
            return "Not all steps were walked."
        return verdict.unfit_steps(run, self.workload)

    def reduced(self) -> Walking:
        load = Load([max((step.users or 1) for step in self.steps)])
        server = reduced(Experiment(self.server, self.workload, load)).server
        steps = [
            replace(
                step,
                seconds=min(step.seconds, SHORT_S),
                do=f"raise the pool to {2 * FEW}" if step.pool else step.do,
            )
            for step in self.steps
        ]
        return Walking(server, self.workload, steps, ask=self.ask, walk=self._walk)

    def _asked_at(self) -> tuple[float, float]:
        """Begin and end of the step that is asked about."""
        number = len(self.steps) - 1
        if self.ask == "under way":
            rates = [step.rate or 0.0 for step in self.steps]
            number = rates.index(max(rates))
        begin_s = sum(step.seconds for step in self.steps[:number])
        return begin_s, begin_s + self.steps[number].seconds

    def _question(self) -> Question:
        begin_s, end_s = self._asked_at()
        where = f"at second {digits(end_s)}"
        if self.ask == "workers":
            words = f"how many workers will the server have {where}, at the end"
            return Question(words=words, about=where, unit="workers", say=_whole)
        if self.ask == "under way":
            words = f"how many requests will have begun and not been answered {where}"
            return Question(words=words, about=where, unit="requests", say=_whole)
        where = f"from second {digits(begin_s)} to {digits(end_s)}"
        words = f"how many requests a second will it answer {where}"
        return Question(words=words, about=where, unit="req/s", say=rate)


def _least_obvious(server: Server, steps: Sequence[Step]) -> Ask:
    if any(step.rate is not None for step in steps):
        return "under way"
    return "workers" if kind_of(server).first is not None else "throughput"


def _levers(server: Server) -> dict[str, str]:
    """What a reader may do to the server while it runs: the button's name, and what it does."""
    found = {}
    try:
        check_kill(server)
        found["Kill a worker"] = "End one of its processes without warning; a busy one if there is"
        check_raise(server, 2 * server.processes, server.processes)
        found["Add workers"] = "Let it have twice as many"
    except Unusable:
        pass
    return found


def _whole(value: float) -> str:
    return digits(round(value))
