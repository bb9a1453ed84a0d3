"""A Sphinx extension: the page for an address that leads nowhere, `404.html`.

A website shows it at any depth, below whatever was asked for. So it is whole in itself, and what it
links to stands below one address, in its `<base>`: the published site's path, which the book's own
server replaces by the way back from where it was asked (`returning`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from labs.site import front_page, social_picture

if TYPE_CHECKING:
    from sphinx.application import Sphinx

TEMPLATES = Path(__file__).with_name("templates")
NAME = "404.html"
BASE = re.compile(r'<base href="[^"]*" ?/?>')


def returning(page: str, asked: str) -> str:
    """That page for somebody who asked for a path below the site, with the way back from there."""
    back = "../" * asked.count("/") or "./"
    return BASE.sub(lambda _: f'<base href="{back}">', page, count=1)


def _write(app: Sphinx, problem: Exception | None) -> None:
    if problem is not None or app.builder.name != "html":
        return
    root = app.config.root_doc
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    page = environment.get_template(NAME).render(
        base=urlsplit(str(app.config.html_baseurl)).path or "/",
        icon=Markup(social_picture.icon()),
        parts=[part for part in front_page.parts(app, root) if part.stops],
    )
    Path(app.outdir, NAME).write_text(page, "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("build-finished", _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
