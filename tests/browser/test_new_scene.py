"""A scene that is a module, its lines in kinds.ts, and a page stands in the page."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import build, draw_scenes
from playwright.sync_api import Page, expect
from serving import PROJECT

COIN = """
import type { About, Scene } from './scene';
import { words } from './sketch';

export const ABOUT: About = {
  title: 'a coin that is thrown',
  legend: { core: 'heads' },
  goals: { heads: 'Throw heads.' },
};

export function coin(): Scene {
  return {
    start() {},
    changed() {},
    height: () => 60,
    draw: (pen) => words(pen, 'heads', 20, 30),
    rows: () => [['throws', '1']],
    sentence: () => 'It fell on heads.',
    goals: { heads: () => true },
  };
}
"""
PAGE = "# Coins\n\n```{scene} coin\n:goal: heads\n\nSimulated: a coin.\n```\n"

pytestmark = pytest.mark.extended


def tree_with_a_coin(tree: Path) -> None:
    """Copy the tree there, with three files more or changed, and `make bundle` in it."""
    without = shutil.ignore_patterns("__pycache__", "node_modules")
    for name in ("labs", "setup", "workloads", "book/web"):
        shutil.copytree(PROJECT / name, tree / name, ignore=without)
    source = tree / "book/web/src"
    (source / "scenes/coin.ts").write_text(COIN)
    kinds = source / "scenes/kinds.ts"
    text = "import * as coin from './coin';\n" + kinds.read_text("utf-8")
    for table, export in (("KINDS", "coin"), ("ABOUT", "ABOUT")):
        head = next(line for line in text.splitlines() if line.startswith(f"export const {table}"))
        text = text.replace(head, f"{head}\n  coin: coin.{export},")
    kinds.write_text(text, "utf-8")
    (tree / "book/coins.md").write_text(PAGE)
    (tree / "book/_toc.yml").write_text("format: jb-book\nroot: coins\n")
    installed = PROJECT / "book/web/src/node_modules"
    if installed.is_dir():
        (source / "node_modules").symlink_to(installed)
    else:
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=source, check=True)
    subprocess.run(["npm", "run", "build"], cwd=source, check=True)


@pytest.mark.timeout(300)  # it builds a bundle and a book
def test_a_new_scene_is_drawn_and_moves_in_its_page(
    page: Page,
    another: Callable[..., Page],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = tmp_path / "tree"
    tree_with_a_coin(tree)
    draw_scenes(tree / "book", tree)
    monkeypatch.setenv("PYTHONPATH", str(tree))
    site = build(tree / "book", tmp_path, tree / "book/web")
    page.goto((site / "coins.html").as_uri())
    coin = page.get_by_role("group", name="Simulated: a coin that is thrown")
    expect(coin.get_by_role("row", name="throws 1")).to_be_visible()
    expect(coin).to_contain_text("Throw heads.")
    plain = another(java_script_enabled=False)
    plain.goto((site / "coins.html").as_uri())
    expect(plain.get_by_role("img", name="It fell on heads.")).to_be_visible()
