"""Band: how far a measurement may lie from the line of its forecast, nine times in ten. Pure.

Three things can part the two. The demand D is known only so well: the halves of the trial before
the load lay apart by so much, or burns of the last minutes did. The laws are not the server:
`OF_WAITS`, `OF_WORK` and `OF_FILES` are what was left of nine in ten misses in the book's
recordings with the D of the level itself (`python -m bench.prediction --recorded` prints how many
lie inside). And a kernel deals out cores in an order that nobody knows before the load, which can
only cost. The first two are independent, so their squares add up; the third lowers the band's foot.
"""

import math

from labs.records.experiment import Workload
from labs.records.results import PredictedLevel

OF_WAITS, OF_WORK, OF_FILES = 0.02, 0.03, 0.05  # of throughput, by what requests do
AT_THE_KNEE = 0.08  # of throughput: two requests share a core beside an idle one until a kernel
# moves one. If it never did, a third would be lost; of 76 recorded levels four lost more than this
A_CORE_EACH = 1 / 6  # half of that third, where there are no more users than cores


def band(
    level: PredictedLevel, bound_ci_rps: tuple[float, float], work: Workload
) -> tuple[float, float]:
    """Requests per second, lowest and highest, for a level whose bound lies between those two as
    far as D is known. Assumes that the model moves with D as much as the bound does, relatively.

    >>> level = PredictedLevel(users=8, bound_rps=50.0, model_rps=40.0, limit="cpu",
    ...     demand_s=0.05, model_response_time_s=0.2)
    >>> [round(rps, 1) for rps in band(level, (48.0, 52.0), Workload(cpu_s=0.04))]
    [38.0, 42.0]
    """
    own = OF_FILES if work.page == "file" else OF_WORK if work.cpu_s else OF_WAITS
    down, up = (abs(rps / level.bound_rps - 1) if level.bound_rps else 0.0 for rps in bound_ci_rps)
    low, high = 1 - math.hypot(down, own), 1 + math.hypot(up, own)
    if level.lower_rps is not None and level.model_rps:
        foot = level.lower_rps / level.model_rps
        if level.lower_by == "users in step":  # of whom the laws know no more than of the line
            foot *= 1 - own
        low = min(low, foot)
    return max(0.0, low) * level.model_rps, high * level.model_rps
