"""Show of a mystery: before the diagnosis only what was measured, then the fixes beside it.

Throughputs that are quoted are those at the last level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec
from markupsafe import Markup

from labs.kinds.comparison.figure import comparison_alt, comparison_figure
from labs.kinds.comparison.record import Comparison
from labs.kinds.mystery import verdict
from labs.kinds.mystery.record import Mystery, Variant
from labs.kinds.mystery.scenarios import LIMITS, named
from labs.kinds.show import TREES, Column, Show, quoted
from labs.kinds.sweep import show as sweep
from labs.present.blocks import DATA, VERDICT, Block, Drawn, Said, Within
from labs.present.levels import UNMEASURED, Level, Pace, stepped
from labs.present.palette import LINES
from labs.present.plot import Figure
from labs.present.quantities import Quantity
from labs.present.tables import KIB, MS, Table
from labs.present.trails import without_kept
from labs.records.format import crowd, digits, rate
from labs.records.processes import Seen

AS_IT_IS = "measured"
SOLUTION = (
    '<details class="solution"><summary>What it is, and what two repairs brought</summary>'
    "{}</details>"
)


# ---- figures ---------------------------------------------------------------------------------


def symptoms_figure(mystery: Mystery) -> Figure:
    """Draw throughput and response time of the server as it is, with the time in service. No
    forecast and no check is shown: they would tell what limits it."""
    figure = comparison_figure(_bare(mystery))
    figure["data"] = [
        trace for trace in figure["data"] if not str(trace["name"]).endswith("forecast")
    ]
    figure["layout"]["legend"].pop("title", None)
    return figure


def symptoms_levels(mystery: Mystery) -> list[Level]:
    """Say level by level what was measured of the server as it is."""
    return [
        Level(at=point.users, words=f"{verdict.measured(point)}.")
        for point in mystery.before.points
    ]


def fixes_levels(mystery: Mystery) -> list[Level]:
    """Make a level each of the server as it is, the wrong repair and the right one."""
    return [
        Level(words=words, colour=colour)
        for words, (colour, _, _) in zip(verdict.tried(mystery), LINES, strict=False)
    ]


def compared(mystery: Mystery) -> Comparison:
    """Compare the server as it is with the fixes that were tried, to be drawn with forecasts."""
    scenario = verdict.scenario_of(mystery)
    parts = {scenario.fix(variant).name: found for variant, found in mystery.variants.items()}
    return Comparison(machine=mystery.machine, over="users", parts=parts)


def _bare(mystery: Mystery) -> Comparison:
    """Take the server as it is, without checks, for a comparison of one."""
    runs = tuple(
        replace(run, points=tuple(replace(point, checks=()) for point in run.points))
        for run in mystery.before.runs
    )
    parts = {AS_IT_IS: msgspec.structs.replace(mystery.before, runs=runs)}
    return Comparison(machine=mystery.machine, over="users", parts=parts)


# ---- tables and words ------------------------------------------------------------------------


def processes_table(mystery: Mystery) -> Table:
    """The process trees at the last level; a row for those who are alike."""
    head = (
        *("processes", "whose", "below", "threads each", "cores busy"),
        *("threads waiting for the disk", "written KiB/s", "open files"),
    )
    alike: dict[tuple[object, ...], list[Seen]] = {}
    for each in mystery.seen:
        key = (each.who, each.parent is None, each.threads, each.files)
        alike.setdefault(key, []).append(each)
    return Table(head, tuple(_alike(group) for group in alike.values()))


def _alike(group: Sequence[Seen]) -> tuple[str, ...]:
    first = group[0]
    on_disk = [each.on_disk for each in group if each.on_disk is not None]
    written = [each.written_bps for each in group if each.written_bps is not None]
    parents = sorted({each.parent for each in group if each.parent is not None})
    return (
        str(len(group)),
        TREES[first.who],
        f"process {parents[0]}" if parents else "",
        str(first.threads),
        digits(sum(each.cpu for each in group)),
        digits(sum(on_disk)) if on_disk else "",
        digits(sum(written) / KIB) if written else "",
        ", ".join(first.files),
    )


def symptoms(mystery: Mystery) -> Block:
    """The tables of what was seen. Nothing of it says what the limit is."""
    tables: list[Block] = [Markup("<p>Level by level:</p>"), show.table(mystery).turned()]
    if mystery.seen:
        last = mystery.before.points[-1].users if mystery.before.points else 0
        tables.append(Markup("<p>The processes, at {}:</p>").format(crowd(last)))
        tables.append(processes_table(mystery).turned())
    return Within(DATA, tables)


def repaired(mystery: Mystery) -> list[Block]:
    """Say what the fixes brought."""
    return [Said([sentences], label) for label, sentences in verdict.repaired(mystery)]


def under(mystery: Mystery) -> list[Block]:
    """The other tools, and the solution folded away."""
    revealed = verdict.revealed(mystery) if mystery.before.points else ()
    solution: list[Block] = [Said(revealed)]
    if len(mystery.variants) > 1:
        fixes = compared(mystery)
        pace = Pace(each="step", before=UNMEASURED)
        solution += repaired(mystery)
        solution.append(Drawn(without_kept(comparison_figure(fixes)), comparison_alt(fixes)))
        solution.append(stepped(fixes_levels(mystery), revealed, pace))
    return [symptoms(mystery), Within(SOLUTION, [Within(VERDICT, solution)])]


def data(mystery: Mystery) -> dict[str, object]:
    """Give all numbers of a mystery, each variant's as a sweep's."""
    variants = {name: sweep.show.data(found) for name, found in mystery.variants.items()}
    return {**msgspec.to_builtins(mystery), "variants": variants}


# ---- quotes ----------------------------------------------------------------------------------


def _limit(mystery: Mystery) -> Quantity:
    """The hidden limit in words; its value is its place in the list of them."""
    limit = named(mystery.limit)
    return Quantity(LIMITS.index(limit) + 1, limit.small)


def _rate(variant: Variant) -> Callable[..., Quantity]:
    return quoted(lambda mystery: mystery.throughput_rps(variant), rate)


def _column(head: str, of: str, scale: float = 1.0) -> Column:
    return Column(head=head, of=of, cell=lambda value: digits(value * scale))


show = Show(
    result=Mystery,
    draw=symptoms_figure,
    kept=lambda found: (),  # no run of another mystery stands beside it
    alt=lambda found: comparison_alt(_bare(found)).replace(", a line for each part", "", 1),
    columns=(  # what was measured, and no forecast
        Column(head="users", of="users"),
        _column("req/s", "throughput_rps"),
        _column("response ms", "mean_response_time_s", MS),
        Column(head="never served", of="never_served"),
        _column("in service ms", "service_time_s", MS),
        _column("queued ms", "queued_s", MS),
        _column("cores busy: server", "server_cpu"),
        _column("load generator", "generator_cpu"),
        _column("others", "others_cpu"),
        Column(head="workers", of="workers"),
    ),
    rows=lambda mystery: mystery.before.points,
    quotes={
        "limit": _limit,
        "before": _rate("before"),
        "wrong": _rate("wrong"),
        "right": _rate("right"),
    },
    about=lambda mystery: verdict.ABOUT,
    verdict=under,
    measured=lambda found: bool(found.before.points),
    levels=symptoms_levels,  # and no verdict, which would tell
    pace=Pace(before=UNMEASURED),
    data=data,
    folds=False,
)
