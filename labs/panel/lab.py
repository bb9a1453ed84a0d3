"""The panel of a lab: a question, one press on Run, and what came out."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Generic, cast

import ipywidgets

from labs.exercises import key
from labs.host import hardware
from labs.kinds.base import Found, LabKind
from labs.kinds.registry import showing
from labs.measure.progress import Progress
from labs.measure.rig import Rig
from labs.panel.duration import Duration
from labs.panel.earlier_runs import EarlierRuns
from labs.panel.figure_view import FigureView
from labs.panel.inside import about, close, in_words, told, work
from labs.panel.job import Job
from labs.panel.prediction_prompt import Bets, PredictionPrompt
from labs.panel.results import Results
from labs.panel.run_bar import RunBar, empty, put
from labs.panel.settings import settings_of
from labs.present.blocks import html
from labs.present.markup import alarm, paragraphs, status
from labs.present.settings import Settings
from labs.present.trails import trails_alt, with_trails
from labs.present.verdict import caption
from labs.recordings import last_run
from labs.recordings.last_run import LastRun
from labs.records.errors import Unusable
from labs.records.format import seconds
from labs.records.results import Sample


class LabPanel(ipywidgets.VBox, Generic[Found]):
    """Panel with Run, Stop, a figure and its numbers. Until the first run it shows the recorded
    one. `shut` ends it; whatever it was doing ends within a second."""

    # What a kind's own panel has besides: below the first sentence, and below the figure.
    _more_about: Sequence[ipywidgets.Widget] = ()
    _notes: Sequence[ipywidgets.Widget] = ()

    def __init__(
        self,
        name: str,
        lab: LabKind[Found],
        *,
        recorded: Found | None = None,
        bets: Bets | None = None,
        last: LastRun | None = None,
    ) -> None:
        self.name = name
        self._given = lab  # as the cell asks for it
        self._lab = last.lab if last else lab  # what Run would run
        self._recorded = recorded
        self._machine = hardware.fingerprint()  # once: when a run ends, no file may be left to open
        self._job: Job | None = None
        self._shut = threading.Event()
        self._shown: Found | None = None  # measured here: whose results stand below the figure
        self._whole: tuple[Found, str] | None = None  # what is over and drawn, and its caption
        self._drawing = threading.RLock()  # news comes from the measuring and the sampling thread
        self._possible = True  # what is set
        self._duration = Duration(lab, self._changed, self._lab.each_s) if lab.each_s else None
        self._settings = settings_of(self._lab, self._machine, self._changed)
        self._problem = ipywidgets.HTML()
        self._prompt = PredictionPrompt(self._decided, lab=name, bets=bets)
        self._ask()
        perform = lambda name: self._lab.perform(name)  # noqa: E731
        self._bar = RunBar(self._run, self._stop, lab.controls, perform, self._duration)
        self._about = ipywidgets.HTML(about(self._lab.about()))
        self._caption = ipywidgets.HTML()
        self._figure = FigureView(alt="Nothing measured yet.").add_class("wt-figure")
        self._earlier = EarlierRuns()
        self._results = Results()
        self._keys = ipywidgets.HTML(layout={"display": "none"})  # for the page's exercises
        empty(self._problem, self._caption)
        super().__init__(children=(*self._parts(), self._keys))
        self.add_class("wt-panel")
        self._begin()
        if last is not None:
            self._come_back(last)

    def _come_back(self, last: LastRun) -> None:
        """Show the reader's last run again, with what was set and what was bet."""
        with self._drawing:
            self._prompt.said_last_time()
            self._earlier.comes_back(last.at)
            self._found(cast(Found, last.found))
            self._ready()

    def _begin(self) -> None:
        """Put up what stands there before the first run."""
        self._decided()

    def said_before(self, words: str, about: str, number: float | None) -> None:
        """Take over what the reader bet before this panel was there, or that none was wanted."""
        with self._drawing:
            self._prompt.said_before(words, about, number)

    @property
    def _usual(self) -> LabKind[Found]:
        """The lab with what is set, each measured for as long as the cell says."""
        usual_s = None if self._lab is self._given else self._given.each_s
        return self._lab if usual_s is None else self._lab.lasting(usual_s)

    def _ask(self) -> None:
        """Ask the lab's question, of what is set."""
        if self._lab.question is not None:
            self._prompt.ask(self._lab.question, (self._usual.about(), *work(self._lab)))

    def _as_set(self) -> LabKind[Found]:
        """Make the lab with what is set. Unusable says what cannot be."""
        lab, length = self._given, self._duration
        chosen = self._settings.experiments() if self._settings else ()
        if chosen != tuple(lab.experiments()):
            lab = lab.with_experiments(chosen)
        return lab if length is None or length.value == lab.each_s else lab.lasting(length.value)

    def _changed(self) -> None:
        """Take up what was set: what it means, and how long it takes."""
        with self._drawing:
            self._bar.tell("")  # went wrong with what was set before
            try:
                lab = self._as_set()
                lab.check(self._machine)
            except Unusable as error:
                self._cannot_be(error)
            else:
                self._can_be(lab)

    def _cannot_be(self, error: Unusable) -> None:
        """Say why what is set cannot be: there is nothing to predict, and nothing to run."""
        put(self._problem, alarm(self._refused(error)))
        self._possible = False
        self._prompt.enable(False)
        self._ready()

    def _can_be(self, lab: LabKind[Found]) -> None:
        """Take up a lab that is set, and can be run."""
        before, self._lab, self._possible = self._lab, lab, True
        put(self._problem, "")
        self._prompt.enable(True)
        self._about.value = about(lab.about())
        if work(before) != work(lab):
            self._reset()
        self._ready()

    def _reset(self) -> None:
        """Start afresh: another server, work or load was neither predicted nor measured."""
        self._ask()
        put(self._caption, "")
        self._shown = None
        self._figure.blank()
        self._results.clear()
        self._results.strip.clear()
        if self._recorded is not None and self._usual.matches(self._recorded) and self._open_to_all:
            self._draw(self._recorded, caption(self._recorded.machine))

    def _decided(self) -> None:
        """Go on once the reader has bet, or will not; where a lab asks nothing, there is nothing to
        wait for. The recorded run tells the answer, so it is not there before."""
        if self._open_to_all and self._recorded is not None and self._job is None:
            self._draw(self._recorded, caption(self._recorded.machine))
        self._ready()

    @property
    def _open_to_all(self) -> bool:
        """Whether there is no bet to wait for."""
        return self._lab.question is None or self._prompt.done

    def _parts(self) -> tuple[ipywidgets.Widget, ...]:
        """List the panel's widgets from top to bottom."""
        return (
            self._about,
            *self._more_about,
            *([self._settings] if self._settings else []),
            self._problem,
            *([self._prompt] if self._lab.question else []),
            self._bar,
            self._caption,
            self._figure,
            *self._notes,
            self._results.whose,
            self._results,
        )

    def _ready(self) -> None:
        """Offer Run once the reader has predicted; what cannot be is not predicted. Mark what
        stands there where it is of other settings."""
        if self._shown is not None:
            differs = self._earlier.differs(self._told(self._lab))
            self._results.tell(differs, others=bool(differs) or not self._possible)
        takes = f"takes about {seconds(self._takes_s())}" if self._possible else ""
        first = "" if self._open_to_all else "first commit to a number, or skip; "
        self._bar.ready(self._possible and self._open_to_all, takes and first + takes)

    def _takes_s(self) -> float:
        """Estimate for how many seconds Run would go on."""
        return self._lab.seconds()

    # ---- a run -------------------------------------------------------------------------------

    def _run(self) -> None:
        self._start(self._lab)

    def _start(self, lab: LabKind[Found]) -> bool:
        """Run a lab; tell whether it began."""
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
            self._results.strip.begin()
            self._bar.began()
            self._enable(False)
            self._began(lab)
        return True

    def _measure(self, lab: LabKind[Found], stop: threading.Event) -> None:
        """Measure, in the job's thread. What was found survives, also when the run broke off."""
        with self._drawing:
            pass  # the panel is ready
        rig = Rig(self._on_event, stop)
        try:
            found = rig.perform(lab)
        except BaseException:
            with self._drawing:
                if rig.found is not None and showing(rig.found).measured(rig.found):
                    self._found(rig.found, before_the_end=True)
                elif self._shown is None:
                    self._reset()
            raise
        with self._drawing:
            self._found(found)
        last_run.keep(self.name, self._given, lab, found)

    def _on_event(self, event: Any) -> None:
        with self._drawing:
            if isinstance(event, Progress):
                self._bar.progress(event)
            elif isinstance(event, Sample):
                if not self._lab.draws_cores:  # what the figure has is not drawn once more
                    self._results.strip.saw(event)
            else:
                self._bar.offer_controls(True)
                self._bar.landed(measured=showing(event).measured(event))
                self._landed(event)
                self._results.strip.draw()

    def _ended(self, said: str) -> None:
        with self._drawing:
            if self._shown is not None and self._whole is not None:
                self._draw_figure(*self._whole)  # also where nothing came in its place
                self._results.tell()
            self._results.strip.finish()
            self._enable(True)
            self._bar.tell(said)
            self._ready()

    def _stop(self) -> None:
        if self._job is not None:
            self._job.stop()
            self._bar.stopping()

    def _refused(self, error: Unusable) -> str:
        """Say why something cannot be, by the names of the controls."""
        return in_words(error, self._settings.controls if self._settings else {})

    def shut(self) -> None:
        """End what is going on, and take the panel away: another one takes its place."""
        self._shut.set()
        if self._job is not None:
            self._job.stop()
        close(self)

    # ---- what a kind's own panel does in another way -----------------------------------------

    def _enable(self, yes: bool) -> None:
        """Let things be set, or not: while a run goes on, nothing can be."""
        self._prompt.enable(yes)
        if self._settings is not None:
            self._settings.enable(yes)
        if self._duration is not None:
            self._duration.disabled = not yes

    def _began(self, lab: LabKind[Found]) -> None:
        """Begin a run of a lab. What stands there is of another one."""
        if self._shown is not None:
            words = f"Of {self._earlier.newest}, until this one has measured something."
            put(self._caption, status(words, "p"))
            self._results.tell(others=True)

    def _landed(self, found: Found) -> None:
        """Show what the run has found; it goes on. Results stay until it has measured."""
        self._draw_figure(found, "Measuring here.")
        if self._shown is None or showing(found).measured(found):
            self._results.clear()  # the line of progress says who is served

    def _found(self, found: Found, *, before_the_end: bool = False) -> None:
        """Show what a run that is over has found, perhaps before its time."""
        if not before_the_end:
            self._keep(found)
        self._measured(found)
        here = "Measured here before the end" if before_the_end else "Measured here"
        self._draw(found, f"{self._earlier.newest_first}. {here}: {found.machine.caption}.")
        self._results.tell()
        if who := self._lab.ran_last:
            who = f"The cores, with {'the part that ran last' if before_the_end else who}:"
        put(self._results.strip_of, paragraphs([who] if who else []))
        self._prompt.settle(self._lab, found)

    def _keep(self, found: Found) -> None:
        """Let exercises ask about what was found."""
        self._keys.value = key.script(self.name, found)

    def _measured(self, found: Found) -> None:
        """Count a run as measured here, with what is set."""
        self._shown = found
        self._earlier.add(found, self._told(self._lab))

    def _told(self, lab: LabKind[Found]) -> Settings:
        """Say what is set in a lab, in words."""
        return told(lab, self._machine.cores)

    # ---- what is drawn -----------------------------------------------------------------------

    def _draw(self, found: Found, words: str) -> None:
        self._whole, show = (found, words), showing(found)
        self._draw_figure(found, words)
        self._results.draw_split(show.split(found))
        put(self._results.verdict, html(show.verdict(found)))
        put(self._results.data, show.downloads(self.name, found))

    def _draw_figure(self, found: Found, words: str) -> None:
        show = showing(found)
        old = found is self._recorded
        trails = [] if old else self._earlier.beside(found, self._told(self._lab))
        self._figure.figure = with_trails(show.figure(found), trails, recorded=old)
        self._figure.alt = f"{show.alt(found)} {trails_alt(trails)}".strip()
        put(self._caption, status(words, "p"))
