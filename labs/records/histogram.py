"""Many times in few numbers: how often each bucket of a logarithmic scale was met. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BUCKET = 1.02  # a bucket spans 2 %, so its middle is within 1 % of any member


def histogram(times_s: Sequence[float] | NDArray[np.float64]) -> dict[int, int]:
    """Bucket -> how many of these response times. Bucket 0 starts at 1 microsecond."""
    logarithms = np.log(np.maximum(times_s, 1e-6) / 1e-6) / np.log(BUCKET)
    buckets, counts = np.unique(np.floor(logarithms).astype(int), return_counts=True)
    return dict(zip(buckets.tolist(), counts.tolist(), strict=True))


def percentile(histogram: dict[int, int], fraction: float) -> float | None:
    """See `records.Point.percentile_s`."""
    total = sum(histogram.values())
    if total * (1 - fraction) < 10 or total == 0:
        return None
    rank = math.ceil(total * fraction)
    for number in sorted(histogram):
        rank -= histogram[number]
        if rank <= 0:
            return float(1e-6 * BUCKET ** (number + 0.5))
    return None
