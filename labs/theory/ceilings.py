"""Ceilings of a throughput, with the numbers that they are worked out from. Pure."""

from __future__ import annotations

from typing import NamedTuple

from labs.theory.laws import ceiling


class Ceiling(NamedTuple):
    """X <= units / seconds: there are so many of them, and a request keeps one for so long."""

    units: float  # cores, workers, users, ...
    seconds: float
    beside: str = ""  # the server's CPU time: "wait", "load generator", or nothing

    @property
    def rps(self) -> float:
        """The bound itself, as `laws.ceiling`."""
        return ceiling(self.units, self.seconds)


def lowest(*ceilings: Ceiling) -> Ceiling:
    """The tightest of these bounds, the first of equal ones."""
    return min(ceilings, key=lambda each: each.rps)
