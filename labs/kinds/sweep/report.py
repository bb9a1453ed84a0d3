"""A recording joined with its predictions: as plain data for other tools, and in words.

The forecast was stored before the load started. The explanation uses each level's own measured
demand: at saturation that is nearly an identity, so it is called consistency, never prediction.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from labs.kinds.sweep.record import Recording
from labs.present.power import powered
from labs.present.tables import Table
from labs.present.verdict import assumed, service, span, verdict
from labs.records.histogram import MoreThan
from labs.records.results import Prediction
from labs.theory.forecast import explain

PERCENTILES = {"p50": 0.50, "p90": 0.90, "p99": 0.99}
OF_POINT = (  # in `joined`, in this order; the response time is put into its place
    *("users", "throughput_rps", "throughput_ci_rps", "response_time_s", "never_served"),
    *("service_time_s", "queued_s", "time_split", "connections", "demand_s", "littles_law"),
    *("core_speed", "checks"),
)
HEADS = (  # of the columns that a terminal shows
    *("users", "req/s", "from", "to", "forecast req/s", "mean ms", "p99 ms", "never served"),
    *("in service ms", "queued ms", "CPU ms", "X (R+Z) / N"),
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
            "predicted": msgspec.to_builtins(recording.run.forecast.at(point.users)),
            "at_run_speed": msgspec.to_builtins(meanwhile.get(point.users)),
            "explained": msgspec.to_builtins(level),
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


def table(sheet: Table, heads: Sequence[str] = HEADS) -> str:
    """Some columns of a table, for a terminal, without those in which nothing was counted. What
    there is to know of a row stands below it."""
    rows = [dict(zip(sheet.head, row, strict=True)) for row in sheet.rows]
    heads = [head for head in heads if {row[head] for row in rows} - {"", "0"}]
    head, *lines = columns([heads, *([row[head] for head in heads] for row in rows)]).splitlines()
    told = (row[sheet.reason] for row in rows)
    below = [f"{line}\n    {why}" if why else line for line, why in zip(lines, told, strict=True)]
    return "\n".join([head, *below, *([f"\n{sheet.note}"] if sheet.note else [])])


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text in aligned columns, the last one to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            (*(cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1])
        ).rstrip()
        for row in rows
    )


def _known(seconds: float | MoreThan | None) -> float | dict[str, float] | None:
    return {"more_than": seconds.seconds} if isinstance(seconds, MoreThan) else seconds


def text(recording: Recording) -> str:
    """Tell the verdict on the drawn run, a sentence a line, and the machine it holds for."""
    run, measured_on = recording.run, f"Measured on: {recording.machine.caption}."
    said = [*verdict(recording.model, run), *powered(run.power), *assumed(run.forecast)]
    return "\n".join([*said, measured_on])
