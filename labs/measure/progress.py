"""Progress of a run: a growing fraction, and a time left that is not over before the run."""

import time
from collections.abc import Callable
from dataclasses import dataclass

LEAST_S = 1.0  # is left, of a run that takes longer than anybody could tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of a run at one moment."""

    stage: str  # in words
    fraction: float  # of the whole run: it never falls, and is 1 when the run is over
    seconds_left: float  # above 0 until then; of all of the run, before it has begun
    quiet_s: float | None = None  # while a level is measured: until its point. Paint nothing then
    begun: bool = True  # while others measure it has not, and nobody knows when it will


class Pace:
    """Pace of a run: when it began, when it will be over as far as one can tell now, what goes on.

    Whoever measures tells it what changes: what is left is estimated anew at every level, and a
    window may be extended. Then the time left grows again, and the fraction waits for it."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.began = self._ends = clock()
        self._promised_s = self._fraction = 0.0
        self._stage, self._quiet_until = "", 0.0  # of what is measured; 0: nothing is
        self._begun = self._over = False

    def promise(self, seconds: float) -> None:
        """Promise how long the run will take, once it begins."""
        self._promised_s, self._begun = seconds, False

    def begin(self, at: float | None = None) -> None:
        """Begin the run now, or then."""
        self.began = self._clock() if at is None else at
        self._fraction, self._begun, self._over = 0.0, True, False
        self.expect(self._promised_s)

    def expect(self, seconds: float) -> None:
        """Take note of how many seconds are left, as far as one can tell now."""
        self._ends = self._clock() + seconds

    @property
    def left_s(self) -> float:
        """Seconds left, as told; below 0 where the run takes longer."""
        return self._ends - self._clock()

    def stage(self, words: str, *, quiet_s: float | None = None) -> None:
        """Say what goes on now; where it is measured, for how long."""
        self._stage = words
        self._quiet_until = 0.0 if quiet_s is None else self._clock() + quiet_s

    def end(self) -> None:
        """End the run: it is over."""
        self._stage, self._quiet_until, self._over = "done", 0.0, True

    def told(self) -> Progress:
        """Tell the progress as of now."""
        now = self._clock()
        if self._over:
            return Progress(stage=self._stage, fraction=1.0, seconds_left=0.0)
        if not self._begun:
            left_s = self._promised_s
            return Progress(stage=self._stage, fraction=0.0, seconds_left=left_s, begun=False)
        quiet_s = max(0.0, self._quiet_until - now) if self._quiet_until else None
        left_s = max(self._ends - now, quiet_s or 0.0, LEAST_S)
        gone_s = now - self.began
        self._fraction = max(self._fraction, gone_s / (gone_s + left_s))
        return Progress(
            stage=self._stage, fraction=self._fraction, seconds_left=left_s, quiet_s=quiet_s
        )
