"""The numbers in the book: recorded where they are ours, and true by the laws it teaches."""

import ast
import functools
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from chapters import Page, chapters, each_chapter, printed_rows, tables

from labs.kinds.registry import showing
from labs.kinds.sweep.record import Recording
from labs.recordings import recorder, store
from labs.site.roles.law_role import worked
from labs.theory import laws

pytestmark = pytest.mark.chapters

RUNS = 3
FIT = 5 / 6  # of a lab's points, over all its runs


@each_chapter
def test_a_page_has_the_lab_of_its_name(page: Page) -> None:
    names = [ast.literal_eval(call.args[0]) for call in page.calls]
    assert names[0] == page.slug
    assert len(set(names)) == len(names)


LABS = [cell for cell in recorder.cells() if cell.page in {page.path for page in chapters()}]


@pytest.mark.parametrize("file", [file for cell in LABS for file in store.paths(cell.lab)], ids=str)
def test_a_recording_is_whole_and_fit(file: Path) -> None:
    result = store.read(file)
    assert file == store.path(file.parent.name, result.machine)
    assert len(result.runs) >= RUNS
    if isinstance(result, Recording):
        points = [point for run in result.runs for point in run.points]
        assert len(points) == len(result.runs) * len(result.experiment.load.users)
        assert sum(point.fit for point in points) >= FIT * len(points)


def said(text: str) -> str:
    """The text as the built page has it, as far as laws say its numbers."""
    return re.sub(r"\{law\}`([^`]*)`", lambda role: worked(role[1]).replace("\u00a0", " "), text)


def table_of(slug: str, title: str) -> list[list[str]]:
    """The rows of the table with that column."""
    (page,) = [page for page in chapters() if page.slug == slug]
    (rows,) = [rows for head, rows in tables(said(page.text)) if title in head]
    return rows


def test_a_row_reckons_with_its_own_figures() -> None:
    """What a law in a table takes for a throughput is printed beside it."""
    checked = 0
    for page in chapters():
        for _, rows in tables(page.text):
            for row in rows:
                for column, cell in enumerate(row):
                    others = said(" | ".join(row[:column] + row[column + 1 :]))
                    for roles in re.findall(r"\{law\}`([^`]*)`", cell):
                        for figure in re.findall(r"X=([\d._]+)|\b(\d{4})\b", roles):
                            checked += 1
                            assert "".join(figure).replace("_", ",") in others, row
    assert checked > 25


def test_tables_of_the_sources_are_as_printed() -> None:
    rows = table_of("many-cores", "S1, 4 cores: requests per second")
    rates = [row[1] for row in printed_rows("S1")][:5]
    assert [row[1] for row in rows] == rates
    assert [row[1] for row in table_of("watching", "S1: cores at work")] == rates
    for users, rate, response, *_ in rows:
        response_ms = 1000 * laws.response_time(N=int(users), X=float(rate))
        assert math.isclose(float(re.findall(r"\d+", response)[0]), response_ms, rel_tol=0.02)
    race = printed_rows("S4")
    race[3][1] = race[3][1].replace("–", " to ")
    assert [row[:3] for row in table_of("a-small-file", "S4: prefork")] == race
    tests = table_of("how-many-workers", "S5: ten requests took")
    assert [row[1:6] for row in tests] == [row[1:] for row in printed_rows("S5")]


def test_cells_of_ours_are_recorded() -> None:
    """A table's row or column that is headed *ours* holds no number that was typed."""
    ours = re.compile(r"\*?\*?ours\b", re.IGNORECASE)
    checked = 0
    for page in chapters():
        for head, rows in tables(page.text):
            for row in rows:
                cells = row[1:] if ours.match(row[0]) else []
                cells += [cell for title, cell in zip(head, row, strict=False) if ours.match(title)]
                checked += len(cells)
                assert all(re.match(r"\{(measured|claim)\}`|\D*$", cell) for cell in cells), row
    assert checked > 50


@each_chapter
def test_a_page_says_which_machine_measured(page: Page) -> None:
    assert "{measured}`machine`" in page.text


recording = functools.cache(store.recording)  # a test looks at what it reads
TOLD = re.compile(r"\bunfit\b|hollow|: fit`|the lab's checks|never served|\(fit\(", re.IGNORECASE)


@each_chapter
def test_a_table_of_points_that_are_not_fit_is_told_to_be_one(page: Page) -> None:
    """In its own words, or in those of the paragraphs beside it."""
    paragraphs = re.split(r"\n\s*\n", page.text)
    for number, table in enumerate(paragraphs):
        if table.startswith("|") and any(unfit(page, role) for role in quoted_points(table)):
            beside = "\n".join(paragraphs[max(0, number - 2) : number + 4])
            assert TOLD.search(beside), table


def quoted_points(text: str) -> Iterator[tuple[str, str, int]]:
    """Lab, part and users of each number of a point: "" for the page's own lab, or no part."""
    role = r"\{measured\}`(?:([\w-]+)(?:/([^:`]+))?: )?\w+\((\d+)[,)]"
    for lab, part, users in re.findall(role, text):
        yield lab, part, int(users)


def unfit(page: Page, point: tuple[str, str, int]) -> bool:
    lab, part, users = point
    found = recording(lab or page.slug)
    if part:
        found = showing(found).part(found, part)
    points = found.points if isinstance(found, Recording) else ()
    return any(each.users == users and not each.fit for each in points)
