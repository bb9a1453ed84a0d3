"""Sphinx's directives for exercises: {exercise}, {hint} and {solution}, with the book's numbers;
and the role {minutes}, with which a page says how long they take.

`labs.exercises.words` says what stands in them and what is wrong with it: a number that is no
field of its exercise, an id out of order. Each is a warning with its line, so a strict build fails.
"""

import importlib
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from labs.exercises import chapters, proofreading, words
from labs.exercises.check import key
from labs.exercises.exercise import NoSuchNumber
from labs.present.markup import script_data

logger = logging.getLogger(__name__)


class ExerciseDirective(SphinxDirective):
    """The question, under its heading: what follows belongs to it."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    before = "({place})=\n### {heading}\n\n*{effort}*\n\n"  # the page of progress finds it so
    after = ""

    def run(self) -> list[nodes.Node]:
        heading = self.arguments[0]
        slug = PurePosixPath(self.env.docname).name
        rows = {row.id: row for row in chapters.CHAPTERS.get(slug, ())}
        row = rows.get(heading.partition(" ")[0])
        if row is None:
            return []  # `_complain` has said so
        module = importlib.import_module(f"{chapters.__name__}.{slug.replace('-', '_')}")
        self.env.note_dependency(str(module.__file__))
        try:
            text = words.fill("\n".join(self.content), row.numbers())
        except (NoSuchNumber, ValueError):
            return []
        before = self.before.format(heading=heading, place=words.place(row.id), effort=row.effort)
        line = self.lineno + self.content_offset - before.count("\n")
        # The renderer's own method, since a section that a directive returns would end with it.
        renderer = self.state._renderer  # type: ignore[attr-defined]  # MyST's, not docutils'
        renderer.nested_render_text(before + text + self.after, line)
        return []


class HintDirective(ExerciseDirective):
    """Folded away until it is asked for."""

    before = '<details class="hint">\n<summary>Hint</summary>\n\n'
    after = "\n\n</details>"


class SolutionDirective(ExerciseDirective):
    """The same, for the solution."""

    before = '<details class="solution">\n<summary>Solution</summary>\n\n'
    after = "\n\n</details>"


class MinutesRole(SphinxRole):
    """How many minutes the exercises take, all together: of the page if its text is `here`, else
    of the chapters that it names."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        names = [
            PurePosixPath(self.env.docname).name if name == "here" else name
            for name in self.text.split()
        ]
        if unknown := [name for name in names if name not in chapters.CHAPTERS]:
            said = f"{unknown[0]}: no chapter has that name. Write `here`, or names of chapters."
            logger.warning(said, location=self.get_location())
            return [], []
        return [nodes.Text(str(sum(chapters.minutes(name) for name in names)))], []


def _complain(_app: Sphinx, page: str, source: list[str]) -> None:
    rows = chapters.CHAPTERS.get(PurePosixPath(page).name, ())
    for line, sentence in proofreading.complaints(source[0], rows):
        logger.warning(sentence, location=(page, line))


def _add_keys(
    _app: Sphinx, page: str, _template: str, context: dict[str, Any], doctree: object
) -> None:
    """What a page needs to check its fixed exercises without Python."""
    rows = chapters.CHAPTERS.get(PurePosixPath(page).name, ())
    if doctree is None or not rows:
        return
    keys = {row.id: key(row) for row in rows if row.fixed}
    context["body"] += f"{script_data(keys, id='wt-exercises')}\n"


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("html-page-context", _add_keys)
    app.connect("source-read", _complain)
    app.add_directive("exercise", ExerciseDirective)
    app.add_directive("hint", HintDirective, override=True)  # docutils has an admonition
    app.add_directive("solution", SolutionDirective)
    app.add_role("minutes", MinutesRole())
    return {"version": "1", "parallel_read_safe": True}
