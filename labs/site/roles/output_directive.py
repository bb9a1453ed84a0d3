"""A directive for real output of real tools, read line by line.

    ```{output} ss-backlog
    1. `Recv-Q`: how many connections wait in line.
    2. `LISTEN 17 16`: 17 of them, and the line has 16 places.
    ```

The output is the file `book/output/ss-backlog.txt`; how notes are written stands in
`labs.present.annotations`. A file that is not there, or a note about words that the output does not
have (any more), is a warning with its line, so a strict build fails.
"""

from datetime import datetime
from typing import Any

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from labs.present.annotations import NoSuchLine, Note, annotated, notes
from labs.recordings import outputs
from labs.recordings.outputs import Output
from labs.records.errors import BadRecording


class output(nodes.General, nodes.Element):
    """An output: its lines, the notes, and where it was made."""


class printed(nodes.literal_block):
    """The command of an output and its lines."""


class OutputDirective(SphinxDirective):
    """`{output} name`, with its notes."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        self.env.note_dependency(str(outputs.path(name)))
        try:
            shown = outputs.read(name)
            found = notes(list(self.content), shown.lines)
        except (BadRecording, NoSuchLine) as problem:
            raise self.error(f"{{output}} {name}: {problem}") from None
        made = output(name=name)
        made += self._lines(shown, found)
        made += self.parse_content_to_nodes()
        made += nodes.paragraph("", caption(shown), classes=["wt-output-made"])
        return [made]

    def _lines(self, shown: Output, found: list[Note]) -> nodes.Node:
        text = f"$ {shown.command}\n{shown.text}"
        html = Markup("<code>$ {}</code>").format(shown.command), annotated(shown.lines, found)
        return printed(text, text, language="text", html=html, command=shown.command)


def caption(shown: Output) -> str:
    """Say what the server did meanwhile, with which tool it was seen, when and where."""
    day = datetime.fromisoformat(shown.made)
    return (
        f"Beside {shown.what}. Tool: {shown.tool}, {day.day} {day:%B %Y}. Machine: "
        f"{shown.machine.caption}."
    )


def _visit_html(translator: Any, node: nodes.Element) -> None:
    translator.body.append(Markup('<div class="wt-output" id="output-{}">\n').format(node["name"]))


def _depart_html(translator: Any, _node: nodes.Element) -> None:
    translator.body.append("</div>\n")


def _lines_in_html(translator: Any, node: nodes.Element) -> None:
    command, lines = node["html"]
    translator.body.append(
        Markup(
            '<div class="wt-output-command">{}</div>\n<pre tabindex="0" role="region" '
            'aria-label="Output of {}">{}</pre>\n'
        ).format(command, node["command"], lines)
    )
    raise nodes.SkipNode


def add_to(app: Sphinx) -> None:
    """Let pages write outputs with notes."""
    app.add_node(output, html=(_visit_html, _depart_html))
    app.add_node(printed, html=(_lines_in_html, None))
    app.add_directive("output", OutputDirective)
