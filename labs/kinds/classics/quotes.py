"""Numbers for prose from a classic experiment made again."""

from __future__ import annotations

from dataclasses import dataclass

from labs.kinds.classics.published import TABLES
from labs.kinds.classics.record import AB, Retrial, Tried
from labs.present.quantities import NoSuchNumber, Quantity, Said
from labs.records.format import digits, duration, percent, rate
from labs.records.processes import Who


@dataclass(frozen=True, slots=True)
class RetrialNumbers(Said):
    """Ours, by row: users, who asked (ab or Locust), and where a table has several, its setup."""

    result: Retrial

    def throughput(self, users: int, by: str = AB, setup: str = "") -> Quantity:
        """Requests per second."""
        value = self._tried(users, by, setup).throughput_rps
        return Quantity(value, rate(value))

    def response_time(self, users: int, by: str = AB, setup: str = "") -> Quantity:
        """Mean response time."""
        value = self._tried(users, by, setup).mean_response_time_s
        return Quantity(value, duration(value))

    def law(self, users: int, setup: str = "") -> Quantity:
        """Requests per second that the law allows on that machine."""
        source = TABLES.get(self.result.classic)
        value = source.law_rps(setup, users, self.result.machine.cores) if source else None
        if value is None:
            raise NoSuchNumber(f"{self.result.classic}: its page costs the server next to nothing.")
        return Quantity(value, rate(value))

    def ratio(self, users: int, by: str = AB, setup: str = "") -> Quantity:
        """Throughput over what the law allows."""
        value = self.throughput(users, by, setup).value / self.law(users, setup).value
        return Quantity(value, f"{value:.2f}")

    def growth(self, users: int, by: str = AB, setup: str = "") -> Quantity:
        """Throughput over that of one user, in the same row of servers."""
        one = self.throughput(1, by, setup).value
        value = self.throughput(users, by, setup).value / one
        return Quantity(value, digits(value, 2))

    def longest(self, users: int, setup: str = "") -> Quantity:
        """The longest response time that ab saw."""
        value = self._tried(users, AB, setup).longest_s
        if value is None:
            raise NoSuchNumber("ab did not say.")
        return Quantity(value, duration(value))

    def took(self, users: int, setup: str = "") -> Quantity:
        """Seconds that all of ab's requests took."""
        value = self._tried(users, AB, setup).seconds
        return Quantity(value, f"{digits(value)}\u00a0s")

    def in_all(self, users: int, by: str = AB, setup: str = "") -> Quantity:
        """X R: users that were really waiting."""
        tried = self._tried(users, by, setup)
        value = tried.littles_law * users
        return Quantity(value, digits(value))

    def overflows(self, users: int, by: str = AB, setup: str = "") -> Quantity:
        """Connections that found the listen queue full."""
        value = self._tried(users, by, setup).overflows
        return Quantity(value, digits(value, 6))

    def generator_cpu(self, users: int, by: str = AB, setup: str = "") -> Quantity:
        """Part of a core that the load generator had."""
        value = self._tried(users, by, setup).generator_cpu
        return Quantity(value, percent(value))

    def ceiling(self, users: int, by: str = AB, setup: str = "") -> Quantity:
        """Requests per second that one full core of it makes."""
        value = self._tried(users, by, setup).ceiling_rps
        if value is None:
            raise NoSuchNumber("it had too little to do to tell.")
        return Quantity(value, rate(value))

    def server_cpu(self, users: int, by: str = AB, setup: str = "") -> Quantity:
        """Cores that the server had."""
        value = self._tried(users, by, setup).server_cpu
        return Quantity(value, digits(value, 2))

    def per_request(self, users: int, by: str = AB, setup: str = "") -> Quantity:
        """CPU time of the server for a request."""
        value = self._tried(users, by, setup).server_s
        return Quantity(value, duration(value))

    def capacity(self) -> Quantity:
        """Cores' worth of work that all cores did together, burned just before."""
        value = self.result.run.capacity[-1]
        return Quantity(value, f"{value:.2f}")

    def on_core(self, who: Who = "server") -> Quantity:
        """CPU seconds of that tree for each second."""
        value = self._cpu_s(who) / self._only().seconds
        return Quantity(value, digits(value))

    def on_cpu(self, who: Who = "server") -> Quantity:
        """The same over the cores of the machine."""
        value = self._cpu_s(who) / self._only().seconds / self.result.machine.cores
        return Quantity(value, digits(value))

    def user_share(self, who: Who = "server") -> Quantity:
        """Part of the tree's CPU time outside the kernel."""
        self._cpu_s(who)
        value = self.result.run.user_share(who)
        return Quantity(value, percent(value))

    def system_share(self, who: Who = "server") -> Quantity:
        """Part of the tree's CPU time inside the kernel."""
        value = 1 - self.user_share(who).value
        return Quantity(value, percent(value))

    def processes(self, who: Who = "server") -> Quantity:
        """Processes that were seen in that tree, its root included."""
        self._cpu_s(who)
        count = len(self.result.run.tree(who))
        return Quantity(count, str(count))

    def faults(self) -> Quantity:
        """Minor page faults of the server for a request."""
        value = self.result.run.minor_faults("server") / self._only().requests
        return Quantity(value, digits(value, 2))

    def server(self) -> Quantity:
        """The first server, with its version."""
        return Quantity(0, self.result.run.tries[0].server)

    def _only(self) -> Tried:
        """The one row of S3."""
        return self._tried(self.result.run.tries[0].users, AB, "")

    def _cpu_s(self, who: Who) -> float:
        if not self.result.run.tree(who):
            raise NoSuchNumber(f"{who}: no process of that tree was recorded.")
        return self.result.run.cpu_s(who)

    def _tried(self, users: int, by: str, setup: str) -> Tried:
        try:
            found = self.result.tried(setup, users, by)
        except KeyError:
            rows = (f"{t.users} by {t.by} {t.setup}".strip() for t in self.result.run.tries)
            wanted = f"{users} by {by} {setup}".strip()
            raise NoSuchNumber(f"{wanted}: not tried. There are {', '.join(rows)}.") from None
        if found.missing:
            raise NoSuchNumber(f"{users} by {by}: {found.missing}")
        return found
