"""CPU time D, as a crowd tells it that fills the cores with equal pieces of work. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from labs.records.results import Calibration, between
from labs.records.snapshot import Snapshot
from labs.theory.server_model import ServerModel


def crowded(
    found: Calibration,
    model: ServerModel,
    looks: Sequence[Snapshot],
    done: NDArray[np.void],
    *,
    users: int,
    piece_s: float,
    call_s: float = 0.0,
) -> Calibration:
    """The calibration with what so many users found, who each asked for pieces of so many burned
    seconds again and again.

    looks: snapshots at the ends of adjacent windows. done: records of all good requests that
    touch them. D = CPU seconds / pieces, of which each counts by the share of its service inside;
    D = beside + ratio * piece_s. How much of it is the piece, the server's own clock tells; where
    none is told, it is what an empty request would not have cost. (Which costs less than what a
    server spends beside a piece, or more where it wakes a herd of idle workers: 0.4 ms were seen.)
    The two spend `use` of the cores' time where all of these are busy. Unchanged where hardly a
    piece was done: then the burn is all there is.
    """
    served = [float(_inside(done, *of).sum()) for of in pairwise(look.at for look in looks)]
    if min(served) < 2:
        return found
    whole, pieces = looks[0].until(looks[-1]), sum(served)
    demand_s, beside_s = whole.server_cpu * whole.seconds / pieces, found.overhead_s
    shares = _inside(done, looks[0].at, looks[-1].at)
    if (told := (shares > 0) & (done["service_cpu"] > 0)).any():
        service_s = float(np.average(done["service_cpu"][told], weights=shares[told]))
        beside_s = demand_s - min(demand_s, max(0.0, service_s - call_s))
    rates = [
        number / (after.at - before.at)
        for number, (before, after) in zip(served, pairwise(looks), strict=True)
    ]
    # Users fall on processes with queues of their own by chance, and may leave some without any.
    answered = len(np.unique(done["process"][done["process"] > 0])) or users
    busy = min(model.cores_filled, users, answered if model.queued_for_core else users)
    use = found.use
    if busy >= (cores := len(model.full.server)) and model.quota is None:
        beside = whole.generator_cpu if model.shares_cores else 0.0
        use = min(1.0, (whole.server_cpu + beside) / cores)
    burned_s = piece_s * between(found.slowdowns, busy)
    return replace(
        found,
        overhead_s=beside_s,
        generator_s=whole.generator_cpu * whole.seconds / pieces,
        crowd_ratio=max(demand_s - beside_s, 0.0) / burned_s,
        spread=max(found.spread, (max(rates) - min(rates)) / (pieces / whole.seconds)),
        use=use,
    )


def _inside(done: NDArray[np.void], begin: float, end: float) -> NDArray[np.float64]:
    """Find which share of each request's service lies between two moments: not of its life, most of
    which some have spent in a queue."""
    told = np.isfinite(done["service_end"])
    starts = np.where(told, done["service_start"], done["start"])
    ends = np.where(told, done["service_end"], done["end"])
    inside = np.minimum(ends, end) - np.maximum(starts, begin)
    return np.asarray(np.maximum(inside, 0.0) / np.maximum(ends - starts, 1e-9))
