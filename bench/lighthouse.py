"""What Lighthouse says of the built site, as a telephone with a slow line would see it.

    python -m bench.lighthouse [--goal 95] [PAGE ...]

Serves `_build/html` (`make book` first) as a plain website does, compressed, on a port of this
machine, and prints the four figures for the first page and three chapters, or for the pages named,
with what keeps one below the goal. Needs Node and the npm registry, from which the pinned
Lighthouse comes; the browser is the one that setup/browser.py finds.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
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
GOAL = 95
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking"
PATIENCE_S = 300.0
WEEK_S = 7 * 86400


class File(web.StaticFileHandler):
    """With checksums in their names, files keep."""

    def set_extra_headers(self, path: str) -> None:
        if not path.endswith(".html"):
            self.set_header("Cache-Control", f"max-age={WEEK_S}")


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """The address of the site, which is there until the end."""
    ready = threading.Event()
    found: dict[str, Any] = {}

    async def serve() -> None:
        options = {"path": str(SITE), "default_filename": "index.html"}
        application = web.Application([(r"/(.*)", File, options)], compress_response=True)
        sockets = netutil.bind_sockets(0, "127.0.0.1")
        server = httpserver.HTTPServer(application)
        server.add_sockets(sockets)
        found["port"] = sockets[0].getsockname()[1]
        found["loop"], found["over"] = asyncio.get_running_loop(), asyncio.Event()
        ready.set()
        await found["over"].wait()
        server.stop()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    ready.wait()
    try:
        yield f"http://127.0.0.1:{found['port']}"
    finally:
        found["loop"].call_soon_threadsafe(found["over"].set)
        thread.join()


def report(address: str, browser: str) -> dict[str, Any]:
    """Lighthouse's own, of one page. CalledProcessError with its last words."""
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
    """Of 100 each."""
    return {name: round(100 * report["categories"][name]["score"]) for name in FIGURES}


def reasons(report: dict[str, Any], category: str) -> list[str]:
    """What costs that category points, the dearest first."""
    rows = []
    for part in report["categories"][category]["auditRefs"]:
        audit = report["audits"][part["id"]]
        lost = part["weight"] * (1 - (audit.get("score") if audit.get("score") is not None else 1))
        if lost > 0:
            said = audit.get("displayValue", "")
            rows.append((lost, f"{audit['title']} {said}".strip()))
    return [said for _, said in sorted(rows, key=lambda row: -row[0])]


def main(pages: list[str], goal: int) -> int:
    """Exit code 1 when a figure is below the goal."""
    found = where()
    browser = found.stdout.strip()
    if not browser or not all(built(f"{page}.html") for page in pages):
        print(found.stderr.strip(), file=sys.stderr)
        return 1
    print(f"{'':36} {'  '.join(FIGURES)}")
    low = False
    with serving() as site:
        for page in pages:
            try:
                told = report(f"{site}/{page}.html", browser)
            except subprocess.CalledProcessError as problem:
                print(f"{LIGHTHOUSE} failed: {problem.stderr[-800:]}", file=sys.stderr)
                return 1
            of = figures(told)
            print(f"{page:36} " + "  ".join(f"{of[name]:{len(name)}d}" for name in FIGURES))
            for name in FIGURES:
                if of[name] < goal:
                    low = True
                    print(f"  {name}:", *reasons(told, name), sep="\n    ")
    return int(low)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--goal", type=int, default=GOAL, help="of 100 (%(default)s)")
    parser.add_argument("pages", nargs="*", default=list(PAGES), metavar="PAGE")
    given = parser.parse_args()
    sys.exit(main(given.pages, given.goal))
