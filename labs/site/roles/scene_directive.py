"""A Sphinx directive for scenes: what a page's script lets the reader play with.

    ```{scene} shop
    :users: 96
    :workers: 64
    :wait: 0.2
    :turn: users workers

    Without JavaScript and in print these words stand here, below a picture.
    ```

Becomes `<wt-scene name="shop" users="96" …>`, which `book/web/src/scenes` brings to life; pages
without a scene don't load its script. Inside stands the scene's still picture, and in a
`<template>`, which nobody sees before the script takes it out and which `make pdf` and `make epub`
leave out, what is around the moving one: legend, headings, goal. What a scene cannot do is a
warning with its line.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from labs.site.roles.scenes import SCENES, Still

HERE = "scenes"  # of a page's metadata: how many it has

logger = logging.getLogger(__name__)


class scene(nodes.General, nodes.Element):
    """A scene; its children stand in its place where nothing moves."""


def _check(allowed: str | list[str]) -> Callable[[str], str]:
    """Make the check of an option that is numbers, some of these words, or any words."""

    def check(text: str) -> str:
        for word in (text or "").split() or [""]:
            if allowed == "numbers" and not float(word) >= 0:
                raise ValueError(f"{word}: a number from 0 on, times in seconds")
            if isinstance(allowed, list) and word not in allowed:
                raise ValueError(f"{word}: there are {', '.join(allowed)}")
        return text

    return check


class SceneDirective(SphinxDirective):
    """`{scene} shop`, with its numbers as options."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        name: _check(allowed)
        for options in (SCENES["options"], *(each["options"] for each in SCENES["scenes"].values()))
        for name, allowed in options.items()
    }

    def run(self) -> list[nodes.Node]:
        name, known = self.arguments[0], SCENES["scenes"]
        if name not in known:
            raise self.error(f"{{scene}} {name}: there are {', '.join(known)}.")
        if not self.content:
            raise self.error(f"{{scene}} {name}: say in a sentence what stands in its place.")
        for needed, says in known[name]["needs"].items():
            if needed not in self.options:
                raise self.error(f"{{scene}} {name}: `:{needed}:` says {says}.")
        for option in self.options:
            if option not in {**SCENES["options"], **known[name]["options"]}:
                raise self.error(f"{{scene}} {name}: `:{option}:` is of another scene.")
        goal, goals = self.options.get("goal"), known[name]["goals"]
        if goal not in (None, *goals):
            raise self.error(f"{{scene}} {name}: goal {goal}: there are {', '.join(goals)}.")
        about = self.env.metadata[self.env.docname]
        about[HERE] = number = about.get(HERE, 0) + 1
        page = self.env.docname.rpartition("/")[2]
        still = Still(page=page, number=number, name=name, options=dict(self.options))
        made = scene(still=still)
        self.set_source_info(made)
        made += self.parse_content_to_nodes()
        return [made]


def _visit_html(translator: Any, node: nodes.Element) -> None:
    still: Still = node["still"]
    book = Path(translator.builder.srcdir)
    picture = still.picture(book)
    if picture is None:
        logger.warning(
            f"{still.path(book).relative_to(book)} is no picture of the scene {still.name} as its "
            "page has it now. Run `make figures`.",
            location=node,
        )
    attributes = Markup("").join(
        Markup(' {}="{}"').format(name, value)
        for name, value in {"name": still.name, **still.options}.items()
    )
    translator.body.append(
        Markup(
            "<wt-scene{}>\n<template>\n{}</template>\n"
            '<figure class="wt-scene-still">{}<figcaption>\n'
        ).format(
            attributes,
            Markup("").join(_live(SCENES["scenes"][still.name], still.options)),
            Markup(picture or ""),
        )
    )


def _depart_html(translator: Any, _node: nodes.Element) -> None:
    translator.body.append("</figcaption></figure>\n</wt-scene>\n")


def _live(about: Mapping[str, Any], given: Mapping[str, str]) -> Iterator[Markup]:
    """Write what the script of a scene with these options brings to life, part by part."""
    yield Markup(
        '<div class="wt-scene-live" role="group" aria-label="Simulated: {0}">\n'
        '<p class="wt-scene-head"><strong>Simulated</strong> by a model, measured on no machine.'
        '<span class="wt-scene-time"></span></p>\n'
        '<div class="wt-scene-picture"><canvas role="img" aria-label="{0}"></canvas></div>\n'
    ).format(about["title"])
    told = {*given, *given.get("turn", "").split()}
    marks = Markup(" ").join(
        Markup('<span><span class="wt-mark wt-mark-{}"></span>{}</span>').format(mark, words)
        for mark, words in about["legend"].items()
        if about["only"].get(mark) in (None, *told)
    )
    yield Markup('<p class="wt-scene-legend">{}</p>\n').format(marks)
    if "bet" in given:
        yield Markup('<div class="wt-scene-bet" role="group" aria-label="Your prediction"></div>\n')
    yield Markup(
        '<div class="wt-scene-clock"></div>\n'
        '<div class="wt-scene-clock wt-scene-tools"></div>\n'
        '<div class="wt-scene-sliders"></div>\n'
    )
    headings = Markup("").join(
        Markup('<th scope="col">{}</th>').format(column) if column else Markup("<td></td>")
        for column in ("", "simulated", *about["columns"])
    )
    yield Markup(
        '<div class="wt-scene-table"><table><thead><tr>{}</tr></thead><tbody></tbody></table>'
        "</div>\n"
    ).format(headings)
    if goal := about["goals"].get(given.get("goal")):
        yield Markup('<p class="wt-scene-goal"><span aria-hidden="true"></span>{}</p>\n').format(
            goal
        )
    yield Markup('<p class="wt-scene-said" role="status"></p>\n</div>\n')


def _load_script(
    app: Sphinx, page: str, _template: str, _context: dict[str, Any], doctree: object
) -> None:
    if doctree is not None and HERE in app.env.metadata[page]:
        app.add_js_file("lib/scenes.js", loading_method="defer")


def add_to(app: Sphinx) -> None:
    """Let pages write scenes."""
    app.add_node(scene, html=(_visit_html, _depart_html))
    app.add_directive("scene", SceneDirective)
    app.connect("html-page-context", _load_script)
