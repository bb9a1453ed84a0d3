"""What the tests say of a page: its status line, its labs, and the small book's panel."""

import re

from playwright.sync_api import Locator, Page, expect

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


def button(shown: Locator, name: str) -> Locator:
    return shown.get_by_role("button", name=name, exact=True)


def press_button(page: Page, name: str) -> None:
    page.locator(".wt-status button", has_text=name).click()


def run(shown: Locator) -> None:
    """Press Run and see every point land."""
    shown.get_by_role("button", name="Run", exact=True).click()
    points = shown.locator(".wt-view .scatterlayer .point")
    expect(points).to_have_count(POINTS, timeout=LIVE_MS)


def works(page: Page) -> None:
    """The page says that it is live, and the first lab answers."""
    state(page, "live")
    run(panel(page))


def recovers_by(page: Page, button: str) -> None:
    press_button(page, button)
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
