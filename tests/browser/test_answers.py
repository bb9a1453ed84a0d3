"""Fixed exercises in a page: judged as `judge` does, kept, and taken along."""

import json
import shutil
from pathlib import Path

import msgspec
import pytest
from chapters import Page as Chapter
from chapters import chapters, judge
from conftest import SMALL_BOOK, build, draw_scenes
from labs_on_page import commit, keep, record
from playwright.sync_api import Locator, Page, expect

from labs.exercises import catalogue
from labs.exercises.exercise import Exercise
from labs.exercises.key import key
from labs.records.progress import Saved, parsed

TYPED = (
    *("20", " 20.2 ", "1,000", "500,0", "1.234,5", "1 000", "2e1", "−20", "0.33 /s"),
    *("1200 req/min", "20 apples", "20 ms", "twenty", "1.2.3", "1/3", "1e400", "0.02", "50000"),
)
ANSWERS = """([id, typed]) => typed.map((text) => {
  const form = [...document.querySelectorAll('form.wt-check')].find((form) =>
    form.textContent.includes(`Your answer to ${id} `));
  form.querySelector('input').value = text;
  form.requestSubmit();
  return form.querySelector('.wt-answer').lastChild.data.trim();
})"""


def test_numbers_are_read_as_python_reads_them(book: Path, page: Page) -> None:
    page.goto((book / "1-cpu-time/one-core.html").as_uri())
    expect(page.locator(".wt-check").first).to_be_visible()
    said = page.evaluate(ANSWERS, ["2.1", TYPED])
    (row,) = [row for row in catalogue.in_pages() if row.id == "2.1"]
    assert said == [judge(key(row, row.numbers()), text) for text in TYPED]
    # An exercise about the reader's machine says where it is checked.
    expect(page.get_by_text("checked where the book is live")).to_have_count(1)


@pytest.mark.parametrize(
    "sources",
    [chapters()[::6], pytest.param(chapters(), marks=pytest.mark.extended)],
    ids=["some", "all"],
)
def test_a_page_judges_as_python_does(book: Path, page: Page, sources: list[Chapter]) -> None:
    for source in sources:
        page.goto((book / f"{source.name}.html").as_uri())
        fixed = [row for row in source.exercises if row.fixed]
        expect(page.locator(".wt-check")).to_have_count(len(fixed))
        for row in fixed:
            numbers = row.numbers()
            truth = numbers["answer"]
            typed = [truth, 1.5 * truth, truth / 3, *map(numbers.of, row.slips)]
            texts = [f"{value:.9g}" for value in typed]
            said = page.evaluate(ANSWERS, [row.id, texts])
            assert said == [judge(key(row, numbers), text) for text in texts]


ADDED = """
```{exercise} 1.9 · Two cores
---
kind: compute
level: warm-up
minutes: 1
unit: req/s
given:
  cores: [2, 4]
  cpu_ms: [50]
answer: ceiling(cores, cpu_s)
slips:
  cores: These are the {cores} cores.
---
{cores} cores, {cpu_ms} ms a request. How many requests per second?
```

```{hint} 1.9
Which is full first?
```

```{solution} 1.9
**{answer} requests per second.**
```
"""


@pytest.mark.extended
def test_an_exercise_that_is_added_to_a_page_is_asked_and_judged(
    page: Page, tmp_path: Path
) -> None:
    """In a copy of a book, in which one file is touched."""
    source = shutil.copytree(SMALL_BOOK, tmp_path / "book")
    with (source / "index.md").open("a") as file:
        file.write(f"\n## Exercises\n{ADDED}")
    draw_scenes(source)
    site = build(source, tmp_path)
    page.goto((site / "index.html").as_uri())
    said = page.evaluate(ANSWERS, ["1.9", ["40 req/s", "2", "30"]])
    (row,) = msgspec.json.decode((site / "exercises.json").read_bytes(), type=tuple[Exercise, ...])
    assert said == [judge(key(row, row.numbers()), value) for value in ("40", "2", "30")]
    assert said == [
        "Right: 40 req/s.",
        "Not quite. These are the 2 cores.",
        "Not yet: 30 req/s is too small. Which is full first?",
    ]


def progress(book: Path, page: Page) -> Locator:
    """My progress, opened."""
    page.goto((book / "my-progress.html").as_uri())
    return page.locator(".wt-progress")


def test_progress_is_kept_saved_deleted_and_read_again(
    book: Path, page: Page, tmp_path: Path
) -> None:
    page.goto((book / "1-cpu-time/one-core.html").as_uri())
    for typed in ("40", "20", "21"):
        page.get_by_label("Your answer to 2.1").fill(typed)
        page.get_by_label("Your answer to 2.1").press("Enter")
    expect(page.locator(".wt-check").first).to_contain_text("Not yet")
    page.evaluate("location.hash = 'exercise-2-2'")  # a link to one of the folded unfolds them
    page.get_by_label("Your answer to 2.2").fill("50")
    page.get_by_label("Your answer to 2.2").press("Enter")
    commit(page, "14")
    goal = page.locator("wt-scene[name=little] .wt-scene-goal")
    page.locator("wt-scene[name=little]").get_by_role("slider", name="leaves").press("End")
    expect(goal).to_contain_text("Reached.")

    shown = progress(book, page)
    row = shown.locator("table").first.locator("tr", has_text="One core").locator("td")
    expect(row.nth(1)).to_contain_text("2.")
    before = row.all_inner_texts()
    expect(shown.locator("table").nth(1)).to_contain_text("one-core")
    expect(shown).to_contain_text("1 prediction, 1 of them measured")
    reached = shown.locator("table").nth(2).locator("tr", has_text="Find a way to make")
    expect(reached.get_by_role("link")).to_have_attribute("href", "1-cpu-time/one-core.html")
    expect(shown).to_contain_text("on this device only")
    words = page.locator("article").inner_text()  # of what this page has, and a live one hasn't
    assert "Your browser keeps it" in words and "Read a file" in words
    assert "data folder" not in words
    for name, file in (("", "wall-time-progress.json"), ("Ann B. Ó", "wall-time-ann-b-ó.json")):
        shown.get_by_label("Your name").fill(name)
        with page.expect_download() as download:
            shown.get_by_role("button", name="Save").click()
        assert download.value.suggested_filename == file
        saved = tmp_path / "saved.json"
        download.value.save_as(saved)
        kept = parsed(saved.read_bytes(), Saved)  # as `labs class` reads it
        assert kept and [answer.exercise for answer in kept.answers] == ["2.1", "2.2"]
        assert kept.name == name

    shown.get_by_role("button", name="Drop 2.2").click()
    expect(shown.get_by_role("status")).to_contain_text("Dropped.")
    expect(row.nth(2)).to_have_text("")
    shown.get_by_role("button", name="Undo").click()
    expect(row).to_have_text(before)

    shown.get_by_role("button", name="Delete all").click()
    expect(shown).to_contain_text("Nothing is kept yet")
    expect(reached).to_have_count(0)
    shown.get_by_role("button", name="Undo").click()
    expect(row).to_have_text(before)
    expect(reached).to_be_visible()
    shown.get_by_role("button", name="Delete all").click()
    page.reload()
    expect(shown).to_contain_text("Nothing is kept yet")
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"book": "Another"}))
    shown.locator("input[type=file]").set_input_files(other)
    expect(shown).to_contain_text("other.json: not a file of progress.")
    shown.locator("input[type=file]").set_input_files(saved)
    expect(row).to_have_text(before)
    expect(reached).to_be_visible()
    reached.get_by_role("link").click()
    expect(goal).to_contain_text("Reached.")


SCENE = {"page": "1-cpu-time/one-core", "what": "x", "words": "a goal", "at": "2026-11-22"}
BET = {"key": "k", "lab": "one-core", "question": "q", "unit": "req/s", "value": 14, "at": ""}
ANSWER = {"exercise": "2.1", "seed": "", "value": 50, "right": True, "tries": 1, "at": ""}
DIAGNOSIS = {"lab": "who-is-slow", "seed": 1, "guess": "", "right": False, "tries": 1, "at": ""}


NO_ENTRIES: dict[str, list[object]] = {
    "scenes": [
        SCENE | {"page": "javascript:alert(1)//"},
        SCENE | {"page": "//example.com/x"},
        {name: SCENE[name] for name in ("page", "what", "words")},
        SCENE | {"value": "30"},
        None,
    ],
    "predictions": [
        BET | {"at": 2026},
        BET | {"measured": "18"},
        {name: BET[name] for name in ("lab", "value")},
    ],
    "answers": [ANSWER | {"tries": "3"}, ANSWER | {"tries": 1.5}],
    "diagnoses": [DIAGNOSIS | {"seed": "1"}],
}


def test_a_file_of_progress_with_an_entry_that_is_none_is_refused(
    book: Path, page: Page, tmp_path: Path
) -> None:
    shown = progress(book, page)
    odd = [{name: [entry]} for name, entries in NO_ENTRIES.items() for entry in entries]
    for number, lists in enumerate([*odd, {"diagnoses": {"0": DIAGNOSIS}}]):
        file = tmp_path / f"odd-{number}.json"
        file.write_text(record(**lists))
        shown.locator("input[type=file]").set_input_files(file)
        expect(shown.get_by_role("status")).to_contain_text(f"{file.name}: not a file of progress.")
        expect(shown).to_contain_text("Nothing is kept yet")
    large = tmp_path / "large.json"
    large.write_text(record(predictions=[BET] * 50_000))
    shown.locator("input[type=file]").set_input_files(large)
    expect(shown.get_by_role("status")).to_contain_text("larger than 4 MiB")
    good = tmp_path / "good.json"
    good.write_text(record(scenes=[SCENE], predictions=[BET], answers=[ANSWER]))
    shown.locator("input[type=file]").set_input_files(good)
    expect(shown.get_by_role("row", name="a goal")).to_be_visible()
    # One that was taken in before such files were refused: what is sound of it is there.
    kept = {"scenes": [SCENE], "predictions": [BET], "answers": [ANSWER], "diagnoses": [DIAGNOSIS]}
    mixed = {name: [*entries, *NO_ENTRIES[name]] for name, entries in kept.items()}
    mixed["diagnoses"] = kept["diagnoses"]
    keep(page, **mixed)
    expect(shown.get_by_role("row", name="a goal")).to_be_visible()
    expect(shown).to_contain_text("1 prediction, ")
    expect(shown.get_by_role("button", name="Read a file")).to_be_visible()
    assert page.locator("a[href^='javascript'], a[href^='//']").count() == 0


FILL = """() => {
  for (let size = 2 ** 24; size >= 1; size /= 2) {
    try {
      localStorage.filler = (localStorage.filler ?? '') + 'x'.repeat(size);
    } catch {}  // no room for so much: the rest is filled with less
  }
}"""


def test_a_file_that_the_browser_has_no_room_for_is_said_to_be_gone_with_the_page(
    book: Path, page: Page, tmp_path: Path
) -> None:
    shown, file = progress(book, page), tmp_path / "mine.json"
    file.write_text(record(scenes=[SCENE], predictions=[BET], answers=[ANSWER]))
    page.evaluate(FILL)
    shown.locator("input[type=file]").set_input_files(file)
    said = shown.get_by_role("status")
    expect(said).to_contain_text("it is gone when you leave the page")
    expect(shown.get_by_role("row", name="a goal")).to_be_visible()
    expect(shown).to_contain_text("Save a file to take it along.")
    expect(shown).not_to_contain_text("This is kept in your browser")
    page.evaluate("delete localStorage.filler")
    shown.locator("input[type=file]").set_input_files(file)
    expect(said).to_have_text("mine.json is read, beside what was here.")
    expect(shown).to_contain_text("This is kept in your browser")
    page.reload()
    expect(shown.get_by_role("row", name="a goal")).to_be_visible()


def test_settled_bets_are_drawn_against_what_was_measured(book: Path, page: Page) -> None:
    told = {"key": "", "question": "how many", "unit": "req/s", "model": 19, "at": ""}
    bets = [
        told | {"key": "a", "lab": "one-core", "value": 14, "measured": 18.5, "band": [17.8, 20]},
        told | {"key": "b", "lab": "the-pool", "value": 1000, "measured": 318, "band": [900, 1100]},
        told | {"key": "c", "lab": "event-loop", "value": 5000, "measured": 4190, "fit": False},
        told | {"key": "d", "lab": "threads", "value": 100, "measured": None},
        told | {"key": "e", "lab": "<b>mine</b>", "value": 1e300, "measured": 1e-300},
        told | {"key": "f", "lab": "<b>mine</b>", "unit": "%", "value": 30, "measured": 30},
    ]
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme="dark")
    page.goto((book / "my-progress.html").as_uri())
    expect(page.locator(".wt-scatter")).to_have_count(0)
    keep(page, predictions=bets)
    figure = page.locator(".wt-scatter")
    expect(figure.get_by_role("img")).to_have_attribute(
        "aria-label",
        "What was said against what was measured, for 3 bets, both on logarithmic axes. "
        "Too high: 1. Too low: 1. The table has the numbers.",
    )
    expect(figure.locator("figcaption")).to_contain_text("Bets inside it: 1 of 2.")
    told_of = (
        "one-core: you said 14 req/s, and it was 18.5 req/s; the forecast’s band: 17.8 to 20 req/s",
        "the-pool: you said 1,000 req/s, and it was 318 req/s",
        "<b>mine</b>: you said 30 %, and it was 30 %",
    )
    expect(figure.locator("title")).to_contain_text(told_of)
    places = figure.locator("circle").evaluate_all(
        "nodes => nodes.map(node => [node.cx.baseVal.value, 300 - node.cy.baseVal.value])"
    )
    above = [up - across for across, up in places]
    assert above[0] > 0 > above[1] and abs(above[2]) < 0.01  # seen from the line of the same
    bars = figure.locator(".wt-band").evaluate_all(
        "all => all.map(it => it.getBBox()).map(it => [300 - it.y - it.height, 300 - it.y])"
    )
    (said, was), (large, _) = places[:2]
    assert said < bars[0][0] < was < bars[0][1] and bars[1][0] < large <= bars[1][1]
    rows = page.locator(".wt-progress table").nth(1)
    expect(rows.get_by_role("row", name="one-core")).to_contain_text("19\u00a0req/s (17.8 to 20)")
    for lab in ("the-pool", "<b>mine</b>"):
        expect(rows).to_contain_text(lab)
    expect(rows.get_by_role("row", name="event-loop")).to_contain_text(", drawn hollow")
    expect(page.locator(".wt-progress")).to_contain_text(
        "6 predictions, 4 of them measured since, 1 within 5 %. 1 was measured by a point drawn "
        "hollow, which settles nothing: run again."
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
