"""A reader drops a load test on the lab of their own server."""

import pytest
from labs_on_page import LIVE_MS, live
from playwright.sync_api import Page, expect
from serving import PROJECT, BookServer

DROP = """(panel, files) => {
  const dataTransfer = new DataTransfer();
  files.forEach(([name, text]) => dataTransfer.items.add(new File([text], name)));
  panel.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}"""

pytestmark = pytest.mark.measures


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
