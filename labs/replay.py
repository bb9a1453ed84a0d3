"""A recorded lab as HTML for a built page: one figure, its caption, the numbers folded away."""

from __future__ import annotations

from dataclasses import replace

from labs import verdict
from labs.alternatives import sweep_alt
from labs.figures import sweep_figure
from labs.findings import Checkup, Clocks
from labs.kept import Result
from labs.records import Recording
from labs.report import explained
from labs.sheet import folded, table_first
from labs.still_figures import checkup_alt, checkup_figure, clocks_alt, clocks_figure
from labs.view import Recorded, static


def page(lab: str, result: Result) -> tuple[str, str]:
    """The text alternative and the HTML."""
    if isinstance(result, Recording):
        figure, explanation = _sweep(result), explained(result)
        runs = tuple(replace(run, samples=()) for run in result.runs)  # no use on paper, and large
        return figure.alt, figure.html() + folded(lab, replace(result, runs=runs), explanation)
    if isinstance(result, Clocks):
        figure = _clocks(result)
        return figure.alt, figure.html() + folded(lab, result)
    figure = _checkup(result)
    return figure.alt, table_first(result) + figure.html() + folded(lab, result)


def _sweep(recording: Recording) -> Recorded:
    users = [point.users for point in recording.points]
    forecast = recording.run.forecast
    figure = sweep_figure(
        forecast,
        (),
        users=users,
        think_time_s=recording.experiment.load.think_time_s,
        recorded=recording,
    )
    alt = sweep_alt(forecast, (), users=users, recorded=recording)
    caption = verdict.caption(recording.machine, len(recording.runs))
    return static(figure, alt=alt, caption=f"{verdict.about(recording.experiment)} {caption}")


def _clocks(clocks: Clocks) -> Recorded:
    caption = verdict.caption(clocks.machine, len(clocks.runs))
    return static(clocks_figure(clocks), alt=clocks_alt(clocks), caption=caption)


def _checkup(checkup: Checkup) -> Recorded:
    caption = verdict.caption(checkup.machine, len(checkup.calibrations))
    return static(checkup_figure(checkup), alt=checkup_alt(checkup), caption=caption)
