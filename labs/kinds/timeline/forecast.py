"""The course a timeline is expected to take: throughput and requests under way, step by step.

A group of users gets what a sweep's forecast says at that level. Arrivals are treated like a
fluid: what comes at rate a and leaves at rate X, at most the server's capacity, leaves a - X a
second behind, and that is served out when there is room again. Assumes that a step's load is
there at once, and so is a pool that was raised; that a server which grows has grown; and that a
group takes nothing over from the step before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from labs.kinds.timeline.record import Expected
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration, Machine
from labs.records.steps import Step
from labs.theory.forecast import forecast
from labs.theory.laws import ceiling
from labs.theory.server_model import ServerModel

AT_HAND = 20  # users of the load generator beyond those that arrivals are expected to need
MOST_AT_HAND = 2048


def course(
    server: Server,
    workload: Workload,
    steps: Sequence[Step],
    calibration: Calibration,
    machine: Machine,
) -> tuple[Expected, ...]:
    """What to expect from the first request to the end of the last step, without gaps.

    Raises Unusable where a request costs nobody anything, as nothing then limits it.
    """
    found: list[Expected] = []
    begin_s, under_way = 0.0, 0.0  # of arrivals, requests not yet answered
    for step in steps:
        server = replace(server, processes=step.pool or server.processes)
        if step.rate is None:
            found.append(_group(step, server, workload, calibration, machine, begin_s))
            under_way = 0.0
        else:
            most, limit = _capacity(server, workload, calibration, machine)
            alone_s = workload.wait_s + calibration.demand_s(workload.cpu_s)
            end_s = begin_s + step.seconds
            found += _arrivals(step.rate, most, limit, alone_s, begin_s, end_s, under_way)
            under_way = found[-1].in_flight[1]
        begin_s += step.seconds
    return tuple(found)


def users_for(server: Server, workload: Workload, steps: Sequence[Step], machine: Machine) -> int:
    """How many users the load generator should have at hand, so that arrivals find one: half as
    many again as an ideal machine would have under way. 0 where all steps are groups."""
    if all(step.rate is None for step in steps):
        return 0
    ideal = Calibration(
        loops_per_s=tuple(float(n) for n in range(1, machine.cores + 1)),
        noise_fraction=0.0,
        overhead_s=0.001,
        generator_s=0.0005,
    )
    parts = course(server, workload, steps, ideal, machine)
    most = max(max(part.in_flight) for part in parts)
    return min(MOST_AT_HAND, math.ceil(1.5 * most + 4 * math.sqrt(most)) + AT_HAND)


def _group(
    step: Step,
    server: Server,
    workload: Workload,
    calibration: Calibration,
    machine: Machine,
    begin_s: float,
) -> Expected:
    assert step.users is not None
    experiment = Experiment(server, workload, Load((step.users,)))
    (level,) = forecast(experiment, calibration, machine).levels
    return Expected(
        from_s=begin_s,
        to_s=begin_s + step.seconds,
        throughput_rps=level.model_rps,
        in_flight=(step.users, step.users),
        limit=level.limit,
    )


def _capacity(
    server: Server, workload: Workload, calibration: Calibration, machine: Machine
) -> tuple[float, str]:
    """Requests per second that the server can do, however many come, and what holds it back."""
    model = ServerModel(
        Experiment(server, workload, Load((1,))), calibration, machine, calibration.capacity
    )
    limits = model.limits(1, calibration.demand_s(workload.cpu_s))
    del limits["users"]
    limit = min(limits, key=lambda name: limits[name].rps)
    return limits[limit].rps, limit


def _arrivals(
    rate: float,
    most: float,
    limit: str,
    alone_s: float,
    begin_s: float,
    end_s: float,
    under_way: float,
) -> Iterator[Expected]:
    """One stretch, or two if what was left behind is served out in between."""
    settled = min(rate, most) * alone_s  # Little's law, where nobody queues
    behind = max(0.0, under_way - settled)
    more = rate - most  # a second
    if more > 0 or behind > 0:
        gone_s = min(end_s, begin_s + ceiling(behind, -more)) if more < 0 else end_s
        then = settled + max(0.0, behind + more * (gone_s - begin_s))
        yield Expected(
            from_s=begin_s,
            to_s=gone_s,
            throughput_rps=most,
            in_flight=(settled + behind, then),
            limit=limit,
        )
        begin_s = gone_s
    if begin_s < end_s:
        yield Expected(
            from_s=begin_s,
            to_s=end_s,
            throughput_rps=rate,
            in_flight=(settled, settled),
            limit="arrivals",
        )
