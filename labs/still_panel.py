"""The panels of the labs without a sweep: nothing to set, one press on Run."""

from __future__ import annotations

import html
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Generic, TypeVar

import ipywidgets

from labs import kept, stopwatch, words
from labs.actions import Actions, put
from labs.attempt import Attempt
from labs.findings import Checkup, Clocks
from labs.kept import Result
from labs.measure import Measurement, Progress
from labs.panel import close
from labs.records import Experiment, Load, Server, Unusable, Workload
from labs.sheet import folded, table_first
from labs.still_figures import checkup_alt, checkup_figure, clocks_alt, clocks_figure
from labs.verdict import caption
from labs.view import FigureView

Found = TypeVar("Found", bound=Result)
Tell = Callable[[Progress], None]
CHECKUP_S = 8.0
CHECKUP = Experiment(Server("event-loop"), Workload(), Load((1, 8)))


class StillPanel(ipywidgets.VBox, Generic[Found]):
    """Run, Stop, a figure and its numbers. Until the first run it shows the recorded one."""

    def __init__(
        self,
        lab: str,
        *,
        about: str,
        seconds: float,
        work: Callable[[Tell, threading.Event], Found],
        draw: Callable[[Found], tuple[dict[str, object], str]],
        table: Callable[[Found], str],
        recorded: Found | None,
    ) -> None:
        self.lab = lab
        self._seconds = seconds
        self._work, self._show, self._table = work, draw, table
        self._attempt: Attempt | None = None
        self._drawing = threading.RLock()
        self._actions = Actions(self._run, self._stop)
        self._caption = ipywidgets.HTML()
        self._figure = FigureView(alt="Nothing measured yet.").add_class("wt-figure")
        self._said = ipywidgets.HTML().add_class("wt-data")
        self._data = ipywidgets.HTML().add_class("wt-data")
        super().__init__(
            children=(
                ipywidgets.HTML(f'<p class="wt-about">{html.escape(about)}</p>'),
                self._actions,
                self._caption,
                self._figure,
                self._said,
                self._data,
            )
        )
        self.add_class("wt-panel")
        for later in (self._caption, self._said, self._data):
            put(later, "")
        if recorded is not None:
            self._draw(recorded, caption(recorded.machine))
        self._ready()

    def _ready(self) -> None:
        self._actions.ready(True, f"takes about {words.seconds(self._seconds)}")

    def _run(self) -> None:
        attempt = Attempt(self.lab, self._measure, self._ended)
        with self._drawing:
            try:
                attempt.start()
            except Unusable as error:
                self._actions.tell(str(error))
                return
            self._attempt = attempt
            self._actions.began()

    def _measure(self, stop: threading.Event) -> None:
        found = self._work(self._told, stop)
        kept.keep(self.lab, found)
        with self._drawing:
            self._draw(found, f"Measured here: {found.machine.caption}.")

    def _told(self, told: Progress) -> None:
        with self._drawing:
            self._actions.progress(told)

    def _draw(self, found: Found, words: str) -> None:
        self._figure.figure, self._figure.alt = self._show(found)
        put(self._caption, f'<p role="status">{html.escape(words)}</p>')
        put(self._said, self._table(found))
        put(self._data, folded(self.lab, found))

    def _ended(self, said: str) -> None:
        with self._drawing:
            self._ready()
            self._actions.tell(said)

    def _stop(self) -> None:
        if self._attempt is not None:
            self._attempt.stop()
            self._actions.stopping()

    def shut(self) -> None:
        """End what is going on, and take the panel away: another one takes its place."""
        if self._attempt is not None:
            self._attempt.stop()
        close(self)


def clocks_panel(
    lab: str, pages: dict[str, Workload] | None, recorded: Clocks | None
) -> StillPanel[Clocks]:
    """One request, three clocks."""
    pages = pages or stopwatch.PAGES
    names = ", ".join(pages)
    return StillPanel(
        lab,
        about=f"One worker answers {stopwatch.FETCHES} requests to each of its pages ({names}), "
        "one at a time, while three clocks run: on the wall, on the server's CPU, and the "
        "client's own.",
        seconds=stopwatch.duration_s(pages),
        work=lambda tell, stop: stopwatch.clock(pages, tell=tell, stop=stop),
        draw=lambda found: (clocks_figure(found), clocks_alt(found)),
        table=lambda found: "",
        recorded=recorded,
    )


def checkup_panel(lab: str, recorded: Checkup | None) -> StillPanel[Checkup]:
    """What this machine can do."""
    return StillPanel(
        lab,
        about="The lab reads what the system says of this machine, burns all its cores for a "
        "second, and lets the load generator ask a server for nothing, as fast as it can.",
        seconds=CHECKUP_S,
        work=check_up,
        draw=lambda found: (checkup_figure(found), checkup_alt(found)),
        table=table_first,
        recorded=recorded,
    )


def check_up(tell: Tell, stop: threading.Event) -> Checkup:
    """Fingerprint and calibration, with the cost of an empty request to either side."""

    def progress(told: object) -> None:
        if isinstance(told, Progress):
            tell(told)

    measured = Measurement(CHECKUP, tell=progress, stop=stop).run()
    return Checkup(
        machine=measured.machine,
        calibrations=(measured.run.calibration,),
        recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
