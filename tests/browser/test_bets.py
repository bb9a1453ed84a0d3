"""Bet, then reveal, in a page without Python: from a file, as most people meet the book."""

import json
import re
from pathlib import Path
from typing import Any

import chapters
import pytest
from labs_on_page import commit, keep
from panel_book import PanelBook
from playwright.sync_api import Locator, Page, expect

from labs.kinds.base import LabKind
from labs.present.bet import on_answer
from labs.recordings import recorder, store
from labs.records.format import duration
from labs.records.written import written

BETS = {  # of labs with some of the units there are, one that is no slip of the finger
    "wall-time": "50 %",
    "one-core": "12.5",
    "memory-per-worker": "12.3",
    "whom-are-you-measuring": "2",
}


@pytest.fixture(scope="module")
def labs() -> dict[str, tuple[str, LabKind[Any]]]:
    """Every lab of the book with its page, as its cell asks for it."""
    asked = chapters.labs()
    return {
        cell.lab: (str(cell.page.relative_to(store.BOOK).with_suffix(".html")), asked[cell.lab])
        for cell in recorder.cells()
    }


@pytest.mark.parametrize("name", BETS)
def test_a_bet_is_answered_in_the_words_of_the_live_panel(
    book: Path, page: Page, labs: dict[str, tuple[str, LabKind[Any]]], name: str
) -> None:
    where, lab = labs[name]
    question = lab.question
    assert question is not None
    page.goto((book / where).as_uri())
    run = page.locator(f'.wt-replay[data-lab="{name}"]')
    expect(run.locator(".wt-bet")).to_contain_text(f"Before you look: {question.asked}")
    figure = run.locator("figure.wt-recorded").first
    expect(figure).to_be_hidden()
    commit(run, BETS[name])
    expect(figure).to_be_visible()
    found = store.recording(name)
    value = written(BETS[name], question.unit) / question.scale
    expect(run.locator(".wt-bet")).to_have_text(on_answer(question, value, lab.outcome(found)))
    expect(run.locator("svg.wt-wide").first.locator(".wt-guess")).to_have_count(
        0 if lab.place() is None else 2
    )


def one_core(book: Path, page: Page) -> Locator:
    """The lab of that chapter, opened."""
    page.goto((book / "1-cpu-time/one-core.html").as_uri())
    return page.locator(".wt-replay")


def test_a_bet_is_kept_and_a_slip_is_refused(book: Path, page: Page) -> None:
    run = one_core(book, page)
    number = run.get_by_role("textbox", name="Your prediction")
    for typed, said in (
        ("", "Nothing is written there yet. Write digits, in req/s."),
        ("-3", "-3: it is above zero."),
    ):
        number.fill(typed)
        number.press("Enter")
        expect(run.get_by_role("status")).to_contain_text(said)
        expect(run.locator("figure:visible")).to_have_count(0)
    number.fill("14")
    number.press("Enter")
    expect(run.locator(".wt-bet")).to_be_focused()
    page.reload()
    expect(run.locator(".wt-bet")).to_contain_text(re.compile(r"You said 14.req/s at 16 users"))
    expect(run.locator("figure").first).to_be_visible()
    run.get_by_role("button", name="Point at the values").first.click()
    expect(run.locator(".legend").first).to_contain_text("your prediction")
    (kept,) = json.loads(str(page.evaluate("localStorage['wall-time-progress']")))["predictions"]
    assert (kept["lab"], kept["value"], kept["unit"]) == ("one-core", 14, "req/s")
    assert kept["fit"] is True


def test_who_skips_sees_and_who_wants_it_always_is_not_asked_again(book: Path, page: Page) -> None:
    one_core(book, page)
    figure = page.locator(".wt-replay figure")
    page.get_by_role("button", name="Skip", exact=True).click()
    expect(figure.first).to_be_visible()
    expect(page.locator(".wt-bet")).to_contain_text("Skipped: how many requests a second")

    page.goto((book / "1-cpu-time/many-cores.html").as_uri())
    expect(figure).to_have_count(2)  # the curves, and where the time went
    for each in figure.all():
        expect(each).to_be_hidden()
    page.get_by_role("checkbox", name="Always show").click()
    for each in figure.all():
        expect(each).to_be_visible()
    page.goto((book / "1-cpu-time/past-the-plateau.html").as_uri())
    expect(figure.first).to_be_visible()
    page.get_by_role("button", name="Ask me before").first.click()
    expect(figure.first).to_be_hidden()
    page.emulate_media(media="print")
    expect(figure.first).to_be_visible()
    expect(page.locator(".wt-bet").first).to_be_hidden()


SECRETIVE = """for (const name of ['getItem', 'setItem', 'removeItem']) {
  const allowed = Storage.prototype[name];
  Storage.prototype[name] = function (key, ...more) {
    if (key.startsWith('wall-time')) throw new DOMException('forbidden', 'SecurityError');
    return allowed.call(this, key, ...more);
  };
}"""


def test_where_nothing_can_be_kept_a_reader_s_wish_holds_until_the_page_is_left(
    book: Path, page: Page
) -> None:
    page.add_init_script(SECRETIVE)
    figure = one_core(book, page).locator("figure").first
    expect(figure).to_be_hidden()
    page.get_by_role("checkbox", name="Always show").click()
    expect(figure).to_be_visible()
    page.get_by_role("button", name="Ask me before").first.click()
    expect(figure).to_be_hidden()
    commit(page, "14")
    expect(page.locator(".wt-bet").first).to_contain_text("You said 14")


def test_a_bet_is_marked_where_plotly_has_drawn_already(book: Path, page: Page) -> None:
    run = one_core(book, page)
    page.get_by_role("checkbox", name="Always show").click()
    run.get_by_role("button", name="Point at the values").first.click()
    expect(run.locator(".legend").first).to_be_visible()
    run.get_by_role("button", name="Ask me before").click()
    commit(run, "14")
    expect(run.locator(".wt-drawn .legend").first).to_contain_text("your prediction")


@pytest.mark.parametrize(("typed", "which"), [("1e9", ""), ("1e-6", "2")])
def test_an_absurd_bet_does_not_press_the_figure_flat(
    book: Path, page: Page, typed: str, which: str
) -> None:
    """Its throughput, or the response time that follows from it."""
    run = one_core(book, page)
    number = run.get_by_role("textbox", name="Your prediction")
    number.fill(typed)
    number.press("Enter")
    run.get_by_role("button", name="Point at the values").first.click()
    expect(run.locator(".legend").first).to_contain_text("your prediction")
    most, log, top, symbol, said, whole = run.locator(".wt-drawn .wt-plot").evaluate(
        """(node, which) => {
          const drawn = node.data.filter((trace) => trace.yaxis === `y${which}`);
          const others = drawn.filter(({ name }) => name !== 'your prediction');
          const { type, range } = node._fullLayout[`yaxis${which}`];
          const top = type === 'log' ? 10 ** range[1] : range[1];
          const own = drawn.find((trace) => !others.includes(trace));
          const most = Math.max(...others.flatMap(({ y }) => y));
          const { _offset, _length } = node._fullLayout[`xaxis${which}`];
          const words = [...node.querySelectorAll('.textpoint text')]
            .filter(({ textContent }) => textContent.trim() === 'far above');
          const right = Math.max(...words.map((word) => word.getBoundingClientRect().right));
          const left = node.getBoundingClientRect().left;
          const whole = words.length > 0 && (which || right <= left + _offset + _length);
          return [most, type === 'log', top, own.marker.symbol, own.text[0], Boolean(whole)];
        }""",
        which,
    )
    assert (symbol, said, whole) == ("arrow-up", "far above ", True)
    assert most < top < most * (25 if log else 4)


def test_a_bet_is_marked_where_a_figure_has_no_picture(panel_book: PanelBook, page: Page) -> None:
    """As in a build from a shelf of other recordings: plotly draws when the page is loaded."""
    page.goto((panel_book.site / "exercise.html").as_uri())
    run = page.locator(".wt-replay").first
    page.wait_for_function("window.Plotly !== undefined")
    commit(run, "14")
    expect(run.locator(".legend").first).to_contain_text("your prediction")


def test_numbers_are_said_as_the_labs_say_them(
    book: Path, page: Page, labs: dict[str, tuple[str, LabKind[Any]]]
) -> None:
    """The points of the reader's bets say their numbers."""
    says = {
        lab.question.unit: lambda value, asked=lab.question: asked.say(value / asked.scale)
        for _, lab in labs.values()
        if lab.question
    }
    assert {"req/s", "%", "MiB", "times", "workers", "requests"} <= set(says)
    says["ms"] = lambda value: duration(value / 1000)
    values = (0.05, 0.5, 0.95, 1, 12.3, 100, 1023, 1024, 2048, 12_345.6)
    told = {"key": "", "lab": "l", "question": "", "at": ""}
    bets = [
        told | {"unit": unit, "value": value, "measured": value}
        for unit in says
        for value in values
    ]
    page.goto((book / "my-progress.html").as_uri())
    keep(page, predictions=bets)
    expect(page.locator(".wt-scatter circle")).to_have_count(len(bets))
    said = page.locator(".wt-scatter circle title").all_text_contents()
    words = [say(value) for say in says.values() for value in values]
    assert said == [f"l: you said {each}, and it was {each}" for each in words]
