"""How a result of each kind of lab looks: its figure, its words, its table. One row a kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import msgspec

from labs import report, verdict
from labs.alternatives import sweep_alt
from labs.figures import Figure, sweep_figure
from labs.findings import Checkup, Clocks
from labs.kept import Result
from labs.records import Recording
from labs.sheet import Sheet, checkup_sheet, clocks_sheet, folded, sweep_sheet
from labs.still_figures import checkup_alt, checkup_figure, clocks_alt, clocks_figure

Found = TypeVar("Found", bound=Any)


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing(Generic[Found]):
    """What a result shows, wherever it is shown: in a panel, or recorded in a page."""

    figure: Callable[[Found], Figure]
    alt: Callable[[Found], str]  # the figure in words
    sheet: Callable[[Found], Sheet]  # the table of all its numbers
    runs: Callable[[Found], int]  # how many it holds
    about: Callable[[Found], str] = lambda found: ""  # for its caption
    words: Callable[[Found], str] = lambda found: ""  # HTML under the figure
    data: Callable[[Found], object] = msgspec.to_builtins  # for its JSON file
    folds: bool = True  # whether the table is folded away; False: `words` has it


def _recorded_figure(recording: Recording) -> Figure:
    return sweep_figure(
        recording.run.forecast,
        (),
        users=[point.users for point in recording.points],
        think_time_s=recording.experiment.load.think_time_s,
        recorded=recording,
    )


def _recorded_alt(recording: Recording) -> str:
    users = [point.users for point in recording.points]
    return sweep_alt(recording.run.forecast, (), users=users, recorded=recording)


def _without_samples(recording: Recording) -> object:
    """They are of no use on paper, and large."""
    runs = tuple(replace(run, samples=()) for run in recording.runs)
    return report.joined(replace(recording, runs=runs))


SHOWINGS: dict[type[Any], Showing[Any]] = {
    Recording: Showing(
        figure=_recorded_figure,
        alt=_recorded_alt,
        sheet=lambda found: sweep_sheet(found, report.explained(found)),
        runs=lambda found: len(found.runs),
        about=lambda found: verdict.about(found.experiment),
        data=_without_samples,
    ),
    Clocks: Showing(
        figure=clocks_figure,
        alt=clocks_alt,
        sheet=clocks_sheet,
        runs=lambda found: len(found.runs),
    ),
    Checkup: Showing(
        figure=checkup_figure,
        alt=checkup_alt,
        sheet=checkup_sheet,
        runs=lambda found: len(found.calibrations),
        words=lambda found: f'<div class="wt-data wt-facts">{checkup_sheet(found).html()}</div>',
        folds=False,
    ),
}


def showing(result: Result) -> Showing[Any]:
    """The row of that result's kind."""
    return SHOWINGS[type(result)]


def data(lab: str, result: Result) -> str:
    """All numbers of a result as HTML: a folded table, and the files to take away."""
    how = showing(result)
    name = f"{lab}-{result.machine.cores}-cores"
    return folded(name, how.sheet(result), how.data(result), shown=how.folds)
