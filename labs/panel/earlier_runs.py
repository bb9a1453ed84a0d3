"""Earlier runs of a lab, which stay as pale curves: one button for each, which takes it away."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import ipywidgets

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


class EarlierRuns(ipywidgets.HBox):
    """The earlier runs' buttons. `removed` is called with the run that the reader took away. A run
    that leaves no curves isn't kept."""

    def __init__(self, removed: Callable[[Result], None]) -> None:
        self._removed = removed
        self._kept: list[Kept] = []
        self._number = 0
        self.newest = ""  # what it is called: `run 2`
        self._back = ""  # what a run is called that comes back
        self.set_then: Settings = {}  # for the newest
        self._buttons: list[ipywidgets.Button] = []
        super().__init__(layout={"display": "none"})
        self.add_class("wt-earlier")

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
        """Give the runs that stand pale beside the current one, the oldest first, and a button to
        each; `now` is what is set."""
        now = next((each.settings for each in self._kept if each.found is current), now)
        kept = [each for each in self._kept if each.found is not current][-MOST:]
        said = [each.settings for each in kept]
        curves = [showing(each.found).curves(each.found) for each in kept]
        names = [
            f"{each.called}{f': {words}' if words else ''}"
            f"{' (hollow: unfit)' if any(curve.unfit for curve in drawn) else ''}"
            for each, words, drawn in zip(kept, told_apart(said, now), curves, strict=True)
        ]
        self._offer(kept, names)
        return [Trail(*each) for each in zip(names, curves, strict=True)]

    def _offer(self, kept: list[Kept], names: list[str]) -> None:
        if [button.description for button in self._buttons] == [f"✕ {name}" for name in names]:
            return
        before, self._buttons = self._buttons, []
        for each, name in zip(kept, names, strict=True):
            tip = f"Take {name} out of the figure"
            button = ipywidgets.Button(description=f"✕ {name}", tooltip=tip)
            button.on_click(lambda _, each=each: self._remove(each))
            self._buttons.append(button)
        self.children = tuple(self._buttons)
        self.layout.display = "" if self._buttons else "none"
        for button in before:
            button.close()

    def _remove(self, gone: Kept) -> None:
        self._kept = [each for each in self._kept if each is not gone]
        self._removed(gone.found)
