"""Directives for exercises: {exercise}, {hint} and {solution}, with the book's numbers;
and the role {minutes}, with which a page says how long they take.

`labs.exercises.page` says what stands in them, `labs.exercises.proofreading` what is wrong with it:
each is a warning with its line, so a strict build fails. Each question in the built book has the
key by which the page's script judges answers, and `exercises.json` all exercises, for the labs.
"""

from pathlib import Path

import msgspec
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from labs.exercises import catalogue, page, proofreading, words
from labs.exercises.exercise import Exercise, place
from labs.exercises.key import field

EXERCISES = "wall-time-exercises"  # a page's, among its metadata

logger = logging.getLogger(__name__)


class ExerciseDirective(SphinxDirective):
    """An exercise's question, under its heading: what follows belongs to it."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        known = {each.id: each for each in self.env.metadata[self.env.docname][EXERCISES]}
        row = known.get(self.arguments[0].partition(" ")[0])
        if row is None:
            return []  # `_read` has said why
        options, text = page.parted("\n".join(self.content))
        filled = words.fill(text, row.numbers())
        before, after = self.around(row)
        line = self.lineno + self.content_offset + options.count("\n") - before.count("\n")
        # The renderer's own method, since a section that a directive returns would end with it.
        renderer = self.state._renderer  # type: ignore[attr-defined]  # MyST's, not docutils'
        renderer.nested_render_text(before + filled + after, line)
        return []

    def around(self, row: Exercise) -> tuple[str, str]:
        """Write what stands before the text and after it: the page of progress finds the place, and
        the page's script puts a field there."""
        before = f"({place(row.id)})=\n### {self.arguments[0]}\n\n*{row.effort}*\n\n"
        return before, f"\n\n{field(row)}"


class FoldedDirective(ExerciseDirective):
    """A hint or a solution, folded away until it is asked for."""

    def around(self, row: Exercise) -> tuple[str, str]:
        summary = f"<summary>{self.name.capitalize()}</summary>"
        return f'<details class="{self.name}">\n{summary}\n\n', "\n\n</details>"


class MinutesRole(SphinxRole):
    """Sum of the minutes that exercises take, all together: of the page if its text is `here`, else
    of the chapters that it names."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        here = Path(self.env.doc2path(self.env.docname))
        sources = {file.stem: file for file in (here, *catalogue.pages())}
        names = [here.stem if name == "here" else name for name in self.text.split()]
        if unknown := [name for name in names if name not in sources]:
            said = f"{unknown[0]}: no chapter has that name. Write `here`, or names of chapters."
            logger.warning(said, location=self.get_location())
            return [], []
        minutes = 0
        for name in names:
            self.env.note_dependency(str(sources[name]))
            asked = page.read(sources[name].read_text("utf-8")).exercises
            minutes += sum(row.minutes for row in asked)
        return [nodes.Text(str(minutes))], []


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    """Keep the exercises of a page, but for those with which something is wrong, and say what."""
    found = page.read(source[0], name)
    wrong = set()
    for line, sentence in proofreading.complaints(found):
        logger.warning(sentence, location=(name, line))
        wrong.add(sentence.partition(":")[0])
    app.env.metadata[name][EXERCISES] = [row for row in found.exercises if row.id not in wrong]


def _write(app: Sphinx, failed: Exception | None) -> None:
    """Write all exercises beside the pages."""
    if failed is None and app.builder.name == "html":
        every = (row for about in app.env.metadata.values() for row in about.get(EXERCISES, ()))
        written = msgspec.json.encode(catalogue.in_order(every))
        Path(app.outdir, catalogue.NAME).write_bytes(written)


def add_to(app: Sphinx) -> None:
    """Let pages write exercises, hints and solutions."""
    app.connect("source-read", _read)
    app.connect("build-finished", _write)
    app.add_directive("exercise", ExerciseDirective)
    app.add_directive("hint", FoldedDirective, override=True)  # docutils has an admonition
    app.add_directive("solution", FoldedDirective)
    app.add_role("minutes", MinutesRole())
