"""Every page of the book itself: from a file and live, it asks no other host."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from conftest import Heard, StartServer
from labs_on_page import state
from playwright.sync_api import Page
from serving import PROJECT

pytestmark = pytest.mark.timeout(240)

AT_ONCE = 3  # windows, each with a Python of its own


def pages_of(book: Path) -> list[str]:
    """Names of the pages, such as 1-cpu-time/one-core."""
    files = [file.relative_to(book) for file in book.rglob("*.html")]
    pages = [str(file.with_suffix("")) for file in files if not file.parts[0].startswith("_")]
    assert len(pages) >= 9
    return sorted(pages)


def test_from_files(book: Path, page: Page, heard: Heard) -> None:
    for name in pages_of(book):
        page.goto((book / f"{name}.html").as_uri())
        page.wait_for_load_state("networkidle")
        page.wait_for_function("!document.querySelector('.wt-plot:not([data-drawn])')")
        assert page.locator(".katex-error").count() == 0, name
    assert {urlsplit(each.url).scheme for each in heard.requests} <= {"file", "data", "blob"}


def test_live(book: Path, live_server: StartServer, page: Page, heard: Heard) -> None:
    server = live_server(book, root=PROJECT)
    windows = [page, *(page.context.new_page() for _ in range(AT_ONCE - 1))]
    names, live = pages_of(book), 0
    for first in range(0, len(names), AT_ONCE):
        opened = list(zip(windows, names[first : first + AT_ONCE], strict=False))
        for window, name in opened:
            window.goto(server.page(name))
        for window, _ in opened:
            if window.locator("#wt-cells").count():
                state(window, "live")
                live += 1
            window.wait_for_load_state("networkidle")
    assert live >= 4
    assert not heard.foreign
