"""Show the book while it is written: `make preview`. PORT and NO_BROWSER say where.

Builds it whenever a source of it is saved, and reloads the page in the browser. Pages are as
without a kernel: for live labs, `make read`. A build that fails says why and leaves the site.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from install import ROOT
from livereload import Server
from livereload.handlers import LiveReloadHandler

from book import NO_SOURCES, SITE, SOURCES

PORT = 8890  # where none is asked for


def main() -> int:
    """Serves until Ctrl-C; exit code 1 when there is no site to begin with."""
    build()
    if not SITE.is_dir():
        return 1
    LiveReloadHandler.DEFAULT_RELOAD_TIME = 0  # else what is saved within 3 s is built unseen
    server = Server()
    for name in SOURCES:
        server.watch(str(ROOT / name), build, ignore=is_no_source)
    server.serve(
        port=int(os.environ.get("PORT") or PORT),
        root=str(SITE),
        open_url_delay=None if os.environ.get("NO_BROWSER") else 1,
    )
    return 0


def build() -> None:
    """By a process of its own, which says what is wrong, if anything is."""
    subprocess.run([sys.executable, str(ROOT / "setup" / "book.py")])


def is_no_source(file: str) -> bool:
    """Python and editors write files of their own beside the sources."""
    return bool(NO_SOURCES & set(Path(file).parts)) or file.endswith(("~", ".swp"))


if __name__ == "__main__":
    sys.exit(main())
