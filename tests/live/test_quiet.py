"""While something is measured, its page is sent nothing: it is painted by the same machine."""

import re
from collections.abc import Iterator
from dataclasses import replace
from threading import Event
from typing import Any

import comm
import examples
import pytest
from comm.base_comm import BaseComm
from msgspec import structs
from panel_driver import SOON_S, PanelDriver

from labs.host.waiting import Stopped
from labs.kinds.mystery.record import Mystery
from labs.kinds.mystery.run import MysteryLab
from labs.kinds.sweep.run import SweepLab
from labs.kinds.timeline.run import TimelineLab
from labs.measure.rig import Rig
from labs.panel.lab import LabPanel
from labs.panel.mystery import MysteryPanel
from labs.panel.sweep import SweepPanel
from labs.recordings import store

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")

LEVELS, SAMPLES = 2, 30
CONTROL = "Kill a worker"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """All states that widgets send to the page, as they are sent; news of a stage is never held
    back for having come too soon."""
    states: list[dict[str, Any]] = []

    class Wire(BaseComm):
        def publish_msg(self, msg_type: str, data: Any = None, *_: Any, **__: Any) -> None:
            states.append((data or {}).get("state", {}))

    monkeypatch.setattr(comm, "create_comm", Wire)
    monkeypatch.setattr("labs.panel.run_bar.EVERY_S", 0.0)
    monkeypatch.setattr("labs.panel.sweep.last", lambda *_, **__: examples.CALIBRATION)
    return states


class Told:
    """In the place of a lab's run: finds one result after the other, at levels that are all called
    alike; `measuring` is set within the last."""

    def __init__(
        self, sent: list[dict[str, Any]], kind: type, panel: type, results: list[Any], *given: Any
    ) -> None:
        self.sent, self.results, self.performed = sent, results, list[str]()
        self.meanwhile: list[list[dict[str, Any]]] = []
        self.landing: list[list[dict[str, Any]]] = []
        self.measuring, self.go = Event(), Event()
        lab = type(kind.__name__, (kind,), {"run": lambda _, rig: self.play(rig)})(*given)
        lab.perform = self.performed.append
        self.panel = PanelDriver(panel("a-lab", lab))

    def play(self, rig: Rig) -> Any:
        rig.progress("starting")
        first, *others = self.results
        rig.partial(first)
        for number, result in enumerate(others, 1):
            self.level(rig, number, 3.0)
            begin = len(self.sent)
            for look in range(SAMPLES):
                rig.on_event(examples.sample(number + look / SAMPLES))
                self.level(rig, number, 3.0 - look / 10)
            self.meanwhile.append(self.sent[begin:])
            begin = len(self.sent)
            rig.partial(result)
            self.landing.append(self.sent[begin:])
        self.level(rig, LEVELS + 1, 3.0)
        self.measuring.set()
        while not self.go.wait(0.02):
            if rig.stop.is_set():
                raise Stopped
        return self.results[-1]

    def level(self, rig: Rig, number: int, quiet_s: float) -> None:
        rig.expect(4.0 * (LEVELS + 1 - number) + quiet_s)
        rig.measuring("4 users", quiet_s)


def grown(whole: Any, field: str, each: int = 1) -> list[Any]:
    """A result with so many of these for each level, level by level."""
    found = getattr(whole.run, field)
    runs = [replace(whole.run, **{field: found[: each * n]}) for n in range(LEVELS + 1)]
    return [structs.replace(whole, runs=(run,)) for run in runs]


def sweep(sent: list[dict[str, Any]]) -> Told:
    results = grown(examples.recording(1.0), "points")
    told = Told(sent, SweepLab, SweepPanel, results, examples.EXPERIMENT)
    told.panel.until_planned()
    with told.panel.panel._drawing:
        told.panel.skip()
    return told


def timeline(sent: list[dict[str, Any]]) -> Told:
    whole = examples.timeline(1.0)
    results = grown(whole, "time_bins", 4)
    told = Told(sent, TimelineLab, LabPanel, results, whole.server, whole.workload, whole.steps)
    told.panel.skip()
    return told


def mystery(sent: list[dict[str, Any]]) -> Told:
    found = store.recording("which-limit")
    assert isinstance(found, Mystery)
    befores = grown(found.before, "points")
    results = [structs.replace(found, variants={"before": each}) for each in befores]
    return Told(sent, MysteryLab, MysteryPanel, results, found.seed)


@pytest.fixture(params=[sweep, timeline, mystery], ids=lambda made: made.__name__)
def told(request: pytest.FixtureRequest, sent: list[dict[str, Any]]) -> Iterator[Told]:
    told = request.param(sent)
    assert all(each.disabled for each in told.panel.panel._bar._controls)
    told.panel.run()
    try:
        assert told.measuring.wait(SOON_S)
        yield told
    finally:
        told.go.set()
        told.panel.shut()


def said(states: list[dict[str, Any]]) -> list[str]:
    """What was said of levels."""
    values = [str(state.get("value", "")).replace("\u00a0", " ") for state in states]
    return [found[1] for value in values if (found := re.search(r">(measuring .*?)<", value))]


def test_a_level_is_announced_then_left_alone_then_painted(
    told: Told, sent: list[dict[str, Any]]
) -> None:
    assert told.meanwhile == [[]] * LEVELS
    for number, states in enumerate(told.landing, 1):
        assert len([state for state in states if "figure" in state]) == 1  # the level's
        strips = [len(state["strip"]["at"]) for state in states if "strip" in state]
        drawn = told.panel.panel._lab.draws_cores  # by the figure itself
        assert strips == ([] if drawn else [SAMPLES * number])  # all so far
    more = (", then 8 s more", ", then 4 s more", "")
    assert said(sent) == [f"measuring 4 users, about 3 s{then}" for then in more]


def test_stop_is_heard_while_nothing_is_sent(told: Told) -> None:
    assert told.panel.can_stop
    told.panel.press_stop()
    assert told.panel.job and told.panel.job.join(SOON_S)
    assert "Stopped." in told.panel.said("message")


@pytest.mark.parametrize("told", [timeline], indirect=True)
def test_a_control_works_and_is_answered_while_nothing_is_sent(
    told: Told, sent: list[dict[str, Any]]
) -> None:
    assert told.panel.strip.layout.display == "none"  # the figure has the cores
    control = told.panel.control(CONTROL)
    assert not control.disabled
    begin = len(sent)
    control.click()
    assert told.performed == [CONTROL]
    (state,) = sent[begin:]
    assert f"{CONTROL}: what comes of it will be in the figure in a moment" in state["value"]
    told.panel.press_stop()
    told.panel.panel._on_event(examples.timeline(1.0))  # the last that was found
    assert control.disabled
