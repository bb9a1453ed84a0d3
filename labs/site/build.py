"""Jupyter Book's own command line, started for one build: `python -m labs.site.build build …`.

Two things that every build paid for are left out: looking for garbage among the hundred thousand
nodes of a book, which refer to each other (a quarter of the time; without it a build takes 340 MB),
and the grammar of IRIs that jsonschema loads when it finds it (a second and a half).
"""

import gc
import sys


def main() -> None:
    """Jupyter Book's exit code is this program's."""
    gc.disable()
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # as if it were not installed
    from jupyter_book.cli.main import main as jupyter_book  # type: ignore[import-untyped]

    jupyter_book()


if __name__ == "__main__":
    main()
