"""The panel of the mystery lab: sweeps of a server that does not say what limits it, a diagnosis
to commit to, and then two fixes to try. Widgets only.
"""

from __future__ import annotations

from typing import Any

import ipywidgets

from labs import progress_log
from labs.kinds.base import LabKind
from labs.kinds.mystery import verdict
from labs.kinds.mystery.record import Mystery, Variant
from labs.kinds.mystery.run import MysteryLab
from labs.kinds.mystery.scenarios import LIMITS
from labs.kinds.mystery.show import compared, repaired, show, symptoms
from labs.panel.controls import read_users, users
from labs.panel.inside import in_words
from labs.panel.lab import LabPanel
from labs.panel.run_bar import empty, put
from labs.present.blocks import html
from labs.present.markup import spoken
from labs.records.errors import Unusable

ASK = "What limits it?"
FIXES: tuple[Variant, Variant] = ("wrong", "right")
MOST_SEEDS = 9999
VAGUE = {"few", "interval", "drift"}  # of the checks, those that tell nothing of the limit


class MysteryPanel(LabPanel[Mystery]):
    """Panel of one mystery, live. A recorded one is not shown: it is to be diagnosed here."""

    def __init__(self, name: str, lab: MysteryLab, **more: Any) -> None:
        self._asked = lab.variant("before")  # at the levels of the newest run
        self._mystery: Mystery | None = None
        self._solved = False
        self._users = users(lab.users)
        self._users.observe(lambda _: self._changed(), "value")
        self._seed = ipywidgets.BoundedIntText(
            value=lab.seed,
            min=1,
            max=MOST_SEEDS,
            description="Mystery",
            tooltip="Another number is another server; 1 to 7 are seven different cases",
        )
        self._seed.observe(lambda _: self._another(), "value")
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
        self._buttons = {variant: ipywidgets.Button() for variant in FIXES}
        for variant, button in self._buttons.items():
            button.on_click(lambda _, variant=variant: self._try(variant))
        self._fixes = ipywidgets.HBox().add_class("wt-fixes")
        self._brought = ipywidgets.HTML().add_class("wt-verdict")
        super().__init__(name, self._asked, **more)

    def _begin(self) -> None:
        self._forget()
        self._enable(True)
        self._ready()

    def _parts(self) -> tuple[ipywidgets.Widget, ...]:
        asked = ipywidgets.HBox(children=(self._commit, self._reveal))
        self._results.children = (self._results.strip, self._results.verdict)
        return (
            self._about,
            self._seed,
            self._users,
            self._bar,
            self._caption,
            self._figure,
            self._results.whose,
            self._results,
            ipywidgets.VBox(children=(self._choice, asked)),
            self._results.answer,
            self._fixes,
            self._brought,
            self._results.data,
        )

    def _changed(self) -> None:
        """Take up other users, or another length of measuring."""
        with self._drawing:
            if self._duration is not None:
                self._lab = self._asked = self._asked.lasting(self._duration.value)
            self._ready()

    def _another(self) -> None:
        """Put another server there to be diagnosed; of the one before nothing is left."""
        with self._drawing:
            self._lab = self._asked = self._asked.another(self._seed.value)
            self._forget()
            put(self._caption, "")
            self._figure.blank()
            self._results.strip.clear()
            self._enable(True)
            self._ready()

    # ---- measuring ---------------------------------------------------------------------------

    def _run(self) -> None:
        """Run the server as it is, at the levels set. What was found before is forgotten."""
        try:
            lab = self._as_set()
        except Unusable as error:
            self._bar.tell(self._refused(error))
            return
        self._start(lab)

    def _as_set(self) -> MysteryLab:
        return self._asked.variant("before", users=read_users(self._users.value))

    def _refused(self, error: Unusable) -> str:
        return in_words(error, {"users": self._users})

    def _try(self, variant: Variant) -> None:
        if self._solved:
            self._start(self._asked.variant(variant, self._mystery))

    def _began(self, lab: LabKind[Mystery]) -> None:
        """Begin anew with the server as it is, perhaps at other levels."""
        assert isinstance(lab, MysteryLab)
        if lab.before is not None:
            return
        self._lab = self._asked = lab
        self._forget()

    def _forget(self) -> None:
        """Forget all that is known of the server: run, diagnosis and repair."""
        self._mystery, self._shown, self._solved = None, None, False
        self._results.tell()
        empty(self._results.verdict, self._results.answer, self._brought, self._results.data)
        # By the seed, so that the place does not tell which of the two helps.
        order = FIXES if self._asked.seed % 2 else FIXES[::-1]
        self._fixes.children = [self._buttons[each] for each in order]
        self._fixes.layout.display = "none"
        self._choice.value = None

    def _landed(self, found: Mystery) -> None:
        self._draw_figure(found, "Measuring here.")

    def _found(self, found: Mystery, *, before_the_end: bool = False) -> None:
        """Show whatever was measured, also when the run broke off."""
        if all(each.points for each in found.variants.values()):
            self._keep(found)
            self._mystery = found
            if len(found.variants) == 1:
                self._measured(found)
        if self._mystery is None:
            put(self._caption, "")
        else:
            self._draw(self._mystery, measured(self._mystery))

    # ---- what it is --------------------------------------------------------------------------

    def _diagnosed(self) -> None:
        """Judge the chosen limit, to which the reader has committed."""
        with self._drawing:
            found, guess = self._mystery, self._choice.value
            if found is None or guess is None or self._solved:
                return
            said = verdict.answered(found, guess)
            progress_log.diagnosed(self.name, found.seed, guess, guess == found.limit)
            if guess == found.limit:
                self._solve(said)
                return
            put(self._results.answer, spoken(said))

    def _solve(self, said: tuple[str, ...] = ()) -> None:
        """Say what limits the server, and offer the fixes."""
        with self._drawing:
            found = self._mystery
            if found is None or self._solved:
                return
            self._solved = True
            if not said:
                progress_log.told(self.name, found.seed)
            said = said or verdict.revealed(found)
            said = (*said, "Now lift the limit. Two ways have been proposed:")
            put(self._results.answer, spoken(said))
            for variant, button in self._buttons.items():
                fix = self._asked.scenario.fix(variant)
                button.description = button.tooltip = fix.label
                button.layout.width = "auto"
            self._fixes.layout.display = ""
            self._draw(found, measured(found))
            self._enable(True)

    # ---- what is drawn -----------------------------------------------------------------------

    def _enable(self, yes: bool) -> None:
        """Let things be set, or not while a run goes on; a diagnosis needs a run."""
        for control in (self._seed, self._users, self._duration):
            if control is not None:
                control.disabled = not yes
        ready = yes and self._mystery is not None
        for control in (self._choice, self._commit, self._reveal):
            control.disabled = not ready or self._solved
        for button in self._buttons.values():
            button.disabled = not (ready and self._solved)

    def _draw(self, found: Mystery, words: str) -> None:
        """Draw all of the mystery: before the diagnosis nothing that tells the limit."""
        self._draw_figure(found, words)
        vague = [
            check.sentence
            for point in found.before.points
            for check in point.checks
            if check.unfit and check.name in VAGUE
        ]
        longer = spoken(vague[-1:]) if vague else ""
        put(self._results.verdict, html([symptoms(found)]) + longer)
        if self._solved:
            put(self._brought, html(repaired(found)))
            put(self._results.data, show.downloads(self.name, found))

    def _draw_figure(self, found: Mystery, words: str) -> None:
        shown = compared(found) if self._solved else found
        super()._draw_figure(shown, words)  # type: ignore[arg-type]


def measured(found: Mystery) -> str:
    """Caption a mystery that was measured here."""
    return f"Measured here: {found.machine.caption}."
