"""A Sphinx extension: what a page's head says of it to search engines, and to those who pass its
address on: a description, where the page stands for good, an icon and a picture.

The address is that of the published site, `html: baseurl:` in _config.yml. The icon and the
picture are drawn by `make figures`; a build with one that is out of date fails.
"""

import re
import textwrap
from pathlib import Path
from typing import Any

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from labs.site import social_picture

ENOUGH, MOST = 70, 200  # letters of a description
SENTENCE = re.compile(r"(?<=[.?!:])(?<!\d\.) (?=[A-Z“])")
NO_PROSE = (
    *(nodes.table, nodes.figure, nodes.Admonition, nodes.list_item, nodes.footnote),
    *(nodes.container, nodes.system_message),
)
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')
PICTURE = "_static/social.png"
ICON = "_static/icon.svg"


def description(page: nodes.document) -> str:
    """Its first sentences, of at most MOST letters: of a chapter its question, of other pages the
    title before them."""
    said = _title(page)
    for paragraph in page.findall(nodes.paragraph):
        if _inside(paragraph) or paragraph.next_node(nodes.math):
            continue
        for sentence in SENTENCE.split(" ".join(paragraph.astext().split())):
            longer = f"{said} {sentence}".strip()
            if len(said) >= ENOUGH and len(longer) > MOST:
                return said
            said = textwrap.shorten(longer, MOST, placeholder=" …")
        if len(said) >= ENOUGH:
            return said
    return said


def _title(page: nodes.document) -> str:
    """With a full stop; empty on pages whose first words are as good."""
    first = next(iter(page.findall(nodes.paragraph)), None)
    title = next(iter(page.findall(nodes.title)), None)
    if title is None or first is None or isinstance(first.parent, nodes.block_quote):
        return ""
    if isinstance(first.next_node(), nodes.strong):
        return ""
    text = title.astext()
    return text if text.endswith("?") else f"{text}."


def _inside(paragraph: nodes.Node) -> bool:
    """Whether it is part of something else than the page's own text."""
    node = paragraph.parent
    while node is not None:
        if isinstance(node, NO_PROSE) or node.tagname == "scene":
            return True
        node = node.parent
    return False


def _say(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    context["favicon_url"] = context["pathto"](ICON, 1)
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))  # the theme says it already
    if page == app.config.root_doc:
        context["whole_title"] = f"{app.config.html_title}: {_about(doctree)}"
    site = str(app.config.html_baseurl)
    if doctree is None or not site:
        context["pageurl"] = None  # a list of words, or a search: nothing to be found by
        return
    address = site if page == app.config.root_doc else f"{site}{page}.html"
    context["pageurl"] = address
    said = {
        "og:type": "website" if page == app.config.root_doc else "article",
        "og:site_name": "Wall Time",
        "og:title": Markup(context.get("whole_title", context["title"])).striptags(),
        "og:description": description(doctree),
        "og:url": address,
        "og:image": site + PICTURE,
        "og:image:width": social_picture.WIDTH,
        "og:image:height": social_picture.HEIGHT,
        "og:image:alt": social_picture.WORDS,
    }
    tags = Markup("").join(
        Markup('<meta property="{}" content="{}" />\n').format(name, value)
        for name, value in said.items()
    )
    context["metatags"] += str(
        Markup('\n<meta name="description" content="{}" />\n').format(said["og:description"])
        + tags
        + Markup('<meta name="twitter:card" content="summary_large_image" />\n')
    )


def _about(doctree: nodes.document | None) -> str:
    """The first sentence of the first page, which is its second title."""
    found = next(iter(doctree.findall(nodes.strong)), None) if doctree else None
    text = found.astext().rstrip(".") if found else ""
    return text[:1].lower() + text[1:]


def _look(app: Sphinx) -> None:
    """ExtensionError when a picture is not what the code draws now."""
    for folder in app.config.html_static_path:
        picture = Path(app.confdir, folder, "social.png")
        if not picture.is_file():
            continue
        icon = picture.with_name("icon.svg")
        drawn = icon.is_file() and icon.read_text("utf-8") == social_picture.icon()
        if not drawn or social_picture.mark(picture) != social_picture.wanted():
            raise ExtensionError(
                f"{picture} is not what labs/site/social_picture.py draws now. Run `make figures`."
            )


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("builder-inited", _look)
    app.connect("html-page-context", _say)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
