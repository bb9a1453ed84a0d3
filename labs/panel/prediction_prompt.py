"""The reader's own prediction: a number to commit to before the lab may run."""

from __future__ import annotations

import math
from collections.abc import Callable

import ipywidgets
from markupsafe import Markup

from labs import progress_log
from labs.present.markup import alarm
from labs.present.verdict import Question


class PredictionPrompt(ipywidgets.HBox):
    """Question, number, Commit and Skip. `decided` is called when the reader has done either."""

    def __init__(
        self, decided: Callable[[], None], question: Question | None = None, *, lab: str = ""
    ) -> None:
        self.lab = lab  # by which a guess is kept in the reader's own record
        self._kept = ""
        self.question: Question | None = None
        self.guess: float | None = None  # in SI units
        self.skipped = False
        self._decided = decided
        self._question = ipywidgets.HTML()
        self._number = ipywidgets.Text(
            description="Your prediction",
            tooltip="A number. It is kept, and shown beside the model and the measurement.",
        )
        self._commit = ipywidgets.Button(
            description="Commit", button_style="primary", tooltip="Keep this prediction, then run"
        )
        self._skip = ipywidgets.Button(description="Skip", tooltip="Run without a prediction")
        self._commit.on_click(lambda _: self._committed())
        self._skip.on_click(lambda _: self._skipping())
        super().__init__(children=(self._question, self._number, self._commit, self._skip))
        self.add_class("wt-prediction")
        if question is not None:
            self.ask(question)

    @property
    def done(self) -> bool:
        """Whether the lab may run."""
        return self.skipped or self.guess is not None

    def ask(self, question: Question, *, again: bool = False) -> None:
        """Ask that. An answer to another question is forgotten; Skip stays."""
        if question == self.question and not again:
            return
        self.question = question
        self.guess, self._kept = None, ""
        self._number.placeholder = question.unit
        self._show("")

    def came(self, model: float | None, measured: float | None) -> None:
        """What the model and the run said to the question, in SI units."""
        if self.question is not None and self._kept:
            scale = self.question.scale
            said = (None if each is None else each * scale for each in (measured, model))
            progress_log.came(self._kept, *said)

    def enable(self, yes: bool) -> None:
        """While a run goes on, nothing can be committed to."""
        for control in (self._number, self._commit, self._skip):
            control.disabled = not yes

    def _committed(self) -> None:
        if self.question is None:
            return
        number = _read(self._number.value)
        if number is None:
            typed = self._number.value.strip() or "nothing"
            unit = f", in {self.question.unit}" if self.question.unit else ""
            self._show(f"{typed}: not a number above zero. Write it plainly{unit}: 12.5")
            return
        self.guess = number / self.question.scale
        if self.lab:
            asked = self.question
            self._kept = progress_log.foretell(self.lab, asked.words, asked.unit, number)
        self._show("")
        self._decided()

    def _skipping(self) -> None:
        self.skipped = True
        self._show("")
        self._decided()

    def _show(self, problem: str) -> None:
        if self.question is None:
            return
        question, said = self.question.words, Markup()
        if self.guess is not None:
            guess = Markup("<b>{}</b>").format(self.question.say(self.guess))
            said = Markup("You said {} {}.").format(guess, self.question.about)
        elif self.skipped:
            said = Markup("Skipped. You can still commit to a number: {}?").format(question)
        else:
            unit = f", in {self.question.unit}" if self.question.unit else ""
            said = Markup("Before you run it: {}{}?").format(question, unit)
        wrong = alarm(problem, "span") if problem else ""
        self._question.value = Markup("<p>{}</p>{}").format(said, wrong)
        for control in (self._number, self._commit, self._skip):
            control.layout.display = "none" if self.guess is not None else ""
        self._skip.layout.display = "none" if self.done else ""


def _read(text: str) -> float | None:
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) and number > 0 else None
