"""The panel of the mystery lab: sweeps of a server that does not say what limits it, a diagnosis
to commit to, and then two fixes to try. Widgets only.
"""

from __future__ import annotations

import html
import threading
from collections.abc import Callable

import ipywidgets

from labs import progress_log
from labs.exercises import latest
from labs.kinds.mystery import verdict
from labs.kinds.mystery.record import Mystery, Variant
from labs.kinds.mystery.run import Solving
from labs.kinds.mystery.scenarios import LIMITS
from labs.kinds.mystery.show import fixes_alt, fixes_figure, symptoms_alt, symptoms_figure
from labs.kinds.mystery.table import repaired_html, symptoms_html, symptoms_sheet
from labs.kinds.showing import showing
from labs.measure.rig import Progress
from labs.panel.core_strip_view import CoreStripView
from labs.panel.figure_view import FigureView
from labs.panel.job import Job
from labs.panel.run_bar import RunBar, put
from labs.panel.settings import read_users
from labs.panel.sweep import close
from labs.present.tables import folded
from labs.records import format
from labs.records.errors import Unusable
from labs.records.results import Sample

ASK = "What limits it?"
FIXES: tuple[Variant, Variant] = ("wrong", "right")


class MysteryPanel(ipywidgets.VBox):
    """One mystery, live. `shut` ends it."""

    def __init__(self, lab: str, seed: int, *, solving: Callable[..., Solving] = Solving) -> None:
        self.lab, self.seed = lab, seed
        self._make = solving
        self._solving = solving(seed)
        self._found: Mystery | None = None
        self._partial: Mystery | None = None  # what the run has found so far
        self._solved = False
        self._attempt: Job | None = None
        self._drawing = threading.RLock()

        self._users = ipywidgets.Text(
            value=", ".join(map(str, self._solving.users)),
            description="Users",
            tooltip="The levels of the sweep, rising: 1, 2, 4, 8",
        )
        self._actions = RunBar(self._run, self._stop)
        self._caption = ipywidgets.HTML()
        self._figure = FigureView(alt="Nothing measured yet.").add_class("wt-figure")
        self._strip = CoreStripView()
        self._seen = ipywidgets.HTML().add_class("wt-data")
        self._choice = ipywidgets.RadioButtons(
            description=ASK, options=[(each.called, each.name) for each in LIMITS], value=None
        )
        self._commit = ipywidgets.Button(
            description="That is it",
            button_style="primary",
            tooltip="Commit to this diagnosis",
        )
        self._reveal = ipywidgets.Button(
            description="Tell me", tooltip="Say what it is, without a right diagnosis"
        )
        self._commit.on_click(lambda _: self._diagnosed())
        self._reveal.on_click(lambda _: self._solve())
        self._answer = ipywidgets.HTML().add_class("wt-verdict")
        self._buttons = {variant: ipywidgets.Button() for variant in FIXES}
        for variant, button in self._buttons.items():
            button.on_click(lambda _, variant=variant: self._try(variant))
        # By the seed, so that the place does not tell which of the two helps.
        order = FIXES if seed % 2 else FIXES[::-1]
        self._fixes = ipywidgets.HBox(children=[self._buttons[each] for each in order])
        self._diagnosis = ipywidgets.VBox(
            children=(self._choice, ipywidgets.HBox(children=(self._commit, self._reveal)))
        )
        self._brought = ipywidgets.HTML().add_class("wt-verdict")
        self._data = ipywidgets.HTML().add_class("wt-data")
        super().__init__(
            children=(
                ipywidgets.HTML(f'<p class="wt-about">{html.escape(self._solving.about)}</p>'),
                self._users,
                self._actions,
                self._caption,
                self._figure,
                self._strip,
                self._seen,
                self._diagnosis,
                self._answer,
                self._fixes,
                self._brought,
                self._data,
            )
        )
        self.add_class("wt-panel")
        for later in (self._caption, self._seen, self._answer, self._brought, self._data):
            put(later, "")
        self._fixes.layout.display = "none"
        self._ready()

    # ---- measuring ---------------------------------------------------------------------------

    def _run(self) -> None:
        """The server as it is, at the levels that are set. What was found before is forgotten."""
        try:
            users = read_users(self._users.value)
            solving = self._make(self.seed, users)
        except Unusable as error:
            self._actions.tell(str(error))
            return
        self._start("before", solving)

    def _try(self, variant: Variant) -> None:
        if self._solved:
            self._start(variant, self._solving)

    def _start(self, variant: Variant, solving: Solving) -> None:
        with self._drawing:  # news of the run waits until this is done
            if not self._actions.offers_run:
                return
            attempt = Job(self.lab, lambda stop: self._measure(variant, solving, stop), self._ended)
            try:
                attempt.start()
            except Unusable as error:
                self._actions.tell(str(error))
                return
            self._attempt, self._partial = attempt, None
            self._strip.begin()
            if variant == "before":
                self._forget(solving)
            self._actions.began()
            self._enable(False)

    def _forget(self, solving: Solving) -> None:
        """It begins anew, perhaps at other levels."""
        self._solving, self._found, self._solved = solving, None, False
        for later in (self._seen, self._answer, self._brought, self._data):
            put(later, "")
        self._fixes.layout.display = "none"
        self._choice.value = None

    def _measure(self, variant: Variant, solving: Solving, stop: threading.Event) -> None:
        """In the attempt's thread. What was found survives, also when the run broke off."""
        with self._drawing:
            before = None if variant == "before" else self._found
        try:
            self._keep(solving.measure_one(variant, before, self._told, stop))
        except BaseException:
            if self._partial is not None:
                self._keep(self._partial)
            raise

    def _keep(self, found: Mystery) -> None:
        latest.keep(self.lab, found)
        with self._drawing:
            self._found = found
            self._draw(found)

    def _told(self, told: Progress | Sample | Mystery) -> None:
        with self._drawing:
            if isinstance(told, Progress):
                self._actions.progress(told)
            elif isinstance(told, Sample):
                self._strip.saw(told)
            else:
                if all(each.points for each in told.variants.values()):
                    self._partial = told
                self._draw_figure(told)
                self._strip.draw()
                self._actions.landed()

    def _ended(self, said: str) -> None:
        with self._drawing:
            self._strip.finish()
            self._ready()
            self._actions.tell(said)

    def _stop(self) -> None:
        if self._attempt is not None:
            self._attempt.stop()
            self._actions.stopping()

    # ---- what it is --------------------------------------------------------------------------

    def _diagnosed(self) -> None:
        """The reader has committed to what is chosen."""
        with self._drawing:
            found, guess = self._found, self._choice.value
            if found is None or guess is None or self._solved:
                return
            said = verdict.answered(found, guess)
            progress_log.diagnosed(self.lab, self.seed, guess, guess == found.limit)
            if guess == found.limit:
                self._solve(said)
                return
            put(self._answer, f'<div role="status">{format.paragraphs(said)}</div>')

    def _solve(self, said: tuple[str, ...] = ()) -> None:
        """Say what it is, and offer the fixes."""
        with self._drawing:
            found = self._found
            if found is None or self._solved:
                return
            self._solved = True
            if not said:
                progress_log.told(self.lab, self.seed)
            said = said or verdict.revealed(found)
            said = (*said, "Now lift the limit. Two ways have been proposed:")
            put(self._answer, f'<div role="status">{format.paragraphs(said)}</div>')
            for variant, button in self._buttons.items():
                fix = self._solving.riddle.fix(variant)
                assert fix is not None
                button.description = button.tooltip = fix.label
                button.layout.width = "auto"
            self._fixes.layout.display = ""
            self._draw(found)
            self._enable(True)

    # ---- what is drawn -----------------------------------------------------------------------

    def _ready(self) -> None:
        takes = f"takes about {format.seconds(self._solving.seconds / 3)}"
        self._actions.ready(True, takes)
        self._enable(True)

    def _enable(self, yes: bool) -> None:
        """While a run goes on, nothing can be set; a diagnosis needs a run."""
        self._users.disabled = not yes
        measured = yes and self._found is not None
        for control in (self._choice, self._commit, self._reveal):
            control.disabled = not measured or self._solved
        for button in self._buttons.values():
            button.disabled = not (measured and self._solved)

    def _draw(self, found: Mystery) -> None:
        """All of it: before the diagnosis nothing that tells the limit."""
        self._draw_figure(found)
        caption = f"Measured here: {found.machine.caption}."
        put(self._caption, f'<p role="status">{html.escape(caption)}</p>')
        put(self._seen, symptoms_html(found))
        if self._solved:
            put(self._brought, repaired_html(found))
            name = f"{self.lab}-{found.machine.cores}-cores"
            data = showing(found).data(found)
            put(self._data, folded(name, symptoms_sheet(found), data))

    def _draw_figure(self, found: Mystery) -> None:
        if self._solved:
            self._figure.figure, self._figure.alt = fixes_figure(found), fixes_alt(found)
        else:
            self._figure.figure, self._figure.alt = symptoms_figure(found), symptoms_alt(found)

    def shut(self) -> None:
        """End what is going on, and take the panel away: another one takes its place."""
        if self._attempt is not None:
            self._attempt.stop()
        close(self)
