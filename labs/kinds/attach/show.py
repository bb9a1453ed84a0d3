"""A reader's own server drawn and told: its levels beside their forecast, and the verdict. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from labs.kinds.attach import report
from labs.kinds.attach.record import Attached, Known
from labs.kinds.attach.verdict import verdict
from labs.kinds.show import Column, Show, known, quoted, to_know
from labs.kinds.sweep.alt_text import sweep_alt, sweep_levels
from labs.kinds.sweep.figure import Drawing, ResponseTime, Throughput, sweep_figure
from labs.kinds.sweep.show import COLUMNS, Level, level
from labs.present.blocks import DATA, SPOKEN, Block, Said, Within
from labs.present.tables import MS
from labs.present.trails import Curve, unfit_places
from labs.present.verdict import assumptions
from labs.records.format import digits, duration, plain, rate

AS_IN_A_SWEEP = (
    *("users", "req/s", "forecast req/s", "should lie from", "should lie to", "mean ms"),
)
OWN = "The book's own server, started for this run."


def drawing(attached: Attached) -> Drawing:
    """Draw the levels beside the stored forecast and its band; once they have ended early, without
    those that nobody asked for."""
    run, levels = attached.run, attached.run.forecast.levels
    if run.stopped:
        asked = {point.users for point in run.points}
        levels = tuple(level for level in levels if level.users in asked)
    return Drawing(
        users=[level.users for level in levels],
        prediction=replace(run.forecast, levels=levels),
        points=run.points,
        here="measured",
        think_time_s=run.think_time_s,
    )


def curves(attached: Attached) -> list[Curve]:
    """Keep curves of a run, to stand beside a later one."""
    users, unfit = [point.users for point in attached.points], unfit_places(attached.points)
    kept = []
    for plot, side in (("xy", Throughput(0.0)), ("x2y2", ResponseTime(0.0))):
        values = [side.measured(point) for point in attached.points]
        said = [*map(side.say, values)]
        kept.append(Curve(x=users, y=values, said=said, plot=plot, unfit=unfit))
    return kept


def under(attached: Attached) -> list[Block]:
    """The verdict with where to look next, what was found, and what the forecast assumes."""
    looked = f"{report.found_text(attached.run.found)} {report.costs_text(attached)}"
    said = verdict(attached).sentences if attached.points else ()
    return [
        Within(SPOKEN, [Said(said)]),
        Within(DATA, [Said([looked], "Found")]),
        *assumptions(attached.run.forecast.notes),
    ]


def _seen(name: str, **more: Any) -> Column:
    """A number that is known where a process of the server is seen."""

    def of(row: Level) -> float | None:
        return getattr(row.point, name) if row.recording.run.found.visible else None

    return Column(of=of, **more)


def _demand(attached: Attached) -> float:
    """CPU seconds of a request, in company."""
    demand: Known = known(attached.run.demand, "demand: no process of the server was seen.")
    return demand.value


show: Show[Attached] = Show(
    result=Attached,
    middle_by="its highest throughput",
    draw=lambda attached: sweep_figure(drawing(attached)),
    alt=lambda attached: sweep_alt(drawing(attached)),
    kept=curves,
    measured=lambda attached: bool(attached.points),
    about=lambda attached: f"{attached.url}." if attached.url else OWN,
    verdict=under,
    levels=sweep_levels,
    concluded=lambda attached: verdict(attached).sentences,
    rows=lambda attached: [level(attached, point.users) for point in attached.points],
    row=level,
    columns=(
        *(column for column in COLUMNS if column.head in AS_IN_A_SWEEP),
        _seen("demand_s", head="CPU ms", cell=lambda value: plain(value * MS)),
        _seen("server_cpu", head="cores busy", cell=plain),
        Column(head="errors", of="point.failed"),
        Column(head="to know", reason=True, of=lambda row: to_know(row.point.checks)),
    ),
    quotes={
        "alone": quoted(lambda attached: attached.run.alone_s, duration),
        "demand": quoted(_demand, duration),
        "wait": quoted(lambda attached: attached.run.wait.value, duration),
        "most": quoted(lambda attached: attached.best.throughput_rps, rate),
        "places": quoted(
            lambda attached: known(verdict(attached).pool_size, "places: no pool was named."),
            digits,
        ),
    },
)
