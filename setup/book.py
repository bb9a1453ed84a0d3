"""Build the book into _build/html, from recordings: no build runs load.

    .venv/bin/python setup/book.py

Not at all when nothing it is made of has changed, else from nothing: whoever writes has
`make preview`. A build that fails leaves the former site.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from install import ROOT, alone, logged

BUILD = ROOT / "_build"
SITE = BUILD / "html"
STAMP = BUILD / "book.json"  # the sources of that site; there is none while it is exchanged
LOG = BUILD / "book.log"
NOTE = ".buildinfo"  # Sphinx's, for a next build; it depends on folders, so no site has it
WORK = BUILD / "work"  # where the next site is made

SOURCES = ("_config.yml", "_toc.yml", "requirements.txt", "setup", "book", "labs", "workloads")
NO_SOURCES = {"__pycache__", ".ipynb_checkpoints", "node_modules", "jupyter_execute"}
COMPLAINTS_SHOWN = 12  # the log has them all
COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # Sphinx colours what it says, wherever it says it


def main() -> int:
    """Exit code 0 when _build/html is of the present sources, 1 after a sentence, 130 on Ctrl-C."""
    try:
        with alone():
            now = sources()
            if now == former_sources():
                return 0
            print("Building the book; this takes about half a minute.")
            complaints = build()
            if complaints is None:
                STAMP.write_text(json.dumps(now, indent=0))
                return 0
    except OSError as problem:
        complaints = [f"{problem.filename or BUILD}: {problem.strerror}"]
    except KeyboardInterrupt:
        return 130
    kept = "; the former site stays as it was" if SITE.is_dir() else ""
    print(*complaints[:COMPLAINTS_SHOWN], sep="\n", file=sys.stderr)
    print(
        f"The book could not be built, for the reasons above{kept}: put them right and try again "
        f"({LOG.relative_to(ROOT)} has everything).",
        file=sys.stderr,
    )
    return 1


def build() -> list[str] | None:
    """Make the site aside and put it in place; None when that went well, else the complaints."""
    shutil.rmtree(WORK, ignore_errors=True)
    made = WORK / "_build"
    made.mkdir(parents=True)
    command = [sys.executable, "-m", "labs.site.build.book", "build", str(ROOT / "book")]
    command += ["--config", str(ROOT / "_config.yml"), "--toc", str(ROOT / "_toc.yml")]
    command += ["--path-output", str(WORK), "-W", "--keep-going"]
    with LOG.open("w") as log:
        went_well = logged(command, log, {"LABS_MODE": "replay"})
    if not went_well or not (made / "html" / "index.html").is_file():
        plain = COLOURS.sub("", LOG.read_text(errors="replace"))
        lines = plain.replace(f"{ROOT}/", "").splitlines()
        complaints = [line for line in lines if "WARNING: " in line or "ERROR: " in line]
        return complaints or lines[-COMPLAINTS_SHOWN:]
    (made / "html" / NOTE).unlink(missing_ok=True)
    STAMP.unlink(missing_ok=True)
    if SITE.exists():
        SITE.rename(WORK / "former")
    (made / "html").rename(SITE)
    shutil.rmtree(WORK)
    return None


def former_sources() -> dict[str, str]:
    """The sources of the site that is there, as `sources` had them; none if it is not whole."""
    try:
        found: dict[str, str] = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return found if SITE.is_dir() else {}


def sources() -> dict[str, str]:
    """Everything the site is made of: names, and hashes of contents."""
    found = {"Python": sys.version}
    for path in sorted(_sources()):
        found[str(path.relative_to(ROOT))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _sources() -> Iterator[Path]:
    for name in SOURCES:
        path = ROOT / name
        if path.is_file():
            yield path
        for folder, inner, files in os.walk(path):
            inner[:] = [each for each in inner if each not in NO_SOURCES]
            if Path(folder) == ROOT / "book" / "web":
                inner[:] = [each for each in inner if each != "src"]  # its bundle is what counts
            yield from (Path(folder, each) for each in files)


if __name__ == "__main__":
    sys.exit(main())
