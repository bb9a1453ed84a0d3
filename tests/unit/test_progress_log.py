"""The reader's own record: what labs keep in it, shared by kernels and pages, and mended."""

import re
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from labs import progress_log
from labs.exercises import catalogue
from labs.kinds.race.run import RaceLab
from labs.panel.prediction_prompt import PredictionPrompt
from labs.present.bet import Answer, Question, on_answer, throughput
from labs.recordings import pages
from labs.records.format import duration
from labs.records.progress import Progress

ROOT = Path(__file__).parents[2]
LATE = Question(
    words="how long will an answer take at 8 users",
    about="at 8 users",
    unit="ms",
    scale=1000.0,
    say=duration,
)


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader at work, with a file of their own."""
    path = tmp_path / "folder" / "progress.json"
    monkeypatch.setenv("WALL_TIME_PROGRESS", str(path))
    monkeypatch.setenv("LABS_MODE", "live")
    return path


def now() -> Progress:
    return progress_log.read()[0]


# what is kept


def test_came_keeps_the_first_run_that_can_be_believed_beside_a_prediction() -> None:
    key = progress_log.foretell("many-cores", "how many at 8 users", "req/s", 40.0)
    for measured, fit, kept in (
        (None, True, None),  # a run that broke off before
        (25.0, False, 25.0),
        (26.0, False, 25.0),
        (38.1, True, 38.1),
        (39.9, True, 38.1),  # by a second run everybody is wise
    ):
        progress_log.came(key, measured, 38.4, (37.0, 39.5), fit=fit)
        assert now().predictions[0].measured == kept
    (found,) = now().predictions
    assert (found.lab, found.model, found.band) == ("many-cores", 38.4, (37.0, 39.5))


def test_on_answer_takes_shares_for_near_in_points_and_not_in_parts_of_themselves() -> None:
    lost = RaceLab().question
    assert lost and "Well predicted" in on_answer(lost, 0.13, Answer(measured=0.1))


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


@pytest.mark.parametrize("mode", ["replay", "record"])
def test_a_book_that_is_built_or_recorded_writes_nothing(
    mode: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABS_MODE", mode)
    progress_log.came(progress_log.foretell("many-cores", "how many", "req/s", 40.0), 1.0, 1.0)
    assert not file.parent.exists()


def test_a_guess_in_a_panel_is_kept_in_the_unit_of_its_question() -> None:
    guessing = PredictionPrompt(lambda: None, LATE, lab="one-core")
    assert "at 8 users, in ms?" in guessing._question.value
    guessing._number.value = "160"
    guessing._commit.click()
    guessing.came(Answer(0.158, 0.162, band=(0.15, 0.17)))
    (kept,) = now().predictions
    assert (kept.lab, kept.unit, kept.value) == ("one-core", "ms", 160) and kept.measured_at
    assert (kept.measured, kept.model) == (pytest.approx(162), pytest.approx(158))
    assert kept.band == pytest.approx((150, 170)) and "at 8 users" in kept.question
    guessing.ask(replace(LATE, words="how long at 16"))
    guessing.came(Answer(0.3, 0.3))  # of a question that was not answered
    PredictionPrompt(lambda: None, throughput("at 8 users")).came(Answer(1.0, 1.0))  # of no lab
    assert now().predictions == (kept,)


# one file, several kernels, accidents


def test_several_kernels_lose_nothing(file: Path) -> None:
    code = (
        "import sys; from labs import progress_log\n"
        "for number in range(15): progress_log.diagnosed(sys.argv[1], number, 'cpu', True)\n"
    )
    command = [sys.executable, "-c", code]
    running = [subprocess.Popen([*command, str(kernel)], cwd=ROOT) for kernel in range(3)]
    with ThreadPoolExecutor(10) as threads:
        for n in range(10):
            threads.submit(progress_log.diagnosed, "here", n, "cpu", True)
    assert [kernel.wait(30) for kernel in running] == [0, 0, 0]
    assert len(now().diagnoses) == 3 * 15 + 10
    assert sorted(path.name for path in file.parent.iterdir()) == [file.name, f"{file.name}.lock"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600  # its owner's alone


def test_read_says_why_a_file_cannot_be_used(file: Path) -> None:
    file.parent.write_text("a file where the folder should be")
    key = progress_log.foretell("many-cores", "how many", "req/s", 40.0)
    progress_log.came(key, 38.0, None)
    found, said = progress_log.read()
    assert found.empty
    assert re.search(r"progress\.json: cannot be used \(.+\)\. Until it can be, nothing", said[0])
    file.parent.unlink()
    progress_log.diagnosed("which-limit", 3, "lock", True)
    assert progress_log.read()[1] == [] and len(now().diagnoses) == 1


# the book


def test_the_chapters_are_those_of_the_book(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {chapter.number: chapter for chapter in pages.chapters()}
    assert known["4"].title == "Past the plateau"
    asked = [id for chapter in known.values() for id in chapter.exercises]
    assert asked == [row.id for row in catalogue.in_pages() if row.answer is not None]
    monkeypatch.setattr(pages.store, "BOOK", Path("nowhere"))
    installed = {chapter.number: chapter for chapter in pages.chapters()}
    assert all("past-the-plateau" in each["4"].labs for each in (known, installed))
