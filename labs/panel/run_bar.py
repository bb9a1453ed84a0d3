"""Run, Stop, how far it is, and what went wrong: one row of every panel."""

import time
from collections.abc import Callable, Mapping

import ipywidgets

from labs.measure.progress import Progress
from labs.present.markup import alarm, status
from labs.records.format import seconds

STOPPED = "Stopped. Whatever was measured stays."
TOO_SOON = "Stopped before anything was measured."
EVERY_S = 1.0  # between two words on the same stage, where nothing is measured


class RunBar(ipywidgets.HBox):
    """The row of Run and Stop. `run` and `stop` are called when the reader presses them, `perform`
    with the name of a control, which are there while it runs. `controls` have a word on what each
    does. The reader sets by `duration` how long to measure, beside what it costs."""

    def __init__(
        self,
        run: Callable[[], None],
        stop: Callable[[], None],
        controls: Mapping[str, str] | None = None,
        perform: Callable[[str], None] | None = None,
        duration: ipywidgets.Widget | None = None,
    ) -> None:
        self._stage, self._told_at, self._measured = "", 0.0, False
        self._run = ipywidgets.Button(
            description="Run", button_style="primary", tooltip="Measure it on this machine"
        ).add_class("wt-run")
        self._stop = ipywidgets.Button(
            description="Stop", tooltip="End it now; what was measured stays", disabled=True
        ).add_class("wt-stop")  # by which the page knows that something is measured
        self._run.on_click(lambda _: run())
        self._stop.on_click(lambda _: stop())
        self._controls = [
            ipywidgets.Button(description=name, tooltip=told, disabled=True)
            for name, told in (controls or {}).items()
        ]
        self._perform = perform or (lambda name: None)
        for control in self._controls:
            control.on_click(lambda pressed: self._performed(pressed.description))
        self._bar = ipywidgets.FloatProgress(min=0.0, max=1.0, layout={"display": "none"})
        self._words = ipywidgets.HTML()
        self._message = ipywidgets.HTML(layout={"width": "100%", "display": "none"})
        set_by = () if duration is None else (duration,)
        row = (self._run, self._stop, *self._controls, self._bar, self._words, *set_by)
        super().__init__(children=(*row, self._message))
        self.add_class("wt-actions")

    def ready(self, yes: bool, words: str = "") -> None:
        """Say whether Run may be pressed, and how long it will take or why not."""
        self._run.disabled = not yes
        self._stop.disabled = True
        self.offer_controls(False)
        self._bar.layout.display = "none"
        self._say(words)

    def offer_controls(self, yes: bool) -> None:
        """Let the controls be performed, or not; never where there is nothing to stop."""
        for control in self._controls:
            control.disabled = not yes or self._stop.disabled

    @property
    def offers_run(self) -> bool:
        """Whether Run may be pressed. A press can be on its way while it is taken away."""
        return not self._run.disabled

    def wanted(self) -> None:
        """Say that Run was pressed, and what to run is not settled yet."""
        self._say("a moment: working out what to run")

    def began(self) -> None:
        """Say at once that Run was pressed, before anything else is known."""
        self._run.disabled = True
        self._stop.disabled = False
        self._stage, self._told_at, self._measured = "", 0.0, False
        self._bar.value = 0.0
        self._bar.layout.display = ""
        self._say("starting")
        self.tell("")

    def stopping(self) -> None:
        """Say that Stop was pressed."""
        self._stop.disabled = True
        self.offer_controls(False)
        self._say("stopping")

    def progress(self, told: Progress) -> None:
        """Tell how far the run is. Of what is measured it is said once, before: the page is painted
        by the very machine that is measured."""
        if self._stop.disabled:
            return  # it is ending; late news would only flicker
        now, quiet = time.monotonic(), told.quiet_s is not None
        if told.stage == self._stage and (quiet or now - self._told_at < EVERY_S):
            return
        self._stage, self._told_at = told.stage, now
        self._bar.value = max(self._bar.value, told.fraction)
        self._say(_how_far(told))

    def landed(self, *, measured: bool) -> None:
        """Take note that what was found is there, something measured or the forecast alone: what is
        told next is of something else, even if it is called the same."""
        self._stage, self._measured = "", measured

    def tell(self, message: str) -> None:
        """Say what went wrong, or nothing. Several lines are a server's last words. What the reader
        has stopped did not go wrong."""
        if message == STOPPED:
            put(self._message, status(STOPPED if self._measured else TOO_SOON))
        else:
            put(self._message, alarm(message) if message else "")

    def _performed(self, control: str) -> None:
        self._perform(control)
        self._say(f"{control}: what comes of it will be in the figure in a moment")

    def _say(self, words: str) -> None:
        put(self._words, status(words) if words else "")


def _how_far(told: Progress) -> str:
    """Say how far the run is; of what is measured, in words that stay true meanwhile."""
    if told.quiet_s is None:
        if told.seconds_left < 1:
            return told.stage
        left = seconds(told.seconds_left)
        return f"{told.stage}, {left} left" if told.begun else f"{told.stage}; then about {left}"
    then_s = told.seconds_left - told.quiet_s
    then = f", then {seconds(then_s)} more" if then_s >= 1 else ""
    return f"measuring {told.stage}, about {seconds(told.quiet_s)}{then}"


def put(widget: ipywidgets.HTML, text: str) -> None:
    """Show this HTML; with none, the widget takes no room."""
    widget.value = text
    widget.layout.display = "" if text else "none"


def empty(*widgets: ipywidgets.HTML) -> None:
    """Empty these widgets, which then take no room."""
    for widget in widgets:
        put(widget, "")
