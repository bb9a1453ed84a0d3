from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import examples
import pytest
from waiting import eventually

from labs import api
from labs.exercises import latest
from labs.host.supervisor import Stopped
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import Measurement
from labs.measure.rig import Progress
from labs.panel.job import Job
from labs.panel.settings import Settings, _named, read_users
from labs.panel.sweep import SweepPanel
from labs.recordings import store
from labs.records import results
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Machine, Run
from labs.servers.serve import Found, ServerFailed

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")

SOON_S = 10.0
LIVE_S = 60.0


class Scripted:
    """Stands in for a measurement: it tells what it is told to, one level at a time."""

    def __init__(self) -> None:
        self.go = threading.Semaphore(0)  # one release, one level
        self.fault: Exception | None = None
        self.experiments: list[Experiment] = []

    def __call__(
        self, experiment: Experiment, *, tell: Callable[[Any], None], stop: threading.Event
    ) -> Scripted:
        self.experiments.append(experiment)
        self._users = experiment.load.users
        self._experiment, self._tell, self._stop = experiment, tell, stop
        self._points: list[results.Point] = []
        return self

    def run(self) -> None:
        self._tell(Progress(stage="starting", fraction=0.0, seconds_left=20.0))
        self._tell(examples.prediction(self._users))
        for users in self._users:
            while not self.go.acquire(timeout=0.02):
                if self._stop.is_set():
                    raise Stopped
                if self.fault:
                    raise self.fault
            self._tell(examples.sample(users / 10))
            self._points.append(examples.point(users))
            self._tell(self._points[-1])

    def recording(self) -> Recording:
        run = Run(
            recorded_at=examples.WHEN,
            calibration=examples.CALIBRATION,
            forecast=examples.prediction(self._users),
            points=tuple(self._points),
        )
        return Recording(experiment=self._experiment, machine=examples.MACHINE, runs=(run,))


def panel_of(scripted: Scripted, experiment: Experiment = examples.EXPERIMENT) -> SweepPanel:
    panel = SweepPanel(
        "many-cores",
        experiment,
        machine=examples.MACHINE,
        recorded=examples.recording(),
        calibration=lambda machine, server, workload: examples.CALIBRATION,
        measurement=scripted,  # type: ignore[arg-type]
    )
    eventually(lambda: panel._plan, SOON_S, "the plan")
    with panel._drawing:  # and until it has been shown
        return panel


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    monkeypatch.setattr(latest, "_latest", {})
    return Scripted()


@pytest.fixture
def panel(scripted: Scripted) -> Iterator[SweepPanel]:
    made = panel_of(scripted)
    yield made
    made.shut()
    if made._attempt:
        assert made._attempt.join(SOON_S)


def names(panel: SweepPanel) -> set[str]:
    return {trace["name"] for trace in panel._figure.figure["data"]}


def landed(panel: SweepPanel) -> list[float]:
    found = [each for each in panel._figure.figure["data"] if each["name"] == "measured here"]
    return list(found[0]["x"]) if found else []


def words(widget: Any) -> str:
    return re.sub(r"<[^>]+>", "", widget.value).replace("\u00a0", " ")


def can_run(panel: SweepPanel) -> bool:
    return not panel._actions._run.disabled


def commit(panel: SweepPanel, number: str) -> None:
    panel._guessing._number.value = number
    panel._guessing._commit.click()


def run(panel: SweepPanel) -> Job:
    panel._actions._run.click()
    assert panel._attempt is not None
    return panel._attempt


def test_the_reader_predicts_before_anything_is_shown_or_run(panel: SweepPanel) -> None:
    assert "8 processes run by gunicorn" in words(panel._about)
    assert not can_run(panel) and "commit to a number, or skip" in words(panel._actions._words)
    assert names(panel) == {"recorded on 2 cores"}
    for wrong in ("", "many", "-3", "0", "nan", "inf"):
        commit(panel, wrong)
        assert not can_run(panel) and "not a number above zero" in words(panel._guessing._question)
    commit(panel, "160")
    assert can_run(panel) and "takes about" in words(panel._actions._words)
    assert "You said 160 req/s at 8 users." in words(panel._guessing._question)
    assert names(panel) == {"recorded on 2 cores", "bound", "forecast", "your prediction"}
    assert panel._figure.alt.replace("\u00a0", " ").endswith("prediction: 160 req/s at 8 users.")


def test_what_the_forecast_assumes_comes_with_its_line_and_not_before() -> None:
    experiment = replace(
        examples.EXPERIMENT,
        server=Server("threaded", processes=2, threads=4),
        workload=Workload(wait_s=0.2),
    )
    panel = panel_of(Scripted(), experiment)
    assert "forecast" not in names(panel) and panel._assumed.value == ""
    panel._guessing._skip.click()
    assert "forecast" in names(panel)
    said = words(panel._assumed)
    assert said.startswith("What the forecast assumes") and "fall on the 2 processes" in said
    panel.shut()


def test_skipping_is_allowed_and_stays(panel: SweepPanel) -> None:
    panel._guessing._skip.click()
    assert can_run(panel)
    panel._controls._users.value = "1, 2"
    eventually(lambda: can_run(panel), SOON_S)
    assert panel._plan and panel._plan.experiment.load.users == (1, 2)


def test_another_question_asks_for_another_prediction(panel: SweepPanel) -> None:
    commit(panel, "160")
    panel._controls._cpu.value = 20
    eventually(lambda: panel._plan and "need 20 ms" in words(panel._about), SOON_S)
    assert not can_run(panel)
    assert panel._guessing.guess is None
    # the recorded run did other work, the model waits for a guess
    eventually(lambda: names(panel) == set(), SOON_S)


def test_run_right_after_a_change_runs_what_was_changed(
    panel: SweepPanel, scripted: Scripted
) -> None:
    panel._guessing._skip.click()
    with panel._drawing:  # the plan of the new settings cannot be ready yet
        panel._controls._users.value = "2, 4"
        panel._actions._run.click()
        assert panel._attempt is None
    attempt = eventually(lambda: panel._attempt, SOON_S, "the run")
    scripted.go.release(2)
    assert attempt.join(SOON_S)
    assert scripted.experiments[-1].load.users == (2, 4) and landed(panel) == [2, 4]


def test_points_land_while_the_run_goes_on_and_then_the_verdict(
    panel: SweepPanel, scripted: Scripted
) -> None:
    commit(panel, "160")
    attempt = run(panel)
    assert not can_run(panel) and not panel._actions._stop.disabled
    assert panel._controls._users.disabled
    for count in (1, 2, 3):
        scripted.go.release()
        eventually(lambda count=count: len(landed(panel)) == count, SOON_S, f"point {count}")
    assert panel._verdict.layout.display == "none"
    scripted.go.release()
    assert attempt.join(SOON_S)
    assert landed(panel) == [1, 2, 4, 8]
    assert len(panel._strip.figure["data"]) > 0 and panel._strip.layout.display == ""
    said = words(panel._verdict)
    assert "the CPU is the limit" in said and "yours was 4 times as much" in said
    assert can_run(panel) and not panel._controls._users.disabled
    assert panel._controls._threads.disabled  # prefork has no threads to set
    assert isinstance(latest.latest("many-cores"), Recording)


def test_the_data_can_be_taken_away_without_asking_a_server(
    panel: SweepPanel, scripted: Scripted, tmp_path: Path
) -> None:
    panel._guessing._skip.click()
    scripted.go.release(4)
    assert run(panel).join(SOON_S)
    text = panel._data.value
    files = {
        name: base64.b64decode(data).decode()
        for name, data in re.findall(r'download="([^"]+)" href="data:[^;]+;base64,([^"]+)"', text)
    }
    assert set(files) == {"many-cores-2-cores.csv", "many-cores-2-cores.json"}
    lines = files["many-cores-2-cores.csv"].splitlines()
    assert lines[0].startswith("users,req/s,") and len(lines) == 5
    saved = tmp_path / "saved.json"
    saved.write_text(files["many-cores-2-cores.json"])
    assert store.load(saved) == latest.latest("many-cores")
    assert json.loads(saved.read_text())["points"][0]["explained"]["limit"] == "users"


def test_stop_keeps_what_was_measured(panel: SweepPanel, scripted: Scripted) -> None:
    commit(panel, "40")
    attempt = run(panel)
    scripted.go.release(2)
    eventually(lambda: len(landed(panel)) == 2, SOON_S)
    panel._actions._stop.click()
    assert attempt.join(SOON_S)
    assert words(panel._actions._message) == "Stopped."
    assert landed(panel) == [1, 2]
    assert "that level was not measured" in words(panel._verdict)
    assert can_run(panel)


def test_a_failed_server_shows_its_last_lines_and_loses_nothing(
    panel: SweepPanel, scripted: Scripted
) -> None:
    panel._guessing._skip.click()
    attempt = run(panel)
    scripted.go.release()
    eventually(lambda: landed(panel) == [1], SOON_S)
    scripted.fault = ServerFailed("prefork by gunicorn ended. Its last lines:\nNo <module> x")
    assert attempt.join(SOON_S)
    assert words(panel._actions._message) == (
        "prefork by gunicorn ended. Its last lines:No &lt;module&gt; x"
    )
    assert landed(panel) == [1] and can_run(panel)


def test_a_fault_of_the_lab_is_said_too(panel: SweepPanel, scripted: Scripted) -> None:
    panel._guessing._skip.click()
    attempt = run(panel)
    scripted.fault = ZeroDivisionError("division by zero")
    assert attempt.join(SOON_S)
    assert "The lab itself failed: ZeroDivisionError" in words(panel._actions._message)
    assert can_run(panel)


def test_a_second_run_is_refused_politely(panel: SweepPanel, scripted: Scripted) -> None:
    panel._guessing._skip.click()
    first = run(panel)
    panel._actions._run.click()  # as a double click does, before the page has heard
    assert panel._attempt is first
    other = panel_of(Scripted())
    other._guessing._skip.click()
    other._actions._run.click()
    assert "“many-cores” is still measuring" in words(other._actions._message)
    assert other._attempt is None
    scripted.go.release(4)
    assert first.join(SOON_S)
    other.shut()


@pytest.mark.parametrize(
    ("users", "words_"),
    [
        ("", "users=[]: no level to measure"),
        ("0, 1", "users=0: must be between 1"),
        ("1, -2", "users=-2: must be between 1"),
        ("1, 2.5", "users=2.5: must be a whole number"),
        ("1, nan", "users=nan: must be a whole number"),
        ("1, 1e9", "must be a whole number"),
        ("99999999", "users=99999999: must be between 1"),
        ("4, 2", "users=2: comes after a larger level"),
        ("2, 2", "users=2: repeats"),
        ("one", "users='one': must be a whole number"),
    ],
)
def test_unusable_users_are_refused_with_a_sentence_and_nothing_is_lost(
    panel: SweepPanel, scripted: Scripted, users: str, words_: str
) -> None:
    panel._guessing._skip.click()
    scripted.go.release(4)
    assert run(panel).join(SOON_S)
    verdict = panel._verdict.value
    panel._controls._users.value = users
    assert words_ in words(panel._problem).replace("&#x27;", "'")
    assert not can_run(panel)
    panel._actions._run.click()  # was on its way
    assert panel._verdict.value == verdict and panel._data.value
    panel._controls._users.value = "1 2 4"
    eventually(lambda: can_run(panel), SOON_S)
    assert words(panel._problem) == "" and len(scripted.experiments) == 1


def test_more_processes_than_memory_holds_are_refused(panel: SweepPanel) -> None:
    small = replace(examples.MACHINE, memory_bytes=100 * 2**20)
    panel._machine = small
    panel._controls._processes.value = 512
    assert "processes=512" in words(panel._problem) and "would fit" in words(panel._problem)


def test_a_long_sweep_says_so_and_is_never_shortened_silently() -> None:
    scripted = Scripted()
    levels = Load((1, 2, 4, 8, 16, 32))
    slow = Experiment(Server("prefork", processes=2), Workload(cpu_s=0.5), levels)
    panel = panel_of(scripted, slow)
    panel._guessing._skip.click()
    labels = [label for label, _ in panel._offers.options]
    assert panel._offers.layout.display == "" and panel._offers.value == 0
    assert labels[0].startswith("all of it: ")
    assert re.match(r"work and wait divided by \d+: ", labels[1])
    assert labels[2].startswith("only 1, 2 and 4 users: ")
    assert panel._plan and panel._plan.experiment == slow
    panel._offers.value = 1
    assert "Here with work and wait divided by" in words(panel._about)
    scripted.go.release(6)
    assert run(panel).join(SOON_S)
    assert scripted.experiments[-1].workload.cpu_s < 0.5
    assert words(panel._verdict).startswith("With work and wait divided by")
    panel._offers.value = 2
    assert panel._plan.experiment.load.users == (1, 2, 4)
    panel.shut()


def test_the_settings_make_the_experiment() -> None:
    changes: list[int] = []
    controls = Settings(examples.EXPERIMENT, examples.MACHINE, lambda: changes.append(1))
    assert controls.experiment() == examples.EXPERIMENT
    controls._architecture.value = "threaded"
    assert len(changes) == 1  # one change, though who runs it changed as well
    controls._threads.value = 16
    controls._by.value = "scratch"
    controls._wait.value = 200
    controls._cores.value = 1
    controls._users.value = "[1; 5 9]"
    made = controls.experiment()
    assert made.server == Server("threaded", by="scratch", processes=8, threads=16, cores=1)
    assert made.workload == Workload(cpu_s=0.05, wait_s=0.2)
    assert made.load.users == (1, 5, 9)
    controls._architecture.value = "event-loop"
    assert controls.experiment().server.by == "uvicorn"
    assert controls.experiment().server.threads == 1 and controls._threads.disabled


def test_values_of_the_cell_that_no_slider_has_are_kept() -> None:
    odd = Experiment(
        Server("prefork", processes=7), Workload(cpu_s=0.0123, wait_s=0.15), Load((3, 11))
    )
    assert Settings(odd, examples.MACHINE, lambda: None).experiment() == odd


def test_one_core_has_nothing_to_choose() -> None:
    one: Machine = replace(examples.MACHINE, cores=1)
    assert Settings(examples.EXPERIMENT, one, lambda: None)._cores.disabled


def test_missing_servers_say_so() -> None:
    assert _named(Found("prefork", "apache", None, "Install it with …")) == "apache (not installed)"
    assert _named(Found("prefork", "scratch", None, None)) == "scratch (ours)"
    assert read_users("1,2;3 4") == (1, 2, 3, 4)


def test_running_a_cell_again_ends_its_former_panel(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABS_MODE", "live")
    first = panel_of(scripted)
    monkeypatch.setitem(api._open, "many-cores", first)
    first._guessing._skip.click()
    attempt = run(first)
    second = api.sweep("many-cores", examples.EXPERIMENT)
    assert isinstance(second, SweepPanel) and second is not first
    assert attempt.join(SOON_S)
    assert first.comm is None
    second.shut()


def test_a_mode_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABS_MODE", "rewind")
    with pytest.raises(Unusable, match="LABS_MODE='rewind': choose one of live, replay, record"):
        api.sweep("many-cores", examples.EXPERIMENT)
    with pytest.raises(Unusable, match="ask='speed': choose one of throughput, response time"):
        api.sweep("many-cores", examples.EXPERIMENT, ask="speed")  # type: ignore[arg-type]


@pytest.mark.measures
def test_a_real_run_from_the_panel_and_a_real_stop() -> None:
    waits = Experiment(
        Server("event-loop", by="scratch"), Workload(wait_s=0.05), Load((4, 8), seconds=0.5)
    )
    panel = SweepPanel("real", waits, machine=examples.MACHINE, measurement=Measurement)
    eventually(lambda: panel._plan, LIVE_S)
    panel._guessing._skip.click()
    assert run(panel).join(LIVE_S)
    assert words(panel._actions._message) == ""
    assert sorted(panel._points) == [4, 8]
    assert panel._points[8].throughput_rps == pytest.approx(160, rel=0.3)
    attempt = run(panel)
    eventually(lambda: "user" in words(panel._actions._words), LIVE_S)
    panel._actions._stop.click()
    assert attempt.join(5)
    panel.shut()
