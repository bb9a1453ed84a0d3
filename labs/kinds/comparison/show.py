"""Show of a comparison: its figure, a row for each part and level, and what prose may quote."""

from collections.abc import Iterator
from dataclasses import replace

import msgspec

from labs.kinds.comparison import verdict
from labs.kinds.comparison.contrast import decided, differ
from labs.kinds.comparison.figure import (
    comparison_alt,
    comparison_figure,
    comparison_levels,
)
from labs.kinds.comparison.record import Comparison
from labs.kinds.show import Column, Show, quoted
from labs.kinds.sweep import show as sweep
from labs.present.blocks import VERDICT, Block, Drawn, Said, Within, brief
from labs.present.quantities import Quantity
from labs.present.time_split import split_figure
from labs.present.verdict import assumptions


def levels(comparison: Comparison) -> Iterator[sweep.Level]:
    """A row for each part and level."""
    for label, part in comparison.parts.items():
        yield from sweep.levels(part, label)


def under(comparison: Comparison) -> list[Block]:
    """The verdict, and what the forecasts assume."""
    said = [Said(found, label) for label, found in verdict.findings(comparison)]
    assumed = assumptions(verdict.assumed(comparison))
    return [Within(VERDICT, brief(said, assumed))]


def data(comparison: Comparison) -> dict[str, object]:
    """Give all numbers of a comparison, each part's as a sweep's, and what it decides."""
    parts = {label: sweep.show.data(part) for label, part in comparison.parts.items()}
    decision = msgspec.to_builtins(decided(comparison.parts))
    return {**msgspec.to_builtins(comparison), "parts": parts, "contrast": decision}


def split(comparison: Comparison) -> Drawn | None:
    """Draw a bar for each part, at its last level."""
    parts = comparison.parts.items()
    return split_figure(
        [bar for label, part in parts for bar in sweep.splits(part.points[-1:], f"{label}, ")]
    )


def _change(comparison: Comparison, over: str, under: str, users: int) -> Quantity:
    """Quote how much more one part did than another at that level, the mean over the runs, and
    whether that is more than noise."""
    drawn = verdict.ratio(comparison, over, under, users)
    return sweep.changed(differ(comparison.parts, over, under, users), drawn)


show = Show(
    result=Comparison,
    middle_by="each part's throughput at its last level",
    draw=comparison_figure,
    measured=lambda found: any(part.points for part in found.parts.values()),
    alt=comparison_alt,
    split=split,
    columns=(
        Column(head="part", of="label", main=True),
        *(
            replace(column, quote="", main=column.main and column.head != "forecast req/s")
            for column in sweep.COLUMNS
            if column.head
        ),
    ),
    rows=levels,
    quotes={  # of a part everything that is quoted from a sweep
        "change": _change,
        "least_change": lambda found, *pair: sweep.least(differ(found.parts, *pair)),
        "ratio": quoted(verdict.ratio, verdict.times),
    },
    parts=lambda found: found.parts,
    about=lambda found: verdict.about(
        {label: part.experiment for label, part in found.parts.items()}
    ),
    verdict=under,
    levels=comparison_levels,
    concluded=lambda found: [" ".join(verdict.findings(found)[0][1])],  # of all parts
    data=data,
)
