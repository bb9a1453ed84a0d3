"""The reader's own record: kept, shared, mended, shown, taken away and deleted."""

import contextlib
import csv
import io
import json
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import examples
import msgspec
import plotly.graph_objects as go
import pytest
from markup import plain
from panel_driver import Script, panel_of
from waiting import eventually

import labs
from labs import progress_log
from labs.exercises import latest
from labs.exercises.chapters import EXERCISES
from labs.exercises.check import NoSuchExercise
from labs.kinds.race.run import RaceLab
from labs.kinds.sweep.run import question
from labs.panel.prediction_prompt import PredictionPrompt
from labs.panel.progress import (
    Chapter,
    ProgressPanel,
    progress_sheet,
    progress_table,
    settled,
    summary,
)
from labs.present.bet import UNSETTLED, Question, on_answer
from labs.present.bets import bets_figure
from labs.progress_log import Foretold, ProgressLog
from labs.recordings import pages
from labs.records.reworded import REWORDED

ROOT = Path(__file__).parents[2]
CHAPTERS = (
    Chapter(number="2", title="One core", labs=("one-core",), exercises=("2.1", "2.2")),
    Chapter(number="3", title="Many cores", labs=("many-cores",), exercises=("3.1",)),
)


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader at work, with a file of their own."""
    path = tmp_path / "folder" / "progress.json"
    monkeypatch.setenv("WALL_TIME_PROGRESS", str(path))
    monkeypatch.setenv("LABS_MODE", "live")
    monkeypatch.setattr(progress_log, "_unwritten", [])
    monkeypatch.setattr(progress_log, "_told", "")
    return path


def now() -> ProgressLog:
    return progress_log.read()[0]


# what is kept


def test_a_browser_s_file_may_take_its_place_and_loses_nothing(file: Path) -> None:
    """Goals and bets at scenes are kept by browsers, and their file is in the same form."""
    goal = {
        "page": "1-cpu-time/one-core",
        "what": "a-goal",
        "at": "2026-11-22",
        "words": "Reach <it>.",
    }
    bet = {"page": "<b>", "what": "How many?", "at": "2026-11-22", "value": 30}
    file.parent.mkdir()
    file.write_text(json.dumps({"book": "Wall Time", "schema": 1, "scenes": [goal, bet]}))
    progress_log.answered("2.1", "", 50, True)
    kept = json.loads(file.read_text())["scenes"]
    assert kept == [goal | {"value": None}, bet | {"words": None}]
    place = Chapter(
        number="2", title="One core", labs=(), exercises=(), page="1-cpu-time/one-core.html"
    )
    shown = progress_table(now(), (place,))
    assert '<a href="1-cpu-time/one-core.html">2 · One core</a>' in shown
    assert "Reach &lt;it&gt;." in shown and "How many?" not in shown
    before = progress_log.clear()
    assert not file.exists()
    progress_log.restore(before)
    progress_log.restore(before)
    assert json.loads(file.read_text())["scenes"] == kept


def test_the_tests_have_a_file_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert "wall-time-progress-" in str(progress_log.path())
    monkeypatch.delenv("WALL_TIME_PROGRESS")
    assert progress_log.path().name == "progress.json"
    assert "wall-time" in str(progress_log.path())


def test_a_prediction_is_kept_beside_what_came(file: Path) -> None:
    key = progress_log.foretell("many-cores", "how many at 8 users", "req/s", 40.0)
    for model, measured, kept in ((None, 38.0, None), (38.1, 38.4, 38.1), (39.9, 38.4, 38.1)):
        # first a run that broke off before; and by a second run everybody is wise
        progress_log.came(key, model, measured)
        assert now().predictions[0].measured == kept
    (found,) = now().predictions
    assert (found.lab, found.value, found.model) == ("many-cores", 40.0, 38.4)
    assert found.measured_at
    assert json.loads(file.read_text())["book"] == "Wall Time"


def test_a_point_that_is_unfit_settles_no_bet_and_the_next_fit_one_does() -> None:
    key = progress_log.foretell("many-cores", "how many at 8 users", "req/s", 40.0)
    progress_log.came(key, 25.0, 38.0, fit=False)
    assert summary(now(), CHAPTERS) == (
        "0 of 3 exercises solved. 1 prediction, 0 of them measured since, 0 within 5 %. 1 was "
        "measured by a point drawn hollow, which settles nothing: run again."
    )
    shown = plain(progress_table(now(), CHAPTERS))
    assert "25 req/s, drawn hollow" in shown
    (row,) = progress_sheet(now(), CHAPTERS, "").rows
    assert row[-2] == "no" and progress_sheet(now(), CHAPTERS, "").head[-2] == "fit"
    for measured, fit, kept in ((26.0, False, 25.0), (39.0, True, 39.0), (12.0, True, 39.0)):
        progress_log.came(key, measured, 38.0, fit=fit)
        assert now().predictions[0].measured == kept
    assert "1 of them measured since, 1 within 5" in summary(now(), CHAPTERS)
    assert "hollow" not in plain(progress_table(now(), CHAPTERS))


def test_shares_are_near_in_points_and_not_in_parts_of_themselves() -> None:
    for value, near in ((86.0, True), (90.0, True), (100.0, False)):
        key = progress_log.foretell("many-cores", "which part", "%", value)
        progress_log.came(key, 86.0, None)
        assert ("1 within 5" in summary(now(), CHAPTERS)) == near
        progress_log.clear()
    lost = RaceLab().question
    assert lost is not None
    said = plain(on_answer(lost, 1.0, None, 0.86))
    assert said.endswith("and it was 86 %: yours was 14 percentage points too high.")
    assert "Well predicted" in on_answer(lost, 0.9, None, 0.86)
    assert "settles no bet" in on_answer(lost, 0.9, None, 0.86, unsettled=UNSETTLED)


def test_every_entry_leads_to_its_place_in_the_book() -> None:
    book = {chapter.number: chapter for chapter in pages.chapters()}
    assert book["0"].page == "your-machine.html"
    many = book["3"]
    assert many.place("3.1") == "1-cpu-time/many-cores.html#exercise-3-1"
    assert many.place("many-cores") == "1-cpu-time/many-cores.html#measure"
    for chapter in book.values():
        text = (pages.store.BOOK / chapter.page).with_suffix(".md").read_text("utf-8")
        headings = [line.lstrip("# ").lower() for line in text.splitlines() if line[:2] == "##"]
        for lab in chapter.sections:
            (section,) = chapter.place(lab).split("#")[1:]
            assert section in [re.sub(r"[^a-z0-9]+", "-", each).strip("-") for each in headings]
    progress_log.answered("3.1", "", 80, True)
    progress_log.foretell("many-cores", "how many", "req/s", 40.0)
    shown = progress_table(now(), pages.chapters())
    assert f'<a href="{many.page}">3 · ' in shown
    assert f'<a href="{many.place("3.1")}">3.1</a>' in shown  # solved, and of the open ones:
    assert f'<a href="{many.place("3.2")}">3.2</a>' in shown
    assert f'<a href="{many.place("many-cores")}">3 · many-cores</a>' in shown
    assert "href" not in progress_table(now(), CHAPTERS)  # where the book is not here


def test_answers_are_kept_with_their_tries() -> None:
    for value, right in ((20, False), (20, False), (40, False), (80, True), (80, True), (1, False)):
        progress_log.answered("3.1", "", value, right)
    progress_log.answered("3.1", "ann", 7, False)
    kept = [(each.seed, each.value, each.right, each.tries) for each in now().answers]
    assert kept == [("", 80, True, 3), ("ann", 7, False, 1)]


def test_diagnoses_are_kept_with_their_tries() -> None:
    for guess in ("cpu", "cpu", "disk", "lock", "lock", "pool"):
        progress_log.diagnosed("which-limit", 3, guess, guess == "lock")
    progress_log.told("which-limit", 3)  # was found before
    progress_log.diagnosed("which-limit", 4, "cpu", False)
    progress_log.told("which-limit", 4)
    progress_log.diagnosed("which-limit", 4, "pool", True)  # afterwards everybody is wise
    progress_log.told("which-limit", 5)
    kept = now().diagnoses
    assert [(each.seed, each.guess, each.right, each.tries, each.told) for each in kept] == [
        (3, "lock", True, 3, False),
        (4, "cpu", False, 1, True),
        (5, "", False, 0, True),
    ]


def test_a_file_of_before_there_were_diagnoses_is_read(file: Path) -> None:
    progress_log.answered("2.1", "", 50, True)
    held = json.loads(file.read_text())
    del held["diagnoses"]
    file.write_text(json.dumps(held))
    progress_log.diagnosed("which-limit", 3, "lock", True)
    assert (len(now().answers), len(now().diagnoses)) == (1, 1)


def test_diagnoses_are_shown_saved_deleted_and_brought_back(file: Path) -> None:
    progress_log.diagnosed("which-limit", 3, "cpu", False)
    progress_log.diagnosed("which-limit", 3, "lock", True)
    progress_log.told("which-limit", 4)
    progress_log.diagnosed("which-limit", 5, "weather", False)  # of another version
    (chapter,) = (each for each in pages.chapters() if "which-limit" in each.labs)
    assert summary(now(), CHAPTERS).endswith(" 1 of 3 mysteries solved.")
    with contextlib.closing(ProgressPanel((chapter,))) as panel:
        rows = [re.findall(r"<td>(.*?)</td>", row) for row in panel._table.value.split("<tr>")]
        lock, today = "A lock in the application", now().diagnoses[0].at[:10]
        lab = f'<a href="{chapter.place("which-limit")}">{chapter.number} · which-limit</a>'
        assert [row for row in rows if len(row) == 6] == [
            [today, lab, "3", lock, "yes", "2"],
            [today, lab, "4", "none", "told", "0"],
            [today, lab, "5", "weather", "no", "1"],
        ]
        named = ("kind", "chapter", "which", "question or seed", "value", "right")
        told = [("3", lock, "yes"), ("4", "", "told"), ("5", "weather", "no")]
        assert [tuple(line[name] for name in named) for line in saved(panel)[1]] == [
            ("diagnosis", chapter.name, "which-limit", *each) for each in told
        ]
        before = now()
        panel._delete.click()
        assert now().empty and not file.exists()
        for seed in (4, 5, 6):  # of 4 it was told before
            progress_log.diagnosed("which-limit", seed, "pool", True)
        panel._undo.click()
        after = now()
        for seed in (3, 4):
            assert after.diagnosis("which-limit", seed) == before.diagnosis("which-limit", seed)
        assert {each.seed for each in after.diagnoses if each.right} == {3, 5, 6}
    others = progress_table(now(), CHAPTERS)
    assert "Elsewhere" in others and "which-limit" in others


def test_what_a_page_checks_is_kept_and_what_is_no_answer_is_not() -> None:
    (open, *_) = [row for row in EXERCISES if row.answer is None and not row.read]
    assert labs.check("2.1").kind == "later"
    assert labs.check("2.1", "fifty").kind == "wrong"
    assert labs.check(open.id, 1).kind == "open"
    with pytest.raises(NoSuchExercise):
        labs.check("99.9", 1)
    assert now().empty
    assert not labs.check("2.1", 0.025).right
    assert labs.check("2.1", 40).right
    assert labs.check("2.1", -1, seed="ann").kind == "wrong"
    assert [(each.right, each.tries, each.seed) for each in now().answers] == [
        (True, 2, ""),
        (False, 1, "ann"),
    ]


@pytest.mark.parametrize("mode", ["replay", "record"])
def test_a_book_that_is_built_or_recorded_writes_nothing(
    mode: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABS_MODE", mode)
    assert labs.check("2.1", 40).right
    progress_log.came(progress_log.foretell("many-cores", "how many", "req/s", 40.0), 1.0, 1.0)
    labs.progress()
    assert not file.parent.exists()


def test_a_question_says_the_unit_of_its_answer_once() -> None:
    workers = Question(words="how many workers will there be", about="then", unit="workers")
    assert "how many workers will there be?" in PredictionPrompt(print, workers)._question.value
    late = PredictionPrompt(print, question("response time", 8))
    assert "at 8 users, in ms?" in late._question.value


def test_a_guess_in_a_panel_is_kept_in_the_unit_of_its_question() -> None:
    guessing = PredictionPrompt(lambda: None, question("response time", 8), lab="one-core")
    guessing._number.value = "160"
    guessing._commit.click()
    guessing.came(0.158, 0.162)
    (kept,) = now().predictions
    assert (kept.lab, kept.unit, kept.value) == ("one-core", "ms", 160)
    assert (kept.measured, kept.model) == (pytest.approx(162), pytest.approx(158))
    assert "at 8 users" in kept.question
    guessing.ask(question("response time", 16))
    guessing.came(0.3, 0.3)  # of a question that was not answered
    PredictionPrompt(lambda: None, question("throughput", 8)).came(1.0, 1.0)  # of no lab
    assert now().predictions == (kept,)


def test_a_panel_keeps_the_prediction_and_what_its_run_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script, run = Script(monkeypatch), examples.by_law(examples.EXPERIMENT).run
    panel = panel_of()
    try:
        panel.commit("42")
        assert now().predictions[0].measured is None
        panel.press_run()
        for _ in examples.USERS:
            script.go.release()
        eventually(lambda: now().predictions[0].measured, 10, "the measurement")
        (kept,) = now().predictions
        assert (kept.lab, kept.value, kept.unit) == ("many-cores", 42, "req/s")
        assert kept.measured == pytest.approx(run.points[-1].throughput_rps)
        assert kept.model == pytest.approx(run.forecast.at(8).model_rps)
    finally:
        panel.shut()


def test_the_record_of_before_is_read(file: Path) -> None:
    """As version 0.1 wrote it; nothing in it changes."""
    before = (Path(__file__).parents[1] / "before") / "progress.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(before.read_bytes())
    kept, said = progress_log.read()
    held = json.loads(before.read_bytes())
    for each in held["predictions"]:
        each["fit"] = True  # of which was said nothing then
    held["scenes"] = []
    assert said == [] and json.loads(msgspec.json.encode(kept)) == held


@pytest.mark.parametrize("old", REWORDED)
def test_a_bet_stands_under_todays_words_of_its_question(file: Path, old: str) -> None:
    asked = RaceLab().question
    assert asked is not None
    progress_log.foretell("a-shared-counter", old, asked.unit, 31.0)
    kept, _ = progress_log.read()
    assert [(each.question, each.value) for each in kept.predictions] == [(asked.words, 31.0)]


# one file, several kernels, accidents


def python(code: str, *arguments: str, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code, *arguments], cwd=ROOT, **more)


def test_several_kernels_lose_nothing(file: Path) -> None:
    code = (
        "import sys; from labs import progress_log\n"
        "for number in range(15): progress_log.answered(f'{sys.argv[1]}.{number}', '', 1.0, True)\n"
    )
    running = [python(code, str(kernel)) for kernel in range(3)]
    with ThreadPoolExecutor(10) as threads:
        for n in range(10):
            threads.submit(progress_log.answered, f"here.{n}", "", 1.0, True)
    assert [kernel.wait(30) for kernel in running] == [0, 0, 0]
    assert len(now().answers) == 3 * 15 + 10
    assert sorted(path.name for path in file.parent.iterdir()) == [file.name, f"{file.name}.lock"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600  # its owner's alone


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"book": "Wall Time", "schema": 1, "answers": [{"exer',
        b"\xff\xfe\x00",
        b"[" * 5000,
        b'{"todo": ["milk"]}',
        b'{"book": "Wall Time", "schema": 1, "answers": [{"exercise": 3}]}',
        b'{"book": "Wall Time", "schema": 99, "answers": []}',
        b'{"book": "Another", "schema": 1}',
    ],
    ids=range(8),
)
def test_a_damaged_or_foreign_file_is_kept_aside(file: Path, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    progress_log.answered("2.1", "", 50, True)
    found, said = progress_log.read()
    assert [each.exercise for each in found.answers] == ["2.1"]
    (aside,) = file.parent.glob("progress.json.aside-*")
    assert aside.read_bytes() == content
    assert len(said) == 1
    assert str(aside) in said[0]
    aside.unlink()
    assert progress_log.read() == (found, [])


def test_what_cannot_be_written_waits_and_goes_along_later(file: Path) -> None:
    file.parent.write_text("a file where the folder should be")
    progress_log.answered("2.1", "", 50, True)
    key = progress_log.foretell("many-cores", "how many", "req/s", 40.0)
    found, said = progress_log.read()
    assert (len(found.answers), len(found.predictions)) == (1, 1)
    assert re.search(r"progress\.json: cannot be used \(.+\)\. What you do now is kept", said[0])
    file.parent.unlink()
    progress_log.came(key, 38.0, None)
    assert [each.measured for each in now().predictions] == [38.0]
    assert len(json.loads(file.read_text())["answers"]) == 1
    assert progress_log.read()[1] == []


def test_what_still_waits_is_tried_again_when_the_kernel_ends(file: Path) -> None:
    file.parent.write_text("a file where the folder should be")
    code = (
        "import os; from labs import progress_log; progress_log.answered('2.1', '', 50, True)\n"
        f"os.unlink({str(file.parent)!r})"
    )
    assert python(code).wait(30) == 0
    assert [each.exercise for each in now().answers] == ["2.1"]


def test_a_device_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of its own, which even root can't replace: never one that others use."""
    ends = os.openpty()
    device = os.ttyname(ends[1])
    before = os.stat(device)
    monkeypatch.setenv("WALL_TIME_PROGRESS", device)
    progress_log.answered("2.1", "", 50, True)
    assert "no ordinary file" in progress_log.read()[1][0]
    assert os.stat(device).st_rdev == before.st_rdev
    for end in ends:
        os.close(end)


def test_a_lock_that_is_held_is_waited_for(file: Path) -> None:
    progress_log.answered("2.1", "", 50, True)
    code = (
        "import fcntl, sys; handle = open(sys.argv[1]); fcntl.flock(handle, fcntl.LOCK_EX); "
        "print(); sys.stdin.read()"
    )
    pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    with python(code, str(file.with_name("progress.json.lock")), **pipes) as held:
        assert held.stdin and held.stdout
        held.stdout.readline()
        late = threading.Thread(target=progress_log.answered, args=("2.2", "", 160, True))
        late.start()
        late.join(0.1)
        assert late.is_alive()
        held.stdin.close()
        late.join(10)
    assert len(now().answers) == 2


# the page


@pytest.fixture
def filled() -> None:
    key = progress_log.foretell("many-cores", "how many at 8 users", "req/s", 40.0)
    progress_log.came(key, 38.1, 38.4)
    progress_log.foretell("one-core", "how long", "ms", 160.0)
    progress_log.foretell("mine", "how many", "req/s", 1234.5)
    for id, seed, value, right in (
        ("2.1", "", 50, True),
        ("2.1", "ann", 40, True),
        ("2.2", "", 0.16, False),
        ("2.2", "", 1.6, False),
    ):
        progress_log.answered(id, seed, value, right)


@pytest.fixture
def panel(filled: None) -> Iterator[ProgressPanel]:
    with contextlib.closing(ProgressPanel(CHAPTERS)) as made:
        yield made


def saved(panel: ProgressPanel) -> tuple[str, list[dict[str, str]]]:
    """Name and rows of the file that the page offers."""
    offered = r'download="(.*?)" href="data:text/csv,(.*?)"'
    ((name, data),) = re.findall(offered, panel._file.value)
    return name, list(csv.DictReader(io.StringIO(unquote(data))))


@pytest.mark.usefixtures("filled")
def test_the_table_shows_predictions_beside_measurements_and_exercises_by_chapter() -> None:
    assert summary(now(), CHAPTERS) == (
        "1 of 3 exercises solved. 3 predictions, 1 of them measured since, 1 within 5 %."
    )
    rows = re.findall(r"<tr>(.*?)</tr>", progress_table(now(), CHAPTERS))[1:]
    cells = [re.findall(r"<td>(.*?)</td>", row) for row in rows]
    today = now().predictions[0].at[:10]
    assert [[cell.replace("\u00a0", " ") for cell in row] for row in cells] == [
        ["2 · One core", "2.1 (“ann”)", "2.2 (2 tries)", ""],
        ["3 · Many cores", "", "", "3.1 (2 minutes)"],
        [],  # the head of the second table
        [today, "2 · one-core", "160 ms", "", "not measured yet"],
        [today, "3 · many-cores", "40 req/s", "38.4 req/s", "38.1 req/s"],
        [today, "Elsewhere · mine", "1,230 req/s", "", "not measured yet"],
    ]


def test_settled_bets_are_drawn_against_what_was_measured(panel: ProgressPanel) -> None:
    same, points = panel._bets.figure["data"]
    assert (points["x"], points["y"]) == ([40], [38.1])
    assert points["customdata"] == [
        "many-cores: you said 40\u00a0req/s, and it was 38.1\u00a0req/s"
    ]
    assert same["x"] == same["y"] == [10, 100]
    layout = panel._bets.figure["layout"]
    assert {layout[axis]["type"] for axis in ("xaxis", "yaxis")} == {"log"}
    assert "for one bet" in panel._bets.alt and "Too high: 1. Too low: 0." in panel._bets.alt
    go.Figure(panel._bets.figure)
    panel._delete.click()
    assert panel._bets.figure["data"] == [] and panel._bets.alt == ""


def test_bets_that_nothing_settled_or_no_axis_holds_are_not_drawn() -> None:
    told = {"key": "", "question": "", "unit": "ms", "at": ""}
    kept = ProgressLog(
        predictions=(
            Foretold(lab="<b>mine</b>", value=160, measured=80, **told),
            Foretold(lab="hollow", value=160, measured=80, fit=False, **told),
            Foretold(lab="open", value=160, **told),
            Foretold(lab="far", value=1e300, measured=1e-300, **told),
        )
    )
    _, points = bets_figure(settled(kept))["data"]
    (said,) = points["customdata"]
    assert said.startswith("&lt;b&gt;mine&lt;/b&gt;: you said 160")


def test_a_teacher_gets_every_row_with_a_name(panel: ProgressPanel) -> None:
    assert saved(panel)[0] == "wall-time.csv"
    panel._name.value = " Ann O’Neill "
    name, rows = saved(panel)
    assert name == "wall-time-ann-o-neill.csv" and len(rows) == 3 + 3
    assert {row["name"] for row in rows} == {"Ann O’Neill"}
    of = {row["which"]: row for row in rows}
    wanted = {"value": "40", "measured": "38.1", "model": "38.4"}
    assert wanted.items() <= of["many-cores"].items()
    wanted = {"right": "no", "tries": "2", "chapter": "2 · One core"}
    assert wanted.items() <= of["2.2"].items()
    assert "Ann" not in progress_log.path().read_text()  # it is not kept


@pytest.mark.parametrize("name", ["=1+1", "+1-1+cmd", "@SUM(A1)", "-2+3", "\t=1"])
def test_no_cell_is_calculated_by_a_spreadsheet(panel: ProgressPanel, name: str) -> None:
    rows = progress_sheet(now(), CHAPTERS, name).rows
    assert {row[0] for row in rows} == {f"'{name}"}
    progress_log.answered("2.2", name, -5, False)
    seeded = next(row for row in progress_sheet(now(), CHAPTERS, "").rows if row[4].endswith(name))
    assert (seeded[4], seeded[5]) == (f"'{name}", "-5")


def test_what_is_typed_is_not_taken_for_html(panel: ProgressPanel) -> None:
    panel._name.value = '"><script>alert(1)</script>'
    progress_log.answered("2.1", "<b>seed</b>", 50, True)
    panel._again.click()
    assert "<script" not in panel._file.value
    assert "&lt;b&gt;seed" in panel._table.value and "<b>" not in panel._table.value


def test_one_click_deletes_all_and_undo_brings_it_back(panel: ProgressPanel, file: Path) -> None:
    before = now()
    assert panel._undo.layout.display == "none"
    panel._delete.click()
    assert now().empty and not file.exists()
    assert panel._delete.disabled and panel._file.value == ""
    assert "Nothing is kept yet" in panel._table.value
    assert "undo it until you leave" in panel._said.value
    progress_log.answered("2.2", "", 160, True)  # meanwhile, on another page
    panel._again.click()
    panel._delete.click()
    progress_log.answered("3.1", "", 80, True)
    panel._undo.click()
    assert panel._undo.layout.display == "none"
    after = now()
    assert after.predictions == before.predictions
    assert sorted((each.exercise, each.seed) for each in after.answers if each.right) == [
        ("2.1", ""),
        ("2.1", "ann"),
        ("2.2", ""),
        ("3.1", ""),
    ]
    assert len(after.answers) == 4


def test_the_page_says_what_is_wrong_with_the_file(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("{}")
    with contextlib.closing(ProgressPanel(CHAPTERS)) as panel:
        assert 'role="alert"' in panel._notice.value
        assert "Nothing in it was changed" in plain(panel._notice.value)


def test_a_page_without_python_shows_an_empty_example(monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(cast(Any, labs.progress())) as live:
        assert isinstance(live, ProgressPanel)
    monkeypatch.setenv("LABS_MODE", "replay")
    shown: Any = labs.progress()
    assert "Without Python behind it" in repr(shown)
    assert "0 · Your machine" in shown._repr_html_()


def test_the_chapters_are_those_of_the_book(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {chapter.number: chapter for chapter in pages.chapters()}
    assert known["4"].title == "Past the plateau"
    asked = [id for chapter in known.values() for id in chapter.exercises]
    assert asked == [row.id for row in EXERCISES if row.answer is not None]
    monkeypatch.setattr(pages.store, "BOOK", Path("nowhere"))
    installed = {chapter.number: chapter for chapter in pages.chapters()}
    assert all("past-the-plateau" in each["4"].labs for each in (known, installed))


# the questions


def test_a_question_is_printed_with_the_numbers_of_its_seed() -> None:
    usual, ann = labs.exercise("3.1"), labs.exercise("3.1", seed="ann")
    given = next(row for row in EXERCISES if row.id == "3.1").numbers("ann")
    assert given and all(f"{number:g}" in ann.sentence for number in given.values())
    assert labs.exercise("3.1", seed="ann") == ann
    assert len({labs.exercise("3.1", seed=name).sentence for name in "abcdefgh"}) > 1
    assert "3.1" in usual._repr_html_()
    assert "check(&#34;3.1&#34;, ..., seed=&#39;ann&#39;)" in ann._repr_html_()
    assert "<b>x" not in labs.exercise("3.1", seed="<b>x")._repr_html_()
    with pytest.raises(NoSuchExercise, match=r"Choose one of 0\.1, "):
        labs.exercise("99.9")


def test_every_question_can_be_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latest, "_latest", {})
    for row in EXERCISES:
        sentence = labs.exercise(row.id, seed="ann").sentence
        assert "{" not in sentence, row.id
        assert (f"the lab “{row.lab}”" in sentence) == bool(row.read), row.id
