"""Numbers for prose from the clocks lab."""

from __future__ import annotations

from dataclasses import dataclass

from labs.kinds.clocks.record import Clocks, PageClock
from labs.present.quantities import NoSuchNumber, Quantity, Said
from labs.records.format import NARROW, digits, duration, percent


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
