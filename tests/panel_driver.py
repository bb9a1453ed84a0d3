"""A panel as its reader has it: what one presses, sets and reads, in one place."""

from __future__ import annotations

import re
from typing import Any

from waiting import eventually

from labs.panel.job import Job

SOON_S = 10.0
PLACES = {  # of what is read, by its name
    "about": "_about",
    "answer": "_answer",
    "assumed": "_assumed",
    "caption": "_caption",
    "data": "_data",
    "message": "_bar._message",
    "problem": "_problem",
    "progress": "_bar._words",
    "question": "_prompt._question",
    "verdict": "_verdict",
}


class PanelDriver:
    """A panel of any kind, without a page."""

    def __init__(self, panel: Any) -> None:
        self.panel = panel

    def html(self, place: str) -> str:
        """What stands there; "" where nothing is shown."""
        found = self.panel
        for name in PLACES[place].split("."):
            found = getattr(found, name)
        return "" if found.layout.display == "none" else found.value

    def said(self, place: str) -> str:
        """The same as text."""
        return re.sub(r"<[^>]+>", "", self.html(place)).replace("\u00a0", " ")

    @property
    def can_run(self) -> bool:
        return not self.panel._bar._run.disabled

    @property
    def can_stop(self) -> bool:
        return not self.panel._bar._stop.disabled

    @property
    def job(self) -> Job | None:
        return self.panel._job

    def skip(self) -> None:
        self.panel._prompt._skip.click()

    def commit(self, number: str) -> None:
        self.panel._prompt._number.value = number
        self.panel._prompt._commit.click()

    @property
    def guess(self) -> float | None:
        return self.panel._prompt.guess

    def press_run(self) -> None:
        self.panel._bar._run.click()

    def press_stop(self) -> None:
        self.panel._bar._stop.click()

    def run(self) -> Job:
        """Press Run; what then goes on."""
        self.press_run()
        return eventually(lambda: self.job, SOON_S, "the run")

    def control(self, name: str) -> Any:
        """The button that does that to a run that goes on."""
        return next(each for each in self.panel._bar._controls if each.description == name)

    def set(self, **values: Any) -> None:
        """Set these of the settings, one after the other."""
        for name, value in values.items():
            self.setting(name).value = value

    def setting(self, name: str) -> Any:
        """A widget of the settings."""
        return getattr(self.panel._settings, f"_{name}")

    @property
    def figure(self) -> dict[str, Any]:
        return self.panel._figure.figure

    @property
    def alt(self) -> str:
        return self.panel._figure.alt.replace("\u00a0", " ")

    @property
    def lines(self) -> set[str]:
        """Names of what is drawn."""
        return {trace["name"] for trace in self.figure["data"]}

    @property
    def landed(self) -> list[float]:
        """Levels measured here that are drawn."""
        found = [trace for trace in self.figure["data"] if trace["name"] == "measured here"]
        return list(found[0]["x"]) if found else []

    @property
    def strip(self) -> Any:
        return self.panel._strip

    @property
    def plan(self) -> Any:
        """What Run would run, of a sweep."""
        return self.panel._plan

    @property
    def offers(self) -> Any:
        """How much of a long sweep to run."""
        return self.panel._offers

    def until_planned(self) -> None:
        """Until the plan of a sweep is made and shown."""
        eventually(lambda: self.plan, SOON_S, "the plan")
        with self.panel._drawing:
            pass

    def shut(self) -> None:
        """Take it away, and wait for what it was doing."""
        self.panel.shut()
        if self.job:
            assert self.job.join(SOON_S)
