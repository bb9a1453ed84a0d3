"""Record of the checkup: the machine itself. Frozen, SI units."""

from __future__ import annotations

from labs.records.amounts import Spent
from labs.records.results import Calibration, Result, middle


class Checkup(Result, tag="checkup", frozen=True, kw_only=True):
    """Result of a checkup: the machine's fingerprint and one calibration or more."""

    calibrations: tuple[Calibration, ...]
    loopbacks_s: tuple[Spent, ...]  # a byte to a local socket and back, beside each of them
    recorded_at: str  # ISO 8601, UTC

    @property
    def runs(self) -> tuple[Calibration, ...]:
        """Give the calibrations as the runs that every result has."""
        return self.calibrations

    @property
    def calibration(self) -> Calibration:
        """The middle calibration, by the work all cores did together."""
        return middle(self.calibrations, lambda each: each.loops_per_s[-1])

    @property
    def loopback_s(self) -> float:
        """The loopback's seconds as found beside the middle calibration."""
        return self.loopbacks_s[self.calibrations.index(self.calibration)]

    @property
    def capacity(self) -> float:
        """Cores' worth of work that all cores do together."""
        return self.calibration.capacity[-1]
