"""The strip of a run that goes on, as a widget: it is shown once something was measured."""

from __future__ import annotations

from labs.panel.figure_view import FigureView
from labs.present.core_strip import strip_alt, strip_figure
from labs.records.results import Sample


class CoreStripView(FigureView):
    """What each core does, of the server that runs now. Called by one thread at a time."""

    def __init__(self) -> None:
        super().__init__(alt=strip_alt(()), layout={"display": "none"})
        self.add_class("wt-strip")
        self._samples: list[Sample] = []

    def begin(self) -> None:
        """A run begins; what the last one left is shown until this one has measured something."""
        self._samples = []

    def saw(self, sample: Sample) -> None:
        """Keep it, and paint nothing: it was seen while something is measured."""
        if self._samples and sample.at_s < self._samples[-1].at_s:
            self._samples = []  # the warm-up is over, or another server has its turn
        self._samples.append(sample)

    def draw(self, seconds: float = 0.0) -> None:
        """All of it so far. seconds: how long the run will be, where that is known."""
        if self._samples:
            self.layout.display = ""
            self.figure = strip_figure(self._samples, seconds)

    def finish(self) -> None:
        """The run has ended: all of it, and in words."""
        if self._samples:
            self.alt = strip_alt(self._samples)
            self.draw()
