"""Numbers for prose from the memory lab."""

from __future__ import annotations

from dataclasses import dataclass

from labs.kinds.memory.record import Growth, Memory
from labs.present.quantities import NoSuchNumber, Quantity, Said
from labs.records.format import digits, size


@dataclass(frozen=True, slots=True)
class MemoryNumbers(Said):
    """Numbers of its middle run. A kind is a process, a thread or a coroutine."""

    result: Memory

    def each(self, kind: str) -> Quantity:
        """What one more of them takes, by PSS."""
        value = self._growth(kind).each_bytes
        return Quantity(value, size(value))

    def rss_each(self, kind: str) -> Quantity:
        """What one more of them seems to take, by RSS."""
        value = self._growth(kind).rss_each_bytes
        return Quantity(value, size(value))

    def base(self, kind: str) -> Quantity:
        """What the server takes without any of them."""
        value = self._growth(kind).base_bytes
        return Quantity(value, size(value))

    def pss(self, kind: str, count: int) -> Quantity:
        """Memory of the server with so many of them."""
        growth = self._growth(kind)
        return self._at(growth, growth.pss_bytes, count)

    def rss(self, kind: str, count: int) -> Quantity:
        """The RSS of all its processes, added up."""
        growth = self._growth(kind)
        return self._at(growth, growth.rss_bytes, count)

    def limit(self, kind: str) -> Quantity:
        """How many of them would fit that machine, beside everything else that was there."""
        growth = self._growth(kind)
        value = self.result.limit(growth.kind)
        if value is None:
            raise NoSuchNumber(f"limit={growth.kind!r}: another one took nothing measurable.")
        return Quantity(value, digits(value))

    def memory(self) -> Quantity:
        """All memory of that machine."""
        value = self.result.machine.memory_bytes
        return Quantity(value, size(value))

    def taken(self) -> Quantity:
        """What everything else took of it."""
        value = self.result.run.taken_bytes
        return Quantity(value, size(value))

    def _growth(self, kind: str) -> Growth:
        try:
            return self.result.growth(kind)
        except KeyError:
            kinds = ", ".join(growth.kind for growth in self.result.run.growths)
            raise NoSuchNumber(f"kind={kind!r}: not recorded. There are {kinds}.") from None

    @staticmethod
    def _at(growth: Growth, found: tuple[int, ...], count: int) -> Quantity:
        if count not in growth.sizes or not found:
            sizes = ", ".join(map(str, growth.sizes)) if found else "none: that system has no PSS"
            raise NoSuchNumber(f"{growth.kind} {count}: not recorded. There are {sizes}.")
        value = found[growth.sizes.index(count)]
        return Quantity(value, size(value))
