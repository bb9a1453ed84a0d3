"""What Lighthouse says of the built site, as a telephone with a slow line would see it.

    python -m bench.lighthouse [PAGE ...]

Serves `_build/html` (`make book` first) as a plain website does, compressed, on a port of this
machine, and prints the four figures for the first page and three chapters, or for the pages named,
with what keeps one below the goal. Needs Node and the npm registry, from which the pinned
Lighthouse comes; the browser is the one that setup/browser.py finds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tornado import httpserver, netutil, web

from bench.browser import SITE, built, where

LIGHTHOUSE = "lighthouse@12.8.2"  # the last that Node 20 runs
PAGES = (
    "index",
    "1-cpu-time/many-cores",
    "2-wait-time/the-pool",
    "3-real-applications/which-limit",
)
FIGURES = ("performance", "accessibility", "best-practices", "seo")
GOAL = 95  # of 100
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking"
PATIENCE_S = 300.0
WEEK_S = 7 * 86400


class File(web.StaticFileHandler):
    """Files that keep, except pages: they have checksums in their names."""

    def set_extra_headers(self, path: str) -> None:
        if not path.endswith(".html"):
            self.set_header("Cache-Control", f"max-age={WEEK_S}")


def served() -> str:
    """Serve the site in this event loop; return its address."""
    options = {"path": str(SITE), "default_filename": "index.html"}
    (listening,) = netutil.bind_sockets(0, "127.0.0.1")
    application = web.Application([(r"/(.*)", File, options)], compress_response=True)
    httpserver.HTTPServer(application).add_socket(listening)
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


def report(address: str, browser: str) -> dict[str, Any]:
    """Get Lighthouse's report on a page. CalledProcessError with its last words."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.json")
        command = ["npx", "--yes", LIGHTHOUSE, address, "--quiet", "--output=json"]
        command += [f"--output-path={file}", f"--chrome-flags={FLAGS}"]
        command += [f"--only-categories={','.join(FIGURES)}"]
        environment = os.environ | {"CHROME_PATH": browser, "CI": "true"}
        subprocess.run(
            command, check=True, timeout=PATIENCE_S, env=environment, capture_output=True, text=True
        )
        found: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return found


def figures(report: dict[str, Any]) -> dict[str, int]:
    """Read the report's figures, of 100 each."""
    return {name: round(100 * report["categories"][name]["score"]) for name in FIGURES}


def reasons(report: dict[str, Any], category: str) -> list[str]:
    """List what costs a category points, the dearest first."""
    rows = []
    for part in report["categories"][category]["auditRefs"]:
        audit = report["audits"][part["id"]]
        score = audit.get("score")
        lost = part["weight"] * (1 - (1 if score is None else score))
        if lost > 0:
            said = audit.get("displayValue", "")
            rows.append((lost, f"{audit['title']} {said}".strip()))
    return [said for _, said in sorted(rows, key=lambda row: -row[0])]


async def main() -> int:
    """Exit code 1 when a figure is below the goal."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", nargs="*", default=PAGES, metavar="PAGE")
    pages, found = parser.parse_args().pages, where()
    browser = found.stdout.strip()
    if not browser or not all(built(f"{page}.html") for page in pages):
        print(found.stderr.strip(), file=sys.stderr)
        return 1
    print(f"{'':36} {'  '.join(FIGURES)}")
    low, site = False, served()
    for page in pages:
        try:
            told = await asyncio.to_thread(report, f"{site}/{page}.html", browser)
        except subprocess.CalledProcessError as problem:
            print(f"{LIGHTHOUSE} failed: {problem.stderr[-800:]}", file=sys.stderr)
            return 1
        of = figures(told)
        print(f"{page:36} " + "  ".join(f"{of[name]:{len(name)}d}" for name in FIGURES))
        for name in FIGURES:
            if of[name] < GOAL:
                low = True
                print(f"  {name}:", *reasons(told, name), sep="\n    ")
    return int(low)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
