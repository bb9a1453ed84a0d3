"""Find a Chromium for tests, benches and whatever draws or prints, or get one. Prints its path.

    .venv/bin/python setup/browser.py

In this order: the one named in BROWSER_PATH, one that the system has, the one that
Playwright downloads, one of Debian's packages (as root). One that does not start does not
count, and neither does one that Playwright can't drive.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import system

PACKAGES = ("chromium-headless-shell", "chromium")  # Debian's; the first has no window to paint
NAMES = (*PACKAGES, "google-chrome", "google-chrome-stable", "chrome", "chromium-browser")
FLAGS = [  # of one that draws or prints
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
    "--font-render-hinting=none",  # or letters are wider in a Chromium without a window
]
MAC_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
DOWNLOAD_S = 300.0  # of patience with a slow network


def main() -> int:
    """Exit code 0 after printing the path, 1 after a sentence on standard error."""
    if system.get(lambda: [] if system.DRIVER.here() else [system.DRIVER.package]):
        print(
            "Playwright, which drives the browser, does not start here: install the library that "
            f"its node lacks (on Debian `apt install {system.DRIVER.package}`).",
            file=sys.stderr,
        )
        return 1
    if path := found():
        print(path)
        return 0
    print(
        "This needs Chromium or Chrome and there is none here: install one (on "
        "Debian `apt install chromium`), or name yours in BROWSER_PATH.",
        file=sys.stderr,
    )
    return 1


def found() -> str | None:
    """Find the first that starts; None where none does. Without Playwright, which is one of the
    tools for tests, nothing is downloaded."""
    with contextlib.suppress(ImportError):
        return next(filter(starts, candidates()), None)
    return None


def candidates() -> Iterator[str]:
    """Paths worth trying, the next one made ready only when the last did not start."""
    if named := os.environ.get("BROWSER_PATH"):
        yield named
        return
    yield from filter(None, map(shutil.which, NAMES))
    yield from filter(os.path.exists, MAC_APPLICATIONS)
    if system.DRIVER.here():
        path = playwright_path()
        if path.exists():
            yield str(path)
        else:
            system.say("No Chromium or Chrome here; asking Playwright for its own.")
            if run(sys.executable, "-m", "playwright", "install", "chromium") and path.exists():
                yield str(path)
    if (root := system.as_root()) is not None:
        for package in PACKAGES:
            system.say(f"Installing Debian's package {package}.")
            if problem := system.install([package], root):
                system.say(f"That failed: {problem}")
            yield shutil.which(package) or f"/usr/bin/{package}"


def playwright_path() -> Path:
    """Find where Playwright keeps the Chromium that goes with it, downloaded or not."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)


def starts(path: str) -> bool:
    """Whether a browser says its version: a stub or one that lacks a library does not."""
    try:
        asked = subprocess.run([path, "--version"], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0 and b"Chrom" in asked.stdout


def run(*command: str) -> bool:
    """Whether a command went well, within DOWNLOAD_S; if not, its last words are told."""
    try:
        code, lines = system.ran(command, DOWNLOAD_S)
    except (OSError, subprocess.TimeoutExpired) as problem:
        system.say(f"{problem}.")
        return False
    if code != 0:
        errors = [line for line in lines if line.lower().startswith("e")]
        last = "\n".join(lines).strip()[-200:]
        system.say(f"That failed: {errors[0] if errors else last}")
    return code == 0


if __name__ == "__main__":
    sys.exit(main())
