"""axe-core's rules of accessibility, on every page: from a file, light and dark, and on live ones
before, while and after a lab measures. What they find is mended, and no rule is left out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import StartServer
from labs_on_page import RUN_MS, button, live
from playwright.sync_api import Page, expect
from serving import PROJECT, BookServer

pytestmark = [pytest.mark.extended, pytest.mark.timeout(1200)]  # seconds a page, on a busy machine

LIVE = (  # labs of all kinds among them
    *("your-machine", "1-cpu-time/many-cores", "1-cpu-time/wall-time", "2-wait-time/prefork"),
    *("2-wait-time/threads", "2-wait-time/the-launch", "3-real-applications/which-limit"),
    *("3-real-applications/whom-are-you-measuring", "appendix/classics"),
)


def complaints(page: Page) -> list[str]:
    """What axe finds, each with its rule, its place and the reason."""
    found: dict[str, Any] = Axe().run(page).response
    return [
        f"{rule['id']}: {node['html'][:160]}: {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(
    book: Path, another: Callable[..., Page], scheme: str
) -> None:
    page = another(color_scheme=scheme)
    files = sorted(file for file in book.rglob("*.html") if "_static" not in file.parts)
    assert len(files) > 29
    found = {}
    for file in files:
        page.goto(file.as_uri())
        page.wait_for_function("!document.querySelector('.wt-plot:not([data-drawn])')")
        found[str(file.relative_to(book))] = complaints(page)
    assert not any(found.values()), found


@pytest.mark.measures
@pytest.mark.parametrize(
    ("name", "scheme"), [("index", "light"), ("index", "dark"), ("levers", "dark")]
)
def test_axe_finds_nothing_while_a_lab_measures_and_after(
    panels: BookServer, page: Page, name: str, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    shown = live(page, panels, name)
    expect(shown.locator(".wt-about")).to_be_visible()
    assert complaints(page) == []
    skip, run, stop = (button(shown, each) for each in ("Skip", "Run", "Stop"))
    if skip.count():
        skip.click()
    run.click()
    expect(stop).to_be_enabled()
    assert complaints(page) == []
    figure = shown.locator(".wt-figure .scatterlayer, .wt-figure .barlayer").first
    expect(figure).to_be_attached(timeout=RUN_MS)  # the first of it has landed, or a forecast
    assert complaints(page) == []
    if stop.is_enabled():
        stop.click()
    expect(run).to_be_enabled(timeout=RUN_MS)
    assert complaints(page) == []


def test_axe_finds_nothing_on_live_pages_of_every_kind_in_the_dark(
    book: Path, live_server: StartServer, page: Page
) -> None:
    server = live_server(book, root=PROJECT)
    page.emulate_media(color_scheme="dark")
    found = {}
    for name in LIVE:
        live(page, server, name)
        found[name] = complaints(page)
    page.goto(server.page("my-progress"))  # without Python
    expect(page.locator(".wt-progress table")).to_be_visible()
    found["my-progress"] = complaints(page)
    assert not any(found.values()), found
