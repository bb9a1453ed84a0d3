"""A built site on a website."""

import re
from contextlib import AbstractContextManager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from answering import at_work
from playwright.sync_api import Page, expect


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def website(folder: Path) -> AbstractContextManager[str]:
    """Serve a site; its address."""
    return at_work(ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)))


def test_a_first_page_keeps_its_letters_and_the_next_has_the_book_s(page: Page, site: Path) -> None:
    """They are fetched meanwhile: what one reads doesn't jump."""
    plain = page.locator("html.wt-plain")
    with website(site) as address:
        page.goto(f"{address}/chapter/lab.html")
        page.wait_for_function("localStorage.getItem('wall-time-letters') === 'here'")
        expect(plain).to_have_count(1)
        page.reload()
        expect(plain).to_have_count(0)


def test_a_run_s_sentence_leads_to_its_row_in_my_numbers_differ(book: Path, page: Page) -> None:
    with website(book) as address:
        page.goto(f"{address}/1-cpu-time/how-many-workers.html")
        page.get_by_role("button", name="Skip", exact=True).first.click()
        more = page.get_by_text("More about this run").first
        more.evaluate("(it) => it.insertAdjacentHTML('afterend', `<p>The backend's answer took`)")
        more.click()
        with_apostrophe = page.locator("p", has_text="The backend's answer took")
        expect(with_apostrophe.get_by_role("link", name="What this means")).to_be_visible()
        said = page.locator("p", has_text=re.compile(r"met all \d+ points")).first
        said.get_by_role("link", name="What this means").click()
        expect(page.locator("tr:has(:target)")).to_contain_text("“met all … points")
        expect(page.locator("tr:has(:target)")).to_be_in_viewport()
