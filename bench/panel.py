"""Does the page disturb what it measures?

    python -m bench.panel [--rounds 2] [LAB ...]

Runs labs in the live page (Chromium, `make book` first) and from here, in turn. Prints what
browser, kernel and book server used in the windows, how many points were unfit, and how far the
measurements lie from the forecast in the page, over as far as they do from here: a page that
disturbs makes its own points lower. How well that is known, the pairs of runs tell, one in the page
and one from here. And what the page takes of the cores, the command's own left out, tells how much
it can cost where they are full, also on a machine that has no steady speed. About six minutes.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from playwright.sync_api import Browser, expect

from bench import one_of
from bench.browser import built, chromium, reading
from labs.host.hardware import fingerprint
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.report import columns, joined
from labs.kinds.sweep.run import SweepLab
from labs.measure.rig import Rig
from labs.recordings import store

LABS = {
    "many-cores": "1-cpu-time/many-cores.html",
    "past-the-plateau": "1-cpu-time/past-the-plateau.html",
    "waiting-is-cheap": "2-wait-time/waiting-is-cheap.html",
}
LIVE_MS, RUN_MS = 60_000.0, 180_000.0
# Waits until the run is over; the address of its file. Playwright's own waiting would ask the page
# again and again, and what the page spends on answers would be taken for its own.
OVER = """(panel, withinMs) => new Promise((resolve, reject) => {
  const look = () => {
    const link = panel.querySelector('a[download$=".json"]');
    if (link && !panel.querySelector('.wt-run').disabled) resolve(link.href);
  };
  new MutationObserver(look).observe(panel, {subtree: true, childList: true, attributes: true});
  setTimeout(() => reject(new Error(`The run was not over within ${withinMs} ms.`)), withinMs);
})"""
MOST_CPU, MOST_APART = 0.03, 0.01  # cores; of the throughput
# Checks of what no page can do to a core, told by burns.
SPEED = {"noise", "core speed", "unsteady cores"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a lab: at each level how far it is off, and what its page used."""

    lab: str
    where: str
    misses: tuple[float, ...]  # measured over forecast, minus one
    steady: tuple[float, ...]  # of these, where the machine kept its speed
    unfit: int
    browser: float  # cores, the mean over the levels; 0 where there is none
    kernel: float  # with the book's server


def run_of(lab: str, where: str, data: dict[str, Any]) -> Run:
    """Read a run from a recording joined with its predictions."""
    points, raw = data["points"], data["runs"][0]["points"]
    misses = [point["throughput_rps"] / point["predicted"]["model_rps"] - 1 for point in points]
    moved = [any(check["name"] in SPEED for check in point["checks"]) for point in points]
    return Run(
        lab=lab,
        where=where,
        misses=tuple(misses),
        steady=tuple(miss for miss, other in zip(misses, moved, strict=True) if not other),
        unfit=sum(any(check["unfit"] for check in point["checks"]) for point in points),
        browser=statistics.mean(point["browser_cpu"] or 0.0 for point in raw),
        kernel=statistics.mean(point["page_cpu"] for point in raw),
    )


def in_the_page(browser: Browser, lab: str, url: str) -> Run:
    """Open the page as a reader does, skip the bet, press Run, take the file that it offers."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.goto(url)
    panel = page.locator(".wt-live:not(.wt-behind)").first
    run = panel.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_visible(timeout=LIVE_MS)
    panel.get_by_role("button", name="Skip", exact=True).click()
    expect(run).to_be_enabled(timeout=LIVE_MS)
    run.click()
    address = str(panel.evaluate(OVER, RUN_MS))
    context.close()
    return run_of(lab, "page", json.loads(unquote(address.partition(",")[2])))


def from_here(lab: str) -> Run:
    """Measure a lab's experiment without a page."""
    recorded = store.recording(lab)
    assert isinstance(recorded, Recording)
    return run_of(lab, "here", joined(Rig().perform(SweepLab(recorded.experiment))))


def summary(runs: Sequence[Run], cores: int) -> list[str]:
    """The figures that count, beside their goals."""
    page = [run for run in runs if run.where == "page"]
    here = [run for run in runs if run.where == "here"]
    used = statistics.mean(run.browser + run.kernel for run in page)
    more = used - statistics.mean(run.kernel for run in here)

    def miss(some: Sequence[Run]) -> float:
        return statistics.median(miss for run in some for miss in run.misses)

    def steady(some: Sequence[Run]) -> str:
        misses = [miss for run in some for miss in run.steady]
        return f"{statistics.median(misses):+.1%} of {len(misses)}" if misses else "none"

    def unfit(some: Sequence[Run]) -> str:
        return f"{sum(run.unfit for run in some)} of {sum(len(run.misses) for run in some)}"

    apart = [miss([one]) - miss([other]) for one, other in zip(page, here, strict=True)]
    off = 2 * statistics.stdev(apart) / math.sqrt(len(apart)) if len(apart) > 1 else math.inf
    return [
        f"browser, kernel and server in the windows: {used:.3f} cores (goal: <= {MOST_CPU})",
        f"that is {more:+.3f} cores beside what the command takes by itself: {more / cores:.1%} of "
        f"the machine, where all its {cores} are full",
        f"points unfit: {unfit(page)} in the page, {unfit(here)} from here",
        f"median miss: {miss(page):+.1%} in the page, {miss(here):+.1%} from here, apart "
        f"{miss(page) - miss(here):+.1%} (goal: <= {MOST_APART:.0%})",
        f"where the machine kept its speed: {steady(page)} in the page, {steady(here)} from here",
        f"pair by pair: {statistics.mean(apart):+.1%} apart, known within {off:.1%} (twice the "
        f"standard error of {len(apart)} pairs)",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("labs", nargs="*", type=one_of(LABS), metavar="LAB")
    asked = parser.parse_args()
    if not all(map(built, LABS.values())):
        return 2
    runs: list[Run] = []
    with chromium() as browser:
        for _ in range(asked.rounds):
            for lab in asked.labs or LABS:
                with reading(LABS[lab]) as url:
                    runs.append(in_the_page(browser, lab, url))
                runs.append(from_here(lab))
    rows = [["lab", "run in", "browser", "kernel and server", "unfit", "off the forecast"]]
    rows += [
        [
            *(run.lab, run.where, f"{run.browser:.3f}", f"{run.kernel:.3f}", str(run.unfit)),
            " ".join(f"{miss:+.1%}" for miss in run.misses),
        ]
        for run in runs
    ]
    print(columns(rows), *summary(runs, fingerprint().cores), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
