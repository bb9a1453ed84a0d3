"""Build the book into _build/html, from recordings: no build runs load.

    .venv/bin/python setup/book.py

Built in full when anything it is made of has changed, else not at all: the notebooks' own
cache does not notice changed code or recordings. A build that fails leaves the former site.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from install import ROOT, alone

BUILD = ROOT / "_build"
SITE = BUILD / "html"
STAMP = BUILD / "book.sha256"  # of the sources of the site that is there
LOG = BUILD / "book.log"
WORK = BUILD / "work"  # where the next site is made

SOURCES = ("_config.yml", "_toc.yml", "requirements.txt", "setup", "book", "labs", "workloads")
NO_SOURCES = {"__pycache__", ".ipynb_checkpoints", "node_modules", "jupyter_execute"}
COMPLAINTS_SHOWN = 12  # the log has them all
COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # Sphinx colours what it says, wherever it says it


def main() -> int:
    """Exit code 0 when _build/html is of the present sources, 1 after a sentence, 130 on Ctrl-C."""
    try:
        with alone():
            now = sources_hash()
            if SITE.is_dir() and STAMP.is_file() and STAMP.read_text() == now:
                return 0
            print("Building the book; this takes about half a minute.")
            complaints = build()
            if complaints is None:
                STAMP.write_text(now)
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
    WORK.mkdir(parents=True)
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", str(ROOT / "book")]
    command += ["--config", str(ROOT / "_config.yml"), "--toc", str(ROOT / "_toc.yml")]
    command += ["--path-output", str(WORK), "--all", "-W", "--keep-going"]
    environment = {
        **os.environ,
        "LABS_MODE": "replay",
        "JUPYTER_PREFER_ENV_PATH": "1",  # this environment's kernel, not one of the user's
        "IPYTHONDIR": str(WORK / "ipython"),  # nor the user's startup files
    }
    with LOG.open("w") as log:
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=ROOT,
        )
    made = WORK / "_build" / "html"
    if result.returncode != 0 or not (made / "index.html").is_file():
        plain = COLOURS.sub("", LOG.read_text(errors="replace"))
        lines = plain.replace(f"{ROOT}/", "").splitlines()
        complaints = [line for line in lines if "WARNING: " in line or "ERROR: " in line]
        return complaints or lines[-COMPLAINTS_SHOWN:]
    former = WORK / "former"
    if SITE.exists():
        SITE.rename(former)
    made.rename(SITE)
    shutil.rmtree(WORK)
    return None


def sources_hash() -> str:
    """One number for everything the site is made of: names and contents."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(_sources()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(ROOT)} {content}\n".encode())
    return digest.hexdigest()


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
