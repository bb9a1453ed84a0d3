"""Strip of a run that goes on, as a widget: it is shown once something was measured."""

from pathlib import Path

import anywidget
import traitlets

from labs.panel.figure_view import FRAME
from labs.present.core_strip import strip_alt, strip_rows
from labs.records.results import Sample

# The legend: a swatch for an area, a line for a count.
KEYS = """
.wt-core-strip canvas { display: block; }
.wt-core-strip figcaption {
  display: flex; flex-wrap: wrap; justify-content: center; gap: 0 1rem; margin: 0.4rem 0;
  color: inherit; font: inherit; font-size: 0.85rem;
}
.wt-key::before { content: ""; display: inline-block; width: 1rem; margin-right: 0.35rem; }
.wt-key-area::before { height: 0.7rem; background: var(--key); }
.wt-key-line::before { border-top: 2px solid var(--key); vertical-align: middle; }
.wt-key-dots::before { border-top: 2px dotted var(--key); vertical-align: middle; }
"""


class CoreStripView(anywidget.AnyWidget):
    """The strip of what each core of the running server does. Called by one thread at a time."""

    _esm = Path(__file__).with_name("core_strip_view.js")  # built from book/web/src
    _css = f"{FRAME}{KEYS}"

    strip = traitlets.Dict().tag(sync=True)  # as `strip_rows` makes it
    alt = traitlets.Unicode().tag(sync=True)

    def __init__(self) -> None:
        super().__init__(strip=strip_rows(()), alt=strip_alt(()), layout={"display": "none"})
        self.add_class("wt-strip")
        self._samples: list[Sample] = []

    def begin(self) -> None:
        """Begin a run; what the last one left is shown until this one has measured something."""
        self._samples = []

    def clear(self) -> None:
        """Hide the strip: nothing was measured of what is set now."""
        self._samples = []
        self.layout.display = "none"

    def saw(self, sample: Sample) -> None:
        """Keep a sample, and paint nothing: it was seen while something is measured."""
        if self._samples and sample.at_s < self._samples[-1].at_s:
            self._samples = []  # the warm-up is over, or another server has its turn
        self._samples.append(sample)

    def draw(self) -> None:
        """Draw all samples so far."""
        if self._samples:
            self.layout.display = ""
            self.strip = strip_rows(self._samples)

    def finish(self) -> None:
        """End the run: draw all of it, and say it in words."""
        if self._samples:
            self.alt = strip_alt(self._samples)
            self.draw()
