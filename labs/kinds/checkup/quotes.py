"""Numbers for prose from the checkup."""

from __future__ import annotations

from dataclasses import dataclass

from labs.kinds.checkup.record import Checkup
from labs.present.quantities import Quantity, Said
from labs.records.format import NARROW, digits, duration, percent, rate


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
