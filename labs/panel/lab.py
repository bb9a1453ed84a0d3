"""The panel of the labs without a sweep: a question, one press on Run, and what came out."""

from __future__ import annotations

import html
import threading
from typing import Generic

import ipywidgets

from labs.exercises import latest
from labs.kinds.base import Found, Still
from labs.kinds.showing import data, showing
from labs.measure.rig import Progress
from labs.panel.core_strip_view import StripView
from labs.panel.figure_view import FigureView
from labs.panel.job import Attempt
from labs.panel.prediction_prompt import Guessing
from labs.panel.run_bar import Actions, put
from labs.panel.sweep import close
from labs.present.verdict import caption, on_answer
from labs.records import format
from labs.records.errors import Unusable
from labs.records.results import Sample


class StillPanel(ipywidgets.VBox, Generic[Found]):
    """Run, Stop, a figure and its numbers. Until the first run it shows the recorded one."""

    def __init__(self, lab: str, still: Still[Found], *, recorded: Found | None = None) -> None:
        self.lab = lab
        self._still = still
        self._attempt: Attempt | None = None
        self._partial: Found | None = None  # what the run has found so far
        self._drawing = threading.RLock()
        asked = still.question
        self._guessing = Guessing(self._ready, asked, lab=lab) if asked else None
        self._actions = Actions(self._run, self._stop, still.levers, still.pull)
        self._caption = ipywidgets.HTML()
        self._figure = FigureView(alt="Nothing measured yet.").add_class("wt-figure")
        self._strip = StripView()
        self._answer = ipywidgets.HTML().add_class("wt-verdict")
        self._said = ipywidgets.HTML().add_class("wt-data")
        self._data = ipywidgets.HTML().add_class("wt-data")
        super().__init__(
            children=(
                ipywidgets.HTML(f'<p class="wt-about">{html.escape(still.about)}</p>'),
                *([self._guessing] if self._guessing else []),
                self._actions,
                self._caption,
                self._figure,
                self._strip,
                self._answer,
                self._said,
                self._data,
            )
        )
        self.add_class("wt-panel")
        for later in (self._caption, self._answer, self._said, self._data):
            put(later, "")
        if recorded is not None:
            self._draw(recorded, caption(recorded.machine))
        self._ready()

    def _ready(self) -> None:
        """The reader's guess comes first."""
        ready = self._guessing is None or self._guessing.done
        takes = f"takes about {format.seconds(self._still.seconds)}"
        self._actions.ready(
            ready, takes if ready else f"first commit to a number, or skip; {takes}"
        )

    def _run(self) -> None:
        attempt = Attempt(self.lab, self._measure, self._ended)
        with self._drawing:
            if not self._actions.offers_run:
                return
            try:
                attempt.start()
            except Unusable as error:
                self._actions.tell(str(error))
                return
            self._attempt = attempt
            self._partial = None
            self._strip.begin()
            self._actions.began()
            if self._guessing:
                self._guessing.enable(False)

    def _measure(self, stop: threading.Event) -> None:
        """In the attempt's thread. What was found survives, also when the run broke off."""
        with self._drawing:
            pass  # the panel is ready
        try:
            found = self._still.measure(self._told, stop)
        except BaseException:
            with self._drawing:
                if self._partial is not None:
                    machine = self._partial.machine.caption
                    self._draw(self._partial, f"Measured here before the end: {machine}.")
                    self._show_answer(self._partial)
            raise
        latest.keep(self.lab, found)
        with self._drawing:
            self._draw(found, f"Measured here: {found.machine.caption}.")
            self._show_answer(found)

    def _told(self, told: Progress | Sample | Found) -> None:
        with self._drawing:
            if isinstance(told, Progress):
                self._actions.progress(told)
                return
            if isinstance(told, Sample):
                self._strip.saw(told)
                return
            self._partial = told
            self._actions.offer_levers(True)
            self._actions.landed()
            self._draw_figure(told, "Measuring here.")
            self._strip.draw()
            for later in (self._answer, self._said, self._data):
                put(later, "")  # of another run

    def _draw(self, found: Found, words: str) -> None:
        self._draw_figure(found, words)
        put(self._said, showing(found).words(found))
        put(self._data, data(self.lab, found))

    def _draw_figure(self, found: Found, words: str) -> None:
        how = showing(found)
        self._figure.figure, self._figure.alt = how.figure(found), how.alt(found)
        put(self._caption, f'<p role="status">{html.escape(words)}</p>')

    def _show_answer(self, found: Found) -> None:
        """The reader's guess beside the model and the measurement."""
        question = self._still.question
        if question is None or self._guessing is None or self._guessing.guess is None:
            return
        model, measured = self._still.answer(found)
        self._guessing.came(model, measured)
        said = on_answer(question, self._guessing.guess, model, measured)
        put(self._answer, f'<div role="status"><p>{html.escape(said)}</p></div>')

    def _ended(self, said: str) -> None:
        with self._drawing:
            if self._guessing:
                self._guessing.enable(True)
            self._strip.finish()
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
