"""A page on paper: whole, light, without what can only be pressed; and afterwards as it was."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

PAGE = "1-cpu-time/one-core.html"
PRINT = "dispatchEvent(new Event('beforeprint'))"
DONE = "dispatchEvent(new Event('afterprint'))"
AS_IT_IS = """() => [document.querySelector('article').textContent,
  ...[...document.querySelectorAll('details')].map(each => each.open)]"""
PRESSED = """() =>
  [...document.querySelectorAll('button, input, nav, .wt-status, .wt-bet, .headerlink')]
    .filter(each => each.checkVisibility()).map(each => each.outerHTML.slice(0, 80))"""


def test_a_chapter_on_paper_is_complete_and_afterwards_as_it_was(book: Path, page: Page) -> None:
    page.goto((book / PAGE).as_uri())
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    expect(page.locator("wt-scene:not(:has(.wt-scene-live))")).to_have_count(0)  # all have come
    before = page.evaluate(AS_IT_IS)
    solutions = page.locator("details.solution")
    there = solutions.count()
    assert there >= 3 and page.locator("figure.wt-recorded .wt-wide:visible").count() == 0

    page.emulate_media(media="print")
    page.evaluate(PRINT)
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert page.locator("details:not([open])").count() == 0
    end = page.locator("article > section > :last-child")
    expect(end.locator("h2")).to_have_text("Solutions")
    expect(end.locator("details.solution")).to_have_count(there)
    expect(end.locator("h3").first).to_have_text("2.1 · A faster page")
    for number in range(there):
        expect(solutions.nth(number).locator("p").first).to_be_visible()
    expect(page.locator("article h1")).to_be_visible()  # once: the theme would put another there
    expect(page.locator("h1:visible")).to_have_count(1)
    expect(page.locator("figure.wt-recorded .wt-wide").first).to_be_visible()
    expect(page.locator(".wt-scene-still").first).to_be_visible()
    expect(page.locator(".wt-scene-live:visible")).to_have_count(0)
    assert page.evaluate(PRESSED) == []

    page.emulate_media(media="screen")
    page.evaluate(DONE)
    assert page.evaluate(AS_IT_IS) == before
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_without_scripts_solutions_are_open_on_paper_too(
    book: Path, another: Callable[..., Page]
) -> None:
    plain = another(java_script_enabled=False)
    plain.goto((book / PAGE).as_uri())
    expect(plain.locator("details.solution p").first).to_be_hidden()
    plain.emulate_media(media="print")
    expect(plain.locator("details.solution p").first).to_be_visible()
