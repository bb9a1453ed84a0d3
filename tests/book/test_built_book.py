"""The built site: nothing half-done on its pages, no link broken, every number a recording's."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import Tag
from chapters import ROOT, Page, article, build, chapters, each_chapter, each_page, pages, soup

from labs.site.build.formulas import FORMULA

pytestmark = [pytest.mark.chapters, pytest.mark.timeout(180)]


ELSEWHERE = """
import os
os.sched_getaffinity = lambda process: set(range(16))
"""  # run before all else of a Python that finds it as `sitecustomize`


@pytest.mark.extended
@pytest.mark.timeout(400)
def test_build_is_a_function_of_the_sources_alone(book: Path, tmp_path: Path) -> None:
    """Built again in another folder and home, by somebody with sixteen cores, another time zone and
    locale, and no program but Python, the site is the same to the byte."""
    folder = tmp_path / "elsewhere"
    for name in ("setup", "labs", "workloads", "book"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__")
        )
    for name in ("_config.yml", "_toc.yml", "requirements.txt"):
        shutil.copy(ROOT / name, folder)
    (tmp_path / "sitecustomize.py").write_text(ELSEWHERE)
    env = {"PATH": str(tmp_path), "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    env |= {"TZ": "Pacific/Kiritimati", "LC_ALL": "C"}
    command = [sys.executable, "setup/book.py"]
    built = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    there = folder / "_build/html"

    def differ(file: str) -> bool:
        return (there / file).read_bytes() != (book / file).read_bytes()

    files = {str(file.relative_to(book)) for file in book.rglob("*") if file.is_file()}
    assert files == {str(file.relative_to(there)) for file in there.rglob("*") if file.is_file()}
    assert [file for file in sorted(files) if differ(file)] == []


@each_page
def test_nothing_is_left_undone_on_a_page(book: Path, page: Page) -> None:
    text = article(book / f"{page.name}.html")
    assert not text.select(".problematic, .system-message, .traceback")
    assert not re.search(r"\{\w+\}`|\$\$|:::|```|Traceback", text.get_text())


def test_no_page_needs_a_script_for_its_formulas(book: Path) -> None:
    """`make formulas` has set them all; a page with a new one would load 78 KB for it."""
    left = {
        found["words"]
        for file in book.rglob("*.html")
        for found in FORMULA.finditer(file.read_text("utf-8"))
        if found["words"].strip()
    }
    assert left == set()
    for page in pages():
        assert not soup(book / f"{page.name}.html").select("script[src*='lib/math.js']"), page.name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_code_has_the_theme_s_own_colours(book: Path, theme: str) -> None:
    """Sphinx writes others first, which are too pale to read."""
    styles = (book / "_static/book.css").read_text("utf-8")
    assert f'html[data-theme="{theme}"] .highlight .nn {{' in styles
    assert not re.search(r"[\n}]\.highlight \.nn ?\{", styles)


def test_the_one_style_sheet_has_what_it_imports_and_finds_its_files(book: Path) -> None:
    styles = (book / "_static/book.css").read_text("utf-8")
    assert "@import" not in styles
    files = re.findall(r"url\([\"']?(?!data:|#)([^\"')]+)", styles)
    assert len(files) > 10 and all((book / "_static" / file).is_file() for file in files)


def test_each_derivation_is_checked_within_its_fold(book: Path) -> None:
    """By a cell that counts, throws dice or simulates; and cells keep their order on the page, by
    which the page's script knows them."""
    checked = 0
    for page in chapters():
        shown = soup(book / f"{page.name}.html")
        folds = [
            fold
            for fold in shown.select("details.sd-dropdown")
            if fold.select("summary")[0].get_text().strip().startswith("Why: ")
        ]
        assert len(folds) == page.text.count("{dropdown} Why: ")
        for fold in folds:
            assert fold.select(".sd-card-body > .cell.tag_lab .output"), fold.summary
        cells = json.loads(shown.select("script#wt-cells")[0].get_text())["cells"]
        sources = [cell["source"].split() for cell in cells if cell["lab"]]
        inputs = [
            cell.select(".cell_input")[0].get_text().split() for cell in shown.select(".tag_lab")
        ]
        assert inputs == sources
        for line in "\n".join(
            each.get_text() for fold in folds for each in fold.select(".output.stream")
        ).splitlines():
            if found := re.search(r"([\d.]+)[^,\d]*,.*?([\d.]+) by the law", line):
                assert float(found[1]) == pytest.approx(float(found[2]), rel=0.05), line
                checked += 1
    assert checked >= sum(page.text.count("{dropdown} Why: ") for page in chapters()) - 1


@each_page
def test_a_page_links_to_what_is_there(book: Path, page: Page) -> None:
    file = book / f"{page.name}.html"
    for link in article(file).select("a[href]"):
        address = urlsplit(str(link["href"]))
        if address.scheme in ("data", "https"):
            continue  # a table to take away, whole in the link; or what other software says
        assert not address.scheme and not address.netloc, link
        target = (file.parent / unquote(address.path)).resolve() if address.path else file
        assert target.is_file(), link
        if address.fragment and target.suffix == ".html":
            assert soup(target).find(id=unquote(address.fragment)), link


def test_my_progress_leads_to_exercises_that_are_there(book: Path) -> None:
    (data,) = article(book / "my-progress.html").select(".wt-progress script")
    known = json.loads(data.text)["chapters"]
    assert any(chapter["places"] for chapter in known)
    for chapter in known:
        for name, place in chapter["places"].items():
            page, _, section = place.partition("#")
            assert section and soup(book / page).find(id=section), name


@each_page
def test_what_is_drawn_is_also_said(book: Path, page: Page) -> None:
    text = article(book / f"{page.name}.html")
    for image in text.select("img"):
        assert image.get("alt"), image
    for drawing in text.select("svg:not([aria-hidden=true], .katex svg)"):  # a root's sign
        words = drawing.get("aria-label") or " ".join(
            drawing.find(id=id).get_text() for id in labels(drawing)
        )
        assert len(words) > 80, drawing
    for figure in text.select("figure"):
        assert figure.find("figcaption") or figure.get("aria-label"), figure
    plots = text.select("figure.wt-recorded[aria-label]")
    for mark in (bool(text.select("details.wt-data")), "Recorded on: " in text.get_text()):
        assert mark == bool(plots)
    assert all(len(plot.select(".wt-picture > svg")) == 2 for plot in plots)  # wide and narrow
    assert bool(plots) == (page in chapters() or page.slug in ("classics", "your-own-server"))


def labels(drawing: Tag) -> list[str]:
    return str(drawing["aria-labelledby"]).split()


@each_page
def test_a_page_waits_for_one_style_sheet_and_for_no_script(book: Path, page: Page) -> None:
    whole = soup(book / f"{page.name}.html")
    sheets = [
        str(link["href"])
        for link in whole.select("link[rel=stylesheet]")
        if link.get("media") != "print"
    ]
    assert len(sheets) == 1 and re.search(r"_static/book\.css\?v=[0-9a-f]{8}$", sheets[0])
    assert not [script for script in whole.select("script[src]") if not script.has_attr("defer")]
    assert not whole.select("link[rel=preload][as=script]")


@each_chapter
def test_nothing_moves_when_the_page_begins_to_speak(book: Path, page: Page) -> None:
    """Its line of state stands below the title from the first, and pictures have their room."""
    text = article(book / f"{page.name}.html")
    title, status = text.select("h1, .wt-status")
    assert title.name == "h1" and "You see recorded runs." in status.get_text()
    for image in text.select("img"):
        assert image.get("width") and image.get("height"), image


@each_chapter
def test_an_exercise_is_a_section_with_its_field_and_folded_words(book: Path, page: Page) -> None:
    places = "#try-it-yourself > section, #more-exercises > details:not([open]) > section"
    sections = article(book / f"{page.name}.html").select(places)
    rows = page.exercises
    headings = [each.h3.get_text() for each in sections if each.h3]
    assert [each.partition(" · ")[0] for each in headings] == [row.id for row in rows]
    for section, row in zip(sections, rows, strict=True):
        places = [each["data-exercise"] for each in section.select(".wt-asked")]
        assert places == [row.id] * (row.answer is not None), row.id
        folded = [each["class"] for each in section.select("details.hint, details.solution")]
        assert folded[0] == ["hint"] and folded[-1] == ["solution"], row.id
        assert not section.select("details[open]")


CONF = """
extensions = ["myst_nb", "labs.site.roles"]
myst_enable_extensions = ["dollarmath"]
nb_execution_mode = "off"
root_doc = "many-cores"
"""


@pytest.mark.extended
def test_what_is_wrong_in_an_exercise_fails_the_build_with_its_line(tmp_path: Path) -> None:
    """Sphinx alone, with the directives and one chapter's exercises."""
    (page,) = [page for page in chapters() if page.slug == "many-cores"]
    front = page.text[: page.text.index("\n# ")]
    text = front + "\n# 3\n\n" + page.asked
    text = text.replace("They measure {response_ms} ms", "They measure {respons_ms} ms")
    lines = text.replace("busy(8)`", "busy(9)`").splitlines()
    (tmp_path / "many-cores.md").write_text("\n".join(lines))
    complaints = build(tmp_path, CONF).splitlines()
    told = [each.partition("many-cores.md:")[2] for each in complaints]
    wrong = {
        "measure {respons_ms} ms": "3.3: ",
        "busy(9)`": "{measured}`cores_busy(9)`: users=9",
    }
    assert len(told) == len(wrong)
    for each, (mark, said) in zip(told, wrong.items(), strict=True):
        (line,) = [at for at, text in enumerate(lines, 1) if mark in text]
        assert each.startswith(f"{line}: WARNING: {said}")
