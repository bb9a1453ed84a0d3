"""A panel as its reader has it: what one presses, sets and reads, in one place. And what it runs,
where nothing is to be started."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from typing import Any

import examples
import pytest
from msgspec import structs
from waiting import eventually

from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import SweepLab
from labs.measure.rig import Rig
from labs.panel.job import Job
from labs.panel.results import OTHERS
from labs.panel.settings import Settings
from labs.panel.sweep import SweepPanel
from labs.records.experiment import Experiment

SOON_S = 10.0
PLACES = {  # of what is read, by its name
    "about": "_about",
    "answer": "_results.answer",
    "assumed": "_assumed",
    "brought": "_brought",
    "caption": "_caption",
    "data": "_results.data",
    "message": "_bar._message",
    "problem": "_problem",
    "progress": "_bar._words",
    "question": "_prompt._question",
    "strip of": "_results.strip_of",
    "verdict": "_results.verdict",
    "who": "_who",
    "whose": "_results.whose",
}


class Script:
    """In the place of each sweep: it finds what the law says, one level for one release of `go`.
    Nothing is burned, and this is the machine of the examples."""

    def __init__(self, patch: pytest.MonkeyPatch, **more: Any) -> None:
        self.go = threading.Semaphore(0)
        self.fault: Exception | None = None
        self.begun: list[Experiment] = []
        self._more = more  # of each point
        patch.setattr("labs.kinds.sweep.run.sweep", self._sweep)
        patch.setattr("labs.kinds.comparison.run.walk", self._walk)
        patch.setattr("labs.host.hardware.fingerprint", lambda: examples.MACHINE)
        for name in ("measure.rig.calibrate", "kinds.comparison.run.last", "panel.sweep.last"):
            patch.setattr(f"labs.{name}", lambda *_, **__: examples.CALIBRATION)

    def _walk(self, rig: Rig, experiment: Experiment, first: Recording | None) -> Recording:
        """Up as a sweep goes, and down at once."""
        return self._sweep(rig, experiment) if first is None else first

    def _sweep(self, rig: Rig, experiment: Experiment) -> Recording:
        self.begun.append(experiment)
        rig.progress("starting")
        whole = examples.by_law(experiment, **self._more)
        rig.partial(structs.replace(whole, runs=(replace(whole.run, points=()),)))
        for number, point in enumerate(whole.points, 1):
            rig.progress(f"{point.users} users")
            rig.on_event(examples.sample(number / 10))
            assert rig.until(lambda: self.fault or self.go.acquire(blocking=False), SOON_S)
            if self.fault:
                raise self.fault
            run = replace(whole.run, points=whole.points[:number])
            rig.partial(structs.replace(whole, runs=(run,)))
        return whole


class PanelDriver:
    """A panel of any kind, or its settings alone, without a page."""

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

    def enter(self, number: str) -> None:
        """Type that, and press Enter."""
        self.panel._prompt._number.value = number
        pressed = {"method": "custom", "content": {"event": "submit"}}
        self.panel._prompt._number._handle_msg({"content": {"data": pressed}, "buffers": []})

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

    def diagnose(self, limit: str) -> None:
        """Commit to that being the limit of a mystery."""
        self.panel._choice.value = limit
        self.panel._commit.click()

    def reveal(self) -> None:
        self.panel._reveal.click()

    @property
    def fixes(self) -> dict[str, Any]:
        """The buttons that lift the limit of a mystery, by variant; none while it is hidden."""
        return {} if self.panel._fixes.layout.display else self.panel._buttons

    def set(self, **values: Any) -> None:
        """Set these of the settings, one after the other."""
        for name, value in values.items():
            self.setting(name).value = value

    def setting(self, name: str) -> Any:
        """A widget of the settings, by its field's name, or of a panel without any."""
        settings = getattr(self.panel, "_settings", None) or self.panel
        if not isinstance(settings, Settings):
            return getattr(settings, f"_{name}")
        return settings.controls[{"cpu": "cpu_s", "wait": "wait_s"}.get(name, name)]

    def shown(self) -> list[str]:
        """Settings that are not folded away."""
        settings = getattr(self.panel, "_settings", self.panel)
        groups = [settings._named, settings._rest]
        return [n for g in groups if g.layout.display != "none" for n in g.controls]

    @property
    def why(self) -> str:
        """Why not all of the settings can be chosen, said beside those that are shown."""
        settings = getattr(self.panel, "_settings", self.panel)
        groups = [settings._named, settings._rest]
        said = [g._why.value for g in groups if g.layout.display != "none"]
        return re.sub(r"<[^>]+>", "", " ".join(said))

    def unfold(self, yes: bool = True) -> None:
        """More settings, or fewer."""
        getattr(self.panel, "_settings", self.panel)._more.value = yes

    def measure_for(self, seconds: float) -> None:
        """Set for how long each level is measured."""
        self.panel._duration.value = seconds

    @property
    def bar(self) -> float:
        """How far the bar is."""
        return float(self.panel._bar._bar.value)

    @property
    def figure(self) -> dict[str, Any]:
        return self.panel._figure.figure

    @property
    def alt(self) -> str:
        return self.panel._figure.alt.replace("\u00a0", " ")

    @property
    def split(self) -> dict[str, Any]:
        """The bars that show where the time went."""
        return self.panel._results.split.figure

    @property
    def lines(self) -> set[str]:
        """Names of what is drawn."""
        return {trace["name"] for trace in self.figure["data"]}

    @property
    def earlier(self) -> list[str]:
        """The runs of before that are drawn, as the legend says it, the oldest first."""
        entries = [each["name"] for each in self.figure["data"][::-1] if each.get("showlegend")]
        return [each.replace("\u00a0", " ") for each in entries if re.match("run [0-9]", each)]

    @property
    def marked(self) -> bool:
        """Whether the results below the figure are shown as another run's."""
        return OTHERS in self.panel._results._dom_classes

    @property
    def landed(self) -> list[float]:
        """Levels measured here that are drawn."""
        found = [trace for trace in self.figure["data"] if trace["name"] == "measured here"]
        return list(found[0]["x"]) if found else []

    @property
    def strip(self) -> Any:
        return self.panel._results.strip

    @property
    def plan(self) -> Any:
        """What Run would run, of a sweep."""
        return self.panel._plan

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


def panel_of(experiment: Experiment = examples.EXPERIMENT, **more: Any) -> PanelDriver:
    """The panel of a sweep, its plan made."""
    panel = PanelDriver(
        SweepPanel("many-cores", SweepLab(experiment, **more), recorded=examples.recording())
    )
    panel.until_planned()
    return panel
