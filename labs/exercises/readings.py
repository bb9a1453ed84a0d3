"""What an exercise about the reader's own machine reads from their lab. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from labs.exercises.check import Given
from labs.kinds.checkup.record import Checkup
from labs.kinds.clocks.record import Clocks
from labs.kinds.sweep.record import Recording
from labs.records.results import Point

if TYPE_CHECKING:
    from labs.kinds.comparison.record import Comparison
    from labs.kinds.generators.record import Generators
    from labs.kinds.mystery.record import Mystery
    from labs.kinds.timeline.record import Timeline


def busiest(recording: Recording) -> Point:
    """The busiest level of the newest run."""
    return recording.runs[-1].points[-1]


def of_checkup(checkup: Checkup) -> Given:
    """What a calibration found."""
    calibration = checkup.calibration
    return {
        "cores": checkup.capacity,
        "logical_cores": checkup.machine.logical_cores,
        "noise": calibration.noise_fraction,
        "generator_s": calibration.generator_s,
    }


def of_both(clocks: Clocks) -> Given:
    """The page of the clocks lab that computes and waits."""
    page = clocks.page("both")
    return {
        "wall_ms": page.median_wall_s * 1000,
        "cpu_ms": page.median_cpu_s * 1000,
        "spread": (max(page.cpu_s) - min(page.cpu_s)) / page.median_cpu_s / 2,
        "client_ms": (page.client.user_s + page.client.system_s) * 1000,
    }


def of_last(recording: Recording) -> Given:
    """The busiest level: its throughput, what a request cost and how long it took."""
    point = busiest(recording)
    low, high = point.throughput_ci_rps
    return {
        "users": point.users,
        "throughput": point.throughput_rps,
        "interval": (high - low) / 2 / point.throughput_rps,
        "demand_s": point.demand_s,
        "response_s": point.mean_response_time_s,
        "cores": recording.machine.cores,
    }


def of_waiting(recording: Recording) -> Given:
    """The busiest level, and what its page waits when it is alone."""
    return {**of_last(recording), "wait_s": recording.experiment.workload.wait_s}


def of_plateau(recording: Recording) -> Given:
    """The first level with more users than cores, and the last: chosen before looking."""
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


def of_first_step(timeline: Timeline) -> Given:
    """The first step of a timeline: the cores the server kept busy, and those there are."""
    stretch = timeline.runs[-1].stretches[0]
    low, high = stretch.throughput_ci_rps
    return {
        "users": timeline.steps[0].users or 0,
        "busy": stretch.server_cpu,
        "cores": timeline.machine.cores,
        "interval": min(0.15, (high - low) / 2 / stretch.throughput_rps),
    }


def of_parts(first: str, second: str) -> Callable[[Comparison], Given]:
    """The throughput of two parts of a comparison, each at its busiest level."""

    def read(comparison: Comparison) -> Given:
        of = [of_last(comparison.part(label)) for label in (first, second)]
        return {
            "users": of[0]["users"],
            "first": of[0]["throughput"],
            "second": of[1]["throughput"],
            "interval": of[0]["interval"] + of[1]["interval"],
        }

    return read


def of_part(label: str) -> Callable[[Comparison], Given]:
    """The busiest level of one part, and what its page waits when it is alone."""
    return lambda comparison: of_waiting(comparison.part(label))


def of_queue(label: str) -> Callable[[Comparison], Given]:
    """The busiest level of one part, and how long a request was in service there."""

    def read(comparison: Comparison) -> Given:
        part = comparison.part(label)
        return {**of_last(part), "service_s": busiest(part).service_time_s or 0.0}

    return read


def of_patient(mystery: Mystery) -> Given:
    """The mystery's server as it is: its first level, and the level of its highest throughput."""
    points = mystery.before.runs[-1].points
    best = max(points, key=lambda point: point.throughput_rps)
    low, high = best.throughput_ci_rps
    return {
        "users": points[0].users,
        "alone_s": points[0].mean_response_time_s,
        "throughput": best.throughput_rps,
        "crowd": points[-1].users,
        "interval": (high - low) / 2 / best.throughput_rps,
    }


def of_tree(timeline: Timeline) -> Given:
    """User and system seconds of the server's process tree."""
    tree = timeline.runs[-1].tree("server")
    return {
        "user_s": sum(process.user_s for process in tree),
        "system_s": sum(process.system_s for process in tree),
    }


def of_locust(found: Generators) -> Given:
    """What a request cost the load generator that drives all the labs."""
    return {"cost_s": found.runs[-1].by("locust").generator_s}


def noise(given: Given) -> float:
    """Relative tolerance of an answer read from a calibration."""
    return max(0.05, given["noise"])


def interval(given: Given) -> float:
    """Relative tolerance of an answer read from a measured throughput."""
    return 0.05 + given["interval"]
