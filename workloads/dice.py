"""The random sizes of what one user asks for: few draws already have the mean of many."""

from __future__ import annotations

import functools
import random

QUANTILES = 4096


@functools.lru_cache
def quantiles(cv: float) -> tuple[float, ...]:
    """Spread evenly over a gamma distribution of mean 1: cv 0 is constant and 1 exponential."""
    if cv <= 0:
        return (1.0,)
    dice = random.Random(0)
    found = sorted(dice.gammavariate(1 / cv**2, cv**2) for _ in range(QUANTILES))
    mean = sum(found) / len(found)
    return tuple(value / mean for value in found)


class Dice:
    """Dice of one user. Every second draw mirrors the one before it (antithetic variates): each for
    itself has the whole distribution, and few together already have its mean. A level of twenty
    requests would else be several percent off by the luck of its draws.

    Each run has another seed, or its long tails would be those of the run before. Servers that are
    compared have the same (common random numbers): luck is no difference between them."""

    def __init__(self, user: int, seed: int = 0) -> None:
        self.random = random.Random(f"{seed} {user}")  # numbers side by side may give the same
        self.mirrored: dict[str, float] = {}

    def draw(self, what: str, mean: float, cv: float) -> float:
        """Draw the next size of a kind; cv is its coefficient of variation."""
        place = self.mirrored.pop(what, None)
        if place is None:
            place = self.random.random()
            self.mirrored[what] = 1 - place
        spread = quantiles(cv)
        return mean * spread[min(int(place * len(spread)), len(spread) - 1)]
