"""Numbers for prose, drawn from a recording: rounded to what is worth saying, with units.

A quantity shows as text, and is a number for whoever asks. Change the recording and the page
that quotes it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from labs.findings import Checkup, Clocks, PageClock
from labs.records import Machine, Point, Recording, Run
from labs.words import NARROW, digits, duration, percent, rate


class NoSuchNumber(LookupError):
    """The recording cannot give that number. Says what it can."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and the words for it."""

    value: float
    text: str

    def __str__(self) -> str:
        return self.text

    def __float__(self) -> float:
        return self.value

    def _repr_markdown_(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Said:
    """What every recording can say of its machine."""

    result: Recording | Clocks | Checkup

    def machine(self) -> Quantity:
        """The machine in one line, and how many cores it has."""
        machine: Machine = self.result.machine
        return Quantity(machine.cores, machine.caption)

    def cores(self) -> Quantity:
        """The cores it may use: `1 core`, `2 cores`."""
        cores = self.result.machine.cores
        return Quantity(cores, "1 core" if cores == 1 else f"{cores} cores")


@dataclass(frozen=True, slots=True)
class SweepNumbers(Said):
    """Numbers of a sweep: of its middle run, unless a spread is asked for."""

    result: Recording

    def throughput(self, users: int) -> Quantity:
        """Requests per second at that level."""
        value = self._point(users).throughput_rps
        return Quantity(value, rate(value))

    def response_time(self, users: int) -> Quantity:
        """Mean response time at that level."""
        value = self._point(users).mean_response_time_s
        return Quantity(value, duration(value))

    def percentile(self, users: int, below: float) -> Quantity:
        """Response time that so many percent of the requests stayed below."""
        value = self._point(users).percentile_s(below / 100)
        if value is None:
            raise NoSuchNumber(
                f"percentile={below:g} at users={users}: too few requests to quote one."
            )
        return Quantity(value, duration(value))

    def demand(self, users: int | None = None) -> Quantity:
        """CPU time per request: in the load at that level, or as calibrated before it."""
        value = self._run.forecast.demand_s if users is None else self._point(users).demand_s
        return Quantity(value, duration(value))

    def forecast(self, users: int) -> Quantity:
        """Throughput the model gave before the load."""
        self._point(users)
        value = self._run.forecast.at(users).model_rps
        return Quantity(value, rate(value))

    def bound(self, users: int) -> Quantity:
        """Throughput the bound allowed."""
        self._point(users)
        value = self._run.forecast.at(users).bound_rps
        return Quantity(value, rate(value))

    def spread(self, users: int) -> Quantity:
        """Lowest to highest throughput over the runs; as a number, half of it over the middle."""
        self._point(users)
        low, high = self.result.spread_rps(users)
        return Quantity(
            (high - low) / (high + low), f"{digits(low)} to {digits(high)}{NARROW}req/s"
        )

    def interval(self, users: int) -> Quantity:
        """95 % interval of the throughput; as a number, half of it over the middle."""
        low, high = self._point(users).throughput_ci_rps
        return Quantity(
            (high - low) / (high + low), f"{digits(low)} to {digits(high)}{NARROW}req/s"
        )

    def change(self, before: int, after: int) -> Quantity:
        """How throughput changed from one level to another, and whether that is more than noise."""
        first, last = self._point(before), self._point(after)
        value = last.throughput_rps / first.throughput_rps - 1
        (low, high), (lower, upper) = first.throughput_ci_rps, last.throughput_ci_rps
        if low <= upper and lower <= high:
            said = "noise: the intervals overlap"
        else:
            said = "more than noise: the intervals lie apart"
        sign = "\u2212" if value < 0 else "+"
        return Quantity(value, f"{sign}{percent(abs(value))} ({said})")

    def cores_busy(self, users: int) -> Quantity:
        """Cores' worth of work that the server did."""
        value = self._point(users).server_cpu
        return Quantity(value, f"{digits(value)} cores")

    def generator_busy(self, users: int) -> Quantity:
        """Cores' worth of work that the load generator did."""
        value = self._point(users).generator_cpu
        return Quantity(value, f"{digits(value, 2)} cores")

    def cpu_ceiling(self, users: int) -> Quantity:
        """c / D: requests per second at which the cores would be full, as that level cost them."""
        value = self.result.machine.cores / self._point(users).demand_s
        return Quantity(value, rate(value))

    def voluntary(self, users: int) -> Quantity:
        """Context switches a request because a process of the server had nothing left to do."""
        return self._switches(users, self._point(users).voluntary_switches)

    def involuntary(self, users: int) -> Quantity:
        """Context switches a request because its turn was over and another was ready."""
        return self._switches(users, self._point(users).involuntary_switches)

    def in_flight(self, users: int) -> Quantity:
        """X R, which Little's law says is the number of users without think time."""
        point = self._point(users)
        value = point.throughput_rps * point.mean_response_time_s
        return Quantity(value, digits(value))

    def relative(self, users: int) -> Quantity:
        """How many times the throughput of the first level."""
        value = self._point(users).throughput_rps / self._run.points[0].throughput_rps
        return Quantity(value, f"{value:.2f}")

    def response_time_for(self, users: int) -> Quantity:
        """N / X: the mean response time of so many users at the last level's throughput."""
        value = users / self._run.points[-1].throughput_rps
        return Quantity(value, duration(value))

    def fit(self) -> Quantity:
        """How many points passed the lab's own checks: `6 of 6`."""
        fit = sum(point.fit for point in self._run.points)
        return Quantity(fit / len(self._run.points), f"{fit} of {len(self._run.points)}")

    @property
    def _run(self) -> Run:
        return self.result.run

    @staticmethod
    def _switches(users: int, value: float | None) -> Quantity:
        if value is None:
            raise NoSuchNumber(f"switches at users={users}: this system does not count them.")
        return Quantity(value, digits(value, 2))

    def _point(self, users: int) -> Point:
        try:
            return self.result.at(users)
        except KeyError:
            levels = ", ".join(str(point.users) for point in self.result.points)
            raise NoSuchNumber(f"users={users}: not recorded. There are {levels}.") from None


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


Numbers = SweepNumbers | ClocksNumbers | CheckupNumbers


def numbers(result: Recording | Clocks | Checkup) -> Numbers:
    """The quotable numbers of a recording."""
    if isinstance(result, Recording):
        return SweepNumbers(result)
    if isinstance(result, Clocks):
        return ClocksNumbers(result)
    return CheckupNumbers(result)


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
