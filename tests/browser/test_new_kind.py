"""A kind of lab that is one folder and one line has its panel in the page."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from chapters import FRONT, ROOT
from conftest import build, servers
from labs_on_page import RUN_MS, button, live
from playwright.sync_api import Page, expect

RECORD = """
import sys
from pathlib import Path
from labs.recordings import recorder
rule = recorder.Rule(runs=1, fit=False, each_s=0)
recorder.record_book(["naps"], print, rule, book=Path(sys.argv[1]))
"""
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

pytestmark = [pytest.mark.measures, pytest.mark.extended]


def copy(tree: Path) -> Path:
    """Copy the tree there with one kind of lab more, its folder and a line in the registry, and
    with a book of one page."""
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


@pytest.mark.timeout(300)  # it builds a book, and gives way meanwhile
def test_a_new_kind_is_recorded_shown_and_run_in_the_page(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = copy(tmp_path / "tree")
    monkeypatch.setenv("PYTHONPATH", str(tree))
    monkeypatch.setenv("LABS_RECORDINGS", str(tmp_path / "recordings"))
    # A turn of its own: it measures only its sleep.
    monkeypatch.setenv("WALL_TIME_LOCK", str(tmp_path / "lock"))
    subprocess.run([sys.executable, "-c", RECORD, str(tree / "book")], cwd=tree, check=True)
    site = build(tree / "book", tmp_path)
    assert "The longest nap took" in (site / "naps.html").read_text("utf-8")
    with servers(tmp_path) as start:
        server = start(site, root=tree / "book")
        shown = live(page, server, "naps")
        assert page.locator(".wt-measured").inner_text().startswith("1")
        expect(shown.locator(".wt-about")).to_have_text("The lab sleeps.")
        button(shown, "Skip").click()
        button(shown, "Run").click()
        expect(shown.get_by_text("Measured here: ")).to_be_visible(timeout=RUN_MS)
        expect(shown.locator(".wt-figure .barlayer .point")).to_have_count(2)
        expect(shown.get_by_text("Sleeps end late.")).to_be_visible()
