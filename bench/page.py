"""How long until a chapter shows its recorded figure, and until its panel can be used?

    python -m bench.page

Opens a chapter of the built book (`make book`) in Chromium: three times from its file; live, just
after the server has started; and live three times more, when a warm kernel waits. Counts the bytes
that came.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from playwright.sync_api import Browser

from bench.reading import SITE, built, chromium, reading
from labs.kinds.sweep.report import columns

PAGE = "1-cpu-time/many-cores.html"
FIGURE = "figure.wt-recorded .wt-picture svg"
PANEL = ".wt-live:not(.wt-behind) .wt-actions button"
ROUNDS = 3
WARM_S = 6.0  # for the server to have the next kernel ready
LONGEST_MS = 60_000


def opened(browser: Browser, url: str, *, live: bool) -> list[str]:
    """Milliseconds to the figure and to the panel, and kilobytes by HTTP and by websocket."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    moved = {"http": 0, "socket": 0}

    def finished(event: dict[str, Any]) -> None:
        moved["http"] += event["encodedDataLength"]

    def framed(event: dict[str, Any]) -> None:
        moved["socket"] += len(event["response"]["payloadData"])

    network.on("Network.loadingFinished", finished)
    network.on("Network.webSocketFrameReceived", framed)
    network.on("Network.webSocketFrameSent", framed)
    begin = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.wait_for_selector(FIGURE, state="attached", timeout=LONGEST_MS)
    figure_s, panel_s = time.perf_counter() - begin, None
    if live:
        page.wait_for_selector(PANEL, timeout=LONGEST_MS)
        panel_s = time.perf_counter() - begin
    page.wait_for_load_state("networkidle")
    context.close()
    return [
        f"{1000 * figure_s:.0f}",
        "-" if panel_s is None else f"{1000 * panel_s:.0f}",
        f"{moved['http'] / 1000:.0f}",
        f"{moved['socket'] / 1000:.0f}",
    ]


def main() -> int:
    if not built(PAGE):
        return 2
    rows = [["opened", "figure ms", "panel ms", "HTTP kB", "websocket kB"]]
    with chromium() as browser:
        site = (SITE / PAGE).as_uri()
        rows += [["file", *opened(browser, site, live=False)] for _ in range(ROUNDS)]
        started = time.perf_counter()
        with reading(PAGE) as chapter:
            address_s = time.perf_counter() - started
            rows.append(["live, cold", *opened(browser, chapter, live=True)])
            for _ in range(ROUNDS):
                time.sleep(WARM_S)
                rows.append(["live, warm", *opened(browser, chapter, live=True)])
    print(columns(rows))
    print(f"`labs read` to its address: {address_s:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
