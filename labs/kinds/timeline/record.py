"""Record of a timeline: one load over time, in steps, and what happened meanwhile.

Frozen, SI units; times are seconds since the run's first request was due.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from labs.records.amounts import Amount, NotNegative
from labs.records.experiment import Server, Workload
from labs.records.processes import Process, ProcessTrees, Who
from labs.records.results import Calibration, Measured, Power, Result, middle, pick
from labs.records.steps import MOST_STEPS, Step

TIME_BIN_S = 0.25  # a time bin's length


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The model's word on a stretch of time, before the load: means, and of arrivals the band in
    which eight of ten runs should lie."""

    from_s: float
    to_s: float
    throughput_rps: Amount
    in_flight: tuple[float, float]  # requests under way at its begin and its end
    throughput_band_rps: tuple[float, float] | None = None
    in_flight_band: tuple[tuple[float, float], tuple[float, float]] | None = None  # as in_flight
    response_time_s: float | None = None  # of those answered; None where nobody is

    @property
    def answers(self) -> float:
        """Requests that are to be answered in that time."""
        return self.throughput_rps * (self.to_s - self.from_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult(Measured):
    """Result of a step, its first moments included.

    A group's requests count by the share of their life inside, as in a sweep; those of users who
    have been sent away do not. An arrival's request counts in the step in which it is answered:
    it may wait through several. The interval is from five batches; workers are those at its end.
    """

    begun: NotNegative  # requests that began in it; of arrivals, those who found a user at hand
    missed: NotNegative  # arrivals for which the load generator had no user left
    in_flight: NotNegative  # at its end
    cores: tuple[float, ...]  # busy fraction of each core of the machine
    late: NotNegative = 0  # arrivals that were sent after they were due; their time runs from then
    late_s: float = 0.0  # by how much, on average over all that came


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBin:
    """Time bin: a quarter of a second."""

    at_s: float  # its end
    users: NotNegative | None  # the group asking; None while users arrive by themselves
    begun: NotNegative
    completed: NotNegative
    failed: NotNegative
    mean_response_time_s: Amount | None  # of those completed; None where none was
    in_flight: NotNegative  # at its end
    workers: NotNegative | None  # at its end
    cores: tuple[tuple[float, float, float, float], ...]  # per core: user, system, wait, idle


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Event: something that was done to the server, and what came of it, in words."""

    at_s: float
    words: str
    by_reader: bool = False  # who pressed for it while the run went on; else a step asked for it


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineRun(ProcessTrees):
    """Run of a timeline, from the calibration to the last time bin."""

    recorded_at: str  # ISO 8601, UTC
    calibration: Calibration
    forecast: tuple[Expected, ...]  # made before the load started; whole, from 0 to the end
    step_results: tuple[StepResult, ...] = ()  # one for each step that was walked to its end
    time_bins: tuple[TimeBin, ...] = ()
    ramp: tuple[tuple[float, int], ...] = ()  # when the number of workers was seen to change
    events: tuple[Event, ...] = ()
    processes: tuple[Process, ...] = ()
    seed: int = 0  # of sizes, and of arrivals by `arrivals_seed`
    power: tuple[Power, ...] = ()  # when it began, and when it ended

    @property
    def intervened_s(self) -> float:
        """Tell when the run's reader first did something to the server; infinity where nobody did.
        From then on the forecast is of another course."""
        return min((each.at_s for each in self.events if each.by_reader), default=math.inf)

    def arrivals_seed(self, number: int) -> int:
        """Seed the step with that number, counted from 0: one seed, the same arrivals again."""
        return self.seed * MOST_STEPS + number

    @property
    def seconds(self) -> float:
        """Add up the seconds from the first request to the end of the last step."""
        return sum(each.seconds for each in self.step_results)

    def on_core(self, who: Who) -> float:
        """CPU seconds of a process tree for each second that passed: cores it kept busy."""
        return self.cpu_s(who) / self.seconds if self.seconds else 0.0

    def children(self, who: Who) -> int:
        """Count the processes that ever were below the tree's root."""
        pids = {process.pid for process in self.tree(who)}
        return sum(process.parent in pids for process in self.tree(who))


class Timeline(Result, tag="timeline", frozen=True, kw_only=True):
    """A server, what it is asked and when, with one or more runs."""

    server: Server
    workload: Workload
    steps: tuple[Step, ...]
    runs: tuple[TimelineRun, ...]

    @property
    def run(self) -> TimelineRun:
        """The middle run, by throughput over the whole time: the one that is drawn."""
        return middle(self.runs, lambda run: sum(each.completed for each in run.step_results))

    def on_cpu(self, who: Who) -> float:
        """Divide `TimelineRun.on_core` by the machine's cores: the part of it that was busy."""
        return self.run.on_core(who) / self.machine.cores

    @property
    def begins_s(self) -> tuple[float, ...]:
        """Tell when each step begins, in seconds from the first request."""
        return tuple(sum(step.seconds for step in self.steps[:n]) for n in range(len(self.steps)))

    @property
    def walked(self) -> list[WalkedStep]:
        """The steps of the middle run that were walked to their end."""
        return [WalkedStep(self, n) for n in range(1, len(self.run.step_results) + 1)]

    def step(self, number: int) -> WalkedStep:
        """Find the step with that number, counted from 1. KeyError says which there are."""
        return pick(self.walked, number=number)


@dataclass(frozen=True, slots=True)
class WalkedStep:
    """A step of the middle run: what was asked and forecast beside what was found."""

    timeline: Timeline
    number: int  # counted from 1

    @property
    def asked(self) -> Step:
        return self.timeline.steps[self.number - 1]

    @property
    def found(self) -> StepResult:
        return self.timeline.run.step_results[self.number - 1]

    @property
    def begin_s(self) -> float:
        return self.timeline.begins_s[self.number - 1]

    @property
    def end_s(self) -> float:
        return self.begin_s + self.asked.seconds

    @property
    def came_rps(self) -> float:
        return self.found.begun / self.found.seconds

    @property
    def forecast_rps(self) -> float:
        """Mean throughput that was expected of the step, requests per second."""
        return sum(part.answers for part in self._expected) / self.asked.seconds

    @property
    def forecast_response_s(self) -> float | None:
        """Mean of the answers that were expected in the step, in seconds; None where none was."""
        lives = [(part.answers, part.response_time_s) for part in self._expected]
        known = [(count, each) for count, each in lives if each is not None]
        answered = sum(count for count, _ in known)
        return sum(count * each for count, each in known) / answered if answered else None

    @property
    def forecast_at_end(self) -> Expected:
        """Find what was expected of the step's last moments."""
        return self._expected[-1]

    @property
    def _expected(self) -> list[Expected]:
        """List the forecast's parts whose middles lie in the step: their ends are rounded."""
        parts = self.timeline.run.forecast
        return [p for p in parts if self.begin_s < (p.from_s + p.to_s) / 2 < self.end_s]
