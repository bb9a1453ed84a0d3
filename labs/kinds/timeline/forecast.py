"""The course a timeline is expected to take, step by step: what is under way, what is answered and
how soon, and between which values eight of ten runs should lie.

A group of users gets what a sweep's forecast says at that level. Arrivals don't wait for anybody,
so they queue where more come than the tightest of that model's limits lets through, and by chance
(`open_load`). Assumes that a step's load is there at once, and so is a pool that was raised; that a
server which grows has grown; and that neither a group nor the arrivals after it take anything over
from the step before.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from labs.kinds.timeline.record import Expected
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration, Machine
from labs.records.steps import Step
from labs.theory.forecast import expected
from labs.theory.open_load import Floats, Station, reckon
from labs.theory.server_model import SWITCH_INTERVAL_S, ServerModel

PIECE_S = 1.0  # a step is forecast in pieces of about this length: its rates are drawn so


def station(model: ServerModel) -> Station:
    """Find what arrivals queue for at a server, however many come: it naps as little as in a crowd.
    Raises Unusable where a request costs nobody anything, as nothing then limits it."""
    server, workload = model.server, model.workload
    demand, V, W = model.demand(math.inf), model.V, model.W
    limits = model.limits(1, demand)
    del limits["users"]
    limit = min(limits, key=lambda name: limits[name].rps)
    narrow, D = limits[limit], demand.of(model.cores_filled)
    if math.isinf(narrow.rps):
        model.level(1, demand)  # says why
    waits = narrow.beside == "wait" or limit == workload.wait_by
    # Loops, and threads under a lock, with a core for each process: each has a line of its own.
    apart = model.queued_for_core and server.processes <= len(model.full.server)
    shared = (model.exclusive_wait, "load generator")
    own = (apart or model.waits_for_connections) and limit not in shared
    lines = server.processes if own else 1
    slices = server.architecture == "threaded" and D > SWITCH_INTERVAL_S
    in_turn = waits or (apart and not slices)
    full_rps = math.inf if math.isinf(W) else model.throughput(2 * int(W), demand)
    cv = workload.cpu_cv
    if waits:
        cv = math.hypot(D * cv, V * workload.wait_cv) / (D + V)
    return Station(
        rps=min(narrow.rps, full_rps),
        places=narrow.units / lines,
        # Whoever meets a wait that others have together joins the next one.
        alone_s=demand.least + V * (1.5 if model.batched_waits else 1) + model.away_s + model.g,
        lines=lines,
        cv=cv,
        sharing=0.0 if in_turn else (W - narrow.units) / lines,
    )


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a course: a step, and the model of the server as it finds it."""

    step: Step
    model: ServerModel
    begin_s: float


def course(
    server: Server,
    workload: Workload,
    steps: Sequence[Step],
    calibration: Calibration,
    machine: Machine,
) -> tuple[Expected, ...]:
    """Forecast from the first request to the end of the last step, without gaps. Raises Unusable
    where a request costs nobody anything, as nothing then limits it."""
    found: list[Expected] = []
    begin_s = 0.0
    for open_load, block in itertools.groupby(steps, key=lambda step: step.rate is not None):
        parts = []
        for step in block:
            server = replace(server, processes=step.pool or server.processes)
            experiment = Experiment(server, workload, Load((step.users or 1,)))
            parts.append(Part(step, ServerModel(experiment, calibration, machine), begin_s))
            begin_s += step.seconds
        found += _arrivals(parts) if open_load else map(_group, parts)
    return tuple(found)


def _group(part: Part) -> Expected:
    (level,) = expected(part.model).levels
    return Expected(
        from_s=part.begin_s,
        to_s=part.begin_s + part.step.seconds,
        throughput_rps=level.model_rps,
        in_flight=(level.users, level.users),
        response_time_s=level.model_response_time_s,
    )


def _arrivals(parts: Sequence[Part]) -> Iterator[Expected]:
    """Forecast steps of arrivals one after the other: each takes over what the last has left."""
    edges, rates, stations = [parts[0].begin_s], list[float](), list[Station]()
    for part in parts:
        pieces = max(1, round(part.step.seconds / PIECE_S))
        edges += [part.begin_s + part.step.seconds * (n + 1) / pieces for n in range(pieces)]
        rates += [part.step.rate or 0.0] * pieces
        stations += [station(part.model)] * pieces
    found = reckon(rates, stations, edges)
    for place in range(len(rates)):
        yield Expected(
            from_s=round(edges[place], 3),
            to_s=round(edges[place + 1], 3),
            throughput_rps=round(float(found.throughput_rps[place]), 3),
            in_flight=_pair(found.under_way[place : place + 2]),
            throughput_band_rps=_pair(found.throughput_band_rps[place]),
            in_flight_band=(
                _pair(found.under_way_band[place]),
                _pair(found.under_way_band[place + 1]),
            ),
            response_time_s=_known(found.response_time_s[place]),
        )


def _pair(values: Floats) -> tuple[float, float]:
    low, high = values.tolist()
    return round(low, 4), round(high, 4)


def _known(value: float) -> float | None:
    return round(float(value), 6) if math.isfinite(value) else None
