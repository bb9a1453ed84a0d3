"""The scenes that pages can have, as scenes.json says, and their still pictures.

`book/scenes/<page>-<number>.svg` is what a scene shows without a script and on paper. The scene
itself draws it (`make figures`), and it says of which options it is, by its mark.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Written by book/web/src/build.mjs. What a page can say of each scene, and what stands around it.
SCENES: Mapping[str, Any] = json.loads(Path(__file__).with_name("scenes.json").read_text("utf-8"))
FOLDER = "scenes"  # of the book
BLOCK = re.compile(r"^```\{scene\} *(?P<name>\S+)\n(?P<options>(?::.*\n)*)", re.MULTILINE)
OPTION = re.compile(r"^:([\w-]+): *(.*?) *$", re.MULTILINE)
MARK = re.compile(r'data-scene="(\w+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """A scene of a page, and where its picture belongs."""

    page: str  # such as one-core
    number: int  # of the page's scenes, from 1
    name: str
    options: Mapping[str, str]

    @property
    def mark(self) -> str:
        """The mark of the picture of a scene with these options."""
        told = json.dumps([self.name, dict(self.options)], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:10]

    def path(self, book: Path) -> Path:
        """Find where the picture belongs in the book's folder."""
        return book / FOLDER / f"{self.page}-{self.number}.svg"

    def picture(self, book: Path) -> str | None:
        """Read the picture of a scene with these options; None where there is none."""
        path = self.path(book)
        drawn = path.read_text("utf-8") if path.is_file() else ""
        found = MARK.search(drawn)
        return drawn if found and found[1] == self.mark else None


def stills(book: Path) -> list[Still]:
    """Every scene of a book, page by page."""
    return [
        Still(page=page.stem, number=number, name=block["name"], options=_options(block))
        for page in sorted([*book.glob("*.md"), *book.glob("*/*.md")])
        for number, block in enumerate(BLOCK.finditer(page.read_text("utf-8")), 1)
    ]


def _options(block: re.Match[str]) -> dict[str, str]:
    return dict(OPTION.findall(block["options"]))
