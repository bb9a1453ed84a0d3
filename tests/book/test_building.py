"""A small book that is built and previewed: what cells put out, what fails, what is reloaded."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
from http.client import IncompleteRead
from pathlib import Path
from urllib.request import urlopen

import pytest
from bs4 import BeautifulSoup
from chapters import FRONT, ROOT
from waiting import eventually

from labs.recordings import store

pytestmark = [pytest.mark.chapters, pytest.mark.timeout(400)]  # builds give way meanwhile

PAGES = {
    "index": "# A small book\n\nIts words.\n",
    "first": """# First

```{code-cell} ipython3
secret = 6 * 7
print("said before")
print("said after")
secret
```
""",
    "second": """# Second

{measured}`one-core: machine`

```{code-cell} ipython3
:tags: [hide-input]

from labs.site.roles.measured_role import measured
"secret" in globals(), str(measured("one-core", "machine"))
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

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"LABS_RECORDINGS": str(self.folder / "book/recordings")}

    def build(self) -> tuple[int, str]:
        made = subprocess.run(
            [sys.executable, "setup/book.py"],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        return made.returncode, made.stderr

    def html(self, name: str) -> str:
        return (self.folder / "_build/html" / f"{name}.html").read_text("utf-8")

    def words(self, name: str) -> str:
        return BeautifulSoup(self.html(name), "html.parser").select("article")[0].get_text()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Book:
    """Each test leaves it built."""
    book = Book(tmp_path_factory.mktemp("small") / "a book")
    assert book.build() == (0, "")
    return book


def test_a_cell_puts_out_what_it_prints_and_comes_to_in_order(small: Book) -> None:
    assert re.search(r"said before\s+said after\s+42", small.words("first"))


def test_a_page_does_not_see_the_names_of_the_one_before(small: Book) -> None:
    assert re.search(r"\(False,\s", small.words("second"))


@pytest.mark.extended
def test_a_preview_builds_a_page_that_is_saved_and_reloads_it(small: Book) -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "sphinx_autobuild", "-c", "setup", "book", "_build/preview"]
    command += ["--port", str(port)]
    preview = subprocess.Popen(
        command, cwd=small.folder, env=small.environment, stdout=subprocess.DEVNULL
    )

    def shown(words: str) -> bool:
        address = f"http://127.0.0.1:{port}/third.html"
        # A page asked for while it is being written breaks off.
        with contextlib.suppress(OSError, IncompleteRead), urlopen(address, timeout=10) as page:
            return words in page.read().decode()
        return False

    try:
        eventually(lambda: shown("page of all"), 60, "the preview")
        assert shown("websocket-reload")
        small.change("third.md", "of all", "of the book")
        eventually(lambda: shown("page of the book"), 60, "the page that was saved")
    finally:
        small.change("third.md", "of the book", "of all")
        preview.terminate()
        preview.wait(20)


@pytest.mark.extended
def test_a_failing_cell_fails_the_build_with_the_line_where_it_begins(small: Book) -> None:
    imports = "from labs.site.roles.measured_role import measured"
    small.change("second.md", imports, f"{imports}\n1 / 0")
    lines = (small.folder / "book/second.md").read_text().splitlines()
    begin = lines.index("```{code-cell} ipython3") + 1
    where = f"book/second.md:{begin}: WARNING: ZeroDivisionError: "
    code, said = small.build()
    assert code == 1 and said.startswith(where)
    small.change("second.md", f"{imports}\n1 / 0", imports)
    assert small.build() == (0, "")
