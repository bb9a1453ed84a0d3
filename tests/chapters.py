"""The book's pages as a test reads them: parts, cells, exercises, prose."""

import ast
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import jupytext
import pytest
from bs4 import BeautifulSoup, Tag

from labs import api
from labs.exercises import catalogue
from labs.exercises.exercise import CLOSE, Exercise
from labs.exercises.key import Key
from labs.kinds.base import LabKind
from labs.present import claims
from labs.recordings import store
from labs.recordings.recorder import KINDS, cells
from labs.records.errors import Unusable
from labs.records.format import digits
from labs.records.written import written

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
CLAIM = re.compile(r"\{claim\}(?P<ticks>`+)(?P<text>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)
FRONT = """---
jupytext:
  text_representation:
    format_name: myst
kernelspec:
  name: python3
  display_name: Python 3
---

"""  # of a page with cells
CONF = "extensions = ['myst_parser', 'labs.site.roles']"  # Sphinx's, of pages without cells


@dataclass(frozen=True)
class Page:
    """One MyST file of the book."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(BOOK).with_suffix("").as_posix()

    @property
    def slug(self) -> str:
        return self.path.stem

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def cells(self) -> list[Any]:
        return [
            cell
            for cell in jupytext.reads(self.text, fmt="md:myst").cells
            if cell.cell_type == "code"
        ]

    @cached_property
    def sections(self) -> dict[str, str]:
        """Heading of the second level -> what is below it."""
        pieces = re.split(r"^## (.+)\n", self.text, flags=re.MULTILINE)
        return dict(zip(pieces[1::2], pieces[2::2], strict=True))

    @property
    def asked(self) -> str:
        """The sections with its exercises."""
        sections = ("Try it yourself", "More exercises")
        return "".join(f"## {each}\n{self.sections[each]}" for each in sections)

    @cached_property
    def calls(self) -> list[ast.Call]:
        """The calls of labs in the page's cells."""
        return [
            node
            for cell in self.cells
            for node in ast.walk(ast.parse(cell.source))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in KINDS
        ]

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        return catalogue.of_page(self.path)

    @cached_property
    def prose(self) -> str:
        """What a reader reads: without front matter, code, drawings and exercises."""
        text = re.sub(r"^```.*?^```$", "", _plain(self.text), flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"<svg.*?</svg>", "", text, flags=re.DOTALL)
        asked = r"^## (Try it yourself|More exercises)\n.*?(?=^## )"
        return re.sub(asked, "", text, flags=re.MULTILINE | re.DOTALL)

    @property
    def words(self) -> int:
        """As printed; what is folded away doesn't count, nor the address of a link."""
        return self.counted(self.prose)

    @staticmethod
    def counted(text: str) -> int:
        """The words of a text in MyST."""
        unfolded = re.sub(r"^:::\{dropdown\}.*?^:::$", "", _plain(text), flags=re.M | re.DOTALL)
        plain = re.sub(r"\{\w+\}`[^`]*`|<[^>]+>|\(https://[^)\s]+\)|[|*#`$]", " ", unfolded)
        return len(re.findall(r"[^\W\d_][\w’'-]*", plain))


def _plain(text: str) -> str:
    """Without front matter and the formulas of claims."""
    text = CLAIM.sub(lambda role: claims.split(role["text"])[0], text)
    return re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)


@cache  # a test looks at what it reads and changes nothing
def soup(file: Path) -> BeautifulSoup:
    """A built page."""
    return BeautifulSoup(file.read_text("utf-8"), "html.parser")


def article(file: Path) -> Tag:
    """Its own text, without the frame around it."""
    (found,) = soup(file).select("article")
    return found


def pages() -> list[Page]:
    """All pages, in the order of the table of contents."""
    listed = re.findall(r"(?:file|root): (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
    return [Page(BOOK / f"{name}.md") for name in listed]


def asking() -> list[Page]:
    """The pages with a lab and exercises: your-machine and the numbered ones."""
    return [page for page in pages() if page.slug == "your-machine" or page.name[0].isdigit()]


def chapters() -> list[Page]:
    """Those that have a chapter's parts: all but the last, whose subject the reader brings."""
    return [page for page in asking() if page.slug != "your-own-server"]


each_page = pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
each_chapter = pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)

FILES = sorted(store.folder().glob("*/*-cores.json"))  # recordings of the book
each_recording = pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)


def labs() -> dict[str, LabKind[Any]]:
    """The labs of the book by their names, as their cells ask for them."""
    found: dict[str, LabKind[Any]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "opened", lambda name, lab: found.update({name: lab}))
        for cell in cells():
            exec(cell.source, {})
    return found


def judge(key: Key, typed: str) -> str:
    """What a page is to say to an answer (book/web/src/exercises.ts)."""
    try:
        value = written(typed, key.unit)
    except Unusable as refused:
        return str(refused)
    alike = key.rounded is not None and math.isclose(value, key.rounded)
    if alike or math.isclose(value, key.answer, rel_tol=key.tolerance):
        return key.right
    for wrong, hint in key.slips:
        if math.isclose(value, wrong, rel_tol=CLOSE):
            return f"Not quite. {hint}"
    unit = f" {key.unit}" if key.unit and not key.unit.startswith("as ") else ""
    size = "too large" if value > key.answer else "too small"
    return f"Not yet: {digits(value)}{unit} is {size}. {key.hint}"


def tables(text: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The head and the rows of each table."""
    for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        head, _, *rows = [
            [cell.strip() for cell in line.strip("|").split(" | ")] for line in block.splitlines()
        ]
        yield head, rows


def printed(source: str) -> str:
    """What tests/sources.md has of a source."""
    every = (ROOT / "tests/sources.md").read_text("utf-8")
    return every.partition(f"## {source}\n")[2].partition("\n## ")[0]


def printed_rows(source: str) -> list[list[str]]:
    """The rows of its table, as the source prints them."""
    ((_, rows),) = tables(printed(source) + "\n")
    return [[cell.strip("| ") for cell in row] for row in rows]


def build(source: Path, conf: str = CONF) -> str:
    """What Sphinx complains about in that folder; "" where it has built the pages into `out`."""
    (source / "conf.py").write_text(conf)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-N"]
    made = subprocess.run([*command, source, source / "out"], capture_output=True, text=True)
    assert bool(made.returncode) == bool(made.stderr)
    return made.stderr
