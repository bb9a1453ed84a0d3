"""What a frame of a scene costs.

    python -m bench.scenes [--seconds 3] [--only shop]

Opens every scene of the book in Chromium (`make book` first), its CPU throttled four times: a scene
with a clock plays, and the last slider of one without is turned by its keys. Prints a line for
each, with the time that the page's main thread was at work on a frame, by what it did. Time in
which other programs had the core doesn't count. Exits with 1 if one that plays, and so has requests
in flight, takes more than the goal.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Locator, Page

from bench.reading import SITE, built, chromium

THROTTLE = 4
GOAL_MS = 8.0
SETTLED_S = 2.0  # compiled, and at its pace
PATIENCE_MS = 60_000
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel", "cc"]
PARTS = {  # events of the trace; what is inside of one that is counted is counted with it
    "script": ("FireAnimationFrame", "input"),
    "style and layout": ("UpdateLayoutTree", "Layout"),
    "paint": ("PrePaint", "Paint", "Layerize"),
}
COUNTED = {name for names in PARTS.values() for name in names}
FRAME = "FireAnimationFrame"
TURN = ["ArrowLeft", "ArrowRight"]  # back to where it was, so that it can go on for long


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene of the book."""

    page: str
    nth: int  # of its page, from 0
    name: str

    def __str__(self) -> str:
        return f"{self.page.removesuffix('.html')}, {self.nth + 1}: {self.name}"


def scenes() -> list[Scene]:
    """All that the built pages have."""
    found = []
    for path in sorted(SITE.rglob("*.html")):
        text = path.read_text("utf-8")
        if "<wt-scene" in text:
            page = path.relative_to(SITE).as_posix()
            for nth, scene in enumerate(BeautifulSoup(text, "html.parser").select("wt-scene")):
                found.append(Scene(page, nth, str(scene["name"])))
    return found


@dataclass(frozen=True, slots=True)
class Frame:
    """What one of a scene costs."""

    plays: bool  # by itself, with requests in flight
    took_ms: float

    @property
    def over(self) -> bool:
        return self.took_ms > GOAL_MS

    @property
    def misses(self) -> bool:
        """Whether it is over the goal, which is for scenes with requests in flight."""
        return self.plays and self.over


def traced(browser: Browser, scene: Scene, seconds: float) -> tuple[bool, list[dict[str, Any]]]:
    """Whether that scene plays by itself, and the events of a page whose reader plays with it for
    so long."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto((SITE / scene.page).as_uri())
    there = page.locator("wt-scene").nth(scene.nth)
    there.scroll_into_view_if_needed()
    skip = there.get_by_role("button", name="Skip")
    if skip.count():
        skip.click()
    chrome = context.new_cdp_session(page)
    chrome.send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
    plays = there.locator(".wt-scene-play").count() > 0
    _play(page, there, SETTLED_S)
    browser.start_tracing(page=page, categories=CATEGORIES)
    _play(page, there, seconds)
    events: list[dict[str, Any]] = json.loads(browser.stop_tracing())["traceEvents"]
    context.close()
    return plays, events


def _play(page: Page, scene: Locator, seconds: float) -> None:
    """What moves it. One that is over begins again."""
    ends = time.monotonic() + seconds
    play = scene.get_by_role("button", name="Play", exact=True)
    plays = scene.locator(".wt-scene-play").count() > 0
    slider = scene.get_by_role("slider").last
    while time.monotonic() < ends:
        if not plays:
            for key in TURN:
                slider.press(key)
        elif play.count():
            scene.get_by_role("button", name="Again", exact=True).click()
            play.click()
        page.wait_for_timeout(100)


def per_frame(events: list[dict[str, Any]]) -> tuple[int, dict[str, float]]:
    """Frames, and milliseconds of each kind of event on the main thread for each of them. What a
    page does about an event of the reader's goes by the name of that event: input."""
    main = {(event["pid"], event["tid"]) for event in events if event["name"] == FRAME}
    spent: collections.Counter[str] = collections.Counter()
    frames = 0
    over = 0.0
    for event in sorted(events, key=lambda event: (event["ts"], -event.get("dur", 0))):
        if event.get("ph") != "X" or (event["pid"], event["tid"]) not in main:
            continue
        name = event["name"]
        if name == "EventDispatch":
            name = event["args"]["data"]["type"]
        if name not in COUNTED or event["ts"] < over:
            continue
        over = event["ts"] + event["dur"]
        spent[name] += event.get("tdur", event["dur"])
        frames += name == FRAME
    return frames, {name: spent[name] / 1000 / max(frames, 1) for name in spent}


def told(scenes: list[Scene], browser: Browser, seconds: float) -> Iterator[Frame]:
    """What a frame of each costs, with a line about it."""
    for scene in scenes:
        plays, events = traced(browser, scene, seconds)
        frames, spent = per_frame(events)
        parts = {part: sum(spent.get(each, 0) for each in of) for part, of in PARTS.items()}
        frame = Frame(plays, sum(parts.values()))
        said = ", ".join(f"{part} {ms:.1f}" for part, ms in parts.items())
        more = "  MORE" if frame.over else ""
        print(f"{scene!s:<56}{frame.took_ms:5.1f} ms ({said}; {frames} frames){more}", flush=True)
        yield frame


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--only", default="", help="the kind of scene, or a part of its page")
    asked = parser.parse_args()
    if not built("index.html"):
        return 2
    wanted = [scene for scene in scenes() if asked.only in str(scene)]
    with chromium() as browser:
        found = list(told(wanted, browser, asked.seconds))
    over = [each for each in found if each.over]
    print(
        f"a frame's script and paint at {THROTTLE} x throttle: {len(found) - len(over)} of "
        f"{len(found)} scenes within {GOAL_MS:g} ms, the most "
        f"{max((each.took_ms for each in found), default=0):.1f} ms"
    )
    return int(any(each.misses for each in found))


if __name__ == "__main__":
    sys.exit(main())
