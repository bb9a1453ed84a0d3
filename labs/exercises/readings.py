"""Readings: what an exercise about the reader's own machine takes from their lab. Pure.

An exercise names one of them, and what of the result it takes: `read: [of_part, 60 workers]`.
`interval` is how well it is known: a relative half width, which becomes the answer's tolerance;
`band` is that of the forecast, which the answer to a forecast may miss by as much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from labs.analysis.scale import own_label
from labs.kinds.checkup.record import Checkup
from labs.kinds.clocks.record import Clocks
from labs.kinds.sweep.record import Recording
from labs.records.results import Measured, Point, pick

if TYPE_CHECKING:
    from labs.kinds.attach.record import Attached
    from labs.kinds.comparison.record import Comparison
    from labs.kinds.generators.record import Generators
    from labs.kinds.memory.record import Memory
    from labs.kinds.mystery.record import Mystery
    from labs.kinds.race.record import Race
    from labs.kinds.timeline.record import Timeline


Read = Mapping[str, float]

MIB = 2**20


def busiest(recording: Recording) -> Point:
    """Find the busiest level of the newest run."""
    return recording.runs[-1].points[-1]


def known_to(measured: Measured) -> float:
    """Halve the throughput's interval, relative to the throughput."""
    low, high = measured.throughput_ci_rps
    return (high - low) / 2 / measured.throughput_rps


def of_checkup(checkup: Checkup) -> Read:
    """Read what a calibration found."""
    calibration = checkup.calibration
    return {
        "cores": checkup.capacity,
        "logical_cores": checkup.machine.logical_cores,
        "interval": calibration.noise_fraction,
        "generator_s": calibration.generator_s,
    }


def of_both(clocks: Clocks) -> Read:
    """Read the page of the clocks lab that computes and waits."""
    page = clocks.page("both")
    return {
        "wall_ms": page.median_wall_s * 1000,
        "cpu_ms": page.median_cpu_s * 1000,
        "interval": (max(page.cpu_s) - min(page.cpu_s)) / page.median_cpu_s / 2,
        "client_ms": (page.client.user_s + page.client.system_s) * 1000,
    }


def of_last(recording: Recording) -> Read:
    """Read the busiest level: its throughput, what a request cost, how long it took and was in
    service, and what its page waits when it is alone."""
    point = busiest(recording)
    interval = known_to(point)
    forecast = recording.runs[-1].forecast.at(point.users)
    least, most = forecast.band_rps or (0.0, 0.0)
    return {
        "users": point.users,
        "throughput": point.throughput_rps,
        "interval": interval,
        "band": (most - least) / 2 / forecast.model_rps if most else interval,
        "demand_s": point.demand_s,
        "response_s": point.mean_response_time_s,
        "service_s": point.service_time_s or 0.0,
        "wait_s": recording.experiment.workload.wait_s,
        "cores": recording.machine.cores,
    }


def of_plateau(recording: Recording) -> Read:
    """Read the first level with more users than cores, and the last: chosen before looking."""
    last = busiest(recording)
    cores = recording.machine.cores
    first = next((p for p in recording.runs[-1].points if p.users > cores), last)
    wide = sum(high - low for low, high in (first.throughput_ci_rps, last.throughput_ci_rps))
    return {
        "few": first.users,
        "many": last.users,
        "before": first.throughput_rps,
        "after": last.throughput_rps,
        "interval": wide / 2 / last.throughput_rps,
    }


def of_step(timeline: Timeline, number: str) -> Read:
    """Read a step of a timeline, the first is "1": its throughput, the cores the server kept busy
    and those there are, and what a request waits."""
    at = int(number) - 1
    step = timeline.runs[-1].step_results[at]
    return {
        "users": timeline.steps[at].users or 0,
        "throughput": step.throughput_rps,
        "busy": step.server_cpu,
        "cores": timeline.machine.cores,
        "wait_s": timeline.workload.wait_s,
        "interval": known_to(step),
    }


def labels(comparison: Comparison, *named: str) -> list[str]:
    """Name those parts of the book's recording as a comparison at its own scale calls them."""
    one = next(iter(comparison.parts.values())).experiment
    if one.workload.cpu_s:
        cores = one.server.cores or comparison.machine.cores
        own = [own_label(label, one.workload, cores) for label in named]
        if all(label in comparison.parts for label in own):
            return own
    return list(named)


def of_parts(comparison: Comparison, first: str, second: str) -> Read:
    """Read the throughput of two parts of a comparison at their busiest levels, and their pools."""
    parts = [comparison.part(label) for label in labels(comparison, first, second)]
    of = [of_last(part) for part in parts]
    return {
        "users": of[0]["users"],
        "few": parts[0].experiment.server.pool or 0,
        "many": parts[1].experiment.server.pool or 0,
        "first": of[0]["throughput"],
        "second": of[1]["throughput"],
        "interval": of[0]["interval"] + of[1]["interval"],
    }


def of_part(comparison: Comparison, label: str) -> Read:
    """Read the busiest level of one part."""
    return of_last(comparison.part(*labels(comparison, label)))


def of_patient(mystery: Mystery) -> Read:
    """Read the mystery's server as it is: its first level and that of most throughput."""
    points = mystery.before.runs[-1].points
    best = max(points, key=lambda point: point.throughput_rps)
    return {
        "users": points[0].users,
        "alone_s": points[0].mean_response_time_s,
        "throughput": best.throughput_rps,
        "crowd": points[-1].users,
        "interval": known_to(best),
    }


def of_tree(timeline: Timeline) -> Read:
    """Read user and system seconds of the server's process tree."""
    tree = timeline.runs[-1].tree("server")
    return {
        "user_s": sum(process.user_s for process in tree),
        "system_s": sum(process.system_s for process in tree),
    }


def of_locust(found: Generators) -> Read:
    """Read what a request cost one Locust."""
    return {"cost_s": found.runs[-1].by("locust").generator_s}


def of_scales(memory: Memory) -> Read:
    """Read what one more process takes, in MiB: by PSS, and by RSS."""
    growth = memory.runs[-1].growth("process")
    return {
        "pss_mib": growth.each_bytes / MIB,
        "rss_mib": growth.rss_each_bytes / MIB,
        "interval": growth.off_line,
    }


def of_race(race: Race) -> Read:
    """Read additions asked for and additions counted, without a lock."""
    count = pick(race.runs[-1].counts, name="without a lock")
    return {"asked": count.asked, "counted": count.counted}


def of_attached(attached: Attached) -> Read:
    """A server of the reader's own: its level of the highest throughput and its lone answer; what
    a request costs, and the cores, where its processes were seen."""
    run, best = attached.run, attached.best
    seen = {"demand_s": best.demand_s, "cores": run.found.cores} if run.found.visible else {}
    return {
        "throughput": best.throughput_rps,
        "interval": known_to(best),
        "alone_s": run.alone_s,
        **seen,
    }


READINGS: Mapping[str, Callable[..., Read]] = {
    name: each for name, each in globals().items() if name.startswith("of_")
}
