"""A reader's own server drawn and told: its levels beside their forecast, and the verdict. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from labs.kinds.attach import report
from labs.kinds.attach.record import Attached, Known
from labs.kinds.attach.verdict import verdict
from labs.kinds.show import Column, Show, known, quoted, to_know
from labs.kinds.sweep.alt_text import course, sweep_alt
from labs.kinds.sweep.figure import ResponseTime, Throughput, sweep_figure
from labs.kinds.sweep.show import COLUMNS
from labs.present.blocks import DATA, SPOKEN, Block, Said, Within
from labs.present.levels import Level
from labs.present.plot import Figure
from labs.present.tables import MS
from labs.present.trails import Curve, unfit_places
from labs.present.verdict import assumptions, span
from labs.records.format import crowd, digits, duration, plain, rate
from labs.records.results import Point, PredictedLevel, Prediction

AS_IN_A_SWEEP = (
    *("users", "req/s", "forecast req/s", "should lie from", "should lie to", "mean ms"),
)
OWN = "The book's own server, started for this run."


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A level beside its forecast."""

    point: Point
    forecast: PredictedLevel
    visible: bool  # whether the server's CPU time can be read


def row(found: Attached, users: int) -> Row:
    """Find the row of a level. KeyError says which there are."""
    run = found.run
    return Row(
        point=found.at(users),
        forecast=run.forecast.at(users),
        visible=run.found.visible,
    )


def drawn(found: Attached) -> Prediction:
    """The forecast as it is drawn: once the levels have ended early, without those that nobody
    asked for."""
    run = found.run
    if not run.stopped:
        return run.forecast
    asked = {point.users for point in run.points}
    levels = tuple(level for level in run.forecast.levels if level.users in asked)
    return replace(run.forecast, levels=levels)


def attach_figure(found: Attached) -> Figure:
    """Draw throughput and response time over the users, beside the stored forecast and its band."""
    prediction = drawn(found)
    users = [level.users for level in prediction.levels]
    think_s = found.run.think_time_s
    figure = sweep_figure(prediction, found.points, users=users, think_time_s=think_s)
    traces = [
        trace | {"name": trace["name"].replace("measured here", "measured")}
        for trace in figure["data"]
    ]
    return {**figure, "data": traces}


def curves(found: Attached) -> list[Curve]:
    """Keep curves of a run, to stand beside a later one."""
    users, unfit = [point.users for point in found.points], unfit_places(found.points)
    kept = []
    for plot, side in (("xy", Throughput(0.0)), ("x2y2", ResponseTime(0.0))):
        values = [side.measured(point) for point in found.points]
        said = [*map(side.say, values)]
        kept.append(Curve(x=users, y=values, said=said, plot=plot, unfit=unfit))
    return kept


def attach_alt(found: Attached) -> str:
    """The figure in sentences."""
    prediction = drawn(found)
    said = sweep_alt(prediction, (), users=[level.users for level in prediction.levels])
    return f"{said} {course('Measured', found.points)}" if found.points else said


def attach_levels(found: Attached) -> list[Level]:
    """Describe the figure level by level."""
    said = []
    for point in found.points:
        forecast = found.run.forecast.at(point.users)
        words = (
            f"{crowd(point.users)}: {rate(point.throughput_rps)} (forecast: "
            f"{rate(forecast.model_rps)}, band {span(forecast)}) in "
            f"{duration(point.mean_response_time_s)} on average."
        )
        said.append(Level(at=point.users, words=words))
    return said


def under(found: Attached) -> list[Block]:
    """The verdict with where to look next, what was found, and what the forecast assumes."""
    looked = f"{report.found_text(found.run.found)} {report.costs_text(found)}"
    said = verdict(found).sentences if found.points else ()
    return [
        Within(SPOKEN, [Said(said)]),
        Within(DATA, [Said([looked], "Found")]),
        *assumptions(found.run.forecast.notes),
    ]


def data(found: Attached) -> dict[str, Any]:
    """Give all that was found, for the JSON file, with the verdict."""
    return {**msgspec.to_builtins(found), "verdict": report.joined(found)["verdict"]}


def _seen(name: str, **more: Any) -> Column:
    """A number that is known where a process of the server is seen."""
    return Column(of=lambda level: getattr(level.point, name) if level.visible else None, **more)


def _demand(found: Attached) -> float:
    """CPU seconds of a request, in company."""
    demand: Known = known(found.run.demand, "demand: no process of the server was seen.")
    return demand.value


show: Show[Attached] = Show(
    result=Attached,
    middle_by="its highest throughput",
    draw=attach_figure,
    alt=attach_alt,
    kept=curves,
    measured=lambda found: bool(found.points),
    about=lambda found: f"{found.url}." if found.url else OWN,
    verdict=under,
    levels=attach_levels,
    concluded=lambda found: verdict(found).sentences,
    data=data,
    rows=lambda found: [row(found, point.users) for point in found.points],
    row=row,
    columns=(
        *(column for column in COLUMNS if column.head in AS_IN_A_SWEEP),
        _seen("demand_s", head="CPU ms", cell=lambda value: plain(value * MS)),
        _seen("server_cpu", head="cores busy", cell=plain),
        Column(head="errors", of="point.failed"),
        Column(head="to know", reason=True, of=lambda level: to_know(level.point.checks)),
    ),
    quotes={
        "alone": quoted(lambda found: found.run.alone_s, duration),
        "demand": quoted(_demand, duration),
        "wait": quoted(lambda found: found.run.wait.value, duration),
        "most": quoted(lambda found: found.best.throughput_rps, rate),
        "places": quoted(
            lambda found: known(verdict(found).pool_size, "places: no pool was named."), digits
        ),
    },
)
