"""What the naps lab finds."""

from dataclasses import dataclass

from labs.records.results import Result, middle, pick


@dataclass(frozen=True, slots=True, kw_only=True)
class Nap:
    """One length of sleep."""

    name: str
    asked_s: float
    slept_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NapsRun:
    """One round."""

    recorded_at: str  # ISO 8601, UTC
    naps: tuple[Nap, ...]


class Naps(Result, tag="naps", frozen=True, kw_only=True):
    """Rounds of the naps lab on one machine."""

    runs: tuple[NapsRun, ...]

    @property
    def run(self) -> NapsRun:
        """The middle run, by its longest nap."""
        return middle(self.runs, lambda run: run.naps[-1].slept_s)

    def nap(self, name: str) -> Nap:
        """That nap; KeyError says which there are."""
        return pick(self.run.naps, name=name)
