"""A lab's last run comes back with its page: run, settings and bet."""

import os
from dataclasses import replace
from pathlib import Path

import examples
import pytest
import ruined
from panel_driver import PanelDriver, Script

from labs import progress_log
from labs.kinds.attach.run import AttachLab
from labs.kinds.sweep.run import SweepLab
from labs.panel.sweep import SweepPanel
from labs.recordings import last_run, store
from labs.records.experiment import Server
from labs.records.progress import Progress
from labs.site.live import progress_handler

LAB = SweepLab(examples.EXPERIMENT)


@pytest.fixture(autouse=True)
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    monkeypatch.setenv("WALL_TIME_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setenv("LABS_MODE", "live")
    return Script(monkeypatch)


def opened(lab: SweepLab = LAB) -> PanelDriver:
    """The lab's panel, as a page that is opened has it."""
    panel = PanelDriver(
        SweepPanel(
            "many-cores",
            lab,
            recorded=examples.recording(),
            last=last_run.last("many-cores", lab, examples.MACHINE),
        )
    )
    panel.until_planned()
    return panel


@pytest.fixture
def before(script: Script) -> PanelDriver:
    """A panel in which somebody has set something, bet and measured, and which was left."""
    panel = opened()
    panel.set(processes=4)
    panel.until_planned()
    panel.commit("90")
    for _ in panel.plan.experiment.load.users:
        script.go.release()
    job = panel.run()
    assert job.join(10)
    panel.shut()
    return panel


def test_a_page_opened_again_shows_the_last_run_with_its_settings_and_its_bet(
    before: PanelDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bet,) = progress_log.read()[0].predictions
    assert bet.value == 90 and bet.measured and bet.model and bet.band
    again = opened()
    assert again.landed == before.landed != []
    assert again.setting("processes").value == 4
    assert again.said("question") == before.said("question")
    assert again.said("answer") == before.said("answer")
    assert again.said("whose").startswith("Your run of ")
    assert again.can_run and again.html("data")
    assert "3.4" in again.panel._keys.value  # for the exercises
    again.set(processes=8)
    again.until_planned()
    assert "Below: your run of " in again.said("whose")
    again.shut()


@pytest.mark.usefixtures("before")
@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("found", "machine", "cores"), "64"),
        (("found", "schema"), "0"),
        (("found", "runs"), "null"),
        (("experiments", 0, "server", "by"), '"nobody"'),
    ],
)
def test_last_is_nothing_of_another_machine_or_version_or_damaged(
    place: ruined.Place, value: str
) -> None:
    file = last_run.folder() / "many-cores.json"
    file.write_bytes(ruined.instead(file.read_bytes(), place, value))
    assert last_run.last("many-cores", LAB, examples.MACHINE) is None


@pytest.mark.usefixtures("before")
def test_a_cell_that_asks_for_another_lab_is_answered_with_that() -> None:
    other = SweepLab(replace(examples.EXPERIMENT, server=Server("threaded", threads=4)))
    assert last_run.last("many-cores", other, examples.MACHINE) is None
    assert last_run.last("one-core", LAB, examples.MACHINE) is None


def test_what_a_cell_holds_is_kept_nowhere(tmp_path: Path) -> None:
    secret = {"Authorization": "Bearer of-the-reader"}
    found = store.recording("your-own-server")
    lab = AttachLab(headers=secret)
    last_run.keep("your-own-server", lab, lab, found)
    assert last_run.last("your-own-server", lab, found.machine)
    assert last_run.last("your-own-server", AttachLab(), found.machine) is None
    assert "of-the-reader" not in "".join(
        file.read_text() for file in tmp_path.rglob("*") if file.is_file()
    )


@pytest.mark.usefixtures("before")
def test_delete_all_takes_the_last_runs_away() -> None:
    assert last_run.last("many-cores", LAB, examples.MACHINE)
    kept = progress_log.read()[0]
    progress_handler.replace(Progress(), progress_handler.tag(kept))
    assert last_run.last("many-cores", LAB, examples.MACHINE) is None
    assert not last_run.folder().exists()


def test_nothing_is_kept_where_no_reader_is_at_work_and_nothing_fails_where_it_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABS_MODE", "record")
    last_run.keep("many-cores", LAB, LAB, examples.recording())
    assert not last_run.folder().exists()
    monkeypatch.setenv("LABS_MODE", "live")
    last_run.folder().write_text("a file, where a folder belongs")
    last_run.keep("many-cores", LAB, LAB, examples.recording())
    assert last_run.last("many-cores", LAB, examples.MACHINE) is None
    last_run.folder().unlink()
    (last_run.folder() / "many-cores.json").mkdir(parents=True)
    last_run.keep("many-cores", LAB, LAB, examples.recording())
    assert os.listdir(last_run.folder()) == ["many-cores.json"]
