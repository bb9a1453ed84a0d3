"""Every page of the book itself: from a file and live, it asks no other host, and none scrolls
sideways on a telephone or on a large screen."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from conftest import Heard, StartServer
from labs_on_page import RUN_MS, button, live, state
from playwright.sync_api import Page, expect
from serving import PROJECT

from labs.recordings.pages import chapters

AT_ONCE = 3  # windows, each with a Python of its own
WIDTHS = (360, 390, 2560)  # pixels: telephones, a large screen


def pages_of(book: Path) -> list[str]:
    """Names of the pages, such as 1-cpu-time/one-core."""
    files = [file.relative_to(book) for file in book.rglob("*.html")]
    pages = [str(file.with_suffix("")) for file in files if not file.parts[0].startswith("_")]
    assert len(pages) >= 9
    return sorted(pages)


@pytest.mark.extended
def test_from_files(book: Path, page: Page, heard: Heard) -> None:
    for window, name in opened(page, {n: (book / f"{n}.html").as_uri() for n in pages_of(book)}):
        window.wait_for_function("!document.querySelector('.wt-plot:not([data-drawn])')")
        assert window.locator(".katex-error").count() == 0, name
        for width in WIDTHS:
            window.set_viewport_size({"width": width, "height": 800})
            wide = window.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name} scrolls sideways: it is {wide} pixels wide"
    assert {urlsplit(each.url).scheme for each in heard.requests} <= {"file", "data", "blob"}


UNFOLD = """for (const each of document.querySelectorAll(
  '.tag_lab details:not(.wt-more), details:has(.tag_lab)')) each.open = true"""
ALL_COLUMNS = "for (const each of document.querySelectorAll('.wt-more')) each.open = true"
# The theme takes whatever does not scroll out of Tab's way, some time after a page has changed.
THEMED = "document.querySelector('.cell_input pre[tabindex]') !== null"
OUT_OF_TABS_WAY = """[...document.querySelectorAll('.tag_lab :is([role=textbox], input, button)')]
  .filter((each) => each.tabIndex < 0 && each.checkVisibility() && !each.closest('.wt-plot'))
  .map((each) => each.outerHTML.slice(0, 80))"""
BROKEN_WORDS = """() => {
  const found = [];
  for (const cell of document.querySelectorAll('.wt-more + .wt-scroll :is(th, td)')) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      for (const word of text.textContent.matchAll(/[a-z]+/gi)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        if (range.getClientRects().length > 1) found.push(word[0]);
      }
  }
  return found;
}"""
CUT = """() => {
  const wide = document.documentElement.clientWidth, found = [];
  const scrolls = node => {
    for (let at = node.parentElement; at && !at.matches('.cell'); at = at.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  if (document.documentElement.scrollWidth > wide) found.push('the page itself');
  for (const node of document.querySelectorAll('.cell.tag_lab *')) {
    const box = node.getBoundingClientRect();
    if (!box.width || node.parentElement.closest('svg')) continue;
    const name = `${node.tagName}.${node.className} ${node.textContent.trim().slice(0, 40)}`;
    if ((box.right > wide + 1 || box.left < -1) && !scrolls(node)) found.push(`out: ${name}`);
    const over = getComputedStyle(node).overflowX, cut = node.scrollWidth > node.clientWidth + 1;
    const unseen = node.matches('.wt-plot *, .wt-aloud');
    if (over === 'hidden' && cut && node.textContent.trim() && !unseen) found.push(`cut: ${name}`);
    if (['auto', 'scroll'].includes(over) && cut && !node.closest('pre, .cell_input'))
      found.push(`scrolls: ${name}`);
  }
  for (const svg of document.querySelectorAll('.cell.tag_lab svg')) {
    const frame = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll('text')) {
      const box = text.getBoundingClientRect();
      const inside = box.left >= frame.left - 1 && box.right <= frame.right + 1 &&
        box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
      if (box.width && !inside) found.push(`a figure's letters: ${text.textContent}`);
    }
  }
  return found;
}"""


@pytest.mark.extended
def test_nothing_of_a_lab_is_cut_on_a_telephone(book: Path, page: Page) -> None:
    """360 pixels wide, with the data unfolded: four columns of a table have room there."""
    page.set_viewport_size({"width": 360, "height": 800})
    page.add_init_script("localStorage.setItem('wall-time-always-show', 'yes')")  # no bets first
    for name in pages_of(book):
        page.goto((book / f"{name}.html").as_uri())
        if not page.locator(".cell.tag_lab").count():
            continue
        page.wait_for_function("!document.querySelector('.wt-plot:not([data-drawn])')")
        page.evaluate(UNFOLD)
        assert page.evaluate(CUT) == [], name
        more = page.locator("details.wt-more").first
        if more.count():
            rest = page.locator(".wt-more + .wt-scroll").first.locator("th.wt-rest").first
            expect(rest).to_be_hidden()
            page.evaluate(ALL_COLUMNS)
            expect(rest).to_be_visible()
            assert page.evaluate(BROKEN_WORDS) == [], name


@pytest.mark.extended
@pytest.mark.measures
def test_nothing_of_a_mystery_and_its_repairs_is_cut_on_a_telephone(
    book: Path, live_server: StartServer, page: Page
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    shown = live(page, live_server(book, root=PROJECT), "3-real-applications/which-limit")
    shown.get_by_role("textbox", name="Users").fill("2")
    button(shown, "Run").click()
    tell = button(shown, "Tell me")
    expect(tell).to_be_enabled(timeout=RUN_MS)
    tell.click()
    expect(shown.locator(".wt-fixes button").first).to_be_visible()
    assert shown.locator(".wt-fixes button").count() == 2
    assert page.evaluate(CUT) == []


@pytest.mark.extended
def test_live(book: Path, live_server: StartServer, page: Page, heard: Heard) -> None:
    server = live_server(book, root=PROJECT)
    alive = 0
    for window, name in opened(page, {name: server.page(name) for name in pages_of(book)}):
        if window.locator("#wt-cells").count():
            state(window, "live")
            window.wait_for_function(THEMED)
            assert window.evaluate(OUT_OF_TABS_WAY) == [], name
            alive += 1
    assert alive >= len(chapters())
    assert not heard.foreign


def opened(page: Page, addresses: dict[str, str]) -> Iterator[tuple[Page, str]]:
    """Each of these pages, in some windows, because most of the time a page only waits. It stays
    open until it has asked for all that it wants."""
    windows = [page, *(page.context.new_page() for _ in range(AT_ONCE - 1))]
    names = list(addresses)
    for first in range(0, len(names), AT_ONCE):
        some = list(zip(windows, names[first : first + AT_ONCE], strict=False))
        for window, name in some:
            window.goto(addresses[name])
        yield from some
        for window, _ in some:
            window.wait_for_load_state("networkidle")
