"""The results below a panel's figure, all of one run, and whose they are."""

import ipywidgets

from labs.panel.core_strip_view import CoreStripView
from labs.panel.figure_view import FigureView
from labs.panel.run_bar import empty, put
from labs.present.blocks import Drawn
from labs.present.markup import paragraphs, status

OTHERS = "wt-others"  # results that are not of what is set or runs now


class Results(ipywidgets.VBox):
    """Results, from the time's parts to the files. `whose` stands above, and says of which run."""

    def __init__(self) -> None:
        self.whose = ipywidgets.HTML()
        self.split = FigureView().add_class("wt-split")
        self.split_note = ipywidgets.HTML()
        self.strip_of = ipywidgets.HTML()
        self.strip = CoreStripView()
        self.answer = ipywidgets.HTML().add_class("wt-verdict")
        self.verdict = ipywidgets.HTML().add_class("wt-data")
        self.data = ipywidgets.HTML().add_class("wt-data")
        empty(self.whose, self.split_note, self.strip_of)
        self.clear_words()
        drawn = (self.split, self.split_note, self.strip_of, self.strip)
        super().__init__(children=(*drawn, self.answer, self.verdict, self.data))
        self.add_class("wt-results")

    def tell(self, words: str = "", *, others: bool = False) -> None:
        """Say whose results these are. others: not of what is set or runs now, and they look so."""
        put(self.whose, status(words, "p") if words else "")
        (self.add_class if others else self.remove_class)(OTHERS)

    def draw_split(self, split: Drawn | None) -> None:
        """Draw where the time went; only when a run is over, because to paint it takes time."""
        self.split.figure = split.figure if split else {"data": [], "layout": {}}
        self.split.alt = split.alt if split else ""
        put(self.split_note, paragraphs([split.caption] if split and split.caption else []))

    def clear(self) -> None:
        """Clear all that was measured: no words, no parts of the time, nobody's cores."""
        self.clear_words()
        self.draw_split(None)
        self.tell()
        put(self.strip_of, "")

    def clear_words(self) -> None:
        """Clear all that is said and listed: it was of another run."""
        empty(self.answer, self.verdict, self.data)
