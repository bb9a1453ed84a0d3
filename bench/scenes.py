"""What a frame of a scene costs.

    python -m bench.scenes [--seconds 5]

Plays the shop with 200 requests in flight in Chromium (`make book` first), its CPU throttled four
times, and prints the time that the page's main thread was at work on each frame, by what it did.
Time in which other programs had the core doesn't count.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
from typing import Any

from playwright.sync_api import Browser

from bench.reading import SITE, built, chromium

PAGE = "1-cpu-time/past-the-plateau.html"
THROTTLE = 4
GOAL_MS = 8.0
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel", "cc"]
PARTS = {  # events of the trace, none of them inside another
    "script": ("FireAnimationFrame",),
    "style and layout": ("UpdateLayoutTree", "Layout"),
    "paint": ("PrePaint", "Paint", "Layerize"),
}
FRAME = "FireAnimationFrame"
HANDED_OVER = "ProxyMain::BeginMainFrame"  # all of it, with canvas and layers for the compositor


def traced(browser: Browser, seconds: float) -> list[dict[str, Any]]:
    """The events of a page that plays."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto((SITE / PAGE).as_uri())
    scene = page.locator("wt-scene").first
    scene.scroll_into_view_if_needed()
    chrome = context.new_cdp_session(page)
    chrome.send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
    scene.get_by_role("button", name="Play").click()
    page.wait_for_timeout(2000)  # compiled, and at its pace
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.wait_for_timeout(1000 * seconds)
    events: list[dict[str, Any]] = json.loads(browser.stop_tracing())["traceEvents"]
    context.close()
    return events


def per_frame(events: list[dict[str, Any]]) -> tuple[int, dict[str, float]]:
    """Frames, and milliseconds of each kind of event on the main thread for each of them."""
    main = {(event["pid"], event["tid"]) for event in events if event["name"] == FRAME}
    spent: collections.Counter[str] = collections.Counter()
    frames = 0
    for event in events:
        if event.get("ph") == "X" and (event["pid"], event["tid"]) in main:
            spent[event["name"]] += event.get("tdur", event["dur"])
            frames += event["name"] == FRAME
    return frames, {name: spent[name] / 1000 / frames for name in spent}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    asked = parser.parse_args()
    if not built(PAGE):
        return 2
    with chromium() as browser:
        frames, spent = per_frame(traced(browser, asked.seconds))
    total = 0.0
    for part, names in PARTS.items():
        took = sum(spent.get(name, 0) for name in names)
        total += took
        print(f"{part}: {took:.2f} ms a frame")
    print(
        f"{frames / asked.seconds:.0f} frames a second; {HANDED_OVER} {spent[HANDED_OVER]:.1f} ms"
    )
    print(f"script and paint at {THROTTLE} x throttle: {total:.1f} ms (goal: <= {GOAL_MS:g})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
