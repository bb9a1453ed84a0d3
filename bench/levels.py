"""What two benches say of a level: how far its throughput is from what was said of it.

Forecast and bound are made before the load starts. The explanation uses the demand measured in
the level itself: that is consistency, and no prediction.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.report import columns, explained, joined
from labs.records.experiment import Workload
from labs.records.results import Point

CPU, WAIT, MIXED = (
    Workload(cpu_s=0.03),
    Workload(wait_s=0.2),
    Workload(cpu_s=0.01, wait_s=0.09),
)
Column = tuple[str, Callable[[Point], str]]  # its head, and what it says of a point


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One level: throughput over what was said of it, minus one."""

    point: Point
    forecast: float
    bound: float
    consistency: float


def rows(recording: Recording) -> list[Row]:
    """Its levels, beside forecast, bound and explanation."""
    forecast, explanation = recording.run.forecast, explained(recording)
    return [
        Row(
            point=point,
            forecast=point.throughput_rps / forecast.at(point.users).model_rps - 1,
            bound=point.throughput_rps / forecast.at(point.users).bound_rps - 1,
            consistency=point.throughput_rps / explanation.at(point.users).model_rps - 1,
        )
        for point in recording.points
    ]


def shown(name: str, found: Sequence[Row], more: Sequence[Column] = ()) -> str:
    """A table for the terminal, with more columns before that of the checks."""
    heads = [head for head, _ in more]
    table = [["users", "req/s", "forecast", "bound", "consistent", *heads, "checks"]]
    table += [
        [
            str(row.point.users),
            f"{row.point.throughput_rps:.1f}",
            f"{row.forecast:+.1%}",
            f"{row.bound:+.1%}",
            f"{row.consistency:+.1%}",
            *(say(row.point) for _, say in more),
            " ".join(c.name + "!" * c.unfit for c in row.point.checks),
        ]
        for row in found
    ]
    return f"\n{name}\n{columns(table)}"


def fit_rows(found: Sequence[Row]) -> list[Row]:
    """Those whose point is fit."""
    return [row for row in found if row.point.fit]


def share(found: Sequence[Row]) -> str:
    """How many points are fit, in a line."""
    if not found:
        return f"{'fit points':<34} no point"
    fit = len(fit_rows(found))
    return f"{'fit points':<34} {fit} of {len(found)}, {fit / len(found):.0%}"


def summary(title: str, errors: Sequence[float]) -> str:
    """Median and worst of their sizes, in a line."""
    if not errors:
        return f"{title:<34} no point"
    sizes = [abs(error) for error in errors]
    return f"{title:<34} median {statistics.median(sizes):6.1%}   worst {max(sizes):6.1%}"


def save(file: str | None, recordings: Mapping[str, Recording]) -> None:
    """Write them as JSON, where that was asked for."""
    if file:
        text = json.dumps({name: joined(each) for name, each in recordings.items()})
        Path(file).write_text(text, "utf-8")
