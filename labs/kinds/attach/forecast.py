"""The forecast for a server that was only looked at: a bound, a model and a band. Pure.

Three numbers make it: D, the CPU seconds of a request in the crowd that was looked at; V, what a
lone request takes besides; and how many processes, cores and workers were seen. What stands behind
the server and has only so many places isn't known, so it is in no forecast: it is what the levels
are to find.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from labs.kinds.attach.record import Found, Known
from labs.records.format import crowd
from labs.records.results import PredictedLevel, Prediction
from labs.theory.laws import bound, knee
from labs.theory.queueing import closed, quota

CORE_DRIFT = 0.05  # a core's own speed within a minute, on a calm machine
LEAST_TOP = 8  # users: a ramp to fewer shows no shape


class Cost(NamedTuple):
    """The CPU seconds of a request where so many users ask: a lone one finds its caches colder."""

    users: int
    D: float  # of the server
    g: float  # of the load generator


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rates of which a forecast is made, in seconds and numbers."""

    lone_s: float  # a lone user's round
    costs: tuple[Cost, ...]  # from one user on; the last is of all larger crowds, too
    V: float
    Z: float
    c: float  # cores that the server's own code may use
    full: float  # and could, for a moment, were there no quota
    cores: float  # of the machine, which the load generator uses too; inf for another machine
    W: float
    quota: float = math.inf  # cores; c is no more than that
    measured: bool = False  # whether Z is, and has in it what of g isn't in V

    def model_rps(self, users: int) -> float:
        """Throughput of so many users."""
        if users == 1:
            return 1 / (self.lone_s + self.Z)
        D, g = self.cost(users)[1:]
        wait_s = max(0.0, self.V - g)  # a lone request's rest has the generator's time in it
        Z = max(0.0, self.Z - max(0.0, g - self.V)) if self.measured else self.Z

        def on(c: float) -> float:
            at_work = math.ceil(min(c, users))  # nobody knows the cores of another machine
            capacity = tuple(min(float(k), c) for k in range(1, at_work + 1))
            return closed(users, D, wait_s, capacity, W=self.W, Z=Z, g=g, cores=self.cores)

        if math.isinf(self.quota):
            return on(self.c)
        return quota(D, full_speed=on(self.full), evened=on(self.c), q=self.quota)

    @property
    def D(self) -> float:
        """The CPU seconds of a request in the largest crowd."""
        return self.costs[-1].D

    @property
    def g(self) -> float:
        """The CPU seconds that it costs the load generator there."""
        return self.costs[-1].g

    def cost(self, users: int) -> Cost:
        """Tell what a request costs in a crowd of that size, or in the next smaller one known."""
        return max(cost for cost in self.costs if cost.users <= users)

    def bound_rps(self, users: int) -> float:
        """The asymptotic bound, with the load generator's own."""
        D = min(cost.D for cost in self.costs)
        most = bound(N=users, D=D, V=self.V, Z=self.Z, c=self.c, W=self.W)
        if math.isfinite(self.cores) and D + self.g:
            most = min(most, self.cores / (D + self.g))
        return min(most, 1 / self.g) if self.g else most

    def knee(self) -> float:
        """Users from which on throughput can't rise any more, by cores and workers as seen."""
        c = min(self.c, self.cores * self.D / (self.D + self.g) if self.D else self.c)
        by_generator = (self.D + self.V + self.Z) / self.g if self.g else math.inf
        if not self.D and math.isinf(self.W):
            return by_generator
        return min(by_generator, knee(self.D, self.V, Z=self.Z, c=c, W=self.W))


def rates(
    found: Found,
    demand: Known | None,
    wait: Known,
    *,
    lone_s: float,
    few: Sequence[Cost] = (),
    Z: float,
    g: float,
    cores: float,
    busy: float = 0.0,
    edge: str = "value",
    measured: bool = False,
) -> Rates:
    """Take the numbers at one edge of what is known of them: "value", "low" or "high". busy: cores
    that the server was seen to use, which may be more than a runtime's own code can."""
    D = 0.0 if demand is None else float(getattr(demand, edge))
    off = D / demand.value if demand and demand.value else 1.0
    beyond = Cost(few[-1].users + 1 if few else 1, D, g)
    full = float(found.cores or cores)
    if found.one_core_each and found.workers:
        full = min(full, max(float(found.workers), busy))
    held = math.inf if found.quota_cores is None else found.quota_cores
    return Rates(
        lone_s=lone_s,
        costs=(*(cost._replace(D=off * cost.D) for cost in few), beyond),
        V=float(getattr(wait, edge)),
        Z=Z,
        c=min(full, held),
        full=full,
        quota=held,
        cores=cores,
        W=math.inf if found.pool is None else float(found.pool),
        measured=measured,
    )


def forecast(
    users: tuple[int, ...], at: Rates, dear: Rates, cheap: Rates, *, visible: bool
) -> Prediction:
    """Forecast each level. Its band goes from the model with the dearest numbers of what is known
    to the bound with the cheapest, and by a core's own unsteadiness beyond both."""
    levels = []
    for level in users:
        model = at.model_rps(level)
        low, high = dear.model_rps(level), min(cheap.bound_rps(level), 1.5 * model)
        levels.append(
            PredictedLevel(
                users=level,
                bound_rps=at.bound_rps(level),
                model_rps=model,
                model_response_time_s=max(0.0, level / model - at.Z) if model else 0.0,
                limit=limit(level, at, visible=visible),
                demand_s=at.cost(level).D,
                band_rps=((1 - CORE_DRIFT) * min(low, model), (1 + CORE_DRIFT) * max(high, model)),
            )
        )
    return Prediction(
        demand_s=at.D,
        wait_s=at.V,
        levels=tuple(levels),
        notes=notes(at, visible=visible),
    )


def limit(users: int, at: Rates, *, visible: bool) -> str:
    """Name what holds a level back, as far as the look tells."""
    ceilings = {"users": users / (at.D + at.V + at.Z) if at.D + at.V + at.Z else math.inf}
    if at.g:
        ceilings["load generator"] = 1 / at.g
    if math.isfinite(at.W):
        ceilings["pool"] = at.W / (at.D + at.V) if at.D + at.V else math.inf
    if visible and at.D:
        ceilings["cpu"] = min(at.c / at.D, at.cores / (at.D + at.g))
    return min(ceilings, key=lambda name: ceilings[name])


def notes(at: Rates, *, visible: bool) -> tuple[str, ...]:
    """Say what the forecast takes for granted."""
    said = []
    if not visible:
        said.append(
            "No process of the server is seen, so its CPU time isn't known: the forecast has only "
            "the time that a lone request takes, and holds until something is full."
        )
    if math.isinf(at.W):
        said.append(
            "If nothing here has a fixed number of places, throughput rises until about "
            f"{crowd(max(1, round(at.knee())))}."
        )
    return tuple(said)


def levels(at: Rates, most: int) -> tuple[int, ...]:
    """Levels to ask for: doubling, to half as many again as the knee has, and `most` at most."""
    highest = min(most, max(LEAST_TOP, math.ceil(1.5 * min(at.knee(), float(most)))))
    found = [1]
    while 2 * found[-1] < highest:
        found.append(2 * found[-1])
    if found[-1] < highest:
        found.append(highest)
    return tuple(found)
