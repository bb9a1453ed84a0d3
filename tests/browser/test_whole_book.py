"""Every page of the book itself: from a file and live, it asks no other host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from conftest import Heard, StartServer
from labs_on_page import state
from playwright.sync_api import Page
from serving import PROJECT

from labs.recordings.pages import chapters

pytestmark = pytest.mark.timeout(240)

AT_ONCE = 3  # windows, each with a Python of its own


def pages_of(book: Path) -> list[str]:
    """Names of the pages, such as 1-cpu-time/one-core."""
    files = [file.relative_to(book) for file in book.rglob("*.html")]
    pages = [str(file.with_suffix("")) for file in files if not file.parts[0].startswith("_")]
    assert len(pages) >= 9
    return sorted(pages)


def test_from_files(book: Path, page: Page, heard: Heard) -> None:
    for window, name in opened(page, {n: (book / f"{n}.html").as_uri() for n in pages_of(book)}):
        window.wait_for_function("!document.querySelector('.wt-plot:not([data-drawn])')")
        assert window.locator(".katex-error").count() == 0, name
    assert {urlsplit(each.url).scheme for each in heard.requests} <= {"file", "data", "blob"}


def test_live(book: Path, live_server: StartServer, page: Page, heard: Heard) -> None:
    server = live_server(book, root=PROJECT)
    live = 0
    for window, _ in opened(page, {name: server.page(name) for name in pages_of(book)}):
        if window.locator("#wt-cells").count():
            state(window, "live")
            live += 1
    assert live >= len(chapters())
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
