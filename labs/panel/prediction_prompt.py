"""Prediction of the reader's own: a number to commit to before the lab may run."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import ipywidgets
from markupsafe import Markup

from labs import progress_log
from labs.kinds.base import Found, LabKind
from labs.present.bet import Answer, Question, on_answer
from labs.present.markup import alarm, status
from labs.records.errors import Unusable
from labs.records.written import shown, written


@dataclass(frozen=True, slots=True)
class Said:
    """The reader's answer to a question: after that everybody is wise."""

    guess: float | None = None  # in SI units; None: skipped
    kept: str = ""  # by which the reader's own record has it
    instead: str = ""  # what was said before to the recorded run, whose question is another


Bets = dict[Hashable, Said]  # of a kernel: to each question, of each lab and what was set


class PredictionPrompt(ipywidgets.HBox):
    """Question, number, Commit and Skip. `decided` is called when the reader has done either, and
    what there is to see is shown then, not before: after Skip nothing can be predicted."""

    def __init__(
        self,
        decided: Callable[[], None],
        question: Question | None = None,
        *,
        lab: str = "",
        bets: Bets | None = None,
    ) -> None:
        self.lab = lab  # by which a guess is kept in the reader's own record
        self._bets: Bets = {} if bets is None else bets
        self._of: Hashable = None
        self._said: Said | None = None
        self._skips = False  # whatever is asked here
        self._before: tuple[str, str, float | None] | None = None  # said to the recorded run
        self.question: Question | None = None
        self._verdicts: dict[Hashable, str] = {}  # on what was said, by the runs of this panel
        self._decided = decided
        self._question = ipywidgets.HTML()
        self._number = ipywidgets.Text(
            description="Your prediction",
            tooltip="A number. It is kept, and shown beside the model and the measurement.",
        )
        self._number.on_msg(self._typed)
        self._commit = ipywidgets.Button(
            description="Commit", button_style="primary", tooltip="Keep this prediction, then run"
        )
        self._skip = ipywidgets.Button(description="Skip", tooltip="Run without a prediction")
        self._commit.on_click(lambda _: self._committed())
        self._skip.on_click(lambda _: self._skipping())
        both = ipywidgets.HBox((self._commit, self._skip)).add_class("wt-choice")
        super().__init__(children=(self._question, self._number, both))
        self.add_class("wt-prediction")
        if question is not None:
            self.ask(question)

    @property
    def done(self) -> bool:
        """Whether the lab may run."""
        return self._said is not None

    @property
    def guess(self) -> float | None:
        """The reader's guess in SI units; None without one."""
        return self._said.guess if self._said else None

    def ask(self, question: Question, of: Hashable = None) -> None:
        """Ask a question, `of` what is set. What was said to it in this kernel stays said, and Skip
        stays for whatever comes."""
        if (question, of) == (self.question, self._of):
            return
        self.question, self._of = question, of
        self._said = self._bets.get(self._key)
        if self._said is None and self._skips:
            self._say(Said())
        self._take_over()
        self._number.placeholder = question.unit
        self._show("")

    def said_before(self, words: str, about: str, number: float | None) -> None:
        """Take over what the reader bet on the recorded run, in its question's words and unit, None
        for a skip. It is not asked again, since that run has been shown."""
        self._before = words, about, number
        if self.question is not None and not self.done:
            self._take_over()
            self._show("")
            self._decided()

    def said_last_time(self) -> None:
        """Show what was bet before the run that has come back was measured, and ask nothing
        again."""
        if self.question is None or self.done:
            return
        before = progress_log.foretold(self.lab, self.question.words)
        self._say(Said(before.value / self.question.scale, before.key) if before else Said())
        self._show("")

    def _take_over(self) -> None:
        if self._before is None or self.question is None or self._said is not None:
            return
        (words, about, number), asked = self._before, self.question
        self._before = None
        if number is None:
            self._skips = True
            self._say(Said())
        elif words != asked.words:
            bet = f"{asked.say(number / asked.scale)} {about}".strip()
            self._say(Said(instead=f"You said {bet}, of the recorded run. Here: {asked.words}?"))
        else:
            before = progress_log.foretold(self.lab, words, number)
            kept = before.key if before else self._keep(number)
            self._say(Said(number / asked.scale, kept))

    def _keep(self, number: float) -> str:
        """Keep a guess in the reader's own record; give the key by which that has it."""
        asked = self.question
        if asked is None or not self.lab:
            return ""
        return progress_log.foretell(self.lab, asked.words, asked.unit, number)

    def came(self, known: Answer) -> None:
        """Keep what the model and the run said to the question."""
        if self.question is not None and self._said is not None and self._said.kept:
            scale = self.question.scale
            measured, model = (x and x * scale for x in (known.measured, known.model))
            band = known.band and (known.band[0] * scale, known.band[1] * scale)
            progress_log.came(self._said.kept, measured, model, band, fit=not known.unsettled)

    def settle(self, lab: LabKind[Found], found: Found) -> None:
        """Say in the bet's place how near it was to what that lab found, beside the model."""
        if lab.question is None or self.guess is None:
            return
        known = lab.outcome(found)
        self.came(known)
        self._verdicts[self._key] = on_answer(lab.question, self.guess, known)
        self._show("")

    def enable(self, yes: bool) -> None:
        """Let the reader commit, or not: while a run goes on, nothing can be committed to."""
        for control in (self._number, self._commit, self._skip):
            control.disabled = not yes

    def _typed(self, _: object, said: dict[str, Any], __: object) -> None:
        """Commit when Enter is pressed."""
        if said.get("event") == "submit":
            self._committed()

    def _committed(self) -> None:
        if self.question is None or self.done:
            return
        try:
            number = written(self._number.value, self.question.unit)
        except Unusable as refused:
            self._show(str(refused))
            return
        if number <= 0:
            self._show(f"{shown(self._number.value)}: it is above zero.")
            return
        self._say(Said(number / self.question.scale, self._keep(number)))
        self._show("")
        self._decided()

    def _skipping(self) -> None:
        self._skips = True
        if not self.done:
            self._say(Said())
        self._show("")
        self._decided()

    @property
    def _key(self) -> Hashable:
        return self.lab, self.question and self.question.words, self._of

    def _say(self, said: Said) -> None:
        self._said = self._bets[self._key] = said

    def _show(self, problem: str) -> None:
        if self.question is None:
            return
        question, said = self.question.words, Markup()
        if self.guess is not None and (verdict := self._verdicts.get(self._key)):
            said = status(verdict)
        elif self.guess is not None:
            guess = Markup("<b>{}</b>").format(self.question.say(self.guess))
            said = Markup("You said {} {}.").format(guess, self.question.about)
        elif self._said is not None and self._said.instead:
            said = Markup("{}").format(self._said.instead)
        elif self.done:
            said = Markup("Skipped: {}? The figure tells.").format(question)
        else:
            said = Markup("Before you run it: {}").format(self.question.asked)
        wrong = alarm(problem, "span") if problem else ""
        self._question.value = Markup("<p>{}</p>{}").format(said, wrong)
        for control in (self._number, self._commit, self._skip):
            control.layout.display = "none" if self.done else ""
