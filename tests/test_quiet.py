"""While something is measured, its page is sent nothing: it is painted by the same machine."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import comm
import examples
import pytest
from comm.base_comm import BaseComm
from waiting import eventually

from labs.exercises import latest
from labs.host.supervisor import Stopped
from labs.kinds.base import Still
from labs.kinds.mystery.record import Mystery
from labs.kinds.mystery.run import Solving
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import Measurement
from labs.kinds.timeline.record import Timeline
from labs.measure.rig import Progress
from labs.panel.lab import LabPanel
from labs.panel.mystery import MysteryPanel
from labs.panel.sweep import SweepPanel
from labs.recordings import store
from labs.records.experiment import Experiment, Load, Server, Workload

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")

LEVELS, SAMPLES = 2, 30
SOON_S, LIVE_S = 10.0, 60.0
LEVER = "Kill a worker"


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
    monkeypatch.setattr(latest, "_latest", {})
    return states


class Script:
    """Tells of levels that are all called alike; `measuring` is set within the last."""

    def __init__(self, sent: list[dict[str, Any]], results: list[Any]) -> None:
        self.sent, self.results = sent, results
        self.meanwhile: list[list[dict[str, Any]]] = []
        self.landing: list[list[dict[str, Any]]] = []
        self.measuring, self.go = threading.Event(), threading.Event()

    def tell_all(self, tell: Callable[[Any], None], stop: threading.Event) -> None:
        tell(Progress(stage="starting", fraction=0.0, seconds_left=9.0))
        first, *others = self.results
        tell(first)
        for number, result in enumerate(others, 1):
            tell(self.level(number, 3.0))
            begin = len(self.sent)
            for look in range(SAMPLES):
                tell(examples.sample(number + look / SAMPLES))
                tell(self.level(number, 3.0 - look / 10))
            self.meanwhile.append(self.sent[begin:])
            begin = len(self.sent)
            tell(result)
            self.landing.append(self.sent[begin:])
        tell(self.level(LEVELS + 1, 3.0))
        self.measuring.set()
        while not self.go.wait(0.02):
            if stop.is_set():
                raise Stopped

    def level(self, number: int, quiet_s: float) -> Progress:
        left_s = 4.0 * (LEVELS + 1 - number) + quiet_s
        return Progress(stage="4 users", fraction=number / 4, seconds_left=left_s, quiet_s=quiet_s)


class Sweep(Script):
    """In the place of a measurement."""

    def __call__(self, experiment: Experiment, *, tell: Any, stop: Any) -> Sweep:
        self.news = tell, stop
        return self

    def run(self) -> None:
        self.tell_all(*self.news)

    def recording(self) -> Recording:
        return examples.recording()


def sweep(sent: list[dict[str, Any]]) -> tuple[Script, SweepPanel]:
    script = Sweep(sent, [examples.prediction(), examples.point(1), examples.point(2)])
    panel = SweepPanel(
        "many-cores",
        examples.EXPERIMENT,
        machine=examples.MACHINE,
        calibration=lambda machine, server, workload: examples.CALIBRATION,
        measurement=script,  # type: ignore[arg-type]
    )
    eventually(lambda: panel._plan, SOON_S, "the plan")
    with panel._drawing:
        panel._guessing._skip.click()
    return script, panel


def timeline(sent: list[dict[str, Any]]) -> tuple[Script, LabPanel[Timeline]]:
    run = examples.timeline_run()
    runs = [replace(run, moments=run.moments[: 4 * number]) for number in range(LEVELS + 1)]
    script = Script(sent, [replace(examples.timeline(), runs=(each,)) for each in runs])

    class Told(Still[Timeline]):
        result, about, seconds = Timeline, "Told.", 9.0

        def __init__(self) -> None:
            self.levers, self.pulled = {LEVER: "End it"}, list[str]()

        def measure(self, tell: Any, stop: threading.Event) -> Timeline:
            script.tell_all(tell, stop)
            return examples.timeline(1.0)

        def pull(self, lever: str) -> None:
            self.pulled.append(lever)

    return script, LabPanel("over time", Told())


def mystery(sent: list[dict[str, Any]]) -> tuple[Script, MysteryPanel]:
    found = store.recording("which-limit")
    assert isinstance(found, Mystery)
    run = found.before.run
    runs = [replace(run, points=run.points[:number]) for number in range(LEVELS + 1)]
    befores = [replace(found.before, runs=(each,)) for each in runs]
    script = Script(sent, [replace(found, variants={"before": each}) for each in befores])

    class Told(Solving):
        def measure_one(self, variant: Any, before: Any, tell: Any, stop: Any) -> Mystery:
            script.tell_all(tell, stop)
            return found

    return script, MysteryPanel("which-limit", found.seed, solving=Told)


@pytest.fixture(params=[sweep, timeline, mystery], ids=lambda made: made.__name__)
def told(request: pytest.FixtureRequest, sent: list[dict[str, Any]]) -> Iterator[tuple[Any, Any]]:
    script, panel = request.param(sent)
    panel._actions._run.click()
    assert script.measuring.wait(SOON_S)
    yield script, panel
    panel.shut()
    script.go.set()
    assert panel._attempt.join(SOON_S)


def said(states: list[dict[str, Any]]) -> list[str]:
    """What was said of levels."""
    values = [str(state.get("value", "")).replace("\u00a0", " ") for state in states]
    return [found[1] for value in values if (found := re.search(r">(measuring .*?)<", value))]


def test_a_level_is_announced_then_left_alone_then_painted(
    told: tuple[Any, Any], sent: list[dict[str, Any]]
) -> None:
    script, panel = told
    assert script.meanwhile == [[]] * LEVELS
    for number, states in enumerate(script.landing, 1):
        drawn = [state["figure"]["data"] for state in states if "figure" in state]
        assert len(drawn) == 2  # the level's, and the strip with all samples so far
        assert SAMPLES * number in {len(trace["x"]) for traces in drawn for trace in traces}
    assert said(sent) == [
        *(
            "measuring 4 users, about 3 s, then 8 s more",
            "measuring 4 users, about 3 s, then 4 s more",
        ),
        "measuring 4 users, about 3 s",
    ]
    assert panel._actions._bar.value == (LEVELS + 1) / 4


def test_stop_is_heard_while_nothing_is_sent(told: tuple[Any, Any]) -> None:
    _, panel = told
    assert not panel._actions._stop.disabled
    panel._actions._stop.click()
    assert panel._attempt.join(SOON_S)
    assert "Stopped." in panel._actions._message.value


def test_a_lever_works_and_is_answered_while_nothing_is_sent(sent: list[dict[str, Any]]) -> None:
    script, panel = timeline(sent)
    panel._actions._run.click()
    assert script.measuring.wait(SOON_S)
    lever = panel._actions._levers[0]
    assert not lever.disabled
    begin = len(sent)
    lever.click()
    assert panel._still.pulled == [LEVER]  # type: ignore[attr-defined]
    (state,) = sent[begin:]
    assert f"{LEVER}: it will be in the figure as soon as this step is over" in state["value"]
    panel._actions._stop.click()
    panel._told(examples.timeline(1.0))  # the last that was found
    assert lever.disabled
    assert panel._attempt is not None and panel._attempt.join(SOON_S)
    panel.shut()


@pytest.mark.measures
def test_a_real_sweep_leaves_its_page_alone(sent: list[dict[str, Any]]) -> None:
    """From what is said before a level to what comes of it; the last is the first one again."""
    waits = Experiment(
        Server("event-loop", by="scratch"), Workload(wait_s=0.05), Load((4, 8), seconds=0.5)
    )
    panel = SweepPanel("real", waits, machine=examples.MACHINE, measurement=Measurement)
    eventually(lambda: panel._plan, LIVE_S)
    panel._guessing._skip.click()
    panel._actions._run.click()
    assert panel._attempt is not None and panel._attempt.join(LIVE_S)
    begins = [at for at, state in enumerate(sent) if said([state])]
    assert [said([sent[at]])[0].split(",")[0] for at in begins] == [
        *("measuring 4 users", "measuring 8 users", "measuring 4 users again")
    ]
    for at in begins:  # what comes next is the level's
        assert {*sent[at + 1]} & {"figure", "alt", "display"}, sent[at + 1]
    panel.shut()
