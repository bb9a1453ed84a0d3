"""The panel of a lab: a question, one press on Run, and what came out."""

from __future__ import annotations

import threading
from typing import Any, Generic

import ipywidgets
from markupsafe import Markup

from labs.exercises import latest
from labs.host import hardware
from labs.kinds.base import Found, LabKind
from labs.kinds.registry import showing
from labs.measure.progress import Progress
from labs.measure.rig import Rig
from labs.panel.core_strip_view import CoreStripView
from labs.panel.duration import Duration
from labs.panel.earlier_runs import EarlierRuns
from labs.panel.figure_view import FigureView
from labs.panel.inside import close, work
from labs.panel.job import Job
from labs.panel.prediction_prompt import PredictionPrompt
from labs.panel.refusal import in_words
from labs.panel.run_bar import RunBar, empty, put
from labs.panel.settings import settings_of
from labs.present.bet import on_answer
from labs.present.markup import alarm, paragraphs, spoken, status
from labs.present.time_split import SplitFigure
from labs.present.trails import trails_alt, with_trails
from labs.present.verdict import caption
from labs.records.errors import Unusable
from labs.records.format import seconds
from labs.records.results import Result, Sample

OTHERS = "wt-others"  # results that are not of what is set or runs now


class LabPanel(ipywidgets.VBox, Generic[Found]):
    """Run, Stop, a figure and its numbers. Until the first run it shows the recorded one. `shut`
    ends it; whatever it was doing ends within a second."""

    def __init__(self, name: str, lab: LabKind[Found], *, recorded: Found | None = None) -> None:
        self.name = name
        self._lab = lab
        self._recorded = recorded
        self._job: Job | None = None
        self._shown: Found | None = None  # measured here: whose results stand below the figure
        self._drawn: tuple[Found, str] | None = None  # what the figure shows, and its caption
        self._drawing = threading.RLock()  # news comes from the measuring and the sampling thread
        self._given = lab  # as the cell asks for it; `_lab` is what Run would run
        self._possible = True  # what is set
        self._duration = Duration(lab, self._changed) if lab.each_s else None
        self._settings = settings_of(lab, hardware.fingerprint(), self._changed)
        self._problem = ipywidgets.HTML()
        self._prompt = PredictionPrompt(self._decided, lab.question, lab=name)
        self._bar = RunBar(self._run, self._stop, lab.controls, self._perform, self._duration)
        self._about = ipywidgets.HTML(Markup('<p class="wt-about">{}</p>').format(lab.about()))
        self._caption = ipywidgets.HTML()
        self._figure = FigureView(alt="Nothing measured yet.").add_class("wt-figure")
        self._earlier = EarlierRuns(self._taken_away)
        self._whose = ipywidgets.HTML()
        self._split = FigureView().add_class("wt-split")
        self._split_note = ipywidgets.HTML()
        self._strip_of = ipywidgets.HTML()
        self._strip = CoreStripView()
        self._answer = ipywidgets.HTML().add_class("wt-verdict")
        self._verdict = ipywidgets.HTML().add_class("wt-data")
        self._data = ipywidgets.HTML().add_class("wt-data")
        self._beside = ipywidgets.HTML().add_class("wt-data")
        empty(self._problem, self._caption, self._whose, self._split_note, self._strip_of)
        empty(self._answer, self._verdict, self._beside, self._data)
        self._results = ipywidgets.VBox(children=self._below()).add_class("wt-results")
        super().__init__(children=self._parts())
        self.add_class("wt-panel")
        self._begin()

    def _begin(self) -> None:
        """What stands there before the first run."""
        self._expect()
        self._decided()

    def _expect(self) -> None:
        """What the recorded run has of the question, if it is of what is set."""
        self._prompt.expected = None
        if self._recorded is not None and self._own(self._recorded):
            model, measured = self._lab.answer(self._recorded)
            self._prompt.expected = model or measured

    def _own(self, found: Found) -> bool:
        """Whether that is of what is set, however long it was measured."""
        if self._lab is self._given:
            return self._lab.matches(found)
        usual_s = self._given.each_s
        return (self._lab if usual_s is None else self._lab.lasting(usual_s)).matches(found)

    def _as_set(self) -> LabKind[Found]:
        """The lab with what is set. Unusable says what cannot be."""
        lab = self._given
        chosen = self._settings.experiments() if self._settings else ()
        if chosen != tuple(lab.experiments()):
            lab = lab.with_experiments(chosen)
        if self._duration is None or self._duration.value == lab.each_s:
            return lab
        return lab.lasting(self._duration.value)

    def _changed(self) -> None:
        """Something was set: what it means, what may be expected, and how long it takes."""
        with self._drawing:
            before = self._lab
            try:
                self._lab = self._as_set()
                self._lab.check(hardware.fingerprint())
            except Unusable as error:
                put(self._problem, alarm(self._refused(error)))
                self._can_be(False)
                return
            put(self._problem, "")
            self._can_be(True)
            self._about.value = Markup('<p class="wt-about">{}</p>').format(self._lab.about())
            if work(before) != work(self._lab):
                self._reset()
            self._ready()

    def _can_be(self, yes: bool) -> None:
        """Whether what is set can be: if not, there is nothing to predict, and nothing to run."""
        self._possible = yes
        self._prompt.enable(yes)
        self._ready()

    def _reset(self) -> None:
        """Of another server, work or load nothing was predicted, and nothing measured."""
        self._expect()
        if self._lab.question is not None:
            self._prompt.ask(self._lab.question, again=True)
        empty(self._caption, self._answer, self._verdict, self._data)
        self._shown = self._drawn = None
        self._figure.figure, self._figure.alt = {"data": [], "layout": {}}, "Nothing measured yet."
        self._draw_split(None)
        self._strip.clear()
        self._tell_whose("")
        if self._recorded is not None and self._own(self._recorded) and self._open_to_all:
            self._draw(self._recorded, caption(self._recorded.machine))

    def _decided(self) -> None:
        """The reader has bet, or will not; where a lab asks nothing, there is nothing to wait for.
        The recorded run tells the answer, so it is not there before."""
        if self._open_to_all and self._recorded is not None and self._job is None:
            self._draw(self._recorded, caption(self._recorded.machine))
        self._ready()

    @property
    def _open_to_all(self) -> bool:
        """Whether there is no bet to wait for."""
        return self._lab.question is None or self._prompt.done

    def _parts(self) -> tuple[ipywidgets.Widget, ...]:
        """From top to bottom."""
        return (
            self._about,
            *([self._settings] if self._settings else []),
            self._problem,
            *([self._prompt] if self._lab.question else []),
            self._bar,
            self._caption,
            self._figure,
            self._earlier,
            self._whose,
            self._results,
        )

    def _below(self) -> tuple[ipywidgets.Widget, ...]:
        """The results below the figure: of one run, all of them."""
        return (
            self._split,
            self._split_note,
            self._strip_of,
            self._strip,
            self._answer,
            self._verdict,
            self._beside,
            self._data,
        )

    def _ready(self) -> None:
        """The reader's prediction comes first, and of what cannot be there is none."""
        if not self._possible:
            self._bar.ready(False)
            return
        takes = f"takes about {seconds(self._lab.seconds())}"
        first = "" if self._open_to_all else "first commit to a number, or skip; "
        self._bar.ready(self._open_to_all, first + takes)

    # ---- a run -------------------------------------------------------------------------------

    def _run(self) -> None:
        self._start(self._lab)

    def _start(self, lab: LabKind[Found]) -> bool:
        """Run that lab; whether it began."""
        job = Job(self.name, lambda stop: self._measure(lab, stop), self._ended, self._refused)
        with self._drawing:  # news of the run waits until this is done
            if not self._bar.offers_run:
                return False
            try:
                job.start()
            except Unusable as error:
                self._bar.tell(self._refused(error))
                return False
            self._job = job
            self._strip.begin()
            self._bar.began()
            self._enable(False)
            self._began(lab)
        return True

    def _measure(self, lab: LabKind[Found], stop: threading.Event) -> None:
        """In the job's thread. What was found survives, also when the run broke off."""
        with self._drawing:
            pass  # the panel is ready
        rig = Rig(self._on_event, stop)
        try:
            found = rig.perform(lab)
        except BaseException:
            if rig.found is not None:
                with self._drawing:
                    self._found(rig.found, before_the_end=True)
            raise
        with self._drawing:
            self._found(found)

    def _on_event(self, event: Any) -> None:
        with self._drawing:
            if isinstance(event, Progress):
                self._bar.progress(event)
            elif isinstance(event, Sample):
                if not self._lab.draws_cores:  # what the figure has is not drawn once more
                    self._strip.saw(event)
            else:
                self._bar.offer_controls(True)
                self._bar.landed()
                self._landed(event)
                self._strip.draw()

    def _ended(self, said: str) -> None:
        with self._drawing:
            if self._drawn is not None and self._drawn[0] is self._shown:
                put(self._caption, status(self._drawn[1], "p"))  # nothing came in its place
                self._tell_whose("")
            self._strip.finish()
            self._enable(True)
            self._ready()
            self._bar.tell(said)

    def _stop(self) -> None:
        if self._job is not None:
            self._job.stop()
            self._bar.stopping()

    def _refused(self, error: Unusable) -> str:
        """Why something cannot be, by the names of the controls."""
        return in_words(error, self._settings.controls if self._settings else {})

    def _perform(self, control: str) -> None:
        """To the run that goes on."""
        self._lab.perform(control)

    def shut(self) -> None:
        """End what is going on, and take the panel away: another one takes its place."""
        if self._job is not None:
            self._job.stop()
        close(self)

    # ---- what a kind's own panel does in another way -----------------------------------------

    def _enable(self, yes: bool) -> None:
        """While a run goes on, nothing can be set."""
        self._prompt.enable(yes)
        if self._settings is not None:
            self._settings.enable(yes)
        if self._duration is not None:
            self._duration.disabled = not yes

    def _began(self, lab: LabKind[Found]) -> None:
        """A run of that lab has begun. What stands there is of another one."""
        if self._shown is not None:
            words = (
                f"Of {self._earlier.called(self._shown)}, until this one has measured something."
            )
            put(self._caption, status(words, "p"))
            self._tell_whose("", others=True)

    def _landed(self, found: Found) -> None:
        """The run has found something, and goes on."""
        self._draw_figure(found, "Measuring here.")
        empty(self._answer, self._verdict, self._beside, self._data)  # of another run
        self._draw_split(None)
        self._tell_whose("")
        put(self._strip_of, "")  # the line of progress says who is served

    def _found(self, found: Found, *, before_the_end: bool = False) -> None:
        """The run is over, perhaps before its time."""
        if not before_the_end:
            latest.keep(self.name, found)
        end = " before the end" if before_the_end else ""
        self._earlier.add(found)
        self._shown = found
        words = f"{self._earlier.called(found).capitalize()}. Measured here{end}: "
        self._draw(found, f"{words}{found.machine.caption}.")
        self._tell_whose("")
        put(self._beside, self._compared(found))
        who = self._lab.ran_last(found)
        if who and before_the_end:
            who = "the part that ran last"
        put(self._strip_of, paragraphs([f"The cores, with {who}:"] if who else []))
        self._show_answer(found)

    # ---- what is drawn -----------------------------------------------------------------------

    def _draw(self, found: Found, words: str) -> None:
        show = showing(found)
        self._draw_figure(found, words)
        self._draw_split(show.split(found))
        put(self._verdict, show.verdict(found))
        put(self._data, show.downloads(self.name, found))

    def _compared(self, found: Found) -> str:
        """What was measured here beside what was recorded, at the scale of another machine."""
        recorded = self._recorded
        if recorded is None or not (self._lab.by_cores and self._own(recorded)):
            return ""
        return showing(found).beside(found, recorded)

    def _draw_figure(self, found: Found, words: str) -> None:
        show = showing(found)
        self._drawn = (found, words)
        trails = self._earlier.beside(found) if found is not self._recorded else []
        self._figure.figure = with_trails(show.figure(found), trails)
        self._figure.alt = f"{show.alt(found)} {trails_alt(trails)}".strip()
        put(self._caption, status(words, "p"))

    def _tell_whose(self, words: str, *, others: bool = False) -> None:
        """Say whose results stand below the figure. others: they are not of what is set or runs
        now, and look so."""
        put(self._whose, status(words, "p") if words else "")
        (self._results.add_class if others else self._results.remove_class)(OTHERS)

    def _taken_away(self, gone: Result) -> None:
        """The reader has removed an earlier run."""
        with self._drawing:
            if gone is self._shown:
                self._shown = None
                empty(self._strip_of, self._answer, self._verdict, self._beside, self._data)
                self._draw_split(None)
                self._strip.layout.display = "none"
                self._tell_whose("")
            self._redraw()

    def _redraw(self) -> None:
        """The figure, when an earlier run has gone."""
        if self._drawn is not None:
            self._draw_figure(*self._drawn)

    def _draw_split(self, split: SplitFigure | None) -> None:
        """Where the time went; only when a run is over, because to paint it takes time."""
        self._split.figure = split.figure if split else {"data": [], "layout": {}}
        self._split.alt = split.alt if split else ""
        put(self._split_note, paragraphs([split.note] if split and split.note else []))

    def _show_answer(self, found: Found) -> None:
        """The reader's prediction beside the model and the measurement."""
        question = self._lab.question
        if question is None or self._prompt.guess is None:
            return
        model, measured = self._lab.answer(found)
        fit = self._lab.settles(found)
        self._prompt.came(model, measured, fit=fit)
        said = on_answer(question, self._prompt.guess, model, measured, fit=fit)
        put(self._answer, spoken([said]))
