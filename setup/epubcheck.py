"""Get epubcheck, which judges the EPUB for the tests.

    .venv/bin/python setup/epubcheck.py

On Debian and Ubuntu, as root (in CI through sudo), it is installed, with the Java that it needs.
Elsewhere a sentence says what to install. Always exit code 0: the tests have the last word.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from servers import as_root, install, say

PACKAGE = "epubcheck"


def main() -> int:
    """Install it where it is missing, or say so."""
    if command() is None and (root := as_root()) is not None:
        say(f"Installing {PACKAGE}.")
        if problem := install([PACKAGE], root):
            say(f"That failed: {problem}")
    if command() is None:
        say(f"The EPUB is not checked. For that: apt-get install {PACKAGE}")
    return 0


def command() -> list[str] | None:
    """How it is called; None where it is not. Debian's is a Java archive that calls itself a
    program, which not every kernel believes."""
    found = shutil.which(PACKAGE)
    if found is None:
        return None
    with Path(found).open("rb") as file:
        archive = file.read(2) == b"PK"
    java = shutil.which("java")
    if not archive:
        return [found]
    return [java, "-jar", found] if java else None


if __name__ == "__main__":
    sys.exit(main())
