"""A reader's own server drawn and told: its levels beside their forecast, and the verdict. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from labs.kinds.attach import report
from labs.kinds.attach.record import Attached, Known
from labs.kinds.attach.verdict import verdict
from labs.kinds.show import Column, Show, known, quoted, to_know
from labs.kinds.sweep.alt_text import sweep_alt, sweep_levels
from labs.kinds.sweep.figure import ResponseTime, Throughput, sweep_figure
from labs.kinds.sweep.show import COLUMNS, Level, level
from labs.present.blocks import DATA, SPOKEN, Block, Said, Within
from labs.present.plot import Figure
from labs.present.tables import MS
from labs.present.trails import Curve, unfit_places
from labs.present.verdict import assumptions
from labs.records.format import digits, duration, plain, rate
from labs.records.results import Prediction

AS_IN_A_SWEEP = (
    *("users", "req/s", "forecast req/s", "should lie from", "should lie to", "mean ms"),
)
OWN = "The book's own server, started for this run."


def drawn(attached: Attached) -> Prediction:
    """The forecast as it is drawn: once the levels have ended early, without those that nobody
    asked for."""
    run = attached.run
    if not run.stopped:
        return run.forecast
    asked = {point.users for point in run.points}
    levels = tuple(level for level in run.forecast.levels if level.users in asked)
    return replace(run.forecast, levels=levels)


def attach_figure(attached: Attached) -> Figure:
    """Draw throughput and response time over the users, beside the stored forecast and its band."""
    prediction = drawn(attached)
    users = [level.users for level in prediction.levels]
    think_s = attached.run.think_time_s
    figure = sweep_figure(prediction, attached.points, users=users, think_time_s=think_s)
    traces = [
        trace | {"name": trace["name"].replace("measured here", "measured")}
        for trace in figure["data"]
    ]
    return {**figure, "data": traces}


def curves(attached: Attached) -> list[Curve]:
    """Keep curves of a run, to stand beside a later one."""
    users, unfit = [point.users for point in attached.points], unfit_places(attached.points)
    kept = []
    for plot, side in (("xy", Throughput(0.0)), ("x2y2", ResponseTime(0.0))):
        values = [side.measured(point) for point in attached.points]
        said = [*map(side.say, values)]
        kept.append(Curve(x=users, y=values, said=said, plot=plot, unfit=unfit))
    return kept


def attach_alt(attached: Attached) -> str:
    """The figure in sentences."""
    prediction = drawn(attached)
    users = [level.users for level in prediction.levels]
    said = sweep_alt(prediction, attached.points, users=users)
    return said.replace("Measured here", "Measured")


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
    draw=attach_figure,
    alt=attach_alt,
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
