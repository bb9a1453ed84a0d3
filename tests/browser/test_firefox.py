"""One journey in Firefox: a bet, a run and its verdict live, and a chapter without Python.

Playwright drives no Firefox that a system has; puppeteer does, through WebDriver BiDi.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Servers
from panel_book import PanelBook
from serving import BookServer

FOLDER = Path(__file__).parent / "firefox"
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
INSTALL_S = 240.0
JOURNEY_S = 400.0

pytestmark = [pytest.mark.extended, pytest.mark.measures, pytest.mark.timeout(700)]


@pytest.fixture
def panels(panel_book: PanelBook, tmp_path: Path) -> Iterator[BookServer]:
    with pytest.MonkeyPatch.context() as patch, Servers(tmp_path) as start:
        patch.setenv("LABS_RECORDINGS", str(panel_book.shelf))
        yield start(panel_book.site, root=panel_book.source)


@pytest.mark.skipif(FIREFOX is None, reason="Install it with: apt-get install firefox-esr")
def test_a_reader_with_firefox(panels: BookServer, book: Path) -> None:
    subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=FOLDER,
        check=True,
        timeout=INSTALL_S,
    )
    chapter = (book / "1-cpu-time/one-core.html").as_uri()
    walked = subprocess.run(
        ["node", "journey.mjs", str(FIREFOX), panels.page("index"), chapter],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=JOURNEY_S,
    )
    assert walked.stdout, walked.stderr
    seen = json.loads(walked.stdout)
    assert "stopped" not in seen, seen
    assert seen["version"].startswith("firefox/")
    assert "You said 100" in seen["verdict"] or "None of the 2 points" in seen["verdict"]
    assert seen["points"] == seen["rows"] == 2
    assert "You said 12.5" in seen["bet"]
    assert seen["answer"].strip()
    assert seen["scene"] >= 1 and seen["tooWide"] <= 0
    assert seen["foreign"] == seen["errors"] == []
