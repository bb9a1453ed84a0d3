"""How long does the book take to build: in full, and when one thing of it has changed?

    python -m bench.build

Builds a copy of the book in a temporary folder, with `setup/book.py`; CPU time is that of the
build and all it starts. Two builds in full, a quarter of a minute each; three of a few seconds,
and one with nothing to do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from labs.host.project import ROOT
from labs.kinds.sweep.report import columns

SOURCES = ("_config.yml", "_toc.yml", "requirements.txt", "setup", "book", "labs", "workloads")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "node_modules", ".ipynb_checkpoints")
CHANGES = {  # what is changed: the file, a word of it, another
    "one page": ("book/1-cpu-time/one-core.md", "You'll put", "You will put"),
    "a recording": ("book/recordings/one-core/2-cores.json", "CPython", "Python"),
    "a title": ("book/1-cpu-time/one-core.md", "# 2 · One core", "# 2 · A core"),
    "code": ("labs/theory/laws.py", '"""', '""" '),
}


def build(tree: Path) -> tuple[float, float]:
    """Wall and CPU seconds of one build."""
    began, before = time.perf_counter(), os.times()
    subprocess.run(
        [sys.executable, "setup/book.py"], cwd=tree, stdout=subprocess.DEVNULL, check=True
    )
    after = os.times()
    spent = (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )
    return time.perf_counter() - began, spent


def main() -> int:
    rows = [["changed", "wall s", "CPU s"]]
    with tempfile.TemporaryDirectory(prefix="wall-time-") as folder:
        tree = Path(folder)
        for name in SOURCES:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, tree / name, ignore=LEFT_OUT)
            else:
                shutil.copy(ROOT / name, tree)
        rows.append(["everything", *(f"{seconds:.1f}" for seconds in build(tree))])
        rows.append(["nothing", *(f"{seconds:.1f}" for seconds in build(tree))])
        for what, (name, was, now) in CHANGES.items():
            text = (tree / name).read_text("utf-8")
            assert was in text, name
            (tree / name).write_text(text.replace(was, now, 1), "utf-8")
            rows.append([what, *(f"{seconds:.1f}" for seconds in build(tree))])
    print(columns(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
