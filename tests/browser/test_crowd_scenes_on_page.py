"""Races, deals, pages and ramps in a browser: each goal is reached with keys or fingers alone."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect


@pytest.fixture
def page(site: Path, browser: Browser) -> Iterator[Page]:
    """A narrow telephone of somebody who wants nothing to move."""
    context = browser.new_context(
        viewport={"width": 360, "height": 740}, reduced_motion="reduce", has_touch=True
    )
    page = context.new_page()
    page.goto((site / "chapter/scenes.html").as_uri())
    yield page
    context.close()


def scene(page: Page, name: str) -> Locator:
    found = page.locator(f"wt-scene[name={name}]")
    expect(found.locator(".wt-scene-live")).to_be_attached()
    found.scroll_into_view_if_needed()
    return found


def turn(page: Page, found: Locator, name: str, key: str, until: str) -> None:
    slider = found.get_by_role("slider", name=name)
    slider.focus()
    for _ in range(40):
        if slider.get_attribute("aria-valuetext") == until:
            return
        page.keyboard.press(key)
    raise AssertionError(f"{name} never came to {until}.")


def reached(found: Locator) -> None:
    expect(found.locator(".wt-scene-goal")).to_have_attribute("data-reached", "yes")
    expect(found.get_by_role("status")).to_contain_text("Reached")


def test_six_additions_leave_two_and_a_lock_makes_one_wait(page: Page) -> None:
    race = scene(page, "interleave")
    said = race.get_by_role("status")
    goal = race.locator(".wt-scene-goal")
    for name in "BAAAAAABBABBBBBBAA":
        expect(goal).not_to_have_attribute("data-reached", "yes")
        race.get_by_role("button", name=f"{name} goes").press("Enter")
    reached(race)
    expect(race.get_by_role("row", name="the counter")).to_contain_text("2")
    turn(page, race, "lock", "ArrowRight", "long")
    race.get_by_role("button", name="A goes").tap()
    race.get_by_role("button", name="B goes").tap()
    expect(said).to_have_text("Thread B has to wait: A has the lock.")
    race.get_by_role("button", name="The rest by chance").tap()
    expect(said).to_contain_text("the counter says 6: nothing is lost.")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_thousand_deals_and_threads_to_spare(page: Page) -> None:
    deal = scene(page, "deal")
    expect(deal.get_by_role("row", name="X, mean of 1 deal ")).to_be_visible()
    deal.get_by_role("button", name="Step").tap()
    expect(deal.get_by_role("status")).to_contain_text(re.compile(r"^Connections fell \d+, \d+, "))
    turn(page, deal, "threads in each", "ArrowRight", "20")
    deal.get_by_role("button", name="10 s ahead").press("Enter")
    reached(deal)
    cells = deal.get_by_role("row", name="X, mean of 1001").get_by_role("cell").all_inner_texts()
    assert float(cells[0]) == pytest.approx(float(cells[2]), rel=0.02)


def test_pages_are_copied_until_fewer_workers_fit(page: Page) -> None:
    fork = scene(page, "pages")
    fork.get_by_role("button", name="Step").tap()
    expect(fork.get_by_role("status")).to_contain_text("Worker 1 answers a request and writes to")
    fork.get_by_role("button", name="10 s ahead").tap()
    expect(fork.get_by_role("status")).to_contain_text("more than the machine has")
    turn(page, fork, "workers", "ArrowLeft", "12")
    reached(fork)


def test_a_crowd_is_let_in_look_by_look(page: Page) -> None:
    ramp = scene(page, "ramp")
    ramp.get_by_role("button", name="Step").tap()
    expect(ramp.get_by_role("status")).to_contain_text("Look 1, at 1 s: the master forks 1.")
    turn(page, ramp, "workers at first", "ArrowRight", "70")
    ramp.get_by_role("button", name="10 s ahead").tap()
    reached(ramp)
