"""Numbers for prose from the lab of the shared counter."""

from __future__ import annotations

from dataclasses import dataclass

from labs.kinds.race.record import Count, Race
from labs.present.quantities import NoSuchNumber, Quantity, Said
from labs.records.format import digits, duration, percent, rate


@dataclass(frozen=True, slots=True)
class RaceNumbers(Said):
    """Numbers of its middle run. A name is a way to count: without a lock, with a lock, ..."""

    result: Race

    def lost(self, name: str) -> Quantity:
        """Additions that did not arrive, and which part of all that was."""
        count = self._count(name)
        share = f" ({percent(count.lost_fraction)})" if count.lost else ""
        return Quantity(count.lost, f"{digits(count.lost, 6)} of {digits(count.asked, 6)}{share}")

    def lost_fraction(self, name: str) -> Quantity:
        """Which part of the additions did not arrive."""
        value = self._count(name).lost_fraction
        return Quantity(value, percent(value))

    def asked(self, name: str = "without a lock") -> Quantity:
        """Additions asked for."""
        value = self._count(name).asked
        return Quantity(value, digits(value, 6))

    def counted(self, name: str) -> Quantity:
        """What the counter said."""
        value = self._count(name).counted
        return Quantity(value, digits(value, 6))

    def throughput(self, name: str) -> Quantity:
        """Requests per second."""
        value = self._count(name).throughput_rps
        return Quantity(value, rate(value))

    def response_time(self, name: str) -> Quantity:
        """Mean response time."""
        value = self._count(name).mean_response_time_s
        return Quantity(value, duration(value))

    def bound(self, name: str) -> Quantity:
        """Requests per second that a lock around the whole work lets pass at most."""
        workload = self._count(name).workload
        value = 1 / (workload.cpu_s + workload.wait_s)
        return Quantity(value, rate(value))

    def racers(self) -> Quantity:
        """Users, and threads."""
        return Quantity(self.result.racers, str(self.result.racers))

    def _count(self, name: str) -> Count:
        try:
            return self.result.count(name)
        except KeyError:
            names = ", ".join(count.name for count in self.result.run.counts)
            raise NoSuchNumber(f"name={name!r}: not recorded. There are {names}.") from None
