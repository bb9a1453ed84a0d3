"""The panel of a sweep: what is set, what the reader expects, what comes out. Widgets only."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import ipywidgets

from labs.analysis.schedule import duration_s
from labs.host.waiting import Stopped
from labs.kinds.base import LabKind
from labs.kinds.sweep.alt_text import sweep_alt
from labs.kinds.sweep.figure import Drawing, sweep_figure
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import SweepLab
from labs.kinds.sweep.show import show
from labs.measure.calibration import last
from labs.panel.inside import about
from labs.panel.lab import LabPanel
from labs.panel.run_bar import empty, put
from labs.present.bet import Guess
from labs.present.blocks import SPOKEN, Said, Within, brief, html
from labs.present.markup import paragraphs
from labs.present.power import powered
from labs.present.settings import in_words
from labs.present.trails import trails_alt, with_trails
from labs.present.verdict import about as tested
from labs.present.verdict import assumptions
from labs.records.errors import Unusable
from labs.records.experiment import Experiment
from labs.records.results import Prediction
from labs.theory.forecast import forecast

PLANNED_S = 10.0  # a plan with a fresh calibration takes one or two


class Plan(NamedTuple):
    """Plan of what Run would run, what is expected of it, and how long it takes."""

    experiment: Experiment
    forecast: Prediction
    duration_s: float


class SweepPanel(LabPanel[Recording]):
    """One sweep, live: with settings, a plan of what they ask for, and the forecast."""

    def __init__(
        self, name: str, lab: SweepLab, *, recorded: Recording | None = None, **more: Any
    ) -> None:
        self._beside = recorded  # which is drawn with the forecast, not in its place
        self._planned = 0  # settings changed so often; only the last plan counts
        self._plan: Plan | None = None
        self._planning: threading.Thread | None = None
        self._wanted = False  # Run was pressed before the plan was made
        self._current: Recording | None = None  # whose points are drawn
        self._sweep = lab  # as the cell asks for it
        self._assumed = ipywidgets.HTML().add_class("wt-data")
        self._more_about = [ipywidgets.HTML(paragraphs([why])) for why in [lab.scale.why] if why]
        self._notes = [self._assumed]
        super().__init__(name, lab, **more)

    def _begin(self) -> None:
        self._draw_levels(self._lab.experiments()[0])
        self._changed()

    def said_before(self, words: str, about: str, number: float | None) -> None:
        """Take over what was said to the recorded run, and return with the figure drawn: the page
        then takes the recorded one away."""
        super().said_before(words, about, number)
        if self._planning is not None:
            self._planning.join(PLANNED_S)

    # ---- before a run ------------------------------------------------------------------------

    def _can_be(self, lab: LabKind[Recording]) -> None:
        """Plan a lab that is set: what would be tested, and how long would it take?"""
        self._planned += 1
        self._plan = None
        # The first calibration on a machine takes a second.
        arguments = (self._planned, lab)
        self._planning = threading.Thread(target=self._make_plan, args=arguments, daemon=True)
        self._planning.start()

    def _cannot_be(self, error: Unusable) -> None:
        self._planned += 1
        self._plan, self._wanted = None, False
        if self._shown is not None:
            self._results.tell(self._whose, others=True)
        super()._cannot_be(error)

    def _make_plan(self, number: int, lab: SweepLab) -> None:
        asked = lab.experiment
        try:
            found = last(self._machine, asked, stop=self._shut)
            expected = forecast(asked, found, self._machine)
            plan = Plan(asked, expected, duration_s(asked, expected.levels))
        except Stopped:
            return  # the panel was shut meanwhile
        except Unusable as error:
            with self._drawing:
                if number == self._planned and not self._shut.is_set():
                    self._cannot_be(error)
            return
        with self._drawing:
            if number != self._planned or self._shut.is_set():
                return
            self._expect_of(lab, plan)
            wanted, self._wanted = self._wanted, False
        if wanted:
            self._run()

    def _expect_of(self, lab: SweepLab, plan: Plan) -> None:
        """Let Run run that lab, with what its plan expects."""
        self._lab, self._plan = lab, plan
        self._possible, self._current = True, None
        put(self._problem, "")
        self._prompt.enable(True)
        self._ask()
        self._ready()

    def _ready(self) -> None:
        plan = self._plan
        if plan is None:
            self._bar.ready(False)
            return
        self._about.value = about(tested(plan.experiment))
        super()._ready()
        self._settle(plan.experiment)
        self._draw_levels(plan.experiment)

    def _takes_s(self) -> float:
        return self._plan.duration_s if self._plan else super()._takes_s()

    def _settle(self, experiment: Experiment) -> None:
        """Show what was measured last as of what is set now, or mark it as of other settings."""
        shown = self._shown
        if shown is None:
            return
        differs = self._earlier.differs(self._told(self._lab))
        if shown.experiment.asks_as(experiment):
            self._current = shown
            self._results.draw_split(show.split(shown))
        else:
            self._results.draw_split(None)
        self._results.tell(differs or self._whose, others=bool(differs))

    @property
    def _whose(self) -> str:
        """Say which run was measured last, and with what."""
        set_then = in_words(self._earlier.set_then)
        return f"{self._earlier.newest_first}, measured here: {set_then}."

    # ---- a run -------------------------------------------------------------------------------

    def _run(self) -> None:
        with self._drawing:
            if not self._bar.offers_run:
                return
            self._wanted = self._plan is None  # settings and Run come from the page in one breath
            if self._wanted:
                self._bar.wanted()
        if not self._wanted and self._prompt.done:
            self._start(self._lab)

    def _began(self, lab: LabKind[Recording]) -> None:
        self._current = None
        self._results.draw_split(None)
        if self._shown is not None:
            words = f"Below: {self._earlier.newest}, until this one has measured something."
            self._results.tell(words, others=True)
        assert self._plan is not None
        self._draw_levels(self._plan.experiment)

    def _landed(self, found: Recording) -> None:
        self._current = found
        if found.points:
            empty(self._results.answer, self._results.data)  # of another run
            self._results.tell(f"Measuring here: {in_words(self._told(self._lab))}.")
        self._draw_levels(found.experiment)

    def _found(self, found: Recording, *, before_the_end: bool = False) -> None:
        """Show whatever was measured, also when the run broke off."""
        if not found.points:
            return
        self._prompt.settle(self._lab, found)
        said = [*show.concluded(found), *powered(found.run.power)]
        self._measured(found)
        self._landed(found)
        self._settle(found.experiment)
        put(self._results.answer, html([Within(SPOKEN, brief([Said(said)]))]))
        put(self._results.data, show.downloads(self.name, found))
        self._keep(found)

    # ---- what is drawn -----------------------------------------------------------------------

    def _draw_levels(self, experiment: Experiment) -> None:
        """Draw the levels. The reader's prediction comes first: until then no model is shown, no
        bound, and no recorded run."""
        load = experiment.load
        recorded, as_if = self._recorded_beside(experiment) if self._prompt.done else (None, "")
        rps = self._prompt.guess
        guess = None if rps is None else Guess(users=load.users[-1], rps=rps)
        run = self._current.run if self._current else None
        drawn = run or self._plan
        prediction = drawn.forecast if drawn and self._prompt.done else None
        put(self._assumed, html(assumptions(prediction.notes if prediction else ())))
        points = sorted(run.points if run else (), key=lambda point: point.users)
        trails = self._earlier.beside(self._current, self._told(self._lab))
        drawing = Drawing(
            users=load.users,
            prediction=prediction,
            again=self._current.second_forecast if self._current else (),
            points=points,
            think_time_s=load.think_time_s,
            recorded=recorded,
            as_if=as_if,
            guess=guess,
        )
        self._figure.alt = f"{sweep_alt(drawing)} {trails_alt(trails)}".strip()
        self._figure.figure = with_trails(sweep_figure(drawing), trails)

    def _recorded_beside(self, experiment: Experiment) -> tuple[Recording | None, str]:
        """Find the recorded run to stand beside a run of the same server and work, at any levels;
        one at another scale as if it had been made on as many cores, with the words for that."""
        recorded, cores = self._beside, self._machine.cores
        if recorded is None or not self._sweep.compares(experiment, recorded):
            return None, ""
        if recorded.experiment.server == experiment.server or recorded.machine.cores == cores:
            return recorded, ""
        return recorded.as_if_on(cores), f", as if on {cores}"
