"""Numbers for prose from a sweep, or from one part of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from labs.kinds.sweep.record import Recording
from labs.present.quantities import NoSuchNumber, Quantity, Said
from labs.records.format import NARROW, cores, digits, duration, percent, rate, size
from labs.records.results import Point, Run


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
        return Quantity(value, cores(value, 3))

    def generator_busy(self, users: int) -> Quantity:
        """Cores' worth of work that the load generator did."""
        value = self._point(users).generator_cpu
        return Quantity(value, cores(value, 2))

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

    def utilisation(self, users: int) -> Quantity:
        """Which part of the machine's cores the server kept busy."""
        value = self._point(users).server_cpu / self.result.machine.cores
        return Quantity(value, percent(value))

    def never_served(self, users: int) -> Quantity:
        """Users without one answer in the window and a forecast response time more."""
        value = self._point(users).never_served
        return Quantity(value, "1 user" if value == 1 else f"{value} users")

    def overflows(self, users: int) -> Quantity:
        """Connections that found the listen queue full."""
        value = self._point(users).listen_overflows
        return Quantity(value, digits(value))

    def service_time(self, users: int) -> Quantity:
        """Mean time of a request inside the application, by the server's own clock."""
        value = self._known(self._point(users).service_time_s, "service_time", users)
        return Quantity(value, duration(value))

    def queued(self, users: int) -> Quantity:
        """The rest of the response time: waiting to be taken, and the way there and back."""
        value = self._known(self._point(users).queued_s, "queued", users)
        return Quantity(value, duration(value))

    def pss(self, users: int) -> Quantity:
        """Memory of the server, shared pages counted once."""
        value = self._known(self._point(users).pss_bytes, "pss", users)
        return Quantity(value, size(value))

    def workers(self, users: int) -> Quantity:
        """Processes or threads that served."""
        value = self._known(self._point(users).workers, "workers", users)
        return Quantity(value, f"{value:,.0f}")

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

    @classmethod
    def _switches(cls, users: int, value: float | None) -> Quantity:
        value = cls._known(value, "switches", users)
        return Quantity(value, digits(value, 2))

    @staticmethod
    def _known(value: float | None, name: str, users: int) -> float:
        if value is None:
            raise NoSuchNumber(f"{name} at users={users}: was not counted on that system.")
        return value

    def _point(self, users: int) -> Point:
        try:
            return self.result.at(users)
        except KeyError:
            levels = ", ".join(str(point.users) for point in self.result.points)
            raise NoSuchNumber(f"users={users}: not recorded. There are {levels}.") from None
