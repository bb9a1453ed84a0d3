"""Folds of a page with all that belongs to them.

A derivation is a dropdown whose title begins with “Why:”. In the source the cells that check it
follow it, for a notebook's cells cannot stand inside anything. On the page they are moved into the
fold, in their order: the page's script finds them by their place, and JupyterLab opens the source.

The section *More exercises* is folded below its heading.
"""

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

TITLE = "Why: "
MORE = "More exercises"


class FoldChecks(SphinxPostTransform):
    """Moves the cells that directly follow a derivation into it."""

    default_priority = 3  # before myst-nb and sphinx-design turn cells and dropdowns into HTML

    def run(self, **_: Any) -> None:
        for fold in list(self.document.findall(nodes.container)):
            if fold.get("design_component") == "dropdown" and fold.astext().startswith(TITLE):
                for cell in list(_cells_after(fold)):
                    fold.parent.remove(cell)
                    fold += cell


class FoldMore(SphinxPostTransform):
    """Folds the exercises that are no core of a chapter; a link to one of them opens the fold."""

    default_priority = 3

    def run(self, **_: Any) -> None:
        for section in self.document.findall(nodes.section):
            title, *below = section.children
            if title.astext() == MORE:
                count = sum(isinstance(each, nodes.section) for each in below)
                summary = f"<summary>{count} to choose from</summary>"
                section[1:1] = [nodes.raw("", f'<details class="more">{summary}', format="html")]
                section += nodes.raw("", "</details>", format="html")


def _cells_after(fold: nodes.Element) -> Iterator[nodes.Element]:
    beside = fold.parent.children
    for node in beside[beside.index(fold) + 1 :]:
        if not (isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"):
            return
        yield node
