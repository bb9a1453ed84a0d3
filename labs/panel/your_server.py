"""The panel of a reader's own server: its address, who answers there, and the lab. Widgets only."""

from __future__ import annotations

import threading
from typing import Any

import ipywidgets

from labs.imports.laws import Given
from labs.kinds.attach.record import Attached
from labs.kinds.attach.run import AttachLab
from labs.kinds.base import LabKind
from labs.panel.inside import in_words
from labs.panel.job import Job
from labs.panel.lab import LabPanel
from labs.panel.load_tests import LoadTests
from labs.panel.run_bar import empty, put
from labs.present.markup import alarm, status
from labs.present.settings import Settings
from labs.records.errors import Unusable
from labs.records.format import number


class YourServerPanel(LabPanel[Attached]):
    """Panel of a server that the reader names: Look asks it once, Run measures it."""

    def __init__(self, name: str, lab: AttachLab, **more: Any) -> None:
        def field(description: str, tooltip: str, **more: Any) -> ipywidgets.Text:
            made = ipywidgets.Text(
                description=description, tooltip=tooltip, continuous_update=False, **more
            )
            made.observe(lambda _: self._changed(), "value")
            return made

        self._url = field(
            "Address",
            "Of a page of your server; without one, the book starts a small server of its own",
            value=lab.asked.url,
            placeholder="http://127.0.0.1:8000/",
        )
        self._workers = field(
            "Workers",
            "Requests that it holds at once, if you know it",
            value="" if lab.asked.workers is None else str(lab.asked.workers),
            placeholder="if you know it",
        )
        self._mine = field("Host, once more", "The name of another machine that is yours")
        self._mine.layout.display = "none"
        self._look = ipywidgets.Button(
            description="Look", tooltip="Ask once, and say who answers; no load yet"
        )
        self._look.on_click(lambda _: self._looking())
        self._who = ipywidgets.HTML()
        empty(self._who)
        self._fields = {"url": self._url, "workers": self._workers, "mine": self._mine}
        asked = ipywidgets.VBox(children=(*self._fields.values(), self._look))
        self._more_about = (asked.add_class("wt-controls"), self._who)
        self._tests = LoadTests(lambda: Given(workers=self._lab.given["workers"]))
        super().__init__(name, lab, **more)
        self._enable(True)

    def _parts(self) -> tuple[ipywidgets.Widget, ...]:
        return (*super()._parts(), self._tests)

    def _as_set(self) -> LabKind[Attached]:
        """Make the lab with what is typed. Unusable says what cannot be, and asks for the host once
        more where it isn't this machine."""
        workers = self._workers.value.strip()
        typed = {
            "url": self._url.value.strip(),
            "workers": number(workers) if workers else None,
            "mine": self._mine.value.strip(),
        }
        try:
            lab = self._given.again(**typed)
        except Unusable as error:
            if error.name == "mine":
                self._mine.layout.display = ""
            raise
        same = all(self._given.given[name] == value for name, value in typed.items())
        return self._given if same else lab

    def _changed(self) -> None:
        """Take up what was typed: another server may answer, and nothing of it is measured."""
        with self._drawing:
            before = self._address(self._lab)
            empty(self._who)
            super()._changed()
            if self._possible and self._address(self._lab) != before:
                self._reset()
                self._ready()
            self._enable(True)

    def _told(self, lab: LabKind[Attached]) -> Settings:
        places = lab.given["workers"]
        return {
            "url": self._address(lab) or "the book's own server",
            "workers": f"{places} workers" if places else "",
        }

    def _address(self, lab: LabKind[Attached]) -> str:
        return str(lab.given["url"])

    def _refused(self, error: Unusable) -> str:
        return in_words(error, self._fields)

    def _enable(self, yes: bool) -> None:
        super()._enable(yes)
        for control in self._fields.values():
            control.disabled = not yes
        self._tests.files.disabled = not yes
        self._look.disabled = not (yes and self._possible and self._address(self._lab))

    # ---- who answers -------------------------------------------------------------------------

    def _looking(self) -> None:
        """Ask the server once, in a thread: a page may take its time."""
        lab = self._lab
        assert isinstance(lab, AttachLab)
        said: list[str] = []

        def look(stop: threading.Event) -> None:
            said.append(lab.glance())

        def ended(problem: str) -> None:
            with self._drawing:
                if lab is self._lab:
                    put(self._who, alarm(problem) if problem else status(said[0], "p"))
                    self._enable(True)

        try:
            Job(self.name, look, ended, self._refused).start()
        except Unusable as error:
            put(self._who, alarm(self._refused(error)))
            return
        put(self._who, status("looking who answers", "p"))
        self._look.disabled = True
