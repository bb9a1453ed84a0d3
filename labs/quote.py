"""Numbers for prose, drawn from a recording: rounded to what is worth saying, with units.

A quantity shows as text, and is a number for whoever asks. Change the recording and the page
that quotes it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from labs.comparison import Comparison
from labs.counts import Race
from labs.findings import Checkup, Clocks, PageClock
from labs.footprint import Memory
from labs.gauges import Gauges
from labs.kept import Result
from labs.quantity import NoSuchNumber, Quantity, Said
from labs.quote_comparison import ComparisonNumbers
from labs.quote_gauges import GaugesNumbers
from labs.quote_memory import MemoryNumbers
from labs.quote_mystery import MysteryNumbers
from labs.quote_race import RaceNumbers
from labs.quote_retrial import RetrialNumbers
from labs.quote_sweep import SweepNumbers
from labs.quote_timeline import TimelineNumbers
from labs.records import Recording
from labs.retrials import Retrial
from labs.riddle import Mystery
from labs.timelines import Timeline
from labs.words import NARROW, digits, duration, percent, rate

__all__ = ["NoSuchNumber", "Numbers", "Quantity", "ask", "numbers"]


@dataclass(frozen=True, slots=True)
class ClocksNumbers(Said):
    """Numbers of the clocks lab: medians of one page's requests."""

    result: Clocks

    def wall(self, page: str) -> Quantity:
        """Wall time of that page, as its client saw it."""
        value = self._page(page).median_wall_s
        return Quantity(value, duration(value))

    def cpu(self, page: str) -> Quantity:
        """CPU time the server spent on it."""
        value = self._page(page).median_cpu_s
        return Quantity(value, duration(value))

    def rest(self, page: str) -> Quantity:
        """The rest of the wall time: waiting."""
        value = self._page(page).median_wait_s
        return Quantity(value, duration(value))

    def fraction(self, page: str) -> Quantity:
        """Which part of the wall time was CPU time."""
        value = self._page(page).cpu_fraction
        return Quantity(value, percent(value))

    def curl(self, page: str) -> Quantity:
        """User and sys as `time` prints them for the client."""
        client = self._page(page).client
        value = client.user_s + client.system_s
        user, system = client.user_s * 1000, client.system_s * 1000
        return Quantity(value, f"{digits(user, 2)} + {digits(system, 2)}{NARROW}ms")

    def curl_real(self, page: str) -> Quantity:
        """Real as `time` prints it for the client: its own start and end are in it."""
        value = self._page(page).client.real_s
        return Quantity(value, duration(value))

    def _page(self, name: str) -> PageClock:
        try:
            return self.result.page(name)
        except KeyError:
            names = ", ".join(page.name for page in self.result.run.pages)
            raise NoSuchNumber(f"page={name!r}: not recorded. There are {names}.") from None


@dataclass(frozen=True, slots=True)
class CheckupNumbers(Said):
    """Numbers of the calibration lab."""

    result: Checkup

    def effective_cores(self) -> Quantity:
        """Cores a program gets: affinity and quota applied."""
        machine = self.result.machine
        value = min(machine.cores, machine.quota_cores or machine.cores)
        return Quantity(value, digits(value))

    def capacity(self) -> Quantity:
        """Cores' worth of work that all of them did together."""
        value = self.result.capacity
        return Quantity(value, f"{value:.2f}")

    def loops_per_s(self) -> Quantity:
        """How far one core counts in a second."""
        value = self.result.calibration.loops_per_s[0]
        return Quantity(value, f"{digits(value / 1e6)}{NARROW}million")

    def generator(self) -> Quantity:
        """CPU time the load generator spends on a request."""
        value = self.result.calibration.generator_s
        return Quantity(value, duration(value))

    def generator_ceiling(self) -> Quantity:
        """Requests per second that one full core of load generator makes."""
        value = 1 / self.result.calibration.generator_s
        return Quantity(value, rate(value))

    def generator_trusted(self) -> Quantity:
        """Requests per second up to which it does not distort what it measures."""
        value = 0.8 / self.result.calibration.generator_s
        return Quantity(value, rate(value))

    def overhead(self) -> Quantity:
        """CPU time of an empty request."""
        value = self.result.calibration.overhead_s
        return Quantity(value, duration(value))

    def timer(self) -> Quantity:
        """How late a sleep of 1 ms ends."""
        value = self.result.calibration.timer_s
        return Quantity(value, duration(value))

    def loopback(self) -> Quantity:
        """A byte to a local socket and back."""
        value = self.result.calibration.loopback_s
        return Quantity(value, duration(value))

    def noise(self) -> Quantity:
        """How far repeated burns lie apart."""
        value = self.result.calibration.noise_fraction
        return Quantity(value, percent(value))


Numbers = (
    SweepNumbers
    | ComparisonNumbers
    | ClocksNumbers
    | CheckupNumbers
    | MemoryNumbers
    | RaceNumbers
    | TimelineNumbers
    | GaugesNumbers
    | RetrialNumbers
    | MysteryNumbers
)

NUMBERS: dict[type[object], type[Numbers]] = {
    Recording: SweepNumbers,
    Comparison: ComparisonNumbers,
    Clocks: ClocksNumbers,
    Checkup: CheckupNumbers,
    Memory: MemoryNumbers,
    Race: RaceNumbers,
    Timeline: TimelineNumbers,
    Gauges: GaugesNumbers,
    Retrial: RetrialNumbers,
    Mystery: MysteryNumbers,
}


def numbers(result: Result) -> Numbers:
    """The quotable numbers of a recording."""
    kind: Callable[..., Numbers] = NUMBERS[type(result)]
    return kind(result)


def ask(source: Numbers, quantity: str, *arguments: object) -> Quantity:
    """The quantity of that name. NoSuchNumber says which there are, or what it needs."""
    names = sorted(name for name in dir(type(source)) if name[0] != "_" and name != "result")
    if quantity not in names:
        raise NoSuchNumber(f"{quantity!r}: no such number. There are {', '.join(names)}.")
    method: Callable[..., Quantity] = getattr(source, quantity)
    try:
        return method(*arguments)
    except TypeError:
        raise NoSuchNumber(f"{quantity} {arguments}: not what {quantity} needs.") from None
