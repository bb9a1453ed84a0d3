"""What pages load of scripts, in one file where there were eight.

Sphinx, its extensions and the theme each bring one or two; a telephone would ask for one after the
other. `_static/book.js` has those of JOINED in that order, and templates/layout.html names it last
of all. Sphinx's few settings for them stand in the page itself. The page of the search, which has
further ones, is as the theme has it.
"""

import hashlib
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

NAME = "book.js"
JOINED = (
    *("doctools.js", "sphinx_highlight.js", "clipboard.min.js", "copybutton.js"),
    *("scripts/sphinx-book-theme.js", "togglebutton.js"),
    *("scripts/bootstrap.js", "scripts/pydata-sphinx-theme.js"),
)
MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)  # of a file that is not there


def joined(static: Path) -> str:
    """Join the scripts that are there. Each is sloppy as before: a "use strict" at the very
    beginning would be one for all."""
    there = [static / name for name in JOINED if (static / name).is_file()]
    return "".join(f";{MAP.sub('', file.read_text('utf-8')).strip()}\n" for file in there)


class Scripts:
    """What the template asks for."""

    def __init__(self) -> None:
        self._said: dict[str, Any] = {}

    def offer(self, app: Sphinx, context: dict[str, Any]) -> None:
        """Sphinx has copied the files before it writes the first page."""
        if not self._said:
            static = Path(app.outdir, "_static")
            text = joined(static)
            (static / NAME).write_text(text, "utf-8")
            self._said = {
                "joined_scripts": list(JOINED),
                "book_script": f"_static/{NAME}",
                "book_script_version": hashlib.sha256(text.encode()).hexdigest()[:8],
                "documentation_options": (static / "documentation_options.js").read_text("utf-8"),
            }
        context.update(self._said)
