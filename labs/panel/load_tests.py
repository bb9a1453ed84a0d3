"""Load tests by other programs, dropped on a panel or chosen in it. Widgets only."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from typing import Any

import ipywidgets

from labs.host.waiting import Stopped
from labs.imports.figure import alt, figure
from labs.imports.laws import Given, sentences
from labs.imports.reading import joined
from labs.imports.report import HEAD, rows
from labs.panel.figure_view import FigureView
from labs.panel.job import Job
from labs.panel.run_bar import empty, put
from labs.present.markup import alarm, spoken
from labs.present.tables import Table
from labs.records.errors import Unusable

ENDS_S = 1.0  # for what is being read to end


class _Dropped(BytesIO):
    """A file that is read until that says to stop."""

    def __init__(self, content: bytes, stop: threading.Event) -> None:
        super().__init__(content)
        self._stop = stop

    def readline(self, size: int | None = -1, /) -> bytes:
        if self._stop.is_set():
            raise Stopped
        return super().readline(size)


class LoadTests(ipywidgets.VBox):
    """Draws what the files say, with what the laws say of it. `known` tells what is known of the
    server."""

    def __init__(self, name: str, known: Callable[[], Given]) -> None:
        self._name, self._known = name, known
        self._job: Job | None = None
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
        """Read them in a thread: they may be long. What was drawn before goes, and what is still
        being read."""
        if not files:
            return
        self.files.value = ()  # the kernel needn't keep them, and the same may come again
        if self._job is not None and self._job.going:
            self._job.stop()
            self._job.join(ENDS_S)
        self._figure.blank()
        empty(self._said)
        self._job = Job(self._name, partial(self._draw, files), self._refuse)
        try:
            self._job.start()
        except Unusable as error:
            self._refuse(str(error))

    def _draw(self, files: Sequence[Any], stop: threading.Event) -> None:
        test = joined([(each.name, partial(_Dropped, each.content, stop)) for each in files])
        known = self._known()
        self._figure.figure, self._figure.alt = figure(test, known), alt(test)
        put(self._said, spoken(sentences(test, known)) + Table(HEAD, rows(test)).html())

    def _refuse(self, problem: str) -> None:
        if problem:
            put(self._said, alarm(problem))
