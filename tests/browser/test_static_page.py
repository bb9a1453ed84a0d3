"""The built site without a server: whole, quiet and from a file."""

from __future__ import annotations

from pathlib import Path

from labs_on_page import lab, state
from playwright.sync_api import Page, expect


def test_from_a_file(site: Path, page: Page) -> None:
    page.goto((site / "chapter/lab.html").as_uri())
    state(page, "static")
    expect(page.locator(".wt-status button")).to_be_hidden()
    for number in (1, 2):
        expect(lab(page, number).locator(".wt-recorded .point")).to_have_count(3)
    figure = lab(page).get_by_role("figure", name="first: three points on a line.")
    expect(figure).to_contain_text("Recorded on a machine that never was.")
    lab(page).get_by_text("Show the code").click()
    expect(lab(page).locator("pre")).to_have_text('lab("first")\n')


def test_formulas_are_set_with_their_numbers(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    expect(page.locator(".katex-display")).to_have_count(2)
    expect(page.locator("span.math .katex")).to_have_count(1)
    expect(page.locator(".katex-error")).to_have_count(0)
    expect(page.locator(".eqno")).to_contain_text("(1)")
    letters = page.evaluate(
        "document.fonts.ready.then(() => document.fonts.check('1em KaTeX_Main'))"
    )
    assert letters


def test_without_scripts_the_words_are_there(site: Path, page: Page) -> None:
    context = page.context.browser.new_context(java_script_enabled=False)  # type: ignore[union-attr]
    plain = context.new_page()
    plain.goto((site / "chapter/lab.html").as_uri())
    expect(lab(plain)).to_contain_text("first: three points on a line.")
    context.close()
