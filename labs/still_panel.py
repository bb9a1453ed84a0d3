"""The panel of the labs without a sweep: nothing to set, one press on Run."""

from __future__ import annotations

import html
import threading
from typing import Generic

import ipywidgets

from labs import kept, words
from labs.actions import Actions, put
from labs.attempt import Attempt
from labs.measure import Progress
from labs.panel import close
from labs.records import Unusable
from labs.showing import data, showing
from labs.still import Found, Still
from labs.verdict import caption
from labs.view import FigureView


class StillPanel(ipywidgets.VBox, Generic[Found]):
    """Run, Stop, a figure and its numbers. Until the first run it shows the recorded one."""

    def __init__(self, lab: str, still: Still[Found], *, recorded: Found | None = None) -> None:
        self.lab = lab
        self._still = still
        self._attempt: Attempt | None = None
        self._drawing = threading.RLock()
        self._actions = Actions(self._run, self._stop)
        self._caption = ipywidgets.HTML()
        self._figure = FigureView(alt="Nothing measured yet.").add_class("wt-figure")
        self._said = ipywidgets.HTML().add_class("wt-data")
        self._data = ipywidgets.HTML().add_class("wt-data")
        super().__init__(
            children=(
                ipywidgets.HTML(f'<p class="wt-about">{html.escape(still.about)}</p>'),
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
        self._actions.ready(True, f"takes about {words.seconds(self._still.seconds)}")

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
        found = self._still.measure(self._told, stop)
        kept.keep(self.lab, found)
        with self._drawing:
            self._draw(found, f"Measured here: {found.machine.caption}.")

    def _told(self, told: Progress | Found) -> None:
        with self._drawing:
            if isinstance(told, Progress):
                self._actions.progress(told)
            else:
                self._draw(told, "Measuring here.")

    def _draw(self, found: Found, words: str) -> None:
        how = showing(found)
        self._figure.figure, self._figure.alt = how.figure(found), how.alt(found)
        put(self._caption, f'<p role="status">{html.escape(words)}</p>')
        put(self._said, how.words(found))
        put(self._data, data(self.lab, found))

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
