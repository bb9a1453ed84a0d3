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

from docutils import nodes
from markupsafe import Markup
from sphinx.util.docutils import SphinxDirective

from labs.present.annotations import NoSuchLine, annotated, notes
from labs.recordings import outputs
from labs.recordings.outputs import Output
from labs.records.errors import BadRecording

OPEN = Markup(
    '<div class="wt-output" id="output-{}">\n'
    '<div class="wt-output-command"><code>$ {}</code></div>\n'
    '<pre tabindex="0" role="region" aria-label="Output of {}">{}</pre>\n'
)


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
        lines = OPEN.format(name, shown.command, shown.command, annotated(shown.lines, found))
        return [
            nodes.raw("", lines, format="html"),
            *self.parse_content_to_nodes(),
            nodes.paragraph("", caption(shown), classes=["wt-output-made"]),
            nodes.raw("", "</div>\n", format="html"),
        ]


def caption(shown: Output) -> str:
    """Say what the server did meanwhile, with which tool it was seen, when and where."""
    day = datetime.fromisoformat(shown.made)
    return (
        f"Beside {shown.what}. Tool: {shown.tool}, {day.day} {day:%B %Y}. Machine: "
        f"{shown.machine.caption}."
    )
