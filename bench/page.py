"""How long until a chapter shows its recorded figure, and until its panel can be used?

    python -m bench.page

Opens a chapter of the built book (`make book`) in Chromium: three times from its file, for a reader
who makes no bets; live, just after the server has started; and live three times more, when a warm
kernel waits, and from there another page in the same window. Says when something is painted for the
first time, when the recorded figure is in a frame (live, in the page), when the panel can be used,
and counts the bytes that came. From a file the figure is to be there at first paint, live the panel
within its goal; exits with 1 if the median of some is over.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from statistics import median
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page

from bench.browser import SITE, built, chromium, reading
from labs.kinds.sweep.report import columns

PAGE, SECOND = "1-cpu-time/many-cores.html", "1-cpu-time/past-the-plateau.html"
FIGURE = "figure.wt-recorded .wt-picture svg"
# When a frame begins in which the figure is laid out, in milliseconds since the page was asked for.
WATCH = """(figure) => {
  localStorage.setItem('wall-time-always-show', 'yes');
  const look = (now) => {
    const figures = [...document.querySelectorAll(figure)];
    const seen = figures.some((each) => each.getClientRects().length);
    if (seen) window.figureAt = now;
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
PANEL = ".wt-live:not(.wt-behind) .wt-actions button"
GOALS_MS = {"file": None, "live, cold": 3000, "live, warm": 1500, "live, second page": 1000}
HEAD = "opened|first paint ms|figure ms|panel ms|goal ms|HTTP kB|websocket kB"
ROUNDS = 3
WARM_S = 6.0  # for the server to have the next kernel ready
LONGEST_MS = 60_000


@dataclass(frozen=True, slots=True)
class Opened:
    """What it took to open a page, in milliseconds and bytes."""

    how: str
    paint: float  # the first
    figure: float
    panel: float | None  # of a live one
    http: int
    socket: int

    @property
    def row(self) -> list[str]:
        goal = GOALS_MS[self.how]
        times = (self.paint, self.figure, self.panel)
        return [
            self.how,
            *("-" if each is None else f"{each:.0f}" for each in times),
            "at first paint" if goal is None else f"{goal}",
            *(f"{each / 1000:.0f}" for each in (self.http, self.socket)),
        ]


class Reader:
    """A window in which one page is opened after the other."""

    def __init__(self, browser: Browser) -> None:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        self.close = context.close
        self._page: Page = context.new_page()
        network: CDPSession = context.new_cdp_session(self._page)
        network.send("Network.enable")
        self._http = self._socket = 0
        network.on("Network.loadingFinished", self._finished)
        network.on("Network.webSocketFrameReceived", self._framed)
        network.on("Network.webSocketFrameSent", self._framed)

    def _finished(self, event: dict[str, Any]) -> None:
        self._http += int(event["encodedDataLength"])

    def _framed(self, event: dict[str, Any]) -> None:
        self._socket += len(event["response"]["payloadData"])

    def opens(self, how: str, url: str) -> Opened:
        self._http = self._socket = 0
        still = GOALS_MS[how] is None
        if still:
            self._page.add_init_script(f"({WATCH})({json.dumps(FIGURE)})")
        begin = time.perf_counter()
        self._page.goto(url, wait_until="commit")
        self._page.wait_for_selector(FIGURE, state="attached", timeout=LONGEST_MS)
        figure, panel = 1000 * (time.perf_counter() - begin), None
        if still:
            figure = self._told("window.figureAt")
        else:
            self._page.wait_for_selector(PANEL, timeout=LONGEST_MS)
            panel = 1000 * (time.perf_counter() - begin)
        paint = self._told(PAINTED)
        self._page.wait_for_load_state("networkidle")
        return Opened(how, paint, figure, panel, self._http, self._socket)

    def _told(self, script: str) -> float:
        """Read what a script says in the page, once it is something."""
        return float(self._page.wait_for_function(script, timeout=LONGEST_MS).json_value())


def opened(browser: Browser) -> Iterator[Opened]:
    """Open the page in all ways, one after the other."""
    for _ in range(ROUNDS):
        with closing(Reader(browser)) as reader:
            yield reader.opens("file", (SITE / PAGE).as_uri())
    started = time.perf_counter()
    with reading(PAGE) as chapter:
        print(f"`labs read` to its address: {time.perf_counter() - started:.1f} s")
        with closing(Reader(browser)) as reader:
            yield reader.opens("live, cold", chapter)
        for _ in range(ROUNDS):
            time.sleep(WARM_S)
            with closing(Reader(browser)) as reader:
                yield reader.opens("live, warm", chapter)
                time.sleep(WARM_S)  # of reading
                yield reader.opens("live, second page", chapter.replace(PAGE, SECOND))


def over(found: list[Opened]) -> list[str]:
    """A sentence for each way to open a page whose median is over its goal."""
    said = []
    late = median(each.figure - each.paint for each in found if each.panel is None)
    if late > 0:
        said.append(f"file: its figure is there {late:.0f} ms after the first paint.")
    for how, goal in GOALS_MS.items():
        took = [each.panel for each in found if each.how == how and each.panel is not None]
        if goal is not None and median(took) > goal:
            said.append(f"{how}: its panel can be used after {median(took):.0f} ms (goal: {goal}).")
    return said


def main() -> int:
    if not built(PAGE):
        return 2
    with chromium() as browser:
        found = list(opened(browser))
    print(columns([HEAD.split("|"), *(each.row for each in found)]))
    late = over(found)
    print("\n".join(late))
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
