"""Limit of a level: what bounds it, with which numbers, and how much of it was used. Pure."""

from __future__ import annotations

from labs.records.results import Point, Run
from labs.records.server_facts import WAITS
from labs.theory.ceilings import Ceiling
from labs.theory.server_model import ServerModel


def ceiling(model: ServerModel, run: Run, users: int, limit: str = "") -> Ceiling | None:
    """Find the units that a request keeps for so many seconds: the bound of that level as it was
    forecast is their quotient. Or, of another `limit`, where the model has that one. None for a
    limit that the model does not know."""
    level = run.forecast.at(users)
    found = model.limits(users, model.demand(users)).get(limit or level.limit)
    if found is None or limit not in ("", level.limit):
        return found
    return found._replace(units=level.bound_rps * found.seconds)


def used(model: ServerModel, run: Run, point: Point) -> float | None:
    """Find how much of what was to limit that level was in use, as a part of all of it; None where
    that was not measured.

    Of users, the part of their time that a request takes alone; of a lock that the work itself
    lets go of, the part for which the rest of the requests needs it.
    """
    server, workload, machine = model.server, model.workload, model.machine
    level = run.forecast.at(point.users)
    cores = min(machine.cores, machine.quota_cores or machine.cores)
    in_service = point.service_time_s and point.throughput_rps * point.service_time_s
    if level.limit == "users" or (level.limit == "interpreter lock" and model.releases_lock):
        return point.throughput_rps / level.bound_rps
    own = model.quota if model.quota_is_servers else server.cores
    if level.limit == "cpu" and own is not None and own < machine.cores:
        return point.server_cpu / own
    if level.limit == "cpu":
        return (point.server_cpu + point.generator_cpu + point.backend_cpu) / cores
    if level.limit == "pool" and model.keeps_worker:  # while their users think, too: Little's law
        return point.littles_law * point.users / model.W
    if level.limit == "pool" and in_service is not None:
        return (in_service + point.throughput_rps * model.idle_s) / model.W
    if level.limit == "event loop" and workload.wait_s and WAITS[workload.wait_by].stops_a_loop:
        return in_service / server.processes if in_service is not None else None
    if level.limit in ("event loop", "interpreter lock"):
        return point.server_cpu / min(server.processes, cores)
    if level.limit == "load generator":
        return point.generator_cpu / model.load.generators
    if level.limit in WAITS:  # one request at a time has what it waits for, or one a connection
        places = server.processes * workload.connections if model.waits_for_connections else 1
        return point.throughput_rps * run.forecast.wait_s / places
    return None
