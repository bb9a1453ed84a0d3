"""The steps of a timeline: a load for some seconds, and what is done to the server then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labs.records.amounts import MOST_USERS
from labs.records.errors import Unusable, instance, real, whole
from labs.records.experiment import MOST_PROCESSES

KILL = "kill a worker"
RAISE = re.compile(r"raise the pool to (\d+)")

LONGEST_STEP_S = 60.0
LONGEST_S = 120.0  # all steps together: nobody watches for longer
MOST_RATE = 2000.0  # arrivals a second: beyond it one Locust process would measure itself
MOST_STEPS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Some seconds of one load: so many users who ask again at once, or arrivals at a rate."""

    seconds: float
    users: int | None = None
    rate: float | None = None  # arrivals a second on average, each a user of its own
    do: str = ""  # at its begin: "kill a worker", "raise the pool to 32"

    def __post_init__(self) -> None:
        real("seconds", self.seconds, 0.5, LONGEST_STEP_S, "Give the seconds of the step.")
        if (self.users is None) == (self.rate is None):
            raise Unusable(
                f"users={self.users}, rate={self.rate}: give one of them. users= is a group "
                "who ask again and again, rate= is arrivals a second."
            )
        if self.users is not None:
            whole("users", self.users, 1, MOST_USERS, "Give a whole number such as 8.")
        if self.rate is not None:
            real("rate", self.rate, 0.1, MOST_RATE, "Give arrivals a second, such as 24.0.")
        instance("do", self.do, str, f"There are “{KILL}” and “raise the pool to 32”.")
        if self.do not in ("", KILL) and self.pool is None:
            raise Unusable(
                f"do={self.do!r}: not known. There are “{KILL}” and “raise the pool to 32”."
            )
        if self.pool is not None:
            whole("raise the pool to", self.pool, 1, MOST_PROCESSES, "32 is plenty for a start.")

    @property
    def pool(self) -> int | None:
        """The size to which the step raises the pool, if it does."""
        found = RAISE.fullmatch(self.do)
        return int(found[1]) if found else None

    @property
    def load(self) -> str:
        """Put the step's load in words: `8 users`, `24 arrivals/s`."""
        if self.users is not None:
            return "1 user" if self.users == 1 else f"{self.users} users"
        return f"{self.rate:g} arrivals/s"


def check_steps(steps: Sequence[Step]) -> None:
    """Raise Unusable, with a remedy, for steps that make no run."""
    remedy = "Give a list such as [Step(seconds=4, users=8)]."
    instance("steps", steps, (list, tuple), remedy)
    for step in steps:
        instance("steps", step, Step, remedy)
    if not 1 <= len(steps) <= MOST_STEPS:
        raise Unusable(f"{len(steps)} steps: give 1 to {MOST_STEPS}.")
    long_s = sum(step.seconds for step in steps)
    if long_s > LONGEST_S:
        raise Unusable(f"{long_s:g} s in all: give at most {LONGEST_S:g} s, in shorter steps.")
