"""A built site on a website: what was read once opens without a network."""

import os
import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from waiting import eventually

from labs.site.build import offline

PAGE = "chapter/lab.html"
KEPT_S = 30.0
KEPT = """async ([address, words]) => {
  const styles = document.querySelector('link[rel=stylesheet]').href;
  const { active } = await navigator.serviceWorker.ready;
  if (active?.state !== 'activated') return false;
  const names = (await caches.keys()).filter((name) => name.startsWith('wall-time '));
  if (names.length !== 1) return false;
  const cache = await caches.open(names[0]);
  const page = await cache.match(address);
  return Boolean(page && (await page.text()).includes(words) && (await cache.match(styles)));
}"""


class Website:
    """A site on a port that stays its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._port = 0

    def open(self) -> None:
        handler = partial(Quiet, directory=str(self.folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), handler)
        self._port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def website(site: Path, tmp_path: Path) -> Iterator[Website]:
    made = Website(Path(shutil.copytree(site, tmp_path / "site")))
    hour_ago = time.time() - 3600  # so that a browser takes it for lasting
    os.utime(made.folder / PAGE, (hour_ago, hour_ago))
    made.open()
    yield made
    made.close()


def wait_until_kept(page: Page, address: str, words: str) -> None:
    """`wait_for_function` would take the promise itself for true."""
    eventually(lambda: page.evaluate(KEPT, [address, words]), KEPT_S, "the page in the cache")


@pytest.mark.extended
def test_a_page_opens_offline_and_a_new_build_replaces_it(page: Page, website: Website) -> None:
    address = f"{website.address}/{PAGE}"
    page.goto(address)
    wait_until_kept(page, address, "You see recorded runs.")
    website.close()
    try:
        page.reload()
        expect(page.locator("html[data-labs=static]")).to_be_attached()
        assert page.evaluate(
            "[...document.styleSheets].some(({ href, cssRules }) =>"
            " href?.includes('book.css') && cssRules.length > 100)"
        )
    finally:
        rebuild(website.folder, "You see recorded runs.", "Another build.")
        website.open()
    page.goto(address)
    expect(page.locator(".wt-status")).to_contain_text("Another build.")
    wait_until_kept(page, address, "Another build.")
    website.close()
    try:
        page.reload()
        expect(page.locator(".wt-status")).to_contain_text("Another build.")
    finally:
        website.open()


def rebuild(site: Path, was: str, now: str) -> None:
    """As a build would that has found other words."""
    file = site / PAGE
    before = offline.build(site)
    file.write_text(file.read_text("utf-8").replace(was, now), "utf-8")
    worker = site / offline.NAME
    text = worker.read_text("utf-8")
    assert before in text
    worker.write_text(text.replace(before, offline.build(site)), "utf-8")


def test_a_first_page_keeps_its_letters_and_the_next_has_the_book_s(
    page: Page, website: Website
) -> None:
    """They are fetched meanwhile: what one reads doesn't jump."""
    plain = page.locator("html.wt-plain")
    page.goto(f"{website.address}/{PAGE}")
    fetched = "localStorage.getItem('wall-time-letters') === 'here'"
    page.wait_for_function(fetched)
    expect(plain).to_have_count(1)
    page.reload()
    expect(plain).to_have_count(0)


def test_a_file_asks_for_no_worker(site: Path, page: Page) -> None:
    page.goto((site / PAGE).as_uri())
    expect(page.locator("html[data-labs=static]")).to_be_attached()
    count = "navigator.serviceWorker?.getRegistrations().then(all => all.length, () => 0) ?? 0"
    assert page.evaluate(count) == 0


def test_a_run_s_sentence_leads_to_its_row_in_my_numbers_differ(book: Path, page: Page) -> None:
    with closing(Website(book)) as site:
        site.open()
        page.goto(f"{site.address}/1-cpu-time/how-many-workers.html")
        page.get_by_role("button", name="Skip", exact=True).first.click()
        page.get_by_text("More about this run").first.click()
        said = page.locator("p", has_text=re.compile(r"met all \d+ points")).first
        said.get_by_role("link", name="What this means").click()
        expect(page.locator("tr:has(:target)")).to_contain_text("“met all … points")
        expect(page.locator("tr:has(:target)")).to_be_in_viewport()
