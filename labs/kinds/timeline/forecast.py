"""The course a timeline is expected to take, step by step: what is under way, what is answered and
how soon, and between which values eight of ten runs should lie.

A group of users gets what a sweep's forecast says at that level. Arrivals don't wait for anybody,
so chance decides: many runs of them are simulated, with the server as a sweep's model has it. Of
what the simulation doesn't know (a lock, a disk, a quota), and of very many arrivals, the chances
are reckoned as a birth-death chain. Assumes that a step's load is there at once, and so is a pool
that was raised; that a server which grows has grown; and that neither a group nor the arrivals
after it take anything over from the step before.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from labs.kinds.timeline.record import Expected
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration, Machine
from labs.records.steps import Step
from labs.theory.forecast import forecast
from labs.theory.open_load import (
    Floats,
    Serve,
    loops_in_turn,
    reckon,
    replicate,
    sharing_cores,
)
from labs.theory.server_model import SWITCH_INTERVAL_S, ServerModel

AT_HAND = 20  # users of the load generator beyond those that arrivals are expected to need
MOST_AT_HAND = 2048
PIECE_S = 1.0  # a step is forecast in pieces of about this length: its rates are drawn so
RUNS = 200  # simulated, so that a tenth of them is enough to be told
FEWEST_RUNS = 20
REQUESTS = 60_000  # of all these runs together: some tenths of a second
FULL = 0.98  # of what the server can do: who comes faster meets its limit
QUEUED = 1.25  # times as many answered as came: it works off what was left behind,
CHANCE = 4.0  # if that is more than so many standard deviations of what comes in all runs


class OpenServer:
    """A server, however many come: it naps as little as with a crowd."""

    def __init__(
        self, server: Server, workload: Workload, calibration: Calibration, machine: Machine
    ) -> None:
        self.server, self.workload = server, workload
        experiment = Experiment(server, workload, Load((1,)))
        self.model = ServerModel(experiment, calibration, machine)
        self.demand = self.model.demand(math.inf)
        self.D = self.demand.of(self.model.fills)  # with as many cores busy as it can fill
        limits = self.model.limits(1, self.demand)
        del limits["users"]
        self.limit = min(limits, key=lambda name: limits[name].rps)  # what holds it back
        self.most = limits[self.limit].rps  # requests per second that it can do
        self.outside_s = self.model.away + self.model.g  # of a request, not at the server
        self.alone_s = self.demand.least + self.model.V + self.outside_s

    @property
    def known(self) -> bool:
        """Whether the simulation knows what its requests queue for."""
        model = self.model
        if model.alone or model.together or model.pooled or model.blocks or model.lets_go:
            return False
        if model.quota is not None and self.workload.cpu_s:
            return False
        return not model.queued_for_core or self.server.processes <= len(model.full.server)

    def serve(self, rate: float, growth: Sequence[tuple[float, float]]) -> Serve:
        """When it answers arrivals of at most that rate, its pool growing at those times."""
        model, work, server = self.model, self.workload, self.server
        left = max(0.01, model.full.all - min(rate, self.most) * model.g)
        cores = replace(model.full, server=tuple(min(busy, left) for busy in model.full.server))
        threads = server.architecture == "threaded"

        def answered(come: Floats, dice: np.random.Generator) -> Floats:
            if model.queued_for_core:
                ends = loops_in_turn(
                    *(come, self.D, model.V),
                    processes=server.processes,
                    W=server.threads if threads else math.inf,
                    cpu_cv=work.cpu_cv,
                    wait_cv=work.wait_cv,
                    interval=SWITCH_INTERVAL_S if threads else math.inf,
                    dice=dice,
                )
            else:
                ends = sharing_cores(
                    *(come, self.demand.of(len(cores.server)), model.V),
                    capacity=self.demand.speeds(cores),
                    W=model.W,
                    cpu_cv=work.cpu_cv,
                    wait_cv=work.wait_cv,
                    growth=growth,
                    dice=dice,
                )
            return ends + self.outside_s

        return answered

    def answering(self, most: int) -> Floats:
        """Answers a second with 1 .. most under way; between some of these, straight lines."""
        model, pool = self.model, self.model.W
        corners = {pool, len(model.full.server), most, *(2**n for n in range(12)), *range(3, 12)}
        known = sorted(int(k) for k in corners if 1 <= k <= most)
        if model.queued_for_core and not model.blocks:  # like sharing, as a lone core's order is
            apart = replace(model.full, server=model.full.server[: self.server.processes])
            rates = [model.shared(apart, k, self.demand, pool) for k in known]
        else:
            rates = [model.throughput(k, self.demand) for k in known]
        least = np.minimum(rates, self.most)
        return np.interp(np.arange(1, most + 1), known, least)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A step of arrivals, and the server as they find it."""

    step: Step
    server: OpenServer
    begin_s: float


def course(
    server: Server,
    workload: Workload,
    steps: Sequence[Step],
    calibration: Calibration,
    machine: Machine,
    *,
    simulated: bool = True,
) -> tuple[Expected, ...]:
    """What to expect from the first request to the end of the last step, without gaps.

    Raises Unusable where a request costs nobody anything, as nothing then limits it.
    """
    found: list[Expected] = []
    begin_s = 0.0
    for open_load, block in itertools.groupby(steps, key=lambda step: step.rate is not None):
        parts = []
        for step in block:
            server = replace(server, processes=step.pool or server.processes)
            parts.append(Part(step, OpenServer(server, workload, calibration, machine), begin_s))
            begin_s += step.seconds
        if open_load:
            found += _arrivals(parts, simulated=simulated)
        else:
            found += (_group(part, calibration, machine) for part in parts)
    return tuple(found)


def users_for(server: Server, workload: Workload, steps: Sequence[Step], machine: Machine) -> int:
    """How many users the load generator should have at hand, so that arrivals find one: half as
    many again as an ideal machine would have under way, in the worst of ten runs. 0 where all
    steps are groups."""
    if all(step.rate is None for step in steps):
        return 0
    ideal = Calibration(
        loops_per_s=tuple(float(n) for n in range(1, machine.cores + 1)),
        noise_fraction=0.0,
        overhead_s=0.001,
        generator_s=0.0005,
    )
    parts = course(server, workload, steps, ideal, machine, simulated=False)
    most = max(max(part.in_flight) for part in parts)
    high = max(max(part.in_flight_band[1]) for part in parts if part.in_flight_band)
    return min(MOST_AT_HAND, math.ceil(max(most, high) * 1.5 + 4 * math.sqrt(most)) + AT_HAND)


def _group(part: Part, calibration: Calibration, machine: Machine) -> Expected:
    users, served = part.step.users, part.server
    assert users is not None
    experiment = Experiment(served.server, served.workload, Load((users,)))
    (level,) = forecast(experiment, calibration, machine).levels
    return Expected(
        from_s=part.begin_s,
        to_s=part.begin_s + part.step.seconds,
        throughput_rps=level.model_rps,
        in_flight=(users, users),
        limit=level.limit,
        response_time_s=level.model_response_time_s,
    )


def _arrivals(parts: Sequence[Part], *, simulated: bool) -> Iterator[Expected]:
    """Steps of arrivals, one after the other, which take over what the one before has left."""
    edges, rates, whose = [parts[0].begin_s], list[float](), list[Part]()
    for part in parts:
        pieces = max(1, round(part.step.seconds / PIECE_S))
        edges += [part.begin_s + part.step.seconds * (n + 1) / pieces for n in range(pieces)]
        rates += [part.step.rate or 0.0] * pieces
        whose += [part] * pieces
    first = parts[0].server
    runs = int(min(RUNS, REQUESTS / sum((p.step.rate or 0.0) * p.step.seconds for p in parts)))
    known = simulated and first.known and runs >= FEWEST_RUNS
    if known:
        growth = [
            (part.begin_s, part.server.model.W - before.server.model.W)
            for before, part in itertools.pairwise(parts)
            if part.step.pool
        ]
        found = replicate(first.serve(max(rates), growth), rates, edges, runs)
    else:
        most = _most(parts)
        answering = {part: part.server.answering(most) for part in parts}
        found = reckon(rates, [answering[part] for part in whose], edges)
    for place, (rate, part) in enumerate(zip(rates, whose, strict=True)):
        rps, served = float(found.throughput_rps[place]), part.server
        doubt_rps = 0.0
        if known:
            doubt_rps = CHANCE * math.sqrt(rate / runs / (edges[place + 1] - edges[place]))
        # Beyond what are in service as it answers the most, requests queue.
        queue = found.under_way[place] > served.most * served.alone_s
        full = rate >= FULL * served.most or (queue and rps > QUEUED * rate + doubt_rps)
        yield Expected(
            from_s=round(edges[place], 3),
            to_s=round(edges[place + 1], 3),
            throughput_rps=round(rps, 3),
            in_flight=_pair(found.under_way[place : place + 2]),
            limit=served.limit if full else "arrivals",
            throughput_band_rps=_pair(found.throughput_band_rps[place]),
            in_flight_band=(
                _pair(found.under_way_band[place]),
                _pair(found.under_way_band[place + 1]),
            ),
            response_time_s=_known(found.response_time_s[place]),
            response_band_s=(
                _pair(found.response_band_s[place])
                if np.isfinite(found.response_band_s[place]).all()
                else None
            ),
        )


def _most(parts: Sequence[Part]) -> int:
    """More requests than will ever be under way, or as many as there may be."""
    behind = most = events = 0.0
    for part in parts:
        rate, served = part.step.rate or 0.0, part.server
        behind = max(0.0, behind + (rate - served.most) * part.step.seconds)
        events += 2 * rate * part.step.seconds
        most = max(most, behind + min(rate, served.most) * served.alone_s)
    return int(min(MOST_AT_HAND, most + 6 * math.sqrt(events) + 50))


def _pair(values: Floats) -> tuple[float, float]:
    low, high = values.tolist()
    return round(low, 4), round(high, 4)


def _known(value: float) -> float | None:
    return round(float(value), 6) if math.isfinite(value) else None
