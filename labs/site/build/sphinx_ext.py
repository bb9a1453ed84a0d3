"""A Sphinx extension: a page's cells are run, the site is made light, and a page has what it needs
to go live later.

Writes the source of a page's cells into it, hidden ones included, so that the page's script can
run them; lets the Binder button open the book itself.
"""

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from markupsafe import Markup
from sphinx.application import Sphinx

from labs.present.markup import script_data
from labs.site.build.cells import CELLS, PageParser
from labs.site.build.folds import FoldChecks, FoldMore
from labs.site.build.formulas import Formulas
from labs.site.build.style_sheet import Sheets

TEMPLATES = str(Path(__file__).with_name("templates"))  # over the theme's

# A header without words is none: a screen reader would announce it for each row.
CORNER = re.compile(r'<th class="head[^"]*">\s*(?:<p>\s*</p>\s*)?</th>')

# Jupyter Book's: they don't say whether pages may be read side by side. They may: nothing is kept.
SILENT = ("sphinx_multitoc_numbering", "sphinx_jupyterbook_latex")  # 0.1.3, 1.0.0

STATUS = Markup(  # below a page's title; book/web/src/status.ts has other words once it is live
    '\n<div class="wt-status"><span role="status">You see recorded runs. '
    '<a href="{}">Measure on your own machine</a></span>'
    '<button type="button" hidden></button></div>'
)
READING_IT_LIVE = "index.html#reading-it-live"


def _add_cells(page: str, cells: list[dict[str, Any]], context: dict[str, Any]) -> None:
    context["metatags"] += '<meta name="wall-time-labs" content="here" />\n'
    title, end, rest = context["body"].partition("</h1>")
    status = STATUS.format(context["pathto"](READING_IT_LIVE, 1))
    context["body"] = f"{title}{end}{status}{rest}" if end else f"{status}{title}"
    data = script_data({"page": page, "cells": cells}, id="wt-cells")
    context["body"] += f"{data}\n"


def _open_book_on_binder(
    _app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: object
) -> None:
    """Have Binder's button open the live page, for which the reader came, and not JupyterLab."""
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", []) if isinstance(group, dict) else []:
            address = urlsplit(str(button.get("url", "")))
            if not address.path.startswith("/v2/"):
                continue
            query = dict(parse_qsl(address.query)) | {"urlpath": f"book/{quote(page)}.html"}
            button["url"] = address._replace(query=urlencode(query)).geturl()


def setup(app: Sphinx) -> dict[str, Any]:
    """Add this to a Sphinx, which calls it before any cell is run."""
    os.environ["LABS_MODE"] = "replay"  # the recorded figure; a build never runs load
    app.config.templates_path.append(TEMPLATES)
    app.add_source_parser(PageParser, override=True)
    for fold in (FoldChecks, FoldMore):
        app.add_post_transform(fold)
    sheets, formulas = Sheets(), Formulas(app)

    def read_side_by_side(app: Sphinx) -> None:
        for name in app.extensions.keys() & SILENT:
            app.extensions[name].parallel_read_safe = True

    def change(app: Sphinx, page: str, _: str, context: dict[str, Any], doctree: object) -> None:
        context["one_style_sheet"] = sheets.joined  # for templates/layout.html
        formulas.put(context)
        if doctree is not None and (cells := app.env.metadata[page].get(CELLS)):
            _add_cells(page, cells, context)
        if "body" in context:
            context["body"] = CORNER.sub("<td></td>", context["body"])

    app.connect("builder-inited", read_side_by_side)
    app.connect("html-page-context", change)
    app.connect("html-page-context", _open_book_on_binder, priority=900)  # after the theme
    app.connect("build-finished", sheets.write, priority=800)  # after the theme coloured the code
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
