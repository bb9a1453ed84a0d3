"""What students stumbled over in the live book, one test for each stone that lay there."""

import re
from pathlib import Path

import pytest
from labs_on_page import LIVE_MS, RUN_MS, button, code_of, live, write
from playwright.sync_api import Locator, Page, expect
from serving import BookServer
from waiting import eventually

pytestmark = pytest.mark.extended
HERE = Path(__file__).parent
NEAR_PX = 150  # from a button to what is said of it: seen together


def told(server: BookServer, page: Page, which: str) -> Locator:
    """That panel, live by a page's cell."""
    shown = live(page, server, number=2)
    source = f"import sys; sys.path.insert(0, {str(HERE)!r}); import told; told.{which}()"
    code = code_of(page, 2)
    write(code, source)
    code.press("Shift+Enter")
    expect(shown.locator(".wt-panel")).to_be_visible(timeout=LIVE_MS)
    return shown


def words(node: Locator) -> str:
    return " ".join(node.inner_text().split())


def test_logarithmic_axes_say_so_and_their_ticks_are_whole_numbers(
    server: BookServer, page: Page
) -> None:
    """U7: they read “4 5 6 7 8 9 100 2 3”, and nothing said what they were."""
    shown = told(server, page, "sweep")
    button(shown, "Skip").click()
    button(shown, "Run").click()
    expect(shown.locator(".wt-verdict")).not_to_be_empty(timeout=RUN_MS)
    figure = shown.locator(".wt-figure")
    axes = figure.locator(".wt-plot").evaluate(
        """node => Object.entries(node._fullLayout)
          .filter(([name, axis]) => /^[xy]axis\\d*$/.test(name) && axis.type === 'log')
          .map(([, axis]) => axis._id)"""
    )
    assert axes
    expect(figure.get_by_text("(log scale)")).to_have_count(len(axes))
    for axis in axes:
        ticks = figure.locator(f".{axis}tick text").all_text_contents()
        values = [float(each.replace(",", "")) for each in ticks if each]
        assert len(values) >= 3 and values == sorted(values)


def test_a_repair_shows_a_sign_of_life_beside_the_button_that_was_pressed(
    server: BookServer, page: Page
) -> None:
    """U14: for twenty seconds nothing moved near it."""
    shown = told(server, page, "mystery")
    button(shown, "Run").click()
    expect(button(shown, "Tell me")).to_be_enabled(timeout=RUN_MS)
    expect(shown).to_contain_text("A larger “Measure for” tells more surely.")
    expect(shown.get_by_role("cell", name="req/s", exact=True).first).to_be_visible()
    assert "<" not in words(shown)  # as tables beside that advice read for a while
    button(shown, "Tell me").click()
    expect(shown.locator(".wt-verdict").first).to_contain_text("Now lift the limit")
    fix = shown.locator("button[title]").filter(has_text=re.compile("^(?!Run|Stop|Tell|That)"))
    pressed = fix.first
    pressed.click()
    sign = shown.get_by_text(re.compile("starting|measuring 8 users")).last
    expect(sign).to_be_visible()

    def near() -> bool:  # no box while one sign makes room for the next
        here, there = pressed.bounding_box(), sign.bounding_box()
        return bool(here and there) and abs(there["y"] - here["y"]) < NEAR_PX

    eventually(near, RUN_MS / 1000, "a sign near the button")
    expect(shown.get_by_text(re.compile("measuring 8 users")).last).to_be_visible()
    button(shown, "Stop").click()
    expect(shown.locator(".wt-actions").last).to_contain_text("Stopped")


@pytest.mark.measures
def test_a_panel_speaks_to_its_reader_and_of_each_kill(panels: BookServer, page: Page) -> None:
    """U11: three failures for one worker, unexplained. U19: “Yours is larger? … CONTRIBUTING” under
    nearly every figure."""
    shown = live(page, panels, "levers")
    button(shown, "Skip").click()
    expect(shown).to_contain_text("Recorded on: 2 cores")
    assert not re.search(r"contribut|yours|make record", words(page.locator("body")), re.IGNORECASE)
    button(shown, "Run").click()
    kill = button(shown, "Kill a worker")
    expect(kill).to_be_enabled(timeout=RUN_MS)
    for _ in range(3):
        kill.click()
    all_told = shown.get_by_role("figure", name=re.compile("(Process .* was killed.*){3}"))
    expect(all_told).to_be_visible(timeout=RUN_MS)
    button(shown, "Stop").click()
    happened = shown.locator(".wt-verdict li")
    expect(happened).to_have_count(3, timeout=RUN_MS)
    killed = [
        re.search(r"Process (\d+), .*, was killed\. (No|One|\d+) requests? failed with it", each)
        for each in map(words, happened.all())
    ]
    assert all(killed) and len({each[1] for each in killed if each}) == 3
