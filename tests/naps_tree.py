"""The tree with one kind of lab more: its folder (tests/new_kind), and a line in the registry."""

import shutil
from pathlib import Path

from chapters import FRONT

ROOT = Path(__file__).resolve().parent.parent
NAPS = ROOT / "tests/new_kind"
LINE = '    "naps": "naps.run:NapsLab",\n'
PAGE = f"""{FRONT}# Naps

The longest took {{measured}}`slept("0.1")`.

```{{code-cell}} ipython3
:tags: [lab, hide-input]
from labs import naps
naps("naps")
```
"""


def copy(tree: Path) -> Path:
    """Copy it there, with a book of one page."""
    without = shutil.ignore_patterns("__pycache__")
    for name in ("labs", "workloads"):
        shutil.copytree(ROOT / name, tree / name, ignore=without)
    shutil.copytree(NAPS, tree / "labs/kinds/naps", ignore=without)
    registry = tree / "labs/kinds/registry.py"
    text = registry.read_text()
    registry.write_text(text.replace('    "race":', LINE + '    "race":'))
    (tree / "book").mkdir()
    (tree / "book/naps.md").write_text(PAGE)
    (tree / "book/_toc.yml").write_text("format: jb-book\nroot: naps\n")
    return tree
