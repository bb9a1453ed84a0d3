"""What a reader does besides measuring: interfere with a server, and look at what was kept."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from conftest import Servers
from labs_on_page import LIVE_MS, lab, panel, state
from panel_book import LEVERS, PanelBook
from playwright.sync_api import Locator, Page, expect
from serving import BookServer
from waiting import eventually

KILLED = r"Process (\d+), an? [a-z ]*worker[a-z ]*, was killed\. .* took its place"
RAISED = [
    r"The limit was raised from 6 to 12 workers; they come as they are needed\.",
    r"The pool was raised from 4 workers; .+ later 8 served\.",
]

pytestmark = pytest.mark.measures


@pytest.fixture(scope="module")
def progress(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of this module's reader."""
    return tmp_path_factory.mktemp("reader") / "progress.json"


@pytest.fixture(scope="module")
def reader(
    panel_book: PanelBook, tmp_path_factory: pytest.TempPathFactory, progress: Path
) -> Iterator[BookServer]:
    """A server of pages to act on and of the book's own page of progress."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch, Servers(home) as start:
        patch.setenv("LABS_RECORDINGS", str(panel_book.shelf))
        patch.setenv("WALL_TIME_PROGRESS", str(progress))
        yield start(panel_book.site, root=panel_book.source)


def button(shown: Locator, name: str) -> Locator:
    return shown.get_by_role("button", name=name, exact=True)


@pytest.mark.performance
@pytest.mark.extended
@pytest.mark.parametrize("number", [1, 2], ids=list(LEVERS))
def test_levers_do_to_the_server_what_they_say(reader: BookServer, page: Page, number: int) -> None:
    page.goto(reader.page("levers"))
    state(page, "live")
    shown = panel(page, number)
    for name in ("Kill a worker", "Add workers"):
        expect(button(shown, name)).to_be_disabled()
    button(shown, "Skip").click()
    button(shown, "Run").click()
    for name, said in (("Kill a worker", KILLED), ("Add workers", RAISED[number - 1])):
        expect(button(shown, name)).to_be_enabled(timeout=LIVE_MS)
        button(shown, name).click()
        figure = shown.get_by_role("figure", name=re.compile(said))
        expect(figure).to_be_visible(timeout=LIVE_MS)
    button(shown, "Stop").click()
    happened = shown.locator(".wt-verdict li")
    expect(happened).to_have_count(2, timeout=LIVE_MS)
    expect(happened.nth(1)).to_contain_text(re.compile(RAISED[number - 1]))
    killed = re.search(KILLED, happened.nth(0).inner_text())
    assert killed and not psutil.pid_exists(int(killed[1]))
    expect(shown.locator(".wt-actions")).to_contain_text("Stopped.")
    for name in ("Kill a worker", "Add workers"):
        expect(button(shown, name)).to_be_disabled()


def test_progress_is_shown_saved_deleted_and_brought_back(
    reader: BookServer, page: Page, progress: Path
) -> None:
    page.goto(reader.page("my-progress"))
    state(page, "live")
    expect(panel(page)).to_contain_text("Nothing is kept yet")
    page.evaluate("wallTime.play({ what: 'a-goal', words: 'Reach it.' })")  # as a scene does
    page.reload()
    state(page, "live")
    goals = page.locator(".wt-data:not(.cell *)", has_text="kept by your browser")
    expect(goals.get_by_role("row", name="Reach it.")).to_be_visible()
    goals.get_by_role("button", name="Forget them").click()
    expect(page.locator("article")).not_to_contain_text("Reach it.")
    expect(button(panel(page), "Delete all")).to_be_disabled()
    words = page.locator("article").inner_text()
    assert "data folder" in words and "Your browser keeps it" not in words
    assert not progress.exists()

    page.goto(reader.page("exercise"))
    state(page, "live")
    expect(lab(page, 2)).to_contain_text("Right")
    shown = panel(page)
    shown.get_by_role("textbox", name="Your prediction").fill("72.5")
    button(shown, "Commit").click()
    expect(shown).to_contain_text("You said")
    eventually(lambda: len(kept(progress)) == 2, 10, "both in the reader's file")

    page.goto(reader.page("my-progress"))
    state(page, "live")
    shown = panel(page)
    expect(shown).to_contain_text("1 prediction, 0 of them measured since")
    exercises, predictions = shown.locator("table").nth(0), shown.locator("table").nth(1)
    solved = exercises.locator("tr", has_text="One core").locator("td").nth(1)
    expect(solved).to_have_text("2.1")
    row = predictions.locator("tr", has_text="many-cores")
    expect(row).to_contain_text(re.compile(r"72\.5.req/s"))
    expect(row).to_contain_text("not measured yet")
    place = row.get_by_role("link", name="3 · many-cores")
    expect(place).to_have_attribute("href", "1-cpu-time/many-cores.html#measure")
    place = exercises.get_by_role("link", name="2.1", exact=True)
    expect(place).to_have_attribute("href", "1-cpu-time/one-core.html#exercise-2-1")

    name = shown.get_by_role("textbox", name="Your name")
    name.press_sequentially("Ann")  # and no Enter: who saves at once has the name in the file
    saving = shown.get_by_role("link", name="Save as CSV")
    expect(saving).to_have_attribute("download", "wall-time-ann.csv")
    with page.expect_download() as download:
        saving.click()
    assert download.value.suggested_filename == "wall-time-ann.csv"
    with Path(download.value.path()).open(newline="", encoding="utf-8") as file:
        rows = {row["kind"]: row for row in csv.DictReader(file)}
    assert {row["name"] for row in rows.values()} == {"Ann"}
    assert (rows["prediction"]["which"], rows["prediction"]["value"]) == ("many-cores", "72.5")
    exercise = rows["exercise"]
    assert [exercise[key] for key in ("which", "value", "right", "tries")] == [
        *("2.1", "40", "yes", "1")
    ]

    before, place = kept(progress), below(shown, button(shown, "Delete all"))
    button(shown, "Delete all").click()
    expect(button(shown, "Undo")).to_be_in_viewport()
    assert below(shown, button(shown, "Delete all")) == place, "it has moved"
    expect(shown).to_contain_text("Nothing is kept yet")
    expect(saving).to_have_count(0)
    expect(button(shown, "Delete all")).to_be_disabled()
    assert not progress.exists()
    button(shown, "Undo").click()
    expect(row).to_contain_text(re.compile(r"72\.5.req/s"))
    expect(solved).to_have_text("2.1")
    expect(button(shown, "Undo")).to_be_hidden()
    assert kept(progress) == before


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
