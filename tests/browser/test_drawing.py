"""`make figures`: draws what has changed, and nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from serving import PROJECT

from labs.recordings import pictures, store


@pytest.mark.extended
def test_only_what_has_changed_is_drawn(browser: Browser, tmp_path: Path) -> None:
    whole = 0
    for lab in ("one-core", "a-shared-counter"):
        (tmp_path / lab).mkdir()
        shutil.copy(store.paths(lab)[-1], tmp_path / lab)
        whole += len([*(store.folder() / lab).glob("figure-*-wide.svg")])
    assert said(tmp_path).startswith(f"{whole} of {whole} recorded figures drawn anew")
    wide, narrow = (tmp_path / f"one-core/figure-1-{width}.svg" for width in ("wide", "narrow"))
    ours = store.folder() / "one-core/figure-1-wide.svg"
    assert pictures.mark(pictures.read(wide)) == pictures.mark(pictures.read(ours)) != ""
    assert "users</text>" in narrow.read_text()
    before = wide.stat().st_mtime_ns
    narrow.write_text(narrow.read_text().replace('data-figure="', 'data-figure="0'))
    assert said(tmp_path).startswith(f"1 of {whole} recorded figures drawn anew")
    assert wide.stat().st_mtime_ns > before
    assert said(tmp_path).startswith(f"0 of {whole} recorded figures drawn anew")


@pytest.mark.extended
def test_without_a_browser_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "one-core").mkdir()
    shutil.copy(store.paths("one-core")[-1], tmp_path / "one-core")
    made = figures(tmp_path, "one-core", BROWSER_PATH="/bin/false")
    assert made.returncode == 1
    assert "or name yours in BROWSER_PATH, and run `make figures`." in made.stderr


def said(folder: Path) -> str:
    made = figures(folder, "one-core", "a-shared-counter")
    assert made.returncode == 0, made.stderr
    return made.stdout


def figures(folder: Path, *labs: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROJECT / "setup/figures.py"), *labs]
    environment = os.environ | {"LABS_RECORDINGS": str(folder)} | more
    return subprocess.run(command, env=environment, capture_output=True, text=True)
