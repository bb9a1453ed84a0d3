"""The reader's own prediction: a number to commit to before the lab may run."""

from __future__ import annotations

import html
import math
from collections.abc import Callable

import ipywidgets

from labs.verdict import Guess

QUESTIONS = {
    "throughput": ("how many requests a second will it answer", "req/s", 1.0),
    "response time": ("how long will a user wait for the answer", "ms", 1000.0),
}


class Guessing(ipywidgets.HBox):
    """Question, number, Commit and Skip. `decided` is called when the reader has done either."""

    def __init__(self, quantity: str, decided: Callable[[], None]) -> None:
        self.quantity = quantity
        self.guess: Guess | None = None
        self.skipped = False
        self._users = 0
        self._decided = decided
        self._question = ipywidgets.HTML()
        self._number = ipywidgets.Text(
            description="Your prediction",
            placeholder=QUESTIONS[quantity][1],
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

    @property
    def done(self) -> bool:
        """Whether the lab may run."""
        return self.skipped or self.guess is not None

    def ask(self, users: int, *, again: bool = False) -> None:
        """Ask about that level. An answer to another question is forgotten; Skip stays."""
        if users == self._users and not again:
            return
        self._users = users
        self.guess = None
        self._show("")

    def enable(self, yes: bool) -> None:
        """While a run goes on, nothing can be committed to."""
        for control in (self._number, self._commit, self._skip):
            control.disabled = not yes

    def _committed(self) -> None:
        unit, scale = QUESTIONS[self.quantity][1:]
        number = _read(self._number.value)
        if number is None:
            typed = self._number.value.strip() or "nothing"
            self._show(f"{typed}: not a number above zero. Write it plainly, in {unit}: 12.5")
            return
        self.guess = Guess(users=self._users, quantity=self.quantity, value=number / scale)
        self._show("")
        self._decided()

    def _skipping(self) -> None:
        self.skipped = True
        self._show("")
        self._decided()

    def _show(self, problem: str) -> None:
        question, unit, _ = QUESTIONS[self.quantity]
        users = f"{self._users} user{'s' if self._users > 1 else ''}"
        if self.guess:
            said = f"You said <b>{self.guess}</b> at {users}."
        elif self.skipped:
            said = f"Skipped. You can still commit to a number: {question} at {users}?"
        else:
            said = f"Before you run it: {question} at {users}, in {unit}?"
        alarm = f'<span class="wt-problem" role="alert">{html.escape(problem)}</span>'
        self._question.value = f"<p>{said}</p>{alarm if problem else ''}"
        for control in (self._number, self._commit, self._skip):
            control.layout.display = "none" if self.guess else ""
        self._skip.layout.display = "none" if self.done else ""


def _read(text: str) -> float | None:
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) and number > 0 else None
