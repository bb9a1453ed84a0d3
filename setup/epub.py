"""Make the whole book as _build/wall-time.epub: `make epub`.

    .venv/bin/python setup/epub.py

An EPUB 3 of the built book's own pages, with figures as SVG and formulas as MathML. (Sphinx has an
EPUB builder, but it knows no MathML, folds solutions away where a reader has no script to unfold
them, and would set all cells and scenes a second time.)
"""

from __future__ import annotations

import re
import sys
import uuid
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from install import ROOT
from markupsafe import Markup
from paper import AUTHORS, RIGHTS, SUBTITLE, TITLE, CannotPrint, Chapter, chapters, chromium

from book import BUILD

EPUB = BUILD / "wall-time.epub"
HOME = "https://github.com/wall-time/wall-time"
WEB = ROOT / "book" / "web"
FONTS = ("source-sans-3-latin-wght-normal.woff2", "source-sans-3-greek-wght-normal.woff2")
LINK = re.compile(r'href="#([a-z0-9-]+?)(--[^"]*)?"')
PROPERTIES = {"mathml": "<math", "svg": "<svg"}  # that a file has to own up to

CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/content.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>
"""
PAGE = Markup(
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
    'lang="en-GB" xml:lang="en-GB"><head><title>{}</title>'
    '<link rel="stylesheet" type="text/css" href="epub.css"/></head>\n<body>{}</body></html>\n'
)
PACKAGE = Markup(
    """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en-GB">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{id}</dc:identifier>
<dc:title>{title}</dc:title>
<dc:creator>{authors}</dc:creator>
<dc:language>en-GB</dc:language>
<dc:description>{about}</dc:description>
<dc:rights>{rights}</dc:rights>
<dc:source>{home}</dc:source>
<meta property="dcterms:modified">{now:%Y-%m-%dT%H:%M:%SZ}</meta>
<meta property="schema:accessMode">textual</meta>
<meta property="schema:accessMode">visual</meta>
<meta property="schema:accessibilityFeature">MathML</meta>
<meta property="schema:accessibilityFeature">alternativeText</meta>
<meta property="schema:accessibilityFeature">tableOfContents</meta>
<meta property="schema:accessibilityHazard">none</meta>
</metadata>
<manifest>
{manifest}
</manifest>
<spine>
{spine}
</spine>
</package>
"""
)


def main() -> int:
    """Exit code 0 after writing the EPUB, 1 after a sentence on standard error."""
    try:
        with chromium() as browser:
            found = chapters(browser, width="narrow", drawn=False)
    except CannotPrint as problem:
        print(problem, file=sys.stderr)
        return 1
    write(EPUB, found)
    size = EPUB.stat().st_size / 1e6
    print(f"{EPUB.relative_to(ROOT)}: {len(found)} chapters, {size:.1f} MB.")
    return 0


def write(path: Path, found: Sequence[Chapter]) -> None:
    """Write the EPUB of these chapters."""
    pages = {f"{each.slug}.xhtml": _page(each) for each in found}
    pages = {"title.xhtml": _title_page(), "nav.xhtml": _contents(found), **pages}
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)  # first, and plain
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("book/content.opf", _package(pages))
        for name, text in pages.items():
            archive.writestr(f"book/{name}", text)
        archive.writestr("book/epub.css", (WEB / "epub.css").read_bytes())
        for font in FONTS:
            archive.writestr(f"book/fonts/{font}", (WEB / "lib" / "fonts" / font).read_bytes())


def _page(chapter: Chapter) -> Markup:
    """Make a chapter a file of its own; its links lead to the others' files."""
    body = LINK.sub(lambda link: f'href="{link[1]}.xhtml#{link[1]}{link[2] or ""}"', chapter.body)
    section = Markup('<section id="{}" epub:type="chapter">{}</section>')
    return PAGE.format(chapter.title, section.format(chapter.slug, Markup(body)))


def _title_page() -> Markup:
    words = Markup(
        '<section class="wt-title" epub:type="titlepage"><h1>{}</h1><p>{}</p><p>{}</p><p>{}</p>'
        "</section>"
    ).format(TITLE, SUBTITLE, AUTHORS, RIGHTS)
    return PAGE.format(TITLE, words)


def _contents(found: Sequence[Chapter]) -> Markup:
    """Make the table of contents, by parts, as readers show it too."""
    parts: dict[str, list[Chapter]] = {}
    for each in found:
        parts.setdefault(each.part, []).append(each)
    rows = Markup("")
    for part, inside in parts.items():
        links = Markup("").join(
            Markup('<li><a href="{}.xhtml">{}</a></li>').format(each.slug, each.title)
            for each in inside
        )
        rows += Markup("<li><span>{}</span><ol>{}</ol></li>").format(part, links) if part else links
    nav = Markup('<nav epub:type="toc" id="toc"><h1>Contents</h1><ol>{}</ol></nav>').format(rows)
    return PAGE.format("Contents", nav)


def _package(pages: dict[str, Markup]) -> Markup:
    item = Markup('<item id="{}" href="{}" media-type="{}"{}/>')
    rows, spine = [], []
    for name, text in pages.items():
        id = name.removesuffix(".xhtml")
        has = [word for word, sign in PROPERTIES.items() if sign in text]
        has += ["nav"] if id == "nav" else []
        said = Markup(' properties="{}"').format(" ".join(has)) if has else ""
        rows.append(item.format(id, name, "application/xhtml+xml", said))
        spine.append(Markup('<itemref idref="{}"/>').format(id))
    rows.append(item.format("epub-css", "epub.css", "text/css", ""))
    for number, font in enumerate(FONTS):
        rows.append(item.format(f"font-{number}", f"fonts/{font}", "font/woff2", ""))
    return PACKAGE.format(
        id=uuid.uuid5(uuid.NAMESPACE_URL, HOME),
        title=TITLE,
        authors=AUTHORS,
        about=SUBTITLE,
        rights=RIGHTS,
        home=HOME,
        now=datetime.now(UTC),
        manifest=Markup("\n").join(rows),
        spine=Markup("\n").join(spine),
    )


if __name__ == "__main__":
    sys.exit(main())
