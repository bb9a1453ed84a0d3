"""A small book that is built, changed and built again: what is read anew, what fails."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from chapters import FRONT, ROOT

from labs.recordings import store

pytestmark = [pytest.mark.chapters, pytest.mark.timeout(400)]  # builds give way meanwhile

PAGES = {
    "index": "# A small book\n\nIts words.\n",
    "first": """# First

```{code-cell} ipython3
secret = 6 * 7
print("said before")
display(secret + 1)
print("said after")
secret
```
""",
    "second": """# Second

{measured}`one-core: machine`

```{code-cell} ipython3
:tags: [hide-input]

from labs.site.measured_role import measured
"secret" in globals(), "display" in globals(), str(measured("one-core", "machine"))
```
""",
    "third": """# Third

[The first](first.md) page of all.

:::{glossary}
Bottleneck
  What is full.
:::
""",
}


class Book:
    """The pages, their recording, and what is made of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "setup", folder / "setup")
        shutil.copy(ROOT / "_config.yml", folder)
        for name in ("labs", "workloads", "requirements.txt"):
            (folder / name).symlink_to(ROOT / name)
        self.style = folder / "book/web/wall-time.css"
        self.recording = folder / "book/recordings/one-core/2-cores.json"
        for file in (self.style, self.recording):
            file.parent.mkdir(parents=True)
        shutil.copy(ROOT / "book/web/icon.svg", self.style.parent)
        self.style.write_text("p { margin: 0 }\n")
        shutil.copy(store.paths("one-core")[-1], self.recording)
        chapters = "".join(f"- file: {name}\n" for name in PAGES if name != "index")
        (folder / "_toc.yml").write_text(f"format: jb-book\nroot: index\nchapters:\n{chapters}")
        for name, text in PAGES.items():
            front = FRONT if "code-cell" in text else ""
            (folder / f"book/{name}.md").write_text(front + text)

    def change(self, file: str, was: str, now: str) -> None:
        path = self.folder / "book" / file
        text = path.read_text()
        assert was in text
        path.write_text(text.replace(was, now))

    def build(self) -> tuple[int, str]:
        made = subprocess.run(
            [sys.executable, "setup/book.py"],
            cwd=self.folder,
            env=os.environ | {"LABS_RECORDINGS": str(self.folder / "book/recordings")},
            capture_output=True,
            text=True,
        )
        return made.returncode, made.stderr

    def html(self, name: str) -> str:
        return (self.folder / "_build/html" / f"{name}.html").read_text("utf-8")

    def words(self, name: str) -> str:
        return BeautifulSoup(self.html(name), "html.parser").select("article")[0].get_text()

    def rewritten(self) -> set[str]:
        """The pages that a build writes, beside the first one, which it writes always."""
        before = self._written()
        assert self.build() == (0, "")
        after = self._written()
        return {name for name in PAGES if after[name] != before[name]} - {"index"}

    def _written(self) -> dict[str, int]:
        site = self.folder / "_build/html"
        return {name: (site / f"{name}.html").stat().st_mtime_ns for name in PAGES}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Book:
    """Each test leaves it built."""
    book = Book(tmp_path_factory.mktemp("small") / "a book")
    assert book.build() == (0, "")
    return book


def test_a_cell_puts_out_what_it_prints_displays_and_comes_to_in_order(small: Book) -> None:
    assert re.search(r"said before\s+43\s+said after\s+42", small.words("first"))


def test_a_page_does_not_see_the_names_of_the_one_before(small: Book) -> None:
    assert re.search(r"\(False,\s+False,\s", small.words("second"))


@pytest.mark.extended
def test_a_search_knows_the_terms_of_a_page_that_was_left_alone(small: Book) -> None:
    index = small.folder / "_build/html/searchindex.js"
    small.change("first.md", "said after", "said then")
    assert small.rewritten() == {"first"}
    small.change("first.md", "said then", "said after")
    assert small.rewritten() == {"first"}
    assert re.search(r'"bottleneck": ?\[\[', index.read_text("utf-8"))


@pytest.mark.extended
def test_a_changed_word_and_a_changed_recording_are_matters_of_their_pages(small: Book) -> None:
    """Whatever the clock says: a recording that was sent may be older than the site."""
    small.change("third.md", "of all", "of the book")
    before = small.recording.stat()
    processor = store.recording("one-core").machine.processor
    small.change("recordings/one-core/2-cores.json", processor, "Wondrous CPU")
    os.utime(small.recording, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert small.rewritten() == {"second", "third"}
    assert small.words("second").count("Wondrous CPU") == 2
    assert "page of the book" in small.words("third")


@pytest.mark.extended
def test_a_title_is_a_matter_of_all_pages(small: Book) -> None:
    small.change("first.md", "# First", "# Foremost")
    assert small.rewritten() == {"first", "second", "third"}
    assert "Foremost" in small.html("third")


@pytest.mark.extended
def test_a_failing_cell_fails_the_build_with_its_line_and_leaves_the_site(small: Book) -> None:
    imports = "from labs.site.measured_role import measured"
    small.change("second.md", imports, f"{imports}\n1 / 0")
    before = small.html("second")
    lines = (small.folder / "book/second.md").read_text().splitlines()
    where = f"book/second.md:{lines.index('1 / 0') + 1}: WARNING: ZeroDivisionError: "
    for _ in range(2):  # what was found is found the next time too
        code, said = small.build()
        assert code == 1 and said.startswith(where)
        assert small.html("second") == before
    small.change("second.md", "1 / 0", "1 / 1")
    small.change("web/wall-time.css", "margin: 0", "margin: 1px")  # whose checksum all pages have
    assert small.rewritten() == {"first", "second", "third"}
