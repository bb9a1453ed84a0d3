"""What the tests say of a page: its status line, its labs, and the small book's panel."""

import json
import re

from playwright.sync_api import Locator, Page, expect
from serving import BookServer

LIVE_MS = 40_000.0
RUN_MS = 200_000.0  # of a run, which other tests that measure may keep from its turn for minutes
POINTS = 10  # that the small book's lab measures in a run


def state(page: Page, *states: str, within_ms: float = LIVE_MS) -> None:
    """Wait until the status line says one of these: static, starting, live, silent, lost."""
    wanted = ", ".join(f'.wt-status[data-state="{each}"]' for each in states)
    expect(page.locator(wanted)).to_be_visible(timeout=within_ms)


def lab(page: Page, number: int = 1) -> Locator:
    return page.locator(".cell.tag_lab").nth(number - 1)


def panel(page: Page, number: int = 1) -> Locator:
    """What a live lab shows, and not what is being made ready behind it."""
    return lab(page, number).locator(".wt-live:not(.wt-behind)")


def live(
    page: Page, server: BookServer, name: str = "chapter/lab", number: int = 1, *, port: int = 0
) -> Locator:
    """Open that page; one of its panels, once it is live."""
    page.goto(server.page(name, port))
    state(page, "live")
    return panel(page, number)


def code_of(page: Page, number: int) -> Locator:
    """The code of a lab of the live page, unfolded to be edited."""
    lab(page, number).get_by_text("Show the code").click()
    return lab(page, number).get_by_role("textbox", name="The code of this lab")


def write(code: Locator, text: str) -> None:
    """Put that in the place of the code."""
    code.press("ControlOrMeta+a")
    code.press_sequentially(text)


def button(shown: Page | Locator, name: str) -> Locator:
    return shown.get_by_role("button", name=name, exact=True)


def commit(shown: Page | Locator, typed: str) -> None:
    """Bet that."""
    shown.get_by_role("textbox", name="Your prediction").fill(typed)
    button(shown, "Commit").click()


def record(**lists: object) -> str:
    """A file of progress that has these."""
    return json.dumps({"book": "Wall Time", "schema": 1} | lists)


def keep(page: Page, **lists: object) -> None:
    """Have the browser keep these, and open the page anew."""
    kept = record(**lists)
    page.evaluate("kept => localStorage.setItem('wall-time-progress', kept)", kept)
    page.reload()


def run(shown: Locator) -> None:
    """Press Run and see every point land."""
    button(shown, "Run").click()
    points = shown.locator(".wt-view .scatterlayer .point")
    expect(points).to_have_count(POINTS, timeout=LIVE_MS)


def works(page: Page) -> None:
    """The page says that it is live, and the first lab answers."""
    state(page, "live")
    run(panel(page))


def recovers_by(page: Page, button: str) -> None:
    page.locator(".wt-status button", has_text=button).click()
    works(page)


def one_picture(figure: Locator) -> None:
    """To who hears the page it is what its label says, what a reader may press, and its caption; no
    tick and no legend. It leads to its numbers."""
    first, *more = figure.aria_snapshot().splitlines()
    assert re.match(r"- '?figure \".{20}", first), first
    said = " ".join(" ".join(figure.locator("figcaption").all_inner_texts()).split())
    heard = [line.split("text:", 1)[1].strip(' "') for line in more if "- text:" in line]
    assert [words for words in heard if words not in said] == []
    numbers = figure.page.locator(f"#{figure.get_attribute('aria-details')}")
    expect(numbers).to_contain_text("Data: the numbers")
