"""A sweep's table: a row for each level."""

from __future__ import annotations

from labs.kinds.sweep.record import Recording
from labs.present.tables import MIB, MS, Sheet
from labs.present.verdict import service, split
from labs.records.experiment import Experiment
from labs.records.format import plain
from labs.records.results import Point, Prediction


def sweep_sheet(recording: Recording, explanation: Prediction | None = None) -> Sheet:
    """A row for each level."""
    head = (
        "users",
        "req/s",
        "from",
        "to",
        "bound req/s",
        "forecast req/s",
        "with CPU as measured",
        "limit",
        "mean ms",
        "p50 ms",
        "p90 ms",
        "p99 ms",
        "in service ms",
        "queued ms",
        "CPU ms",
        "cores busy",
        "voluntary switches",
        "involuntary switches",
        "never served",
        "queue overflows",
        "memory MiB",
        "connections",
        "X (R+Z) / N",
        "to know",
    )
    forecast = recording.run.forecast
    rows = tuple(
        _level(recording.experiment, point, forecast, explanation) for point in recording.points
    )
    told = any(point.service_time_s is not None for point in recording.points)
    return Sheet(head, rows, service(recording.experiment.server) if told else "")


def _level(
    experiment: Experiment, point: Point, forecast: Prediction, explanation: Prediction | None
) -> tuple[str, ...]:
    low, high = point.throughput_ci_rps
    level = forecast.at(point.users)
    percentiles = (point.percentile_s(fraction) for fraction in (0.5, 0.9, 0.99))
    return (
        str(point.users),
        plain(point.throughput_rps),
        plain(low),
        plain(high),
        plain(level.bound_rps),
        plain(level.model_rps),
        plain(explanation.at(point.users).model_rps) if explanation else "",
        level.limit,
        plain(point.mean_response_time_s * MS),
        *("" if value is None else plain(value * MS) for value in percentiles),
        *(
            "" if value is None else plain(value * MS)
            for value in (point.service_time_s, point.queued_s)
        ),
        plain(point.demand_s * MS),
        plain(point.server_cpu),
        *(plain(value) for value in (point.voluntary_switches, point.involuntary_switches)),
        str(point.never_served),
        str(point.listen_overflows),
        "" if point.pss_bytes is None else plain(point.pss_bytes / MIB),
        split(experiment, point).replace(" connections", ""),
        f"{point.littles_law:.2f}",
        " ".join(("Unfit: " if check.unfit else "") + check.sentence for check in point.checks),
    )
