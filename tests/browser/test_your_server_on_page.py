"""A reader types the address of their own server, and points land in the page."""

from collections.abc import Iterator

import pytest
from labs_on_page import LIVE_MS, RUN_MS, button, live
from playwright.sync_api import Page, expect
from serving import PROJECT, BookServer, own_server
from waiting import eventually

LOOKS_S = 120.0  # until the first level has landed, on a busy machine
DROP = """(panel, files) => {
  const dataTransfer = new DataTransfer();
  files.forEach(([name, text]) => dataTransfer.items.add(new File([text], name)));
  panel.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}"""
LANDED = """panel => {
  const plot = panel.querySelector('.wt-figure .wt-plot');
  const seen = (plot?.data ?? []).filter(t => t.name === 'measured' && t.xaxis === 'x');
  return seen.reduce((n, t) => n + t.x.length, 0);
}"""

pytestmark = pytest.mark.measures


@pytest.fixture
def own() -> Iterator[str]:
    """The address of a server that nobody here started but this test."""
    with own_server("none") as url:
        yield url


def test_an_address_is_typed_looked_at_and_measured(
    panels: BookServer, page: Page, own: str
) -> None:
    shown = live(page, panels, "own")
    expect(shown.locator(".wt-about")).to_contain_text("a small server", ignore_case=True)
    address = shown.get_by_label("Address")
    address.fill("http://shop.example/")
    address.press("Enter")
    expect(shown).to_contain_text("server is an attack; if it is yours, type its name here")
    expect(shown.get_by_label("Host, once more")).to_be_visible()
    address.fill(own)
    address.press("Enter")
    expect(shown.locator(".wt-about")).to_contain_text(own)
    button(shown, "Look").click()
    expect(shown).to_contain_text("Python: 1 process")
    button(shown, "Skip").click()
    button(shown, "Run").click()
    eventually(lambda: shown.evaluate(LANDED) >= 1, LOOKS_S, "a level")
    button(shown, "Stop").click()
    expect(shown).to_contain_text("Measured here before the end", timeout=RUN_MS)
    expect(shown).to_contain_text("A lone answer takes")
    expect(shown.get_by_role("alert")).to_have_count(0)


def test_a_load_test_is_dropped_on_the_lab_or_chosen_in_it(panels: BookServer, page: Page) -> None:
    files = [PROJECT / f"tests/load_tests/ab-{users}.txt" for users in (2, 4, 8, 16)]
    shown = live(page, panels, "own")
    shown.locator(".wt-panel").evaluate(DROP, [(f.name, f.read_text("utf-8")) for f in files])
    expect(shown).to_contain_text("X·R, the requests under way", timeout=LIVE_MS)
    expect(shown.get_by_label("Throughput and mean response time by ab")).to_be_visible()
    with page.expect_file_chooser() as chooser:
        shown.get_by_role("button", name="A load test that you have").click()
    chooser.value.set_files(PROJECT / "README.md")
    expect(shown.get_by_role("alert")).to_contain_text("README.md: no load test that is known here")
