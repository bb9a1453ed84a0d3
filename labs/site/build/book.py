"""Jupyter Book's command line, started for one build: `python -m labs.site.build.book build …`."""

import functools
import gc
import os
import sys

PROCESSES = 2  # that read and write pages; more of them hardly hurry a book of thirty


def hurry() -> None:
    """Leave out two things that every build would pay for: looking for garbage among the hundred
    thousand nodes of a book, which refer to each other (a quarter of the time; without it a build
    takes 340 MB), and the grammar of IRIs that jsonschema loads when it finds it (1.5 s)."""
    gc.disable()
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # as if it were not installed


def main() -> None:
    """End with Jupyter Book's exit code."""
    hurry()
    from jupyter_book import sphinx  # type: ignore[import-untyped]
    from jupyter_book.cli.main import main as jupyter_book  # type: ignore[import-untyped]

    jobs = min(PROCESSES, os.cpu_count() or 1)
    sphinx.build_sphinx = functools.partial(sphinx.build_sphinx, jobs=jobs)
    jupyter_book()


if __name__ == "__main__":
    main()
