"""The built site without a server: whole, quiet and from a file."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
from conftest import Heard
from labs_on_page import lab, one_picture, state
from playwright.sync_api import Page, expect

CHAPTERS = ("1-cpu-time/many-cores", "2-wait-time/prefork", "appendix/classics")
SCRIPT = 250_000  # bytes, gzipped, that a chapter may load


def test_from_a_file(site: Path, page: Page) -> None:
    page.goto((site / "chapter/lab.html").as_uri())
    state(page, "static")
    expect(page.locator(".wt-status button")).to_be_hidden()
    for number in (1, 2):
        expect(lab(page, number).locator(".wt-recorded .point")).to_have_count(3)
    figure = lab(page).get_by_role("figure", name="first: three points on a line.")
    expect(figure).to_contain_text("Recorded on a machine that never was.")
    lab(page).get_by_text("Show the code").click()
    expect(lab(page).locator("pre")).to_have_text('lab("first")\n')


def test_a_search_shows_a_formula_once_and_no_headings(book: Path, page: Page) -> None:
    page.goto((book / "search.html").as_uri())
    html = (book / "1-cpu-time/many-cores.html").read_text("utf-8")
    assert "grows by 1/D with each" in page.evaluate("html => Search.htmlToText(html)", html)
    html = (book / "appendix/questions.html").read_text("utf-8")
    shown = page.evaluate("html => Search.htmlToText(html, '#load-generators')", html)
    assert "That figure is X·R" in shown and "siege says" not in shown


ASKED = {
    "502": "502",
    "QueuePool": "QueuePool",
    "connection pool exhausted": "connection pool",
    "slower than Flask": "Flask",
    "retry": "retries",
    "RPS doesn't rise": "RPS rise",
    "p99 terrible, CPU 20 %": "p99",
    "our p99 is terrible but CPU is 20 %": "p99",
    "how many gunicorn workers": "gunicorn workers",
}  # what is typed -> words of the question whose answer is wanted


def test_a_search_finds_the_question_among_the_first_three(book: Path, page: Page) -> None:
    for typed, wanted in ASKED.items():
        page.goto((book / "search.html").as_uri() + f"?q={quote(typed)}")
        found = page.locator("#search-results li a")
        expect(found.first).to_be_visible()
        expect(page.locator("#search-results h2")).to_have_text("Search Results")
        first = [each.inner_text() for each in found.all()[:3]]
        assert any("Questions people ask" in each and wanted in each for each in first), first


@pytest.mark.parametrize(
    ("typed", "meant", "leads"),
    [
        ("utilistaion", "utilisation", "glossary.html#term-utilisation"),
        ("somebdy elzes ceilling", "0.1 · Somebody else’s ceiling", "#somebody-else-s-ceiling"),
        ("xyzzyplugh", None, None),
    ],
)
def test_a_search_that_finds_nothing_offers_what_may_be_meant(
    book: Path, page: Page, typed: str, meant: str | None, leads: str | None
) -> None:
    page.goto((book / "search.html").as_uri())
    page.locator("main .bd-search input").fill(typed)
    page.keyboard.press("Enter")
    expect(page.locator("#search-results")).to_contain_text("did not match any documents")
    offered = page.locator("#search-results a")
    if meant is None:
        expect(offered).to_have_count(0)
    else:
        expect(offered).to_have_text(meant)
        offered.click()
        expect(page).to_have_url(re.compile(re.escape(leads or "")))
        expect(page.locator("article h1")).to_be_visible()


def test_what_is_typed_into_a_search_is_not_under_its_glass(site: Path, page: Page) -> None:
    page.goto((site / "search.html").as_uri())
    field = page.locator("main .bd-search input")
    glass = page.locator("main .bd-search .fa-magnifying-glass").bounding_box()
    box = field.bounding_box()
    assert glass and box and glass["width"] > 0
    padding = field.evaluate("node => parseFloat(getComputedStyle(node).paddingLeft)")
    assert glass["x"] + glass["width"] <= box["x"] + padding


def test_all_numbers_of_a_table_stand_in_line(book: Path, page: Page) -> None:
    page.goto((book / "3-real-applications/which-limit.html").as_uri())
    aligned = page.evaluate(
        """() => [...document.querySelectorAll('.wt-data .wt-table tr')]
          .map((row) => [...row.querySelectorAll('td:not(.wt-words, :first-child)')])
          .filter((cells) => cells.length > 1)
          .map((cells) => new Set(cells.map((cell) => getComputedStyle(cell).textAlign)).size)"""
    )
    assert aligned and set(aligned) == {1}


def test_a_chapter_is_light_and_has_its_figure_and_icons_at_once(
    book: Path, page: Page, heard: Heard
) -> None:
    for name in CHAPTERS:
        heard.requests.clear()
        page.goto((book / f"{name}.html").as_uri())
        expect(page.locator("figure.wt-recorded svg.wt-wide").first).to_be_attached()
        every_icon_is_drawn(page)
        page.wait_for_load_state("networkidle")
        asked = {unquote(urlsplit(each.url).path) for each in heard.requests}
        scripts = [Path(path) for path in asked if path.endswith(".js")]
        sizes = {file.name: len(gzip.compress(file.read_bytes())) for file in scripts}
        assert "page.js" in sizes and len(sizes) <= 12
        assert sum(sizes.values()) <= SCRIPT, sizes
        assert not {"plotly.js", "live.js", "fontawesome.js"} & sizes.keys()
        assert not [path for path in asked if re.search("fontawesome|fa-", path)]


def test_a_reader_who_points_at_a_figure_can_ask_its_points(book: Path, page: Page) -> None:
    page.goto((book / f"{CHAPTERS[0]}.html").as_uri())
    figure = page.locator("figure.wt-recorded").first
    page.get_by_role("button", name="Skip", exact=True).first.click()
    one_picture(figure)
    figure.get_by_role("button", name="Point at the values").focus()
    page.keyboard.press("Enter")
    expect(figure.locator(".scatterlayer .point").first).to_be_visible()
    expect(figure.locator(".wt-picture")).to_be_hidden()
    expect(figure.locator(".wt-plot")).to_be_focused()
    one_picture(figure)
    page.emulate_media(media="print")
    expect(figure.locator("svg.wt-wide")).to_be_visible()
    expect(figure.locator(".wt-plot")).to_be_hidden()

    page.emulate_media(media="screen")
    page.goto((book / f"{CHAPTERS[1]}.html").as_uri())
    page.get_by_role("button", name="Skip", exact=True).first.click()
    page.locator("figure.wt-recorded .wt-picture").first.hover()
    expect(page.locator("figure.wt-recorded .scatterlayer").first).to_be_visible()


@pytest.mark.parametrize(("width", "shown"), [(1280, "wide"), (390, "narrow")])
def test_without_scripts_figures_are_there(
    book: Path, another: Callable[..., Page], width: int, shown: str
) -> None:
    plain = another(java_script_enabled=False, viewport={"width": width, "height": 900})
    plain.goto((book / f"{CHAPTERS[0]}.html").as_uri())
    figures = plain.locator("figure.wt-recorded")
    expect(figures).to_have_count(2)  # the curves, and where the time went
    for figure in figures.all():
        expect(figure.locator(f"svg.wt-{shown}")).to_be_visible()
        expect(figure.locator("svg:visible")).to_have_count(1)


LYING_OVER = """() => [...document.body.querySelectorAll('*')].filter((node) => {
  const { position, display } = getComputedStyle(node);
  const { top, height, width } = node.getBoundingClientRect();
  const there = position === 'fixed' && display !== 'none' && height > 1 && width > 1;
  return there && top > 100 && top < innerHeight && node.checkVisibility();
}).map((node) => node.id || node.className)"""


def test_nothing_lies_over_the_text_of_who_goes_back_on_a_telephone(book: Path, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 740})
    page.goto((book / f"{CHAPTERS[0]}.html").as_uri())
    for place in (3000, 1500):
        page.evaluate("place => scrollTo({ top: place, behavior: 'instant' })", place)
        page.wait_for_function(
            "place => Math.abs(scrollY - place) < 200"
            " && new Promise((then) => requestAnimationFrame(() => then(true)))",
            arg=place,
        )
    assert page.evaluate(LYING_OVER) == []


ICONS = """nodes => nodes.map(node => {
  const { maskImage, webkitMaskImage } = getComputedStyle(node, '::before');
  return [node.className, (maskImage || webkitMaskImage).startsWith('url("data:image/svg')];
})"""


def every_icon_is_drawn(page: Page) -> None:
    shown = page.locator("i[class*=fa-]").evaluate_all(ICONS)
    assert len(shown) > 8 and all(drawn for _, drawn in shown), shown


def test_icons_of_the_first_page_and_the_search_are_drawn(book: Path, page: Page) -> None:
    for name in ("index", "search"):
        page.goto((book / f"{name}.html").as_uri())
        every_icon_is_drawn(page)


SOME_SET = """() => {
  document.body.innerHTML = '<p class="math"><span class="katex">set</span></p>'
    + '<p class="math">\\\\(Z\\\\)</p>';
}"""


def test_a_page_sets_its_new_formulas_and_leaves_the_others(book: Path, page: Page) -> None:
    page.goto((book / "404.html").as_uri())
    page.evaluate(SOME_SET)
    page.add_script_tag(url=(book / "_static/lib/math.js").as_uri())
    expect(page.locator(".math annotation")).to_have_text("Z")
    expect(page.locator(".math").first).to_have_text("set")
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('1em KaTeX_Main'))")
