"""How a result of each kind of lab looks: its figure, its words, its table. One row a kind."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import msgspec

from labs.kinds.checkup.record import Checkup
from labs.kinds.checkup.show import checkup_alt, checkup_figure, checkup_sheet
from labs.kinds.classics.record import Retrial
from labs.kinds.classics.show import retrial_alt, retrial_figure, retrial_rows, retrial_words
from labs.kinds.clocks.record import Clocks
from labs.kinds.clocks.show import clocks_alt, clocks_figure, clocks_sheet
from labs.kinds.comparison import verdict as contrast
from labs.kinds.comparison.figure import comparison_alt, comparison_figure
from labs.kinds.comparison.record import Comparison
from labs.kinds.comparison.table import comparison_sheet
from labs.kinds.generators.record import Gauges
from labs.kinds.generators.show import gauges_alt, gauges_figure, gauges_rows, gauges_words
from labs.kinds.memory.record import Memory
from labs.kinds.memory.show import memory_alt, memory_figure, memory_rows, memory_words
from labs.kinds.mystery import verdict
from labs.kinds.mystery.record import Mystery
from labs.kinds.mystery.show import symptoms_alt, symptoms_figure
from labs.kinds.mystery.table import mystery_words, symptoms_sheet
from labs.kinds.race.record import Race
from labs.kinds.race.show import race_alt, race_figure, race_rows, race_words
from labs.kinds.result import Result
from labs.kinds.sweep import report
from labs.kinds.sweep.alt_text import sweep_alt
from labs.kinds.sweep.figure import sweep_figure
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.table import sweep_sheet
from labs.kinds.timeline import verdict as story
from labs.kinds.timeline.figure import timeline_alt, timeline_figure
from labs.kinds.timeline.record import Timeline
from labs.kinds.timeline.table import steps_sheet
from labs.kinds.timeline.table import words as timeline_words
from labs.present import verdict as present_verdict
from labs.present.plot import Figure
from labs.present.tables import Sheet, assumptions, folded

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


def _parts_sheet(comparison: Comparison) -> Sheet:
    parts = comparison.parts.items()
    return comparison_sheet({label: (part, report.explained(part)) for label, part in parts})


def _parts_words(comparison: Comparison) -> str:
    explanations = {label: report.explained(part) for label, part in comparison.parts.items()}
    paragraphs = (
        (f"<b>{html.escape(label)}.</b> " if label else "") + html.escape(sentences)
        for label, sentences in contrast.said(comparison, explanations)
    )
    said = f'<div class="wt-verdict">{"".join(f"<p>{each}</p>" for each in paragraphs)}</div>'
    return assumptions(contrast.assumed(comparison)) + said


def _parts_data(comparison: Comparison) -> object:
    parts = {label: _without_samples(part) for label, part in comparison.parts.items()}
    return {
        "machine": msgspec.to_builtins(comparison.machine),
        "over": comparison.over,
        "parts": parts,
        "schema": comparison.schema,
    }


def _variants_data(mystery: Mystery) -> object:
    variants = {name: _without_samples(found) for name, found in mystery.variants.items()}
    fields = ("seed", "limit", "machine", "seen", "schema")
    others = {name: msgspec.to_builtins(getattr(mystery, name)) for name in fields}
    return {**others, "variants": variants}


SHOWINGS: dict[type[Any], Showing[Any]] = {
    Recording: Showing(
        figure=_recorded_figure,
        alt=_recorded_alt,
        sheet=lambda found: sweep_sheet(found, report.explained(found)),
        runs=lambda found: len(found.runs),
        about=lambda found: present_verdict.about(found.experiment),
        words=lambda found: assumptions(found.run.forecast.notes),
        data=_without_samples,
    ),
    Comparison: Showing(
        figure=comparison_figure,
        alt=comparison_alt,
        sheet=_parts_sheet,
        runs=lambda found: len(found.runs),
        about=lambda found: contrast.about(
            {label: part.experiment for label, part in found.parts.items()}
        ),
        words=_parts_words,
        data=_parts_data,
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
    Memory: Showing(
        figure=memory_figure,
        alt=memory_alt,
        sheet=lambda found: Sheet(*memory_rows(found)),
        runs=lambda found: len(found.runs),
        words=memory_words,
    ),
    Race: Showing(
        figure=race_figure,
        alt=race_alt,
        sheet=lambda found: Sheet(*race_rows(found)),
        runs=lambda found: len(found.runs),
        words=race_words,
    ),
    Gauges: Showing(
        figure=gauges_figure,
        alt=gauges_alt,
        sheet=lambda found: Sheet(*gauges_rows(found)),
        runs=lambda found: len(found.runs),
        words=gauges_words,
    ),
    Retrial: Showing(
        figure=retrial_figure,
        alt=retrial_alt,
        sheet=lambda found: Sheet(*retrial_rows(found)),
        runs=lambda found: len(found.runs),
        words=lambda found: f'<div class="wt-data">{retrial_words(found)}</div>',
    ),
    Timeline: Showing(
        figure=timeline_figure,
        alt=timeline_alt,
        sheet=steps_sheet,
        runs=lambda found: len(found.runs),
        about=lambda found: story.about(found.server, found.workload, found.steps),
        words=timeline_words,
    ),
    Mystery: Showing(
        figure=symptoms_figure,
        alt=symptoms_alt,
        sheet=symptoms_sheet,
        runs=lambda found: len(found.runs),
        about=lambda found: verdict.ABOUT,
        words=mystery_words,
        data=_variants_data,
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
