"""The built book's pages as they are on paper: chapters of the PDF and of the EPUB.

A Chromium opens each page from its file, as a reader would who is about to print it. Then the
figures are there as pictures, formulas are set, what was folded is open, and solutions stand at the
end; setup/paper.js takes the page's article from there. Nothing is asked of another host.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml
from browser import FLAGS, found
from install import ROOT
from playwright.sync_api import Browser, sync_playwright

from book import SITE

TITLE = "Wall Time"
AUTHORS = "The Wall Time authors"
SUBTITLE = "How a web server spends its time"
RIGHTS = "Text, figures and recordings CC BY 4.0, code BSD 3-Clause"
FOR_SCREENS = {"my-progress"}  # pages that are nothing without a script
SCRIPT = Path(__file__).with_name("paper.js")
PATIENCE_MS = 60_000.0  # for one page; a busy machine is slow


class CannotPrint(Exception):
    """Says in one sentence what is in the way and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One page of the book, as XHTML whose ids no other chapter has."""

    slug: str  # its id, such as one-core
    part: str  # "CPU time"; empty before the first part
    title: str
    body: str


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser that `setup/browser.py` finds. CannotPrint without one."""
    path = found()
    if path is None:
        raise CannotPrint(
            "The book is printed by Chromium or Chrome and there is none here: install one (on "
            "Debian `apt install chromium`), or name yours in BROWSER_PATH."
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def chapters(browser: Browser, *, width: str, drawn: bool) -> list[Chapter]:
    """Every page of the book in order, with its figures' pictures of that width, "wide" or
    "narrow". Formulas as the page draws them, or else as MathML.

    CannotPrint for a page that isn't there, or has a figure without a picture.
    """
    names = [(part, name) for part, name in contents() if name not in FOR_SCREENS]
    slugs = {_file(name).as_uri().removeprefix("file://"): _slug(name) for _, name in names}
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, color_scheme="light", offline=True
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.emulate_media(media="print")
    made = []
    for part, name in names:
        if not _file(name).is_file():
            raise CannotPrint(f"{_file(name)}: there is no such page. Build the book: `make book`.")
        page.goto(_file(name).as_uri())
        page.wait_for_function("document.readyState == 'complete'")
        told = page.evaluate(SCRIPT.read_text("utf-8"), [_slug(name), slugs, f"wt-{width}", drawn])
        if told["missing"]:
            raise CannotPrint(f"{name}: a figure has no picture. Run `make figures`.")
        made.append(
            Chapter(
                slug=_slug(name),
                part=part,
                title=told["title"].removesuffix("#").strip(),
                body=told["body"],
            )
        )
    context.close()
    return made


def contents() -> list[tuple[str, str]]:
    """Each page of the book in order: the name of its part, empty before the first, and its own
    name, such as 1-cpu-time/one-core."""
    written = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    pages = [("", written["root"])]
    for part in written["parts"]:
        pages += [(part.get("caption", ""), each["file"]) for each in part["chapters"]]
    return pages


def _file(name: str) -> Path:
    return SITE / f"{name}.html"


def _slug(name: str) -> str:
    return name.rpartition("/")[2]
