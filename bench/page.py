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
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
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
ROUNDS = 3
WARM_S = 6.0  # for the server to have the next kernel ready
LONGEST_MS = 60_000


@dataclass(frozen=True, slots=True)
class Opened:
    """What it took to open a page."""

    how: str
    paint_s: float  # the first
    figure_s: float
    panel_s: float | None  # of a live one
    http_bytes: int
    socket_bytes: int

    @property
    def row(self) -> list[str]:
        goal = GOALS_MS[self.how]
        return [
            self.how,
            f"{1000 * self.paint_s:.0f}",
            f"{1000 * self.figure_s:.0f}",
            "-" if self.panel_s is None else f"{1000 * self.panel_s:.0f}",
            "at first paint" if goal is None else f"{goal}",
            f"{self.http_bytes / 1000:.0f}",
            f"{self.socket_bytes / 1000:.0f}",
        ]


class Reader:
    """A window in which one page is opened after the other."""

    def __init__(self, browser: Browser) -> None:
        self._context = browser.new_context(viewport={"width": 1280, "height": 900})
        self._page: Page = self._context.new_page()
        network: CDPSession = self._context.new_cdp_session(self._page)
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
        figure_s, panel_s = time.perf_counter() - begin, None
        if still:
            at = self._page.wait_for_function("window.figureAt", timeout=LONGEST_MS)
            figure_s = at.json_value() / 1000
        else:
            self._page.wait_for_selector(PANEL, timeout=LONGEST_MS)
            panel_s = time.perf_counter() - begin
        paint_s = self._page.wait_for_function(PAINTED, timeout=LONGEST_MS).json_value() / 1000
        self._page.wait_for_load_state("networkidle")
        return Opened(how, paint_s, figure_s, panel_s, self._http, self._socket)

    def close(self) -> None:
        self._context.close()


def opened(browser: Browser) -> Iterator[Opened]:
    """All of them."""

    def at_once(how: str, url: str) -> Opened:
        reader = Reader(browser)
        found = reader.opens(how, url)
        reader.close()
        return found

    for _ in range(ROUNDS):
        yield at_once("file", (SITE / PAGE).as_uri())
    started = time.perf_counter()
    with reading(PAGE) as chapter:
        print(f"`labs read` to its address: {time.perf_counter() - started:.1f} s")
        yield at_once("live, cold", chapter)
        for _ in range(ROUNDS):
            time.sleep(WARM_S)
            reader = Reader(browser)
            yield reader.opens("live, warm", chapter)
            time.sleep(WARM_S)  # of reading
            yield reader.opens("live, second page", chapter.replace(PAGE, SECOND))
            reader.close()


def over(found: list[Opened]) -> list[str]:
    """A sentence for each way to open a page whose median is over its goal."""
    said = []
    late = [each.figure_s - each.paint_s for each in found if each.panel_s is None]
    if late and (ms := 1000 * statistics.median(late)) > 0:
        said.append(f"file: its figure is there {ms:.0f} ms after the first paint.")
    for how, goal_ms in GOALS_MS.items():
        took = [each.panel_s for each in found if each.how == how and each.panel_s is not None]
        if goal_ms is not None and took and (ms := 1000 * statistics.median(took)) > goal_ms:
            said.append(
                f"{how}: its panel can be used after {ms:.0f} ms, and the goal is {goal_ms}."
            )
    return said


def main() -> int:
    if not built(PAGE):
        return 2
    with chromium() as browser:
        found = list(opened(browser))
    head = ["opened", "first paint ms", "figure ms", "panel ms", "goal ms", "HTTP kB"]
    head.append("websocket kB")
    print(columns([head, *(each.row for each in found)]))
    late = over(found)
    print("\n".join(late))
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
