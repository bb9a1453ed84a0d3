"""Many times in few numbers: how often each bucket of a logarithmic scale was met. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BUCKET = 1.02  # a bucket spans 2 %, so its middle is within 1 % of any member
BEYOND = 10  # samples: with fewer of them beyond a percentile there is nothing to quote


@dataclass(frozen=True, slots=True)
class MoreThan:
    """A time of which only so much is known: it is longer."""

    seconds: float


def histogram(
    times_s: Sequence[float] | NDArray[np.float64],
    weights: Sequence[float] | NDArray[np.float64] | None = None,
) -> dict[int, float]:
    """Count the times in each bucket, or their weight. Bucket 0 starts at 1 microsecond."""
    logarithms = np.log(np.maximum(times_s, 1e-6) / 1e-6) / np.log(BUCKET)
    buckets, where = np.unique(np.floor(logarithms).astype(int), return_inverse=True)
    counts = np.bincount(where, weights=weights).round(3)
    return dict(zip(buckets.tolist(), counts.tolist(), strict=True))


def together(
    parts: Sequence[tuple[Mapping[int, float], float]],
) -> tuple[dict[int, float], float]:
    """Join histograms, each with how many times are longer than any in it. Of times beyond which
    one of them knows nothing all together know nothing: they count as longer too."""
    known_to = min((max(each) for each, longer in parts if longer and each), default=None)
    made: dict[int, float] = {}
    beyond = sum(longer for _, longer in parts)
    for each, _ in parts:
        for bucket, count in each.items():
            if known_to is None or bucket <= known_to:
                made[bucket] = made.get(bucket, 0.0) + count
            else:
                beyond += count
    return dict(sorted(made.items())), beyond


def percentile(
    histogram: Mapping[int, float], fraction: float, longer: float = 0.0
) -> float | MoreThan | None:
    """The time that `fraction` of the samples stay below, within 1 %.

    longer: how many samples take longer than any in the histogram, nobody knows how much. A
    percentile among these is only known to be more than that. None with fewer than BEYOND
    samples beyond it.
    """
    total = sum(histogram.values()) + longer
    if total * (1 - fraction) < BEYOND:
        return None
    below, number = 0.0, 0
    for number in sorted(histogram):
        below += histogram[number]
        if below >= total * fraction * (1 - 1e-9):
            return float(1e-6 * BUCKET ** (number + 0.5))
    return MoreThan(1e-6 * BUCKET**number)
