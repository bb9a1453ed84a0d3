"""A directive for the place of *My progress*: `{progress}`, whose content is shown where the
page's script isn't. The script draws what is kept (book/web/src/progress.ts), with what the build
knows of the book."""

from docutils import nodes
from markupsafe import Markup
from sphinx.util.docutils import SphinxDirective

from labs.exercises import catalogue
from labs.exercises.exercise import place
from labs.kinds.mystery.scenarios import LIMITS
from labs.present.advice import HOLLOW
from labs.present.bet import CLOSE
from labs.present.markup import script_data
from labs.recordings.pages import chapters
from labs.records.progress import LEAST, MOST, MOST_BYTES


class ProgressDirective(SphinxDirective):
    """`{progress}`, with the words that stand in its place without scripts."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        data = Markup('<div class="wt-progress">{}').format(script_data(known()))
        inside = self.parse_content_to_nodes()
        return [nodes.raw("", data, format="html"), *inside, nodes.raw("", "</div>", format="html")]


def known() -> dict[str, object]:
    """Say what the page's script is told: the chapters, the words and the bounds that labs use."""
    asked = catalogue.in_pages()
    minutes = {row.id: row.minutes for row in asked}
    fixed = {row.id for row in asked if row.fixed}
    return {
        "chapters": [
            {
                "name": each.name,
                "page": each.page,
                "places": {id: f"{each.page}#{place(id)}" for id in each.exercises},
                "labs": each.labs,
                "exercises": {id: minutes[id] for id in each.exercises},
                "fixed": [id for id in each.exercises if id in fixed],
            }
            for each in chapters()
        ],
        "limits": {each.name: each.called for each in LIMITS},
        "hollow": HOLLOW,
        "close": CLOSE,
        "drawn": [LEAST, MOST],
        "mostBytes": MOST_BYTES,
    }
