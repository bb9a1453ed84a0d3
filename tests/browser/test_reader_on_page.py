"""My progress live: what is kept of a reader in a file of theirs."""

import json
import re
from pathlib import Path

import pytest
from labs_on_page import button, code_of, commit, live, panel, write
from playwright.sync_api import Locator, Page, expect
from serving import BookServer
from waiting import eventually

from labs import progress_log
from labs.exercises import catalogue

pytestmark = pytest.mark.measures


def test_my_progress_shows_and_deletes_what_the_reader_s_file_has(
    panels: BookServer, page: Page, progress: Path, monkeypatch: pytest.MonkeyPatch
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

    write(code_of(page, 1), 'from labs import exercise\nexercise("2.1", seed="Ann")')
    button(page, "Run this code").click()
    answer = page.get_by_label("Your answer to 2.1 (“Ann”)")
    (asks,) = [each for each in catalogue.in_pages() if each.id == "2.1"]
    right = f"{asks.numbers('Ann')['answer']:g}"
    for typed in ("3", "3", "4", right, "5"):
        answer.fill(typed)
        with page.expect_response(lambda response: response.request.method == "PUT"):
            answer.press("Enter")
        if typed == right:
            said = f"Right: {right} req/s. X = 1/S = 1 / "
            expect(panel(page).locator("[aria-live=polite]")).to_contain_text(said)
    its = {"exercise": "2.1", "seed": "Ann", "value": float(right), "right": True, "tries": 3}
    assert its.items() <= kept(progress)[-1].items()  # the same one again is no try

    page.goto(panels.page("my-progress"))
    expect(shown).to_contain_text("1 prediction, 0 of them measured since")
    exercises, predictions = shown.locator("table").nth(0), shown.locator("table").nth(1)
    solved = exercises.locator("tr", has_text="One core").locator("td").nth(1)
    expect(solved).to_contain_text("2.1 (“Ann”)")
    row = predictions.locator("tr", has_text="many-cores")
    expect(row).to_contain_text(re.compile(r"72\.5.req/s"))
    expect(row).to_contain_text("not measured yet")

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

    progress.write_text("{")
    page.reload()
    said = re.compile(r"progress\.json\.aside-.+: this was no record of progress")
    expect(shown.get_by_role("alert")).to_contain_text(said)


def below(shown: Locator, part: Locator) -> float:
    """How far below the panel's top that is, in pixels of the page."""
    top, its = shown.bounding_box(), part.bounding_box()
    assert top and its
    return its["y"] - top["y"]


def kept(progress: Path) -> list[dict[str, object]]:
    """Predictions and answers in the reader's file."""
    if not progress.exists():
        return []
    found = json.loads(progress.read_text("utf-8"))
    return [*found["predictions"], *found["answers"]]
