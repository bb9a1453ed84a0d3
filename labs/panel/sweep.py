"""The panel of a sweep: what is set, what the reader expects, what comes out. Widgets only."""

from __future__ import annotations

import html
import threading
from collections.abc import Callable
from typing import Any

import ipywidgets

from labs.analysis.scaling import Offer, offers
from labs.exercises import latest
from labs.kinds.sweep import report
from labs.kinds.sweep.alt_text import sweep_alt
from labs.kinds.sweep.figure import sweep_figure
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import Measurement, Told
from labs.kinds.sweep.table import sweep_sheet
from labs.measure.calibration import last
from labs.measure.rig import Progress
from labs.panel.core_strip_view import StripView
from labs.panel.figure_view import FigureView
from labs.panel.job import Attempt
from labs.panel.prediction_prompt import Guessing, at_level, of_sweep
from labs.panel.run_bar import Actions, put
from labs.panel.settings import Controls
from labs.present import verdict
from labs.present.tables import assumptions, folded
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Server, Workload
from labs.records.format import paragraphs, seconds
from labs.records.results import Calibration, Machine, Point, Prediction, Sample
from labs.servers.serve import check
from labs.theory.forecast import forecast


class SweepPanel(ipywidgets.VBox):
    """One lab, live. `shut` ends it; whatever it was doing ends within a second."""

    def __init__(
        self,
        lab: str,
        experiment: Experiment,
        *,
        machine: Machine,
        recorded: Recording | None = None,
        quantity: str = "throughput",
        why: str = "",
        calibration: Callable[[Machine, Server, Workload], Calibration] = last,
        measurement: Callable[..., Measurement] = Measurement,
    ) -> None:
        self.lab = lab
        self._machine = machine
        self._recorded = recorded
        self._calibration = calibration
        self._measurement = measurement
        self._planned = 0  # settings changed so often; only the last plan counts
        self._plans: list[Offer] = []
        self._plan: Offer | None = None
        self._wanted = False  # Run was pressed before the plan was made
        self._attempt: Attempt | None = None
        self._forecast: Prediction | None = None
        self._points: dict[int, Point] = {}
        self._drawing = threading.RLock()  # news comes from the measuring and the sampling thread

        self._about = ipywidgets.HTML()
        self._why = ipywidgets.HTML()
        self._controls = Controls(experiment, machine, self._replan)
        self._problem = ipywidgets.HTML()
        self._offers = ipywidgets.RadioButtons(
            description="How much", options=[], layout={"display": "none"}
        )
        self._offers.observe(self._offered, "value")
        self._quantity = quantity
        self._guessing = Guessing(self._show_plan, lab=self.lab)
        self._actions = Actions(self._run, self._stop)
        self._figure = FigureView(alt="").add_class("wt-figure")
        self._assumed = ipywidgets.HTML().add_class("wt-data")
        self._strip = StripView()
        self._verdict = ipywidgets.HTML().add_class("wt-verdict")
        self._data = ipywidgets.HTML().add_class("wt-data")
        super().__init__(
            children=(
                self._about,
                self._why,
                self._controls,
                self._problem,
                self._offers,
                self._guessing,
                self._actions,
                self._figure,
                self._assumed,
                self._strip,
                self._verdict,
                self._data,
            )
        )
        self.add_class("wt-panel")
        put(self._why, f"<p>{html.escape(why)}</p>" if why else "")
        for later in (self._problem, self._verdict, self._data):
            put(later, "")
        self._draw(experiment)
        self._replan()

    # ---- before a run ------------------------------------------------------------------------

    def _replan(self) -> None:
        """The settings changed: what would be tested, and how long it would take?"""
        with self._drawing:
            self._planned += 1
            number = self._planned
            self._plan = None
        try:
            experiment = self._controls.experiment()
            check(experiment.server, self._machine, experiment.workload)
        except Unusable as error:
            self._show_problem(str(error))
            return
        thread = threading.Thread(target=self._make_plan, args=(number, experiment), daemon=True)
        thread.start()  # the first calibration on a machine takes a second

    def _make_plan(self, number: int, experiment: Experiment) -> None:
        def expect(asked: Experiment) -> Prediction:
            found = self._calibration(self._machine, asked.server, asked.workload)
            return forecast(asked, found, self._machine)

        try:
            plans = offers(experiment, expect)
        except Unusable as error:
            with self._drawing:
                if number == self._planned:
                    self._show_problem(str(error))
            return
        with self._drawing:
            if number != self._planned:
                return
            self._plans = plans
            self._offers.options = [(plan.label, place) for place, plan in enumerate(plans)]
            self._offers.value = 0
            self._offers.layout.display = "" if len(plans) > 1 else "none"
            self._choose(plans[0])
            wanted, self._wanted = self._wanted, False
        if wanted and len(plans) == 1:  # of several, the reader has to choose
            self._run()

    def _offered(self, change: dict[str, Any]) -> None:
        with self._drawing:
            if change["new"] is not None and self._plan is not None:
                self._choose(self._plans[change["new"]])

    def _choose(self, plan: Offer) -> None:
        """This is what Run would run."""
        before, self._plan = self._plan, plan
        put(self._problem, "")
        self._forecast, self._points = plan.forecast, {}
        users = plan.experiment.load.users[-1]
        question = of_sweep(self._quantity, users)
        self._guessing.ask(question, again=before is None or before.experiment != plan.experiment)
        self._show_plan()

    def _show_plan(self) -> None:
        plan = self._plan
        if plan is None:
            return
        long = len(self._plans) > 1
        changed = f" Here with {html.escape(plan.changed)}." if plan.changed else ""
        asked = " It takes long: choose how much of it to run." if long else ""
        about = html.escape(verdict.about(plan.experiment))
        self._about.value = f'<p class="wt-about">{about}{changed}{asked}</p>'
        takes = f"takes about {seconds(plan.seconds)}"
        ready = self._guessing.done
        self._actions.ready(ready, takes if ready else "first commit to a number, or skip")
        self._draw(plan.experiment)

    def _show_problem(self, sentence: str) -> None:
        self._wanted = False
        alarm = f'<div class="wt-problem" role="alert">{html.escape(sentence)}</div>'
        put(self._problem, alarm)
        self._offers.layout.display = "none"
        self._actions.ready(False)

    # ---- a run -------------------------------------------------------------------------------

    def _run(self) -> None:
        with self._drawing:
            if not self._actions.offers_run:
                return
            plan = self._plan
            self._wanted = plan is None  # settings and Run come from the page in one breath
        if plan is None or not self._guessing.done:
            return
        attempt = Attempt(self.lab, lambda stop: self._measure(plan, stop), self._ended)
        with self._drawing:  # news of the run waits until this is done
            try:
                attempt.start()
            except Unusable as error:
                self._actions.tell(str(error))
                return
            self._attempt = attempt
            self._points = {}
            self._strip.begin()
            self._actions.began()
            self._enable(False)
            self._draw(plan.experiment)

    def _measure(self, plan: Offer, stop: threading.Event) -> None:
        """In the attempt's thread."""
        with self._drawing:
            pass  # the panel is ready
        measurement = self._measurement(plan.experiment, tell=self._told, stop=stop)
        try:
            measurement.run()
        finally:
            self._found(plan, measurement.recording())

    def _told(self, told: Told) -> None:
        with self._drawing:
            if isinstance(told, Progress):
                self._actions.progress(told)
            elif isinstance(told, Sample):
                self._strip.saw(told)
            else:
                if isinstance(told, Prediction):
                    self._forecast = told
                else:
                    self._points[told.users] = told
                    self._strip.draw(self._plan.seconds if self._plan else 0.0)
                    self._actions.landed()
                assert self._plan is not None
                self._draw(self._plan.experiment)

    def _found(self, plan: Offer, recording: Recording | None) -> None:
        """Whatever was measured, also when the run broke off."""
        if recording is None or not recording.points:
            return
        explanation = report.explained(recording)
        said = verdict.verdict(
            plan.experiment,
            recording.run.forecast,
            recording.points,
            explanation,
            self._guess(plan.experiment),
        )
        if plan.changed:
            said = (f"With {plan.changed}:", *said)
        with self._drawing:
            self._points = {point.users: point for point in recording.points}
            self._forecast = recording.run.forecast
            self._draw(plan.experiment)
            self._strip.finish()
            put(self._verdict, f'<div role="status">{paragraphs(said)}</div>')
            name = f"{self.lab}-{recording.machine.cores}-cores"
            table = sweep_sheet(recording, explanation)
            put(self._data, folded(name, table, report.joined(recording)))
        users = plan.experiment.load.users[-1]
        self._guessing.came(*at_level(self._quantity, users, recording))
        latest.keep(self.lab, recording)

    def _ended(self, said: str) -> None:
        with self._drawing:
            self._enable(True)
            self._actions.ready(False)
            self._show_plan()
            self._actions.tell(said)

    def _stop(self) -> None:
        if self._attempt is not None:
            self._attempt.stop()
            self._actions.stopping()

    def _enable(self, yes: bool) -> None:
        """While a run goes on, nothing can be set."""
        self._controls.enable(yes)
        self._guessing.enable(yes)
        self._offers.disabled = not yes

    def shut(self) -> None:
        """End what is going on, and take the panel away: another one takes its place."""
        self._planned += 1
        if self._attempt is not None:
            self._attempt.stop()
        close(self)

    # ---- what is drawn -----------------------------------------------------------------------

    def _draw(self, experiment: Experiment) -> None:
        """The reader's guess comes first: until then no model is shown, and no bound."""
        users = experiment.load.users
        recorded = self._recorded if self._comparable(experiment) else None
        guess = self._guess(experiment)
        prediction = self._forecast if self._guessing.done else None
        put(self._assumed, assumptions(prediction.notes if prediction else ()))
        points = [self._points[level] for level in sorted(self._points)]
        self._figure.alt = sweep_alt(
            prediction, points, users=users, recorded=recorded, guess=guess
        )
        self._figure.figure = sweep_figure(
            prediction,
            points,
            users=users,
            think_time_s=experiment.load.think_time_s,
            recorded=recorded,
            guess=guess,
        )

    def _guess(self, experiment: Experiment) -> verdict.Guess | None:
        value = self._guessing.guess
        if value is None:
            return None
        users = experiment.load.users[-1]
        return verdict.Guess(users=users, quantity=self._quantity, value=value)

    def _comparable(self, experiment: Experiment) -> bool:
        """A recorded run stands beside a run of the same server and work, at any levels."""
        if self._recorded is None:
            return False
        other = self._recorded.experiment
        return (other.server, other.workload) == (experiment.server, experiment.workload)


def close(widget: ipywidgets.Widget) -> None:
    """Close a widget and those in it."""
    for child in getattr(widget, "children", ()):
        close(child)
    widget.close()
