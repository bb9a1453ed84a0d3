"""A Sphinx extension: what a page of the book needs to go live later.

Writes the source of a page's cells into it, hidden ones included, so that the page's script can
run them; sees to it that a build never runs load; lets the Binder button open the book itself.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import jupytext  # type: ignore[import-untyped]
from myst_nb.core.read import is_myst_markdown_notebook  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def live_cells(text: str) -> list[dict[str, Any]]:
    """The cells that a live page runs, in order: labs, and hidden cells that prepare them.

    A cell tagged `lab` shows its output on the page; one tagged `remove-cell` runs silently.
    Every other cell is only shown.
    """
    found = []
    for cell in jupytext.reads(text, fmt="md:myst").cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code" and ("lab" in tags or "remove-cell" in tags):
            found.append({"source": cell.source, "lab": "lab" in tags})
    return found if any(cell["lab"] for cell in found) else []


def _add_cells(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], doctree: object
) -> None:
    source = Path(app.env.doc2path(page))
    if doctree is None or source.suffix != ".md":
        return
    text = source.read_text("utf-8")
    cells = live_cells(text) if is_myst_markdown_notebook(text) else []
    if cells:
        plotly = context["pathto"]("_static/lib/plotly.js", resource=True)
        context["metatags"] += '<meta name="wall-time-labs" content="here" />\n'
        context["metatags"] += f'<link rel="preload" as="script" href="{plotly}" />\n'
        data = json.dumps({"page": page, "cells": cells}).replace("<", "\\u003c")
        context["body"] += f'<script type="application/json" id="wt-cells">{data}</script>\n'


def _open_book_on_binder(
    _app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: object
) -> None:
    """Binder's button would open JupyterLab; the live page is what the reader came for."""
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", []) if isinstance(group, dict) else []:
            address = urlsplit(str(button.get("url", "")))
            if not address.path.startswith("/v2/"):
                continue
            query = dict(parse_qsl(address.query)) | {"urlpath": f"book/{quote(page)}.html"}
            button["url"] = address._replace(query=urlencode(query)).geturl()


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this before any cell is run."""
    os.environ["LABS_MODE"] = "replay"  # the recorded figure; a build never runs load
    app.connect("html-page-context", _add_cells)
    app.connect("html-page-context", _open_book_on_binder, priority=900)  # after the theme
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
