"""One style sheet for all pages, of what they use.

A page waits for its style sheets before it shows anything, and Sphinx, the theme and the extensions
bring a dozen of a hundred kilobytes, compressed. Here they become `_static/book.css`, in the same
order, without the rules that can't matter: those with a class or id that is in no page, no script
that the pages load, and no module of `labs`, which makes what a kernel shows. The book's own sheets
stay whole, and so does what is for print alone.
"""

import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import tinycss2
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import labs

SHEET = "book.css"
OWN = ("scenes.css", "front.css", "icons.css", "wall-time.css")
GROUPS = ("media", "supports", "layer", "container")  # rules with rules inside
GONE = ("charset", "import")
LINK = re.compile(r'[ \t]*<link [^>]*href="(?P<up>[^":]*)_static/(?P<name>[^"?]+)[^"]*"[^>]*>')
NAMED = re.compile(r'\b(?:class|id)="([^"]*)"')
LOADED = re.compile(r'<script[^>]* src="[^":]*_static/([^"?]+)')
LATER = ("lib/live.js", "lib/plotly.js")  # by page.js
WORD = re.compile(r"[A-Za-z_][\w-]*")
FILE = re.compile(r"url\((?P<mark>[\"']?)(?!data:|https?:|[#/])(?P<path>[^\"')]+)(?P=mark)\)")
BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]|/\*.*?\*/", re.DOTALL)
CLASS = re.compile(r"(?<!\\)[.#]((?:\\.|[\w-])+)")
VERSION = re.compile(rf"(_static/{re.escape(SHEET)}\?v=)\w+")


class Sheets:
    """What the pages of a build name, and the one sheet in their place."""

    def __init__(self) -> None:
        self.names: list[str] = []  # below _static, in order

    def joined(self, head: str) -> str:
        """The head's lines with one sheet where there were several. ExtensionError where they are
        not those of the page before."""
        found: list[str] = []

        def link(line: re.Match[str]) -> str:
            if 'rel="stylesheet"' not in line[0] or 'media="print"' in line[0]:
                return line[0]
            found.append(line["name"])
            if len(found) > 1:
                return ""
            return f'    <link rel="stylesheet" href="{line["up"]}_static/{SHEET}?v=new" />'

        joined = LINK.sub(link, head)
        self.names = self.names or found
        if found != self.names:
            raise ExtensionError(
                f"A page has the style sheets {', '.join(found)}, and one before it "
                f"{', '.join(self.names)}. They become one for all pages: name them in "
                "_config.yml, html_css_files."
            )
        return joined

    def write(self, app: Sphinx, problem: Exception | None) -> None:
        """The sheet; its checksum goes into the pages, so that browsers may keep it."""
        if problem is not None or app.builder.name != "html" or not self.names:
            return
        site = Path(app.outdir)
        files = [path for path in site.rglob("*.html") if "_static" not in path.parts]
        pages = {path: path.read_text("utf-8") for path in files}
        text = of(site / "_static", self.names, words(pages.values(), site / "_static"))
        (site / "_static" / SHEET).write_text(text, "utf-8")
        version = hashlib.sha256(text.encode()).hexdigest()[:8]
        for path, page in pages.items():
            changed = VERSION.sub(rf"\g<1>{version}", page)
            if changed != page:
                path.write_text(changed, "utf-8")


def of(static: Path, names: Iterable[str], words: set[str]) -> str:
    """Join sheets into one that stands in that folder; others' rules only as far as `words` have
    their classes and ids."""
    made = []
    for name in names:
        if not (static / name).is_file():
            continue
        text = (static / name).read_text("utf-8")
        rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
        folder = posixpath.dirname(name)
        made.append(of(static, _imported(rules, folder), words))
        text = "".join(_kept(rules, None if name in OWN else words))
        made.append(FILE.sub(lambda url, at=folder: _moved(url, at), text))  # type: ignore[misc]
    return "\n".join(filter(None, made))


def _imported(rules: Iterable[Any], folder: str) -> Iterator[str]:
    """The sheets whose rules come first."""
    for rule in rules:
        if rule.type == "at-rule" and rule.lower_at_keyword == "import":
            names = (each.value for each in rule.prelude if each.type in ("string", "url"))
            yield from (posixpath.normpath(posixpath.join(folder, name)) for name in names)


def _kept(rules: Iterable[Any], words: set[str] | None) -> Iterator[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            asked = tinycss2.serialize(rule.prelude).strip()
            if words is None or _used(asked, words):
                yield f"{asked}{{{tinycss2.serialize(rule.content).strip()}}}"
        elif rule.type != "at-rule" or rule.lower_at_keyword in GONE:
            continue
        elif rule.content is None or rule.lower_at_keyword not in GROUPS:
            yield rule.serialize()
        else:
            inside = tinycss2.parse_rule_list(rule.content, True, True)
            if text := "".join(_kept(inside, words)):
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{text}}}"


def _used(asked: str, words: set[str]) -> bool:
    """Whether something may have all classes and ids of one of the selectors between commas. What
    is in brackets, such as those of `:not()`, is not looked at."""
    return any(
        words.issuperset(name.replace("\\", "") for name in CLASS.findall(each))
        for each in BRACKETS.sub("", asked).split(",")
    )


def _moved(url: re.Match[str], folder: str) -> str:
    mark = url["mark"]
    return f"url({mark}{posixpath.normpath(posixpath.join(folder, url['path']))}{mark})"


def words(pages: Iterable[str], static: Path) -> set[str]:
    """Every class and id of the pages, and every word of what may give them others."""
    found: set[str] = set()
    scripts = set(LATER)
    for page in pages:
        for names in NAMED.findall(page):
            found.update(names.split())
        scripts.update(LOADED.findall(page))
    sources = [static / name for name in scripts]
    sources += Path(labs.__file__).parent.rglob("*.py")
    for source in sources:
        if source.is_file():
            found.update(WORD.findall(source.read_text("utf-8")))
    return found
