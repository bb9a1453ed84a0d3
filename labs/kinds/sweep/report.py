"""A recording joined with its predictions: as plain data for other tools, and as a table.

The forecast was stored before the load started. The explanation uses each level's own measured
demand: at saturation that is nearly an identity, so it is called consistency, never prediction.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import msgspec

from labs.analysis.point import half_width
from labs.kinds.sweep.record import Recording
from labs.present.power import powered
from labs.present.verdict import assumed, service, span, verdict
from labs.records.format import or_more
from labs.records.histogram import MoreThan
from labs.records.results import Point, PredictedLevel, Prediction
from labs.theory.forecast import explain

PERCENTILES = {"p50": 0.50, "p90": 0.90, "p99": 0.99}
OF_POINT = (  # in `joined`, in this order; the response time is put into its place
    *("users", "throughput_rps", "throughput_ci_rps", "response_time_s", "never_served"),
    *("service_time_s", "queued_s", "time_split", "connections", "demand_s", "littles_law"),
    "checks",
)


def joined(recording: Recording) -> dict[str, Any]:
    """The recording as JSON-ready data, with `points` that hold measurement, forecast and
    explanation side by side. SI units; a percentile is None where there are too few samples, and
    `{"more_than": seconds}` where no more is known. `recordings.store.read` reads it as a
    recording again."""
    data: dict[str, Any] = msgspec.to_builtins(recording)
    levels = explain(recording.model, recording.points).levels if recording.points else ()
    meanwhile = {level.users: level for level in recording.at_run_speed}
    data["points"] = [
        {
            **{name: msgspec.to_builtins(getattr(point, name, None)) for name in OF_POINT},
            "response_time_s": {
                "mean": point.mean_response_time_s,
                **{name: _known(point.percentile_s(part)) for name, part in PERCENTILES.items()},
            },
            "predicted": _level(recording.run.forecast.at(point.users)),
            "at_run_speed": _at_run_speed(point, meanwhile.get(point.users)),
            "explained": {
                "model_rps": level.model_rps,
                "limit": level.limit,
                "service_time_s": point.service_time_s,
                "queued_s": point.queued_s,
            },
        }
        for point, level in zip(recording.points, levels, strict=True)
    ]
    data["service_time"] = service(recording.experiment.server)
    return data


def forecast_table(forecast: Prediction) -> str:
    """Write the forecast in columns, for a terminal, and what it assumes."""
    rows = [["users", "at most req/s", "model req/s", "band", "model ms", "limit"]]
    rows += [
        [
            str(level.users),
            f"{level.bound_rps:.1f}",
            f"{level.model_rps:.1f}",
            span(level),
            f"{1000 * level.model_response_time_s:.1f}",
            level.limit,
        ]
        for level in forecast.levels
    ]
    notes = assumed(forecast)
    return "\n".join([columns(rows), *([""] if notes else []), *notes])


def table(recording: Recording) -> str:
    """Write the measurement beside its forecast in columns, for a terminal."""
    head = ["users", "req/s", "±", "forecast", "off", "ms", "in service", "queued"]
    starved = any(point.never_served for point in recording.points)
    head += ["p99", *(["never served"] if starved else [])]
    rows = [[*head, "CPU ms", "X·R/N", "notes"]]
    for point in recording.points:
        level = recording.run.forecast.at(point.users)
        rows.append(
            [
                str(point.users),
                f"{point.throughput_rps:.1f}",
                f"{half_width(point) * point.throughput_rps:.1f}",
                f"{level.model_rps:.1f}",
                f"{point.throughput_rps / level.model_rps - 1:+.1%}" if level.model_rps else "-",
                f"{1000 * point.mean_response_time_s:.1f}",
                _milliseconds(point.service_time_s),
                _milliseconds(point.queued_s),
                _milliseconds(point.percentile_s(0.99)),
                *([str(point.never_served)] if starved else []),
                f"{1000 * point.demand_s:.2f}",
                f"{point.littles_law:.2f}",
                ", ".join(f"{c.name}{'!' if c.unfit else ''}" for c in point.checks),
            ]
        )
    return f"{columns(rows)}\n\n{service(recording.experiment.server)}"


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text in aligned columns, the last one to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            (*(cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1])
        ).rstrip()
        for row in rows
    )


def _level(level: PredictedLevel) -> dict[str, Any]:
    return {name: value for name, value in asdict(level).items() if name != "users"}


def _at_run_speed(point: Point, level: PredictedLevel | None) -> dict[str, Any] | None:
    """Give a level's forecast at the run's speed; None where nothing was burned there."""
    if level is None:
        return None
    return {"speed": point.core_speed, "model_rps": level.model_rps, "band_rps": level.band_rps}


def _milliseconds(seconds: float | MoreThan | None) -> str:
    return "-" if seconds is None else or_more(lambda known_s: f"{1000 * known_s:.1f}")(seconds)


def _known(seconds: float | MoreThan | None) -> float | dict[str, float] | None:
    return {"more_than": seconds.seconds} if isinstance(seconds, MoreThan) else seconds


def text(recording: Recording) -> str:
    """Tell the verdict on the drawn run, a sentence a line, and the machine it holds for."""
    run, measured_on = recording.run, f"Measured on: {recording.machine.caption}."
    said = [*verdict(recording.model, run), *powered(run.power), *assumed(run.forecast)]
    return "\n".join([*said, measured_on])
