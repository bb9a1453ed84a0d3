"""A Sphinx role that says a number. One that cannot be had is a warning with its line, so that a
strict build fails."""

from docutils import nodes
from sphinx.util.docutils import SphinxRole


class NumberRole(SphinxRole):
    """One number in the text."""

    refused: tuple[type[Exception], ...]  # what `number` may raise

    def number(self) -> str:
        """Say the number and its unit, as the page has it."""
        raise NotImplementedError

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            number = self.number()
        except self.refused as error:
            message = self.inliner.reporter.warning(
                f"{{{self.name}}}`{self.text}`: {error}", line=self.lineno
            )
            return [nodes.problematic(self.rawtext, self.rawtext)], [message]
        return [nodes.inline(self.text, number, classes=[f"wt-{self.name}"])], []
