"""What a reader does besides measuring: interfere with a server, and look at what was kept."""

import json
import re
from pathlib import Path

import psutil
import pytest
from labs_on_page import RUN_MS, button, commit, live
from panel_book import LEVERS
from playwright.sync_api import Locator, Page, expect
from serving import BookServer
from waiting import eventually

from labs import progress_log
from labs.records.progress import Saved, parsed

KILLED = r"Process (\d+), an? [a-z ]*worker[a-z ]*, was killed\. .* took its place"
RAISED = [
    r"The limit was raised from 6 to 12 workers; they come as they are needed\.",
    r"The pool was raised from 4 workers; .+ later 8 served\.",
]

pytestmark = pytest.mark.measures


@pytest.mark.performance
@pytest.mark.extended
@pytest.mark.parametrize("number", [1, 2], ids=list(LEVERS))
def test_levers_do_to_the_server_what_they_say(panels: BookServer, page: Page, number: int) -> None:
    shown = live(page, panels, "levers", number)
    for name in ("Kill a worker", "Add workers"):
        expect(button(shown, name)).to_be_disabled()
    button(shown, "Skip").click()
    button(shown, "Run").click()
    for name, said in (("Kill a worker", KILLED), ("Add workers", RAISED[number - 1])):
        expect(button(shown, name)).to_be_enabled(timeout=RUN_MS)
        button(shown, name).click()
        figure = shown.get_by_role("figure", name=re.compile(said))
        expect(figure).to_be_visible(timeout=RUN_MS)
    button(shown, "Stop").click()
    happened = shown.locator(".wt-verdict li")
    expect(happened).to_have_count(2, timeout=RUN_MS)
    expect(happened.nth(1)).to_contain_text(re.compile(RAISED[number - 1]))
    killed = re.search(KILLED, happened.nth(0).inner_text())
    assert killed and not psutil.pid_exists(int(killed[1]))
    expect(shown.locator(".wt-actions")).to_contain_text("Stopped.")
    for name in ("Kill a worker", "Add workers"):
        expect(button(shown, name)).to_be_disabled()


def test_my_progress_reads_saves_and_deletes_the_reader_s_file(
    panels: BookServer,
    page: Page,
    progress: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WALL_TIME_PROGRESS", str(progress))
    monkeypatch.setenv("LABS_MODE", "live")
    page.goto(panels.page("my-progress"))
    shown = page.locator(".wt-progress")
    expect(shown).to_contain_text("Nothing is kept yet")
    expect(shown).to_contain_text(str(progress))
    page.evaluate("wallTime.play({ what: 'a-goal', words: 'Reach it.' })")  # as a scene does
    page.reload()
    page.get_by_role("button", name="Drop Reach it.").click()
    expect(shown.get_by_role("row", name="Reach it.")).to_have_count(0)
    expect(button(shown, "Delete all")).to_be_disabled()
    words = page.locator("article").inner_text()
    assert "data folder" in words and "Your browser keeps it" not in words
    assert not progress.exists()

    asked = live(page, panels, "exercise")
    page.get_by_label("Your answer to 2.1").fill("40 req/s")
    button(page, "Check").click()
    expect(page.locator(".wt-reply")).to_contain_text("Right: 40 req/s.")
    commit(asked, "72.5")
    expect(asked).to_contain_text("You said")
    eventually(lambda: len(kept(progress)) == 2, 10, "both in the reader's file")

    page.goto(panels.page("my-progress"))
    expect(shown).to_contain_text("1 prediction, 0 of them measured since")
    exercises, predictions = shown.locator("table").nth(0), shown.locator("table").nth(1)
    solved = exercises.locator("tr", has_text="One core").locator("td").nth(1)
    expect(solved).to_contain_text("2.1")
    row = predictions.locator("tr", has_text="many-cores")
    expect(row).to_contain_text(re.compile(r"72\.5.req/s"))
    expect(row).to_contain_text("not measured yet")
    place = row.get_by_role("link", name="3 · many-cores")
    expect(place).to_have_attribute("href", "1-cpu-time/many-cores.html#measure")
    place = exercises.get_by_role("link", name="2.1", exact=True)
    expect(place).to_have_attribute("href", "1-cpu-time/one-core.html#exercise-2-1")

    shown.get_by_label("Your name").fill("Ann")
    with page.expect_download() as download:
        button(shown, "Save").click()
    assert download.value.suggested_filename == "wall-time-ann.json"
    saved = tmp_path / "saved.json"
    download.value.save_as(saved)
    held = parsed(saved.read_bytes(), Saved)
    assert held and held.name == "Ann" and held.predictions[0].value == 72.5
    assert [(each.exercise, each.right) for each in held.answers] == [("2.1", True)]
    assert "Ann" not in progress.read_text()

    before, place = kept(progress), below(shown, button(shown, "Delete all"))
    progress_log.diagnosed("which-limit", 3, "lock", True)  # meanwhile, by a kernel
    button(shown, "Delete all").click()
    expect(button(shown, "Undo")).to_be_in_viewport()
    assert below(shown, button(shown, "Delete all")) == place, "it has moved"
    expect(shown).to_contain_text("Nothing is kept yet")
    expect(button(shown, "Delete all")).to_be_disabled()
    assert not progress.exists()
    button(shown, "Undo").click()
    expect(row).to_contain_text(re.compile(r"72\.5.req/s"))
    expect(solved).to_contain_text("2.1")
    expect(shown.get_by_role("row", name="A lock in the application")).to_contain_text("yes")
    expect(button(shown, "Undo")).to_be_hidden()
    assert kept(progress) == before
    button(shown, "Drop 2.1").click()
    expect(solved).to_have_text("")
    assert len(kept(progress)) == 1
    shown.locator("input[type=file]").set_input_files(saved)
    expect(shown.get_by_role("status")).to_have_text("saved.json is read, beside what was here.")
    expect(solved).to_contain_text("2.1")
    assert kept(progress) == before

    progress.write_text("{")
    page.reload()
    said = re.compile(r"progress\.json\.aside-.+: this was no record of progress")
    expect(shown.get_by_role("alert")).to_contain_text(said)


def below(shown: Locator, part: Locator) -> float:
    """How far below the panel's top that is, in pixels of the page."""
    top, its = shown.bounding_box(), part.bounding_box()
    assert top and its
    return its["y"] - top["y"]


def kept(progress: Path) -> list[object]:
    """Predictions and answers in the reader's file."""
    if not progress.exists():
        return []
    found = json.loads(progress.read_text("utf-8"))
    return [*found["predictions"], *found["answers"]]
