"""A Sphinx directive for scenes: what a page's script lets the reader play with.

    ```{scene} shop
    :users: 96
    :workers: 64
    :wait: 0.2
    :turn: users workers

    Without JavaScript and in print these words stand here, below a picture.
    ```

Becomes `<wt-scene name="shop" users="96" …>`, which `book/web/src/scenes` brings to life; pages
without a scene don't load its script. What a scene cannot do is a warning with its line.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from labs.site.scene_faces import face
from labs.site.scene_goals import GOALS
from labs.site.scene_kinds import KINDS, words_of
from labs.site.scene_numbers import NUMBERS

SCENES = "scenes"  # of a page's metadata: whether it has one
BETS = ("throughput", "response-time", "fooled", "pages")  # as UNITS of bet.ts


class scene(nodes.General, nodes.Element):
    """A scene; its children stand in its place where nothing moves."""


def _number(text: str) -> str:
    if not float(text) >= 0:
        raise ValueError(f"{text}: a number from 0 on, times in seconds")
    return text


class SceneDirective(SphinxDirective):
    """`{scene} shop`, with its numbers as options."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        **dict.fromkeys(NUMBERS, _number),
        "turn": words_of(NUMBERS),  # which of them have a slider
        "most": directives.positive_int,  # users on the axis of curves
        "goal": directives.unchanged_required,  # of GOALS, of this scene
        "bet": directives.unchanged_required,  # a question before anything is shown
        "bet-on": lambda text: directives.choice(text, BETS),
        "times": lambda text: directives.choice(text, ("chance", "alike")),
        "hold": _number,  # requests a second while the button is held
        "slower": _number,  # times slower than life, at first
        "seed": directives.nonnegative_int,
        **{name: check for kind in KINDS.values() for name, check in kind.options.items()},
    }

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in KINDS:
            raise self.error(f"{{scene}} {name}: there are {', '.join(KINDS)}.")
        if not self.content:
            raise self.error(f"{{scene}} {name}: say in a sentence what stands in its place.")
        for needed, says in KINDS[name].needs.items():
            if needed not in self.options:
                raise self.error(f"{{scene}} {name}: `:{needed}:` says {says}.")
        goal = self.options.get("goal")
        if goal not in (None, *GOALS[name]):
            raise self.error(f"{{scene}} {name}: goal {goal}: there are {', '.join(GOALS[name])}.")
        self.env.metadata[self.env.docname][SCENES] = "here"
        made = scene(options={"name": name, **self.options})
        made += self.parse_content_to_nodes()
        return [made]


def _visit_html(translator: Any, node: nodes.Element) -> None:
    given = node["options"]
    attributes = Markup("").join(
        Markup(' {}="{}"').format(name, value) for name, value in given.items()
    )
    translator.body.append(
        Markup('<wt-scene{}>\n{}<figure class="wt-scene-still">{}<figcaption>\n').format(
            attributes, face(given["name"], given), KINDS[given["name"]].picture(given)
        )
    )


def _depart_html(translator: Any, _node: nodes.Element) -> None:
    translator.body.append("</figcaption></figure>\n</wt-scene>\n")


def _load_script(
    app: Sphinx, page: str, _template: str, _context: dict[str, Any], doctree: object
) -> None:
    if doctree is not None and SCENES in app.env.metadata[page]:
        app.add_js_file("lib/scenes.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_node(scene, html=(_visit_html, _depart_html))
    app.add_directive("scene", SceneDirective)
    app.connect("html-page-context", _load_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
