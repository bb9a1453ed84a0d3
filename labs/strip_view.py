"""The strip that moves while a run goes on, as a widget: it is shown from the first sample on."""

from __future__ import annotations

import time

from labs.records import Sample
from labs.strip import strip_alt, strip_figure
from labs.view import FigureView

DRAWN_EVERY_S = 1.0  # painting it costs a tenth of a core of the machine that is measured


class StripView(FigureView):
    """What each core does, of the server that runs now. Called by one thread at a time."""

    def __init__(self) -> None:
        super().__init__(alt=strip_alt(()), layout={"display": "none"})
        self.add_class("wt-strip")
        self._samples: list[Sample] = []
        self._drawn_at = 0.0  # of time.monotonic

    def begin(self) -> None:
        """A run begins; what the last one left is shown until its first sample."""
        self._samples, self._drawn_at = [], 0.0

    def saw(self, sample: Sample, seconds: float = 0.0) -> None:
        """Draw it too, if it is time to. seconds: how long the run will be, where that is known."""
        if self._samples and sample.at_s < self._samples[-1].at_s:
            self._samples = []  # the warm-up is over, or another server has its turn
        self._samples.append(sample)
        now = time.monotonic()
        if now - self._drawn_at >= DRAWN_EVERY_S:
            self._drawn_at = now
            self._draw(seconds)

    def finish(self) -> None:
        """The run has ended: all of it, and in words."""
        if self._samples:
            self.alt = strip_alt(self._samples)
            self._draw()

    def _draw(self, seconds: float = 0.0) -> None:
        self.layout.display = ""
        self.figure = strip_figure(self._samples, seconds)
