"""Earlier runs of a lab, which stay as pale curves."""

from dataclasses import dataclass
from datetime import datetime

from labs.kinds.registry import showing
from labs.present.settings import Settings, told_apart
from labs.present.trails import Trail
from labs.records.results import Result

MOST = 4  # of them are drawn; more cannot be told apart


@dataclass(frozen=True, slots=True)
class Kept:
    """A run, and what it is called."""

    called: str
    found: Result
    settings: Settings


class EarlierRuns:
    """The newest run, and those before it. A run that leaves no curves isn't kept."""

    def __init__(self) -> None:
        self._kept: list[Kept] = []
        self._number = 0
        self.newest = ""  # what it is called: `run 2`
        self._back = ""  # what a run is called that comes back
        self.set_then: Settings = {}  # for the newest

    def add(self, found: Result, settings: Settings) -> None:
        """Add the newest run, with what was set. The one that is too many goes."""
        self.set_then = settings
        if not self._back:
            self._number += 1
        self.newest, self._back = self._back or f"run {self._number}", ""
        if any(curve.x for curve in showing(found).curves(found)):
            self._kept = [*self._kept, Kept(self.newest, found, settings)][-MOST - 1 :]

    def comes_back(self, at: datetime) -> None:
        """Let the run that is added next be one measured then, before this panel was there."""
        self._back = f"your run of {at.day} {at:%B}, {at:%H:%M}"

    @property
    def newest_first(self) -> str:
        """Name the newest run, as a sentence begins."""
        return self.newest[:1].upper() + self.newest[1:]

    def differs(self, now: Settings) -> str:
        """Say how what was set for the newest run differs from what is set; "" where it does
        not."""
        then, instead = told_apart([self.set_then, now])
        if not (then or instead):
            return ""
        return f"Below: {self.newest}, measured with {then}. Set now: {instead}."

    def beside(self, current: Result | None, now: Settings) -> list[Trail]:
        """Give the runs that stand pale beside the current one, the oldest first; `now` is what is
        set."""
        now = next((each.settings for each in self._kept if each.found is current), now)
        kept = [each for each in self._kept if each.found is not current][-MOST:]
        said = [each.settings for each in kept]
        curves = [showing(each.found).curves(each.found) for each in kept]
        names = [
            f"{each.called}{f': {words}' if words else ''}"
            f"{' (hollow: unfit)' if any(curve.unfit for curve in drawn) else ''}"
            for each, words, drawn in zip(kept, told_apart(said, now), curves, strict=True)
        ]
        called = [each.called for each in kept]
        return [Trail(*each) for each in zip(called, names, curves, strict=True)]
