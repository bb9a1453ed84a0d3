"""Numbers for prose from the lab of the load generators."""

from __future__ import annotations

from dataclasses import dataclass

from labs.kinds.generators.record import FULL, OURS, Gauge, Gauges, locusts
from labs.present.quantities import NoSuchNumber, Quantity, Said
from labs.records.format import cores, digits, duration, percent, rate
from labs.theory import laws


@dataclass(frozen=True, slots=True)
class GaugesNumbers(Said):
    """Numbers of its middle run. A name is a generator: locust, 1 locust, 2 locusts, ab, wrk."""

    result: Gauges

    def throughput(self, name: str = OURS) -> Quantity:
        """Requests per second as that generator says."""
        value = self._gauge(name).throughput_rps
        return Quantity(value, rate(value))

    def locusts(self, processes: int) -> Quantity:
        """The same, of so many processes of plain Locust."""
        return self.throughput(locusts(processes))

    def response_time(self, name: str = OURS) -> Quantity:
        """Mean response time as that generator says."""
        value = self._gauge(name).mean_response_time_s
        return Quantity(value, duration(value))

    def ratio(self, over: str, under: str = OURS) -> Quantity:
        """How many times the throughput of another one it saw."""
        value = self._gauge(over).throughput_rps / self._gauge(under).throughput_rps
        return Quantity(value, digits(value, 2))

    def generator_cpu(self, name: str = OURS) -> Quantity:
        """Cores that the generator kept busy."""
        value = self._gauge(name).generator_cpu
        return Quantity(value, cores(value, 2))

    def fullest(self, name: str = OURS) -> Quantity:
        """Part of a core that its busiest process had."""
        value = self._gauge(name).generator_fullest
        return Quantity(value, percent(value))

    def server_cpu(self, name: str = OURS) -> Quantity:
        """Cores that the server kept busy meanwhile."""
        value = self._gauge(name).server_cpu
        return Quantity(value, cores(value, 2))

    def per_request(self, name: str = OURS) -> Quantity:
        """CPU time that the generator spent on a request."""
        value = self._gauge(name).generator_s
        return Quantity(value, duration(value))

    def server_per_request(self, name: str = OURS) -> Quantity:
        """CPU time that the server spent on a request."""
        value = self._gauge(name).server_s
        return Quantity(value, duration(value))

    def full(self, name: str = OURS) -> Quantity:
        """Who was full: the generator, the server, both, the machine, or nobody."""
        full = self._gauge(name).full
        words = {("generator", "server"): "both", (): "nobody"}.get(full, f"the {''.join(full)}")
        return Quantity(len(full), words)

    def ceiling(self, name: str = OURS) -> Quantity:
        """Requests per second that one full core of it makes."""
        value = self._gauge(name).ceiling_rps
        return Quantity(value, rate(value))

    def trusted(self, name: str = OURS) -> Quantity:
        """Requests per second up to which one process of it may be trusted."""
        value = FULL * self._gauge(name).ceiling_rps
        return Quantity(value, rate(value))

    def needed(self, throughput_rps: float, name: str = OURS) -> Quantity:
        """How many such processes, each on a core of its own, ask for that much at 80 %."""
        value = laws.generators(throughput_rps, self._gauge(name).ceiling_rps)
        return Quantity(value, str(value))

    def connections(self) -> Quantity:
        """That each generator kept busy."""
        return Quantity(self.result.connections, str(self.result.connections))

    def _gauge(self, name: str) -> Gauge:
        try:
            gauge = self.result.gauge(name)
        except KeyError:
            names = ", ".join(gauge.name for gauge in self.result.run.gauges)
            raise NoSuchNumber(f"name={name!r}: not recorded. There are {names}.") from None
        if gauge.missing:
            raise NoSuchNumber(f"name={name!r}: was {gauge.missing}")
        return gauge
