"""Formulas set when the book is made, so that a page shows them at once, and without a script too.

`book/formulas.json` has each as KaTeX sets it; `make formulas` writes it, in a Chromium, from the
built pages. A page with a formula that is not there yet loads KaTeX, as Sphinx would have it for
each page with one (book/web/src/math.ts).
"""

import html
import json
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

NAME = "formulas.json"
VERSION = re.compile(r'\.katex-version::?after\{content:"([\d.]+)"\}')
# As sphinx.ext.mathjax writes them; a heading of a column that is nothing else has a spoken name.
FORMULA = re.compile(
    r'(?P<column><th[^>]*>\s*(?:<p>)?)?<(?P<tag>span|div) class="math [^>]*>'
    r'(?P<number>\s*<span class="eqno">.*?</span>)?(?P<words>[^<]*)</(?P=tag)>'
    r"(?(column)(?P<alone>(?:</p>)?\s*</th>)?)",
    re.DOTALL,
)


class Formulas:
    """Formulas that are set, by kind and TeX: `inline X = c/D`."""

    def __init__(self, app: Sphinx) -> None:
        self._app = app
        self._found: dict[str, str] | None = None

    def known(self) -> dict[str, str]:
        """Read the formulas set by the KaTeX whose styles pages have; none of another."""
        if self._found is None:
            file = Path(self._app.srcdir, NAME)
            told = json.loads(file.read_text("utf-8")) if file.is_file() else {}
            self._found = told["set"] if told.get("katex") == self._version() else {}
        return self._found

    def _version(self) -> str:
        for folder in self._app.config.html_static_path:
            styles = Path(self._app.confdir, folder, "lib", "math.css")
            if styles.is_file() and (found := VERSION.search(styles.read_text("utf-8"))):
                return found[1]
        return "none"

    def put(self, context: dict[str, Any]) -> None:
        """Put formulas into the page; its template asks whether something is left to be set."""
        missing = False

        def one(found: re.Match[str]) -> str:
            nonlocal missing
            key, kept = name(found), found[0]
            if key not in self.known():
                missing = True
                return kept
            begin, end = found.span("words")
            number = found["number"] or ""
            at = found.start()
            before = kept[: begin - at].removesuffix(number)
            return before + self.known()[key] + number.strip() + kept[end - at :]

        for part in ("body", "toc"):  # what the theme's list of sections is made of, too
            if part in context:
                context[part] = FORMULA.sub(one, context[part])
        context["formulas_set"] = not missing


def name(found: re.Match[str]) -> str:
    """Name a formula by kind and TeX, as math.ts takes them from a page."""
    words = html.unescape(found["words"]).strip()
    inline = words.startswith("\\(") and words.endswith("\\)")
    bare = words[2:-2] if inline or (words.startswith("\\[") and words.endswith("\\]")) else words
    alone = found["column"] and found["alone"]
    return f"{'column' if alone else 'inline' if inline else 'display'} {bare}"
