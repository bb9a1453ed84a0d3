"""A sweep's run as it would be on another number of cores. Pure."""

from dataclasses import replace

import msgspec

from labs.kinds.sweep.record import Recording
from labs.records.results import Point


def as_if_on(recording: Recording, cores: int) -> Recording:
    """Scale a recording's users and throughputs from its cores to so many. Response times are what
    they were: so many users a core wait as long on any number of cores."""
    factor = cores / recording.machine.cores

    def moved(point: Point) -> Point:
        low, high = point.throughput_ci_rps
        return replace(
            point,
            users=round(point.users * factor),
            throughput_rps=point.throughput_rps * factor,
            throughput_ci_rps=(low * factor, high * factor),
        )

    runs = tuple(replace(run, points=tuple(map(moved, run.points))) for run in recording.runs)
    return msgspec.structs.replace(recording, runs=runs)
