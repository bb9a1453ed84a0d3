"""Numbers for prose from a timeline. Steps are counted from 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from labs.kinds.timeline import verdict
from labs.kinds.timeline.record import Stretch, Timeline
from labs.present.quantities import NoSuchNumber, Quantity, Said
from labs.records.format import NARROW, cores, digits, duration, percent, rate
from labs.records.processes import Who

TREES: tuple[str, ...] = get_args(Who)


@dataclass(frozen=True, slots=True)
class TimelineNumbers(Said):
    """Numbers of the middle run."""

    result: Timeline

    def throughput(self, step: int) -> Quantity:
        """Requests per second answered in that step, its first moments included."""
        value = self._stretch(step).throughput_rps
        return Quantity(value, rate(value))

    def response_time(self, step: int) -> Quantity:
        """Mean response time in that step."""
        value = self._stretch(step).mean_response_time_s
        return Quantity(value, duration(value))

    def forecast(self, step: int) -> Quantity:
        """Throughput the model gave for that step, before the load."""
        self._stretch(step)
        begin_s, seconds = self.result.begins_s[step - 1], self.result.steps[step - 1].seconds
        value = self.result.run.expected_rps(begin_s, begin_s + seconds)
        return Quantity(value, rate(value))

    def arrived(self, step: int) -> Quantity:
        """Requests per second that began in that step."""
        stretch = self._stretch(step)
        value = stretch.begun / stretch.seconds
        return Quantity(value, rate(value))

    def workers(self, step: int) -> Quantity:
        """Workers at the end of that step."""
        return self._count(self._stretch(step).workers)

    def most_workers(self) -> Quantity:
        """Workers at most."""
        return self._count(self.result.run.most_workers or None)

    def in_flight(self, step: int) -> Quantity:
        """Requests under way at the end of that step."""
        value = self._stretch(step).in_flight
        return Quantity(value, str(value))

    def failed(self, step: int) -> Quantity:
        """Requests that failed in that step."""
        value = self._stretch(step).failed
        return Quantity(value, str(value))

    def cores_busy(self, step: int) -> Quantity:
        """Cores' worth of work that the server did."""
        value = self._stretch(step).server_cpu
        return Quantity(value, cores(value, 3))

    def generator_busy(self, step: int) -> Quantity:
        """Cores' worth of work that the load generator did."""
        value = self._stretch(step).generator_cpu
        return Quantity(value, cores(value, 2))

    def core(self, step: int, number: int) -> Quantity:
        """Which part of that step a core was busy, by anyone. Cores are counted from 0."""
        cores = self._stretch(step).cores
        if not 0 <= number < len(cores):
            raise NoSuchNumber(f"core={number}: there are 0 to {len(cores) - 1}.")
        return Quantity(cores[number], percent(cores[number]))

    def on_core(self, tree: str) -> Quantity:
        """CPU seconds of a process tree per second: cores it kept busy over the whole run."""
        value = self.result.run.on_core(self._who(tree))
        return Quantity(value, digits(value))

    def on_cpu(self, tree: str) -> Quantity:
        """The same over the cores of the machine, a fraction."""
        value = self.result.on_cpu(self._who(tree))
        return Quantity(value, digits(value))

    def user_share(self, tree: str) -> Quantity:
        """Of the tree's CPU time, the part in user mode."""
        value = self.result.run.user_share(self._who(tree))
        return Quantity(value, percent(value))

    def children(self, tree: str = "server") -> Quantity:
        """Processes that ever were below the tree's first one, the master."""
        value = self.result.run.children(self._who(tree))
        return Quantity(value, str(value))

    def seconds_to(self, workers: int) -> Quantity:
        """From the begin of the step in which it happened until there were so many workers."""
        value = verdict.seconds_to(self.result, self.result.run, workers)
        if value is None:
            raise NoSuchNumber(f"seconds_to={workers}: there never came so many workers.")
        return Quantity(value, f"{digits(value, 2)}{NARROW}s")

    def _stretch(self, step: int) -> Stretch:
        try:
            return self.result.run.stretch(step)
        except KeyError:
            steps = len(self.result.run.stretches)
            raise NoSuchNumber(f"step={step}: not recorded. There are 1 to {steps}.") from None

    @staticmethod
    def _who(tree: str) -> Who:
        for who in get_args(Who):
            if who == tree:
                found: Who = who
                return found
        raise NoSuchNumber(f"tree={tree!r}: there are {', '.join(TREES)}.")

    @staticmethod
    def _count(value: int | None) -> Quantity:
        if value is None:
            raise NoSuchNumber("workers: they could not be counted.")
        return Quantity(value, str(value))
