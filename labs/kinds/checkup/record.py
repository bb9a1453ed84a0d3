"""What the checkup finds: the machine itself. Frozen, SI units."""

from __future__ import annotations

from dataclasses import dataclass

from labs.records.errors import BadRecording
from labs.records.results import SCHEMA, Calibration, Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """What a machine can do: its fingerprint and one calibration or more."""

    machine: Machine
    calibrations: tuple[Calibration, ...]
    recorded_at: str  # ISO 8601, UTC
    schema: int = SCHEMA

    def __post_init__(self) -> None:
        if not self.calibrations:
            raise BadRecording("The recording holds no calibration. Record it again.")

    @property
    def calibration(self) -> Calibration:
        """The middle one, by the work all cores did together."""
        ranked = sorted(self.calibrations, key=lambda each: each.loops_per_s[-1])
        return ranked[(len(ranked) - 1) // 2]

    @property
    def capacity(self) -> float:
        """Cores' worth of work that all cores do together."""
        return max(self.calibration.capacity)
