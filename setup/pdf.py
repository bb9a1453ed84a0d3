"""Print the whole book into _build/wall-time.pdf: `make pdf`.

    .venv/bin/python setup/pdf.py

All chapters stand in one document, so that links lead from one to the other. Chromium prints it
twice: only then it is known on which page a chapter begins, for the table of contents.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO

from markupsafe import Markup
from paper import AUTHORS, RIGHTS, SUBTITLE, TITLE, CannotPrint, Chapter, chapters, chromium
from playwright.sync_api import Browser
from pypdf import PdfReader

from book import BUILD, SITE

PDF = BUILD / "wall-time.pdf"
DOCUMENT = BUILD / "wall-time.html"  # what is printed; beside the site, whose styles it has
WIDTH = 589  # of the text, in pixels: A4 less the margins of paper.css
STYLES = (
    *("styles/theme.css", "styles/pydata-sphinx-theme.css", "pygments.css"),
    *("styles/sphinx-book-theme.css", "sphinx-design.min.css", "scenes.css", "wall-time.css"),
    *("lib/math.css", "paper.css", "pdf.css"),
)
PATIENCE_MS = 300_000.0


def main() -> int:
    """Exit code 0 after writing the PDF, 1 after a sentence on standard error."""
    try:
        with chromium() as browser:
            found = chapters(browser, width="wide", drawn=True)
            first = printed(browser, document(found, {}))
            pages = beginnings(first, found)
            last = printed(browser, document(found, pages))
        if beginnings(last, found) != pages:
            raise CannotPrint("Page numbers moved when they were written into the contents.")
    except CannotPrint as problem:
        print(problem, file=sys.stderr)
        return 1
    PDF.write_bytes(last)
    count = len(PdfReader(BytesIO(last)).pages)
    print(f"{PDF.relative_to(BUILD.parent)}: {count} pages, {len(last) / 1e6:.1f} MB.")
    return 0


def document(found: Sequence[Chapter], pages: Mapping[str, int]) -> str:
    """Join all chapters in one HTML page, after a title and the contents with page numbers."""
    link = Markup('<link rel="stylesheet" href="{}/_static/{}">')
    styles = Markup("").join(link.format(SITE.name, name) for name in STYLES)
    body = Markup("").join(
        Markup('<section class="wt-chapter" id="{0}" style="page: {0}">{1}</section>\n').format(
            each.slug, Markup(each.body)
        )
        for each in found
    )
    return Markup(
        '<!doctype html>\n<html lang="en-GB" data-theme="light"><head><meta charset="utf-8">'
        "<title>{}</title>{}<style>{}</style></head>\n<body>{}{}"
        '<div class="bd-main"><div class="bd-content"><div class="bd-article-container">'
        '<article class="bd-article">{}</article></div></div></div></body></html>\n'
    ).format(TITLE, styles, _heads(found), _title_page(), _contents(found, pages), body)


def _heads(found: Sequence[Chapter]) -> Markup:
    """Put a head over the pages of each chapter."""
    words = ((each.slug, each.title.replace("\\", "").replace('"', "”")) for each in found)
    return Markup("\n").join(
        Markup('@page {} {{ @top-left {{ content: "{}"; }} }}').format(slug, Markup(title))
        for slug, title in words
    )


def _title_page() -> Markup:
    today = datetime.now(UTC)
    return Markup(
        '<section class="wt-title"><h1>{}</h1><p>{}</p><p>{}<br>{:%d %B %Y}</p><p>{}</p></section>'
    ).format(TITLE, SUBTITLE, AUTHORS, today, RIGHTS)


def _contents(found: Sequence[Chapter], pages: Mapping[str, int]) -> Markup:
    rows, part = [], ""
    for each in found:
        if each.part != part:
            part = each.part
            rows.append(Markup('<p class="wt-part">{}</p>').format(part))
        row = Markup('<p><a href="#{}"><span>{}</span> <span>{}</span></a></p>')
        rows.append(row.format(each.slug, each.title, pages.get(each.slug, 0)))
    listed = Markup("\n").join(rows)
    return Markup('<nav class="wt-contents"><h1>Contents</h1>{}</nav>').format(listed)


def printed(browser: Browser, text: str) -> bytes:
    """Print an HTML page as a PDF."""
    DOCUMENT.write_text(text, "utf-8")
    context = browser.new_context(viewport={"width": WIDTH, "height": 900}, offline=True)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.emulate_media(media="print")
    page.goto(DOCUMENT.as_uri())
    page.evaluate("() => document.fonts.ready.then(() => true)")
    made = page.pdf(prefer_css_page_size=True, outline=True, tagged=True)
    context.close()
    return made


def beginnings(pdf: bytes, found: Sequence[Chapter]) -> dict[str, int]:
    """Find the page on which each chapter begins, the first being 1."""
    reader = PdfReader(BytesIO(pdf))
    places = {name.removeprefix("/"): place for name, place in reader.named_destinations.items()}
    pages: dict[str, int] = {}
    for each in found:
        if each.slug not in places:
            raise CannotPrint(f"{each.title}: Chromium did not say on which page it begins.")
        number = reader.get_destination_page_number(places[each.slug])
        pages[each.slug] = 1 + (number if number is not None else -1)
    return pages


if __name__ == "__main__":
    sys.exit(main())
