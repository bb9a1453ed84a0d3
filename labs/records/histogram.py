"""Many times in few numbers: how often each bucket of a logarithmic scale was met. Pure."""

from __future__ import annotations

import math

BUCKET = 1.02  # a bucket spans 2 %, so its middle is within 1 % of any member


def bucket(response_time_s: float) -> int:
    """The histogram bucket of a response time: bucket 0 starts at 1 microsecond."""
    return math.floor(math.log(max(response_time_s, 1e-6) / 1e-6, BUCKET))


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
