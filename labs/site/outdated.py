"""A Sphinx extension: which pages a second build reads, and which it writes, by content.

A page is read again when its text has changed, or a recording that it asked for. All pages are
written again when something has changed that each may show: a title, a label, a static file.
Sphinx goes by the clock, and leaves a page alone when only what it shows of others has changed.
It also forgets which terms the pages explain that a second build leaves alone, so that a search
finds none of them; here they are kept.
Code is no matter here: when it has changed, `setup/book.py` begins from nothing.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from labs.recordings import store
from labs.site import formulas

TERMS = "terms.json"  # beside what Sphinx keeps: of each page, those that a search is to find
MADE_OF = "made-of"  # of a page's metadata: its text, and the recordings by their labs


@contextlib.contextmanager
def noting(env: BuildEnvironment, text: str) -> Iterator[None]:
    """What the page is made of that is read meanwhile."""
    with store.noted() as recordings:
        yield
    env.metadata[env.docname][MADE_OF] = _digest(text), recordings


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _changed(_app: Sphinx, env: BuildEnvironment, *_: set[str]) -> list[str]:
    """The pages that are made of something else now."""
    pages = []
    for page in env.found_docs & env.all_docs.keys():
        text, recordings = env.metadata[page][MADE_OF]
        now = _digest(Path(env.doc2path(page)).read_text("utf-8"))
        if now != text or any(store.state(lab) != was for lab, was in recordings.items()):
            pages.append(page)
    return pages


def _showing(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """All pages, when what they may show of each other has changed since the last build."""
    with contextlib.suppress(OSError):
        env._search_index_index_entries |= json.loads(Path(app.doctreedir, TERMS).read_text())
    before = getattr(env, "wall_time_shown", None)
    env.wall_time_shown = now = _shown(app, env)  # type: ignore[attr-defined]
    return sorted(env.found_docs) if before not in (None, now) else []


def _shown(app: Sphinx, env: BuildEnvironment) -> dict[str, Any]:
    standard, maths = env.get_domain("std").data, env.get_domain("math").data
    set_ones = Path(app.srcdir, formulas.NAME)
    files = [Path(app.confdir, folder) for folder in app.config.html_static_path]
    return {
        "titles": {page: title.pformat() for page, title in env.titles.items()},
        "anchors": {page: _anchors(about) for page, about in env.metadata.items()},
        "labels": {kind: dict(standard[kind]) for kind in ("labels", "anonlabels", "terms")},
        "equations": dict(maths["objects"]),
        "numbers": (dict(env.toc_secnumbers), dict(env.toc_fignumbers)),
        "formulas": _digest(set_ones.read_text("utf-8")) if set_ones.is_file() else "",
        "files": {
            str(file): hashlib.sha256(file.read_bytes()).hexdigest()
            for folder in files
            for file in folder.rglob("*")
            if file.is_file()
        },
    }


def _anchors(about: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """What other pages can link to, without the lines it stands in."""
    return {slug: (id, text) for slug, (_, id, text) in about.get("myst_slugs", {}).items()}


def _forget_words(app: Sphinx) -> list[Any]:
    """Words that no page has any more leave the search, as after a build from nothing."""
    for found in (app.builder.indexer._mapping, app.builder.indexer._title_mapping):  # type: ignore[attr-defined]
        for word in [word for word, pages in found.items() if not pages]:
            del found[word]
    return []


def _keep_terms(app: Sphinx, problem: Exception | None) -> None:
    """Sphinx learns them when it writes a page, and has put away what it keeps before."""
    if problem is None and app.env is not None:
        terms = json.dumps(app.env._search_index_index_entries)
        Path(app.doctreedir, TERMS).write_text(terms)


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("env-get-outdated", _changed)
    app.connect("env-updated", _showing)
    app.connect("html-collect-pages", _forget_words)
    app.connect("build-finished", _keep_terms)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
