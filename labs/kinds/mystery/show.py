"""Figures of a mystery: before the diagnosis only what was measured, then the fixes beside it."""

from __future__ import annotations

from dataclasses import replace

from labs.kinds.comparison.figure import comparison_alt, comparison_figure
from labs.kinds.comparison.record import Comparison
from labs.kinds.mystery.record import Mystery
from labs.kinds.mystery.verdict import riddle_of
from labs.kinds.sweep.record import Recording
from labs.present.plot import Figure

AS_IT_IS = "measured"


def symptoms_figure(mystery: Mystery) -> Figure:
    """Throughput and response time of the server as it is, with the time in service. No forecast
    and no check is shown: they would tell what limits it."""
    figure = comparison_figure(_bare(mystery))
    figure["data"] = [
        trace for trace in figure["data"] if not str(trace["name"]).endswith("forecast")
    ]
    figure["layout"]["legend"].pop("title", None)
    return figure


def symptoms_alt(mystery: Mystery) -> str:
    """It in sentences."""
    return comparison_alt(_bare(mystery)).replace(", a line for each part", "", 1)


def fixes_figure(mystery: Mystery) -> Figure:
    """The server as it is, and with the fixes that were tried: measured, and as the law has it."""
    return comparison_figure(_compared(mystery))


def fixes_alt(mystery: Mystery) -> str:
    """It in sentences."""
    return comparison_alt(_compared(mystery))


def _compared(mystery: Mystery) -> Comparison:
    riddle = riddle_of(mystery)
    parts = {riddle.name(variant): found for variant, found in mystery.variants.items()}
    return Comparison(machine=mystery.machine, over="users", parts=parts)


def _bare(mystery: Mystery) -> Comparison:
    parts = {AS_IT_IS: _unchecked(mystery.before)}
    return Comparison(machine=mystery.machine, over="users", parts=parts)


def _unchecked(recording: Recording) -> Recording:
    runs = tuple(
        replace(run, points=tuple(replace(point, checks=()) for point in run.points))
        for run in recording.runs
    )
    return replace(recording, runs=runs)
