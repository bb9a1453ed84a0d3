"""Sphinx directives for the first page of the book: where to start, and the map.

    ```{start-here}
    ```

Buttons: the first chapter, and the book on Binder as _config.yml has it.

    ```{book-map}
    ```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from docutils import nodes
from markupsafe import Markup
from sphinx.util.docutils import SphinxDirective

from labs.site.book_map import Part, Stop, drawing

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class book_map(nodes.General, nodes.Element):
    """The map."""


class start_here(nodes.General, nodes.Element):
    """The buttons."""


class BookMap(SphinxDirective):
    """`{book-map}`"""

    def run(self) -> list[nodes.Node]:
        return [book_map()]


class StartHere(SphinxDirective):
    """`{start-here}`"""

    def run(self) -> list[nodes.Node]:
        return [start_here()]


def parts(app: Sphinx, page: str) -> list[Part]:
    """Those of _toc.yml, with addresses as seen from that page."""
    env, link = app.env, app.builder.get_relative_uri
    trees = env.external_site_map.root.subtrees  # type: ignore[attr-defined]
    return [
        Part(
            caption=tree.caption or "",
            stops=tuple(
                Stop(title=env.titles[name].astext(), address=link(page, name))
                for name in tree.files()
            ),
        )
        for tree in trees
    ]


def binder(app: Sphinx, page: str) -> str:
    """The address that opens a page of the book, live, on Binder; empty where there is none."""
    theme = app.config.html_theme_options
    hub = theme.get("launch_buttons", {}).get("binderhub_url", "")
    _, _, project = str(theme.get("repository_url", "")).partition("https://github.com/")
    if not hub or not project:
        return ""
    branch = theme.get("repository_branch") or "main"
    asked = urlencode({"urlpath": f"book/{page}.html"})
    return f"{hub.strip('/')}/v2/gh/{project.strip('/')}/{branch}?{asked}"


def _draw(translator: Any, _node: nodes.Element) -> None:
    app = translator.builder.app
    page = translator.builder.current_docname
    translator.body.append(
        Markup('<nav class="wt-picture wt-map" aria-label="Map of the book">\n{}</nav>\n').format(
            drawing(parts(app, page))
        )
    )
    raise nodes.SkipNode


def _offer(translator: Any, _node: nodes.Element) -> None:
    app, page = translator.builder.app, translator.builder.current_docname
    first = parts(app, page)[0].stops[0]
    offers = [
        Markup('<a class="wt-button wt-first" href="{}">Start reading</a>').format(first.address)
    ]
    if address := binder(app, page):
        offers.append(
            Markup('<a class="wt-button wt-binder" href="{}">Try on Binder</a>').format(address)
        )
    translator.body.append(Markup('<p class="wt-start">{}</p>\n').format(Markup(" ").join(offers)))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_node(book_map, html=(_draw, None))
    app.add_node(start_here, html=(_offer, None))
    app.add_directive("book-map", BookMap)
    app.add_directive("start-here", StartHere)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
