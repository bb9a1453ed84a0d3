"""The panel of a sweep: predict, set, run, stop, and what stays of it."""

import contextlib
import errno
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import examples
import psutil
import pytest
from panel_driver import SOON_S, PanelDriver, Script, panel_of
from waiting import eventually

import labs
from labs import api
from labs.kinds.comparison.run import ComparisonLab
from labs.kinds.sweep.figure import BAND
from labs.kinds.sweep.run import SweepLab
from labs.measure import calibration
from labs.panel.lab import LabPanel
from labs.panel.settings import Settings
from labs.panel.sweep import SweepPanel
from labs.recordings import store
from labs.records.errors import ServerFailed, Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.time_split import TimeSplit
from labs.servers.serve import Found

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    return Script(monkeypatch)


@pytest.fixture
def panel(script: Script) -> Iterator[PanelDriver]:
    made = panel_of()
    yield made
    made.shut()


def test_the_reader_predicts_before_anything_is_shown_or_run(panel: PanelDriver) -> None:
    assert "8 processes run by gunicorn" in panel.said("about")
    assert not panel.can_run and "commit to a number, or skip" in panel.said("progress")
    assert panel.lines == set() and "39" not in panel.alt  # the recorded run is an answer too
    for wrong in ("", "many", "nan", "5 apples", "-3"):
        panel.commit(wrong)
        assert not panel.can_run
    assert "it is above zero" in panel.said("question")
    panel.enter("160")
    assert panel.can_run and "takes about" in panel.said("progress")
    assert "You said 160 req/s at 8 users." in panel.said("question")
    assert panel.lines == {"recorded on 2 cores", "bound", BAND, "forecast", "your prediction"}
    assert panel.alt.endswith("prediction: 160 req/s at 8 users.")


@pytest.mark.usefixtures("script")
def test_said_before_returns_with_the_figure_drawn_however_late_the_plan_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go = threading.Event()
    lab, recorded = SweepLab(examples.EXPERIMENT), examples.recording()

    def late(*_: object, **__: object) -> Any:
        assert go.wait(SOON_S)
        return examples.CALIBRATION

    monkeypatch.setattr("labs.panel.sweep.last", late)
    driver = PanelDriver(SweepPanel("many-cores", lab, recorded=recorded))
    told = ("skipped", "", None)
    asked = threading.Thread(target=driver.panel.said_before, args=told, daemon=True)
    asked.start()
    asked.join(0.2)
    assert asked.is_alive()
    go.set()
    asked.join(SOON_S)
    assert not asked.is_alive()
    assert driver.lines == {"recorded on 2 cores", "bound", BAND, "forecast"}
    driver.shut()


def test_an_absurd_number_flattens_nothing(panel: PanelDriver) -> None:
    panel.commit("1e8")
    assert panel.guess == 1e8 and panel.can_run
    for axis in ("y", "y2"):
        drawn = [trace for trace in panel.figure["data"] if trace["yaxis"] == axis]
        values = {trace["name"]: trace["y"] for trace in drawn}
        (said,) = values.pop("your prediction")
        assert said <= 3.01 * max(y for each in values.values() for y in each)


def test_what_the_forecast_assumes_comes_with_its_line_and_not_before(script: Script) -> None:
    pool = Server("threaded", processes=2, threads=4)
    panel = panel_of(replace(examples.EXPERIMENT, server=pool, workload=Workload(wait_s=0.2)))
    assert "forecast" not in panel.lines and panel.html("assumed") == ""
    panel.skip()
    assert "forecast" in panel.lines
    said = panel.said("assumed")
    assert said.startswith("What the forecast assumes") and "fall on the 2 processes" in said
    panel.shut()


def test_another_question_asks_for_another_prediction_and_skipping_stays(
    panel: PanelDriver,
) -> None:
    panel.commit("160")
    panel.set(cpu=20)
    eventually(lambda: panel.plan and "need 20 ms" in panel.said("about"), SOON_S)
    assert not panel.can_run and panel.guess is None
    # the recorded run did other work, the model waits for a guess
    eventually(lambda: panel.lines == set(), SOON_S)
    panel.set(cpu=50)
    eventually(lambda: panel.can_run, SOON_S)
    panel.commit("161")
    assert panel.guess == 160  # a bet stands for its settings
    panel.set(cpu=20)
    eventually(lambda: panel.plan and "need 20 ms" in panel.said("about"), SOON_S)
    panel.skip()
    panel.set(users="1, 2")
    eventually(lambda: panel.plan and panel.plan.experiment.load.users == (1, 2), SOON_S)
    eventually(lambda: panel.can_run, SOON_S)


def test_run_right_after_a_change_runs_what_was_changed(panel: PanelDriver, script: Script) -> None:
    panel.skip()
    with panel.panel._drawing:  # the plan of the new settings cannot be ready yet
        panel.set(users="2, 4")
        panel.press_run()
        assert panel.job is None and "a moment" in panel.said("progress")
    attempt = eventually(lambda: panel.job, SOON_S, "the run")
    script.go.release(2)
    assert attempt.join(SOON_S)
    assert script.begun[-1].load.users == (2, 4) and panel.landed == [2, 4]


def test_run_answers_at_once_then_points_land_the_bar_goes_forward_and_the_verdict_comes(
    panel: PanelDriver, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labs.panel.run_bar.EVERY_S", 0.0)
    panel.commit("160")
    with panel.panel._drawing:  # news of the run waits
        panel.press_run()
        assert panel.said("progress") == "starting" and panel.bar == 0
    seen = []
    panel.panel._bar._bar.observe(lambda change: seen.append(change["new"]), "value")
    assert not panel.can_run and panel.can_stop
    assert panel.setting("users").disabled
    for count in (1, 2, 3):
        script.go.release()
        eventually(lambda count=count: len(panel.landed) == count, SOON_S, f"point {count}")
    assert panel.html("answer") == "" and panel.bar < 1
    script.go.release()
    assert panel.job and panel.job.join(SOON_S)
    assert panel.landed == [1, 2, 4, 8]
    assert seen == sorted(seen) and seen[-1] == 1
    assert len(panel.strip.strip["at"]) > 0 and panel.strip.layout.display == ""
    said = panel.said("answer")
    assert "the CPU is the limit" in said and "You said" not in said
    assert "yours was 4.2 times as much" in panel.said("question")  # in the bet's own box
    assert panel.can_run and not panel.setting("users").disabled
    assert panel.setting("threads").disabled  # prefork has no threads to set
    assert "3.4" in panel.panel._keys.value  # for the exercises


def test_where_the_time_went_is_drawn_when_the_run_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Painting takes time, which the next level would lack; and what is no longer set is gone."""
    names = ("on_core_s", "ready_s", "asked_s", "turn_s", "queued_s", "outside_s")
    parts = TimeSplit(**dict.fromkeys(names, 0.01), unexplained_s=0.0, missing="It says no more.")
    script, panel = Script(monkeypatch, time_split=parts), panel_of()
    panel.skip()
    attempt = panel.run()
    script.go.release(3)
    eventually(lambda: len(panel.landed) == 3, SOON_S)
    assert panel.split["data"] == [] and panel.panel._results.split.alt == ""
    script.go.release()
    assert attempt.join(SOON_S)
    assert len(panel.split["data"][0]["y"]) == 4
    assert panel.panel._results.split.alt.startswith("Where the time went")
    assert "It says no more." in panel.panel._results.split_note.value
    panel.set(users="2, 4")
    eventually(lambda: panel.split["data"] == [], SOON_S)
    panel.shut()


def test_the_data_can_be_taken_away_without_asking_a_server(
    panel: PanelDriver, script: Script, tmp_path: Path
) -> None:
    panel.skip()
    ran(panel, script)
    text = panel.html("data")
    files = {
        name: unquote(data)
        for name, data in re.findall(r'download="([^"]+)" href="data:[^,]+,([^"]+)"', text)
    }
    assert set(files) == {"many-cores-2-cores.csv", "many-cores-2-cores.json"}
    lines = files["many-cores-2-cores.csv"].splitlines()
    assert lines[0].startswith("users,req/s,") and len(lines) == 5
    saved = tmp_path / "saved.json"
    saved.write_text(files["many-cores-2-cores.json"])
    assert store.read(saved) == panel.panel._shown
    assert json.loads(saved.read_text())["points"][0]["explained"]["limit"] == "users"


def ran(panel: PanelDriver, script: Script, *, levels: int = 4) -> None:
    """Run what is set, to its end."""
    eventually(lambda: panel.can_run, SOON_S, "Run")
    before, number = panel.job, len(script.begun)
    script.go.release(levels)
    panel.press_run()
    eventually(lambda: panel.job is not before and len(script.begun) > number, SOON_S, "the run")
    assert panel.job and panel.job.join(SOON_S)


def test_runs_are_compared_and_each_result_says_whose_it_is(
    panel: PanelDriver, script: Script
) -> None:
    panel.skip()
    assert panel.earlier == [] and panel.said("whose") == ""
    ran(panel, script)
    assert panel.said("whose").startswith("Run 1, measured here: prefork, run by gunicorn")
    assert "2 cores" in panel.said("whose") and not panel.marked
    verdict = panel.html("answer")

    # Other settings: the run is pale, and its results say that they are of before.
    panel.set(cores=1)
    eventually(lambda: panel.earlier == ["run 1: 2 cores"], SOON_S)
    eventually(lambda: panel.landed == [], SOON_S)
    assert panel.said("whose") == "Below: run 1, measured with 2 cores. Set now: 1 core."
    assert panel.html("answer") == verdict and panel.marked
    assert "run 1: 2 cores" in panel.lines and "Pale, of before: run 1: 2 cores" in panel.alt

    # They are its own again where it is set back.
    panel.set(cores=2)
    eventually(lambda: panel.landed == [1, 2, 4, 8], SOON_S)
    assert panel.earlier == [] and not panel.marked
    panel.set(cores=1)
    eventually(lambda: panel.earlier == ["run 1: 2 cores"], SOON_S)
    ran(panel, script)
    assert panel.earlier == ["run 1: 2 cores"] and not panel.marked
    assert "1 core," in panel.said("whose") and panel.html("answer") != verdict
    pale = next(each for each in panel.figure["data"] if each["name"].startswith("run 1: 2 cores"))
    here = next(each for each in panel.figure["data"] if each["name"] == "measured here")
    assert pale["y"][-1] > 1.5 * here["y"][-1]

    # Up to four.
    for cpu in (20, 10, 5, 2):
        panel.set(cpu=cpu)
        eventually(lambda cpu=cpu: panel.plan and f"need {cpu} ms" in panel.said("about"), SOON_S)
        ran(panel, script)
    assert [name[:5] for name in panel.earlier] == ["run 2", "run 3", "run 4", "run 5"]
    assert panel.landed == [1, 2, 4, 8]


def test_a_new_run_marks_what_stands_there_until_it_has_measured(
    panel: PanelDriver, script: Script
) -> None:
    panel.skip()
    ran(panel, script)
    attempt = panel.job
    panel.press_run()
    eventually(lambda: panel.job is not attempt, SOON_S)
    assert panel.said("whose") == "Below: run 1, until this one has measured something."
    assert panel.marked and panel.earlier == ["run 1"] and panel.html("answer")
    script.go.release()
    eventually(lambda: panel.landed == [1], SOON_S)
    assert panel.html("answer") == "" and panel.html("data") == "" and not panel.marked
    script.go.release(3)
    assert panel.job and panel.job.join(SOON_S)
    assert panel.earlier == ["run 1"] and panel.said("whose").startswith("Run 2, measured here")
    assert panel.html("answer")

    # A run that finds nothing leaves the last one as it was.
    script.fault = ServerFailed("It ended.")
    panel.press_run()
    eventually(lambda: not panel.can_run, SOON_S)
    assert panel.job.join(SOON_S)
    assert panel.said("whose").startswith("Run 2, measured here") and not panel.marked
    panel.set(users="1, 2")
    eventually(lambda: panel.earlier[-1:] == ["run 2: 1, 2, 4 and 8 users"], SOON_S)


def test_stop_keeps_what_was_measured_and_shut_ends_all(panel: PanelDriver, script: Script) -> None:
    panel.commit("40")
    attempt = panel.run()
    script.go.release(2)
    eventually(lambda: len(panel.landed) == 2, SOON_S)
    panel.press_stop()
    assert attempt.join(SOON_S)
    assert panel.said("message").startswith("Stopped.") and panel.landed == [1, 2]
    assert "that was not measured" in panel.said("question")
    attempt = panel.run()
    panel.panel.shut()
    assert attempt.join(SOON_S / 2)


@pytest.mark.parametrize("parts", [1, 2])
def test_stop_before_anything_was_measured_says_so(script: Script, parts: int) -> None:
    other = replace(examples.EXPERIMENT, server=Server("prefork", processes=4))
    both = ComparisonLab({"eight": examples.EXPERIMENT, "four": other})
    panel = panel_of() if parts == 1 else PanelDriver(LabPanel("some", both))
    panel.skip()
    drawn: object = None
    for turn, measured in enumerate((False, True, False)):
        eventually(lambda: panel.can_run, SOON_S)
        begun = len(script.begun)
        attempt = panel.run()
        if measured:
            script.go.release()
        eventually(lambda n=begun: len(script.begun) > n, SOON_S)
        eventually(lambda so=measured: panel.panel._bar._measured == so, SOON_S)
        panel.press_stop()
        assert attempt.join(SOON_S)
        stopped = "Stopped. Whatever was measured stays." if measured else "Stopped before"
        assert panel.said("message").startswith(stopped)
        if parts > 1:
            assert ("Measured here before" in panel.said("caption")) == (turn > 0)
        drawn = drawn if turn > 1 else panel.figure
    assert panel.figure == drawn  # it came back
    panel.shut()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (ServerFailed("Its last lines:\nNo <x>"), "Its last lines:No &lt;x&gt;"),
        (ZeroDivisionError("by zero"), "The lab itself failed: ZeroDivisionError"),
        (OSError(errno.EMFILE, "Too many open files"), "Too many open files: this process has as"),
    ],
)
def test_a_fault_of_the_server_or_of_the_lab_is_said_and_loses_nothing(
    panel: PanelDriver,
    script: Script,
    fault: Exception,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_file() -> None:
        raise OSError(errno.EMFILE, "Too many open files", "/proc/meminfo")

    panel.skip()
    attempt = panel.run()
    script.go.release()
    eventually(lambda: panel.landed == [1], SOON_S)
    monkeypatch.setattr("labs.host.hardware.fingerprint", no_file)  # when it ends
    script.fault = fault
    assert attempt.join(SOON_S)
    assert panel.said("message").startswith(said)
    assert panel.landed == [1] and panel.can_run
    panel.set(processes=2)
    assert panel.said("message") == ""  # it was about what had been set


def test_a_run_that_gets_no_thread_is_told_and_can_be_tried_again(
    panel: PanelDriver, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    panel.skip()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", none_left)
        panel.press_run()
    assert "no further process or thread" in panel.said("message")
    ran(panel, script)


def test_a_second_run_is_refused_politely(panel: PanelDriver, script: Script) -> None:
    panel.skip()
    first = panel.run()
    panel.press_run()  # as a double click does, before the page has heard
    assert panel.job is first
    other = panel_of()
    other.skip()
    other.press_run()
    assert "The lab “many-cores” is still measuring" in other.said("message")
    assert other.job is None
    script.go.release(4)
    assert first.join(SOON_S)
    other.shut()


def test_unusable_users_are_refused_with_a_sentence_and_nothing_is_lost(
    panel: PanelDriver, script: Script
) -> None:
    panel.skip()
    ran(panel, script)
    verdict = panel.html("answer")
    panel.set(users="")
    assert panel.said("problem").startswith("Users: no level to measure. Give some, such as 1, 2")
    panel.set(users="4, 2")
    assert panel.said("problem").startswith("Users “2”: comes after a larger level")
    assert not panel.can_run
    assert panel.said("whose").startswith("Run 1, measured here: ") and panel.marked
    panel.press_run()  # was on its way
    assert panel.html("answer") == verdict and panel.html("data")
    panel.set(users="1 2 4")
    eventually(lambda: panel.can_run, SOON_S)
    assert panel.said("problem") == "" and len(script.begun) == 1


def test_more_processes_than_memory_holds_are_refused(panel: PanelDriver) -> None:
    small = replace(examples.MACHINE, memory_bytes=100 * 2**20)
    panel.panel._machine = small
    panel.set(processes=512)
    assert panel.said("problem").startswith("Processes 512: they need about")
    assert "would fit" in panel.said("problem")


def test_a_long_sweep_says_so_before_any_bet_and_is_never_shortened(script: Script) -> None:
    levels = Load((1, 2, 4, 8, 16, 32))
    slow = Experiment(Server("prefork", processes=2), Workload(cpu_s=0.5), levels)
    panel = panel_of(slow)
    before = panel.said("progress")
    assert re.fullmatch(r"first commit to a number, or skip; takes about \d+ s", before)
    panel.skip()
    assert panel.plan.duration_s > 60 and panel.said("progress") in before
    ran(panel, script, levels=6)
    assert script.begun == [slow]
    panel.shut()


def test_the_settings_make_the_experiment() -> None:
    changes: list[int] = []
    controls = Settings([examples.EXPERIMENT], examples.MACHINE, lambda: changes.append(1))
    settings = PanelDriver(controls)
    assert controls.experiments()[0] == examples.EXPERIMENT
    settings.set(architecture="threaded")
    assert len(changes) == 1  # one change, though who runs it changed as well
    settings.set(threads=16, by="scratch", wait=200, cores=1, users="[1; 5 9]")
    made = controls.experiments()[0]
    assert made.server == Server("threaded", by="scratch", processes=8, threads=16, cores=1)
    assert made.workload == Workload(cpu_s=0.05, wait_s=0.2)
    assert made.load.users == (1, 5, 9)
    settings.set(architecture="event-loop")
    assert controls.experiments()[0].server.by == "uvicorn"
    assert controls.experiments()[0].server.threads == 1 and settings.setting("threads").disabled


def settings_of(*experiments: Experiment, **more: Any) -> PanelDriver:
    """The settings alone, on the machine of the examples."""
    return PanelDriver(Settings(experiments, examples.MACHINE, lambda: None, **more))


def test_what_a_lab_is_about_comes_first_and_the_rest_is_folded(script: Script) -> None:
    named = panel_of(examples.EXPERIMENT, about=["cores", "users"])
    assert named.shown() == ["cores", "users"]
    named.unfold()
    assert named.shown()[:2] == ["cores", "users"] and len(named.shown()) == 10
    named.unfold(False)
    assert named.shown() == ["cores", "users"]
    named.shut()
    unnamed = panel_of(examples.EXPERIMENT)
    assert unnamed.shown() == ["processes", "cpu_s", "users"]
    unnamed.shut()
    four = ["cores", "by", "users", "wait_s"]
    for about, said in (("cores", "give a list"), (four, "Name at most 3")):
        with pytest.raises(Unusable, match=said):
            SweepLab(examples.EXPERIMENT, about=about)


def test_what_cannot_be_combined_cannot_be_chosen_and_says_why() -> None:
    loop = Experiment(Server("event-loop"), Workload(wait_s=0.1, wait_by="blocking"), Load((1, 2)))
    controls = settings_of(loop)
    assert controls.why.strip() == ""  # of what is folded, nothing is said
    controls.unfold()
    assert "blocking" in controls.setting("wait_by").options
    offered = {by: label for label, by in controls.setting("by").options}
    assert offered["scratch"] == "our own code" and "nginx" not in offered
    assert "nginx serves files and runs no program." in controls.why
    assert controls.setting("cpu_by").disabled and "requests use no CPU time" in controls.why
    assert controls.setting("threads").disabled and "only a threaded server" in controls.why
    controls = settings_of(replace(loop, workload=Workload(wait_s=0.1)))
    controls.set(wait_by="blocking", architecture="threaded")
    assert controls.setting("wait_by").options == ("sleep", "backend")
    assert controls.panel.experiments()[0].workload.wait_by == "sleep"
    assert not controls.setting("threads").disabled
    controls.unfold()
    assert "only an event loop minds" in controls.why and "threaded server" not in controls.why
    controls.set(wait=0)
    assert controls.setting("wait_by").disabled and "requests do not wait" in controls.why


def test_what_one_server_alone_can_do_is_not_asked_of_another() -> None:
    """No control sets these, so nothing is refused in their name."""
    apache = Server("prefork", by="apache", start=3, processes=8, keep_alive=2)
    controls = settings_of(replace(examples.EXPERIMENT, server=apache), about=["by"])
    for by, start, kept in (("spare", 3, True), ("gunicorn", None, True), ("apache", 3, 2)):
        controls.set(by=by)
        server = controls.panel.experiments()[0].server
        assert (server.start, server.keep_alive) == (start, kept)


def test_servers_that_are_not_here_cannot_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Found("prefork", "gunicorn", "27", None), Found("prefork", "apache", None, "Get it.")]
    monkeypatch.setattr("labs.panel.settings.available", lambda: rows)
    controls = settings_of(examples.EXPERIMENT, about=["by"])
    assert controls.setting("by").options == (("gunicorn 27", "gunicorn"),)
    assert "apache is not installed here." in controls.why
    asked = replace(examples.EXPERIMENT, server=Server("prefork", by="apache"))
    controls = settings_of(asked)  # what the cell asks for stays, and is refused with a remedy
    assert controls.setting("by").value == "apache"
    assert ("apache (not installed)", "apache") in controls.setting("by").options


def test_a_server_of_no_table_is_refused_and_cores_that_are_not_there_are_told() -> None:
    with pytest.raises(Unusable, match=r"by='nodejs': does not run event-loop here\. Choose one"):
        settings_of(replace(examples.EXPERIMENT, server=Server("event-loop", by="nodejs")))
    nine = replace(examples.EXPERIMENT, server=Server("prefork", cores=9))
    controls = settings_of(nine, about=["users"])
    assert "The lab asks for 9 cores, and there are 2 here: all are set." in controls.why


def test_of_several_experiments_what_they_share_can_be_set() -> None:
    wait, load = Workload(wait_s=0.2), Load((8, 16))
    pools = [Experiment(Server("prefork", processes=n), wait, load) for n in (4, 8)]
    controls = settings_of(*pools)
    assert "processes" not in controls.panel.controls and len(controls.panel.controls) == 9
    controls.set(wait=100, users="2 4")
    found = controls.panel.experiments()
    assert [each.server.processes for each in found] == [4, 8]
    assert {(each.workload.wait_s, each.load.users) for each in found} == {(0.1, (2, 4))}
    mixed = settings_of(pools[0], Experiment(Server("threaded", threads=4), wait, load))
    assert not {"architecture", "by", "threads", "processes"} & set(mixed.panel.controls)
    file = settings_of(Experiment(Server("event-loop", by="nginx"), Workload(page="file"), load))
    assert not {"cpu_s", "wait_s", "cpu_by", "wait_by"} & set(file.panel.controls)


def test_measuring_for_longer_costs_time_and_asks_for_no_other_bet(
    panel: PanelDriver, script: Script
) -> None:
    panel.commit("160")
    usual_s = panel.plan.duration_s
    panel.measure_for(4.0)
    eventually(lambda: panel.plan and panel.plan.experiment.load.seconds == 4.0, SOON_S)
    assert panel.plan.duration_s > usual_s + 4 * 2  # at four levels
    assert panel.guess == 160 and panel.can_run and "forecast" in panel.lines
    ran(panel, script)
    assert script.begun[-1].load.seconds == 4.0
    assert panel.said("whose").endswith(", 4 s a level.") and not panel.marked
    panel.measure_for(2.0)
    eventually(lambda: panel.marked, SOON_S)
    assert panel.said("whose") == "Below: run 1, measured with 4 s a level. Set now: 2 s a level."
    assert panel.landed == [1, 2, 4, 8]  # of the same question


def test_values_that_no_slider_has_are_kept_and_one_core_has_nothing_to_choose() -> None:
    odd = Experiment(
        Server("prefork", processes=7), Workload(cpu_s=0.0123, wait_s=0.15), Load((3, 11))
    )
    one = Settings([odd], replace(examples.MACHINE, cores=1), lambda: None)
    assert one.experiments() == (odd,) and PanelDriver(one).setting("cores").disabled


def test_running_a_cell_again_ends_its_former_panel(
    panel: PanelDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABS_MODE", "live")
    first = panel
    monkeypatch.setitem(api._open, "many-cores", first.panel)
    monkeypatch.setattr(api, "_bets", {})
    first.skip()
    attempt = first.run()
    second = labs.sweep("many-cores", examples.EXPERIMENT)
    assert isinstance(second, SweepPanel) and second is not first.panel
    assert attempt.join(SOON_S)
    assert first.panel.comm is None
    PanelDriver(second).skip()
    third = PanelDriver(labs.sweep("many-cores", examples.EXPERIMENT))
    assert second.comm is None
    third.until_planned()
    assert "Skipped" in third.said("question") and "forecast" in third.lines
    third.set(cpu=20)  # nobody has said anything of that
    eventually(lambda: "Before you run it" in third.said("question"), SOON_S)
    third.shut()


def test_a_panel_that_is_shut_calibrates_no_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan of a machine that was never calibrated begins with a burn: here one for hours."""
    monkeypatch.setattr(calibration, "REPEATS", 100_000)
    monkeypatch.setattr(calibration, "_folder", lambda: tmp_path)

    def burners() -> list[int]:
        found = []
        for each in psutil.Process().children():
            with contextlib.suppress(psutil.Error):  # it ended while we looked
                if "workloads.burn" in each.cmdline():
                    found.append(each.pid)
        return found

    panel = SweepPanel("many-cores", SweepLab(examples.EXPERIMENT))
    eventually(burners, SOON_S, "the burn")
    panel.shut()
    eventually(lambda: not burners(), SOON_S, "the end of the burn")


def test_a_mode_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABS_MODE", "rewind")
    with pytest.raises(Unusable, match="LABS_MODE='rewind': choose one of live, replay, record"):
        labs.sweep("many-cores", examples.EXPERIMENT)
