"""Bet, then reveal, in a page without Python: from a file, as most people meet the book."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labs.kinds.base import LabKind
from labs.present.verdict import on_answer
from labs.recordings import recorder, replay, store
from labs.records.written import written

BETS = {  # of labs with all units there are, one that is no slip of the finger
    "one-core": "12.5",
    "prefork": "15.6",
    "a-shared-counter": "31 %",
    "memory-per-worker": "12.3",
    "whom-are-you-measuring": "2",
    "the-pool": "1,000",
    "three-pm": "44",
}


@pytest.fixture
def labs(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, LabKind[Any]]]:
    """Every lab of the book with its page, as its cell asks for it."""
    found: dict[str, tuple[str, LabKind[Any]]] = {}
    monkeypatch.setenv("LABS_MODE", "replay")
    for cell in recorder.cells():
        asked: list[LabKind[Any]] = []
        monkeypatch.setattr(replay, "replay", lambda _, lab, asked=asked: asked.append(lab))
        exec(cell.source, {})
        page = str(cell.page.relative_to(store.BOOK).with_suffix(".html"))
        found[cell.lab] = page, asked[0]
    return found


@pytest.mark.parametrize("name", BETS)
def test_a_bet_is_answered_in_the_words_of_the_live_panel(
    book: Path, page: Page, labs: dict[str, tuple[str, LabKind[Any]]], name: str
) -> None:
    where, lab = labs[name]
    question = lab.question
    assert question is not None
    page.goto((book / where).as_uri())
    run = page.locator(f'.wt-replay[data-lab="{name}"]')
    expect(run.locator(".wt-bet")).to_contain_text(f"Before you look: {question.words}")
    figure = run.locator("figure.wt-recorded").first
    expect(figure).to_be_hidden()
    run.get_by_role("textbox", name="Your prediction").fill(BETS[name])
    run.get_by_role("button", name="Commit").click()
    expect(figure).to_be_visible()
    found = store.recording(name)
    value = written(BETS[name], question.unit) / question.scale
    expect(run.locator(".wt-bet")).to_have_text(
        on_answer(question, value, *lab.answer(found), fit=lab.settles(found))
    )
    expect(run.locator("svg.wt-wide").first.locator(".wt-guess")).to_have_count(
        0 if lab.place() is None else 2
    )


def test_a_bet_is_kept_and_a_slip_is_asked_about(book: Path, page: Page) -> None:
    page.goto((book / "1-cpu-time/one-core.html").as_uri())
    run = page.locator(".wt-replay")
    number = run.get_by_role("textbox", name="Your prediction")
    for typed, said in (
        ("", "nothing: not an ordinary number. Write digits, in req/s, the way 3.14 is written."),
        ("-3", "-3: it is above zero."),
        ("1e9", "is that what you mean? Commit again to keep it."),
    ):
        number.fill(typed)
        number.press("Enter")
        expect(run.get_by_role("status")).to_contain_text(said)
        expect(run.locator("figure")).to_be_hidden()
    number.fill("14")
    number.press("Enter")
    expect(run.locator(".wt-bet")).to_be_focused()
    page.reload()
    expect(run.locator(".wt-bet")).to_contain_text(re.compile(r"You said 14.req/s at 16 users"))
    expect(run.locator("figure")).to_be_visible()
    run.get_by_role("button", name="Point at the values").click()
    expect(run.locator(".legend")).to_contain_text("your prediction")
    (kept,) = json.loads(str(page.evaluate("localStorage['wall-time-progress']")))["predictions"]
    assert (kept["lab"], kept["value"], kept["unit"]) == ("one-core", 14, "req/s")
    assert kept["fit"] is True


def test_who_skips_sees_and_who_wants_it_always_is_not_asked_again(book: Path, page: Page) -> None:
    page.goto((book / "1-cpu-time/one-core.html").as_uri())
    figure = page.locator(".wt-replay figure")
    page.get_by_role("button", name="Skip", exact=True).click()
    expect(figure).to_be_visible()
    expect(page.locator(".wt-bet")).to_contain_text("Skipped: how many requests a second")

    page.goto((book / "1-cpu-time/many-cores.html").as_uri())
    expect(figure).to_be_hidden()
    page.get_by_role("checkbox", name="Always show").click()
    expect(figure).to_be_visible()
    page.goto((book / "1-cpu-time/past-the-plateau.html").as_uri())
    expect(figure.first).to_be_visible()
    page.get_by_role("button", name="Ask me before").first.click()
    expect(figure.first).to_be_hidden()
    page.emulate_media(media="print")
    expect(figure.first).to_be_visible()
    expect(page.locator(".wt-bet").first).to_be_hidden()


def test_every_bet_at_a_scene_is_settled_by_its_model(book: Path, page: Page) -> None:
    settled = 0
    for file in sorted(book.glob("**/*.html")):
        if ' bet="' not in file.read_text("utf-8"):
            continue
        page.goto(file.as_uri())
        for scene in page.locator("wt-scene[bet]").all():
            scene.scroll_into_view_if_needed()
            expect(scene.get_by_role("table")).to_be_hidden()
            scene.get_by_role("textbox", name="Your prediction").fill("30")
            scene.get_by_role("button", name="Commit").click()
            said = scene.get_by_role("status")
            for _ in range(30):
                scene.get_by_role("button", name="10 s ahead").press("Enter")
                if "You said" in said.inner_text():
                    break
            expect(said).to_contain_text(re.compile(r"You said 30.*, and it was .*\d"))
            settled += 1
    assert settled >= 8
