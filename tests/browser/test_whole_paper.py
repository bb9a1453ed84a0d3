"""The whole book as a PDF and as an EPUB: `make pdf`, `make epub`."""

import re
import subprocess
import sys
import unicodedata
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import chapters
import pytest
from chapters import article
from playwright.sync_api import Browser
from pypdf import PdfReader
from pypdf.generic import ContentStream
from serving import PROJECT

from labs.exercises import catalogue
from labs.recordings.drawings import Drawing, drawings
from labs.recordings.recorder import cells

pytestmark = [pytest.mark.extended, pytest.mark.timeout(1200)]

PAGES = range(180, 420)  # of the PDF
SIZE = 30_000_000  # bytes
FOR_SCREENS = "my-progress"
XHTML = "{http://www.w3.org/1999/xhtml}"
MATHML = "{http://www.w3.org/1998/Math/MathML}"
SVG = "{http://www.w3.org/2000/svg}"
# Of the PDF's own HTML, as it is printed: what is wider than the text.
WIDER = """() => [...document.querySelectorAll('body *')].filter(each => {
  if (each.closest('.katex-mathml') || each.parentElement.closest('svg')) return false;
  const box = each.getBoundingClientRect();
  return box.width && (box.right > document.documentElement.clientWidth + 1.5 || box.left < -1.5);
}).map(each => `${each.closest('.wt-chapter')?.id}: ${each.outerHTML.slice(0, 120)}`)"""


@pytest.fixture(scope="module")
def pdf(book: Path) -> Path:
    return made("pdf")


@pytest.fixture(scope="module")
def epub(book: Path) -> Path:
    return made("epub")


def made(kind: str) -> Path:
    command = [sys.executable, str(PROJECT / f"setup/{kind}.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return PROJECT / f"_build/wall-time.{kind}"


@pytest.fixture(scope="module")
def read(pdf: Path) -> PdfReader:
    return PdfReader(pdf)


@pytest.fixture(scope="module")
def text(read: PdfReader) -> list[str]:
    """What each page says."""
    return [page.extract_text() for page in read.pages]


def shown() -> list[Drawing]:
    """The figures of the book; of a lab under other settings, a page that is read has none."""
    return drawings([cell.lab for cell in cells()])


def pages() -> list[str]:
    """Names of the book's pages in order, such as 1-cpu-time/one-core."""
    return [page.name for page in chapters.pages() if page.name != FOR_SCREENS]


def title(book: Path, name: str) -> str:
    heading = article(book / f"{name}.html").select_one("h1")
    assert heading is not None
    return heading.get_text().removesuffix("#").strip()


def bare(words: str) -> str:
    """Letters and digits only: a PDF has line ends and hyphens of its own."""
    return re.sub(r"[^A-Za-z0-9]", "", unicodedata.normalize("NFKC", words))


def solutions(book: Path, name: str) -> list[str]:
    """Of each solution of a page its longest words between two formulas, as they are read."""
    found = []
    for solution in article(book / f"{name}.html").select("details.solution"):
        said = [bare(each) for p in solution.select("p, li") for each in p.find_all(string=True)]
        found.append(max(said, key=len))
    return found


# -- the PDF ---------------------------------------------------------------------------------


def test_the_pdf_has_every_chapter_on_the_page_that_its_contents_say(
    book: Path, read: PdfReader, text: list[str], pdf: Path
) -> None:
    assert len(read.pages) in PAGES and pdf.stat().st_size < SIZE
    contents = text[1]  # after the title, and on one page
    for name in pages():
        words = title(book, name)
        (page,) = re.findall(rf"{re.escape(words)}\s*(\d+)$", contents, re.MULTILINE)
        first = [line for line in text[int(page) - 1].splitlines() if line.strip()]
        assert words in first[:4], name


def test_every_solution_is_in_the_pdf_at_the_end_of_its_chapter(
    book: Path, text: list[str]
) -> None:
    lines = [page.splitlines() for page in text]  # the first two are the chapter and the page
    whole = bare("".join("".join(page[2:]) for page in lines))
    asked, every = 0, catalogue.in_pages()
    for name in pages():
        rows = [row for row in every if row.page == name]
        found = solutions(book, name)
        assert len(found) >= len(rows), name  # a mystery has one too
        for said in found:
            # A page's end may lie within, with a table of the next one before the rest.
            assert said[:40] in whole or said[-40:] in whole, (name, said)
        asked += len(found)
    assert asked > 50
    headings = [line.strip() for page in lines for line in page]
    assert headings.count("Solutions") == len({row.page for row in every})


def test_no_glyph_of_the_pdf_is_missing(
    read: PdfReader, text: list[str], browser: Browser, tmp_path: Path
) -> None:
    """Neither in what is drawn, where a glyph without a shape is number 0, nor in what is read."""
    page = browser.new_page()
    page.set_content("<p>Nobody has drawn this: \ue123</p>")
    page.pdf(path=tmp_path / "missing.pdf")
    page.close()
    assert list(undrawn(PdfReader(tmp_path / "missing.pdf"))) == [1]  # else the rest proves nothing
    assert list(undrawn(read)) == []
    assert "\ufffd" not in "".join(text)


def undrawn(reader: PdfReader) -> Iterator[int]:
    """Pages on which a font's glyph 0 is drawn, .notdef."""

    def drawn(stream: Any, resources: Any) -> Iterator[bytes]:
        wide = False
        for operands, operator in ContentStream(stream, reader).operations:
            if operator == b"Tf":
                font = resources["/Font"][operands[0]].get_object()
                wide = font["/Subtype"] == "/Type0"
            elif operator in (b"Tj", b"TJ"):
                for each in operands[0] if operator == b"TJ" else operands:
                    raw = each if isinstance(each, bytes) else getattr(each, "original_bytes", b"")
                    step = 2 if wide else 1
                    yield from (raw[at : at + step] for at in range(0, len(raw), step))
            elif operator == b"Do":
                inner = resources["/XObject"][operands[0]].get_object()
                if inner["/Subtype"] == "/Form":
                    yield from drawn(inner, inner.get("/Resources", resources))

    for number, page in enumerate(reader.pages, 1):
        if any(not any(code) for code in drawn(page.get_contents(), page["/Resources"])):
            yield number


def test_the_pdf_has_every_figure_and_nothing_of_it_is_cut(pdf: Path, browser: Browser) -> None:
    """In the HTML that is printed: as wide as the text, without anything from another host."""
    context = browser.new_context(viewport={"width": 589, "height": 900}, offline=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.emulate_media(media="print")
    page.goto((PROJECT / "_build/wall-time.html").as_uri())
    page.evaluate("() => document.fonts.ready.then(() => true)")
    assert page.evaluate(WIDER) == []
    assert page.locator("figure.wt-recorded svg:visible").count() == len(shown())
    assert page.locator("figure.diagram svg:visible").count() > 10
    assert page.locator(".wt-scene-still svg:visible").count() > 8
    assert page.locator(".katex-error, button, input, details").count() == 0
    assert all(url.startswith(("file:", "data:")) for url in asked)
    broken = page.evaluate(
        "() => [...document.querySelectorAll('a[href^=\"#\"]')].map(each => "
        "decodeURIComponent(each.hash.slice(1))).filter(id => !document.getElementById(id))"
    )
    context.close()
    assert broken == []


def test_links_of_the_pdf_lead_to_its_own_pages(read: PdfReader) -> None:
    places = {name.removeprefix("/") for name in read.named_destinations}
    assert {name.rpartition("/")[2] for name in pages()} <= places
    for page in read.pages:
        for link in page.get("/Annots") or ():
            action = link.get_object().get("/A", {})
            assert not str(action.get("/URI", "")).startswith("file:"), action


# -- the EPUB --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(epub: Path) -> dict[str, ElementTree.Element]:
    """Its chapters, by their slugs."""
    with zipfile.ZipFile(epub) as archive:
        return {
            Path(name).stem: ElementTree.fromstring(archive.read(name))
            for name in archive.namelist()
            if name.endswith(".xhtml")
        }


def test_epubcheck_finds_nothing(epub: Path) -> None:
    sys.path.insert(0, str(PROJECT / "setup"))
    try:
        from system import epubcheck  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(PROJECT / "setup"))
    command = epubcheck()
    if command is None:
        pytest.skip("epubcheck is not here. Install it with: apt-get install epubcheck")
    done = subprocess.run([*command, str(epub)], capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "0 errors / 0 warnings" in said, said


def test_the_epub_has_every_chapter_figure_and_solution(
    book: Path, files: dict[str, ElementTree.Element]
) -> None:
    figures = 0
    for name in pages():
        chapter = files[name.rpartition("/")[2]]
        heading = chapter.find(f".//{XHTML}h1")
        assert heading is not None and "".join(heading.itertext()) == title(book, name)
        said = bare("".join(chapter.itertext()))
        for solution in solutions(book, name):
            assert solution in said, (name, solution)
        written = article(book / f"{name}.html")
        assert len(chapter.findall(f".//{MATHML}math")) == len(written.select(".math")), name
        recorded = [each for each in chapter.iter(f"{XHTML}figure") if each.get("data-figure")]
        assert all(len(list(each.iter(f"{SVG}svg"))) == 1 for each in recorded), name
        figures += len(recorded)
    assert figures == len(shown())
