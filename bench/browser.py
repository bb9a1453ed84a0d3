"""The live book in Chromium, for the benches that open its pages."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]


def built(page: str) -> bool:
    """Whether that page is built; says what to do where it is not."""
    if (SITE / page).exists():
        return True
    print("The book is not built. Run `make book` first.", file=sys.stderr)
    return False


def where() -> subprocess.CompletedProcess[str]:
    """What setup/browser.py says: the path of a browser, or why there is none."""
    command = [sys.executable, str(ROOT / "setup" / "browser.py")]
    return subprocess.run(command, capture_output=True, text=True)


@contextlib.contextmanager
def chromium(*more: str) -> Iterator[Browser]:
    """A browser without a screen, with these further arguments."""
    with sync_playwright() as playwright:
        path = where().stdout.strip() or None
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *more])
        yield browser
        browser.close()


@contextlib.contextmanager
def reading(page: str) -> Iterator[str]:
    """`labs read`; the address of that page, with the token."""
    with subprocess.Popen(
        [sys.executable, "-m", "labs", "read", "--no-browser"],
        cwd=ROOT,
        env=os.environ | {"NO_BROWSER": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as serving:
        assert serving.stdout is not None
        try:
            found = (re.search(r"http://\S+token=\w+", line) for line in serving.stdout)
            url = next(match[0] for match in found if match)
            yield re.sub(r"book/[^?]*", f"book/{page}", url)
        finally:
            serving.send_signal(signal.SIGINT)
