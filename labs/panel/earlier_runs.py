"""The last runs of a lab, which stay as pale curves: one button for each, which takes it away."""

from collections.abc import Callable
from dataclasses import dataclass

import ipywidgets

from labs.kinds.registry import showing
from labs.present.settings import Settings, told_apart
from labs.present.trails import Trail
from labs.records.results import Result

MOST = 4  # of them are drawn; more cannot be told apart


@dataclass(frozen=True, slots=True)
class Kept:
    """A run, and which of this panel's it is."""

    number: int
    found: Result


class EarlierRuns(ipywidgets.HBox):
    """`removed` is called with the run that the reader took away. Of a run that
    leaves no curves nothing is kept."""

    def __init__(self, removed: Callable[[Result], None]) -> None:
        self._removed = removed
        self._kept: list[Kept] = []
        self._number = 0
        self._buttons: list[ipywidgets.Button] = []
        super().__init__(layout={"display": "none"})
        self.add_class("wt-earlier")

    def add(self, found: Result) -> None:
        """The newest. The one that is too many goes."""
        self._number += 1
        if any(curve.x for curve in showing(found).curves(found)):
            self._kept = [*self._kept, Kept(self._number, found)][-MOST - 1 :]

    def called(self, found: Result) -> str:
        """Which of this panel's runs it is: `run 2`."""
        number = next((each.number for each in self._kept if each.found is found), self._number)
        return f"run {number}"

    def beside(
        self,
        current: Result | None,
        now: Settings | None = None,
        hidden: Callable[[Result], bool] = lambda found: False,
    ) -> list[Trail]:
        """Those that stand pale beside that one, the oldest first, with a button for each.
        now: what is set; hidden: those that would tell the answer to a bet that is open."""
        kept = [each for each in self._kept if each.found is not current][-MOST:]
        kept = [each for each in kept if not hidden(each.found)]
        said = [showing(each.found).settings(each.found) for each in kept]
        if now is None and current is not None:
            now = showing(current).settings(current)
        names = [
            f"run {each.number}{f': {words}' if words else ''}"
            for each, words in zip(kept, told_apart(said, now), strict=True)
        ]
        self._offer(kept, names)
        return [
            Trail(name, showing(each.found).curves(each.found))
            for each, name in zip(kept, names, strict=True)
        ]

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
