"""What every kind of measurement needs: its progress, and cores for the server and for the load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labs.host import hardware as this_machine
from labs.records.experiment import Server
from labs.records.results import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is."""

    stage: str  # in words
    fraction: float  # of the whole run
    seconds_left: float
    quiet_s: float | None = None  # while a level is measured: until its point. Paint nothing then


def split_cores(server: Server) -> tuple[Sequence[int] | None, Sequence[int] | None]:
    """Cores for the server and for the load generator: apart, where the server leaves any."""
    usable = this_machine.usable_cores()
    if server.cores is None or server.cores >= len(usable):
        return None, None
    return usable[: server.cores], usable[server.cores :]


def thinned(samples: Sequence[Sample], most: int = 150) -> tuple[Sample, ...]:
    """Every nth sample, so that a recording stays small enough to read."""
    step = -(-len(samples) // most) or 1
    return tuple(samples[::step])
