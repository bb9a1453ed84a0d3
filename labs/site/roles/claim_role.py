"""Sphinx's role for a sentence that says what a recording says, and holds it to that:

    The costs {claim}`fall to less than a third [demand(256) < demand(4) / 3]` in a crowd.

It prints the words. When the recording says otherwise, that is a warning with its line, so that a
strict build fails. What can be claimed says `labs.present.claims`; the quantities are those of
{measured}, of the page's lab where none is named. Words that hold backticks want two around all.
"""

from functools import partial
from types import SimpleNamespace

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from labs.present import claims
from labs.present.quantities import NoSuchNumber
from labs.records.errors import BadRecording, Unusable
from labs.site.roles.measured_role import quoted_on


class ClaimRole(SphinxRole):
    """Words that a recording bears out."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            words, claim = claims.split(self.text)
            against = claims.contradiction(claim, partial(quoted_on, self.env))
            said = f"{{claim}}`{words}`: {against} Reword it, or leave that recording out."
        except (BadRecording, NoSuchNumber, Unusable) as error:
            against = said = f"{{claim}}`{self.text}`: {error}"
        if against:
            message = self.inliner.reporter.warning(said, line=self.lineno)
            return [nodes.problematic(self.rawtext, self.rawtext)], [message]
        inline = nodes.inline(classes=["wt-claim"])
        children, messages = self.inliner.parse(words, self.lineno, SimpleNamespace(), inline)
        inline.extend(children)
        return [inline], messages
