"""Load tests by other programs, dropped on a panel or chosen in it. Widgets only."""

from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from typing import Any

import ipywidgets

from labs.imports.figure import alt, figure
from labs.imports.laws import Given, sentences
from labs.imports.reading import joined
from labs.imports.report import HEAD, rows
from labs.panel.figure_view import FigureView
from labs.panel.run_bar import empty, put
from labs.present.markup import alarm, spoken
from labs.present.tables import Table
from labs.records.errors import Unusable

MOST_BYTES = 32 * 2**20  # dropped at once: three seconds of reading for JMeter's, the slowest


class LoadTests(ipywidgets.VBox):
    """Draws what the files say, with what the laws say of it. `known` tells what is known of the
    server."""

    def __init__(self, known: Callable[[], Given]) -> None:
        self._known = known
        self.files = ipywidgets.FileUpload(
            description="A load test that you have",
            tooltip="Result files of Locust, k6, JMeter, ab, wrk and others: choose or drop them",
            multiple=True,
            layout={"width": "max-content"},  # its words, whole
        )
        self.files.observe(lambda change: self._chosen(change.new), "value")
        self._figure = FigureView().add_class("wt-figure")
        self._said = ipywidgets.HTML().add_class("wt-data")
        empty(self._said)
        super().__init__(children=(self.files, self._figure, self._said))

    def _chosen(self, files: Sequence[Any]) -> None:
        """Draw the chosen files in the place of what was drawn before."""
        if not files:
            return
        self.files.value = ()  # the kernel needn't keep them, and the same may come again
        self._figure.blank()
        empty(self._said)
        try:
            self._draw(files)
        except Unusable as error:
            put(self._said, alarm(str(error)))

    def _draw(self, files: Sequence[Any]) -> None:
        if sum(len(each.content) for each in files) > MOST_BYTES:
            raise Unusable(
                f"A page reads at most {MOST_BYTES // 2**20} MiB, because all else in it waits "
                "meanwhile. Give larger files to: .venv/bin/python -m labs import FILE"
            )
        test = joined([(each.name, partial(BytesIO, each.content)) for each in files])
        known = self._known()
        self._figure.figure, self._figure.alt = figure(test, known), alt(test)
        put(self._said, spoken(sentences(test, known)) + Table(HEAD, rows(test)).html())
