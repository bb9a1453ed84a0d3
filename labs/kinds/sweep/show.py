"""Show of a sweep: its figure, a row for each level, and the numbers that prose may quote.

All of its middle run, unless a spread is asked for.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from labs.analysis.contrast import Difference, difference, spread
from labs.kinds.show import Column, Show, known, quoted, three_cores, to_know, two_places
from labs.kinds.sweep import report
from labs.kinds.sweep.alt_text import sweep_alt, sweep_levels
from labs.kinds.sweep.figure import Drawing, sweep_figure
from labs.kinds.sweep.record import Levels, Recording
from labs.present import verdict
from labs.present.blocks import Said
from labs.present.plot import extent
from labs.present.power import powered
from labs.present.quantities import NoSuchNumber, Quantity
from labs.present.reasons import split
from labs.present.tables import MS
from labs.present.time_split import split_figure
from labs.records.format import (
    NARROW,
    crowd,
    digits,
    duration,
    or_more,
    percent,
    plain,
    quotient,
    rate,
)
from labs.records.histogram import MoreThan
from labs.records.results import Point, PredictedLevel, Result
from labs.records.time_split import TimeSplit
from labs.theory.forecast import explain


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A level's row: a point beside its forecast and its explanation."""

    recording: Levels
    point: Point
    forecast: PredictedLevel
    explained: PredictedLevel | None = None  # in tables; it takes a while to work out
    label: str = ""  # of the part of a comparison

    @property
    def cores(self) -> int:
        return self.recording.machine.cores


def levels(recording: Recording, label: str = "") -> list[Level]:
    """A row for each level of the run that is drawn."""
    explanation = explain(recording.model, recording.points)
    return [
        replace(level(recording, users), explained=explanation.at(users), label=label)
        for users in (point.users for point in recording.points)
    ]


def level(recording: Levels, users: int) -> Level:
    """Find the row of a level, to quote from. KeyError says which there are."""
    point, forecast = recording.at(users), recording.run.forecast.at(users)
    return Level(recording=recording, point=point, forecast=forecast)


def _percentile(fraction: float) -> Column:
    return Column(
        head=f"p{100 * fraction:.0f} ms",
        of=lambda row: row.point.percentile_s(fraction),
        cell=or_more(lambda value: plain(value * MS)),
    )


def splits(points: Iterable[Point], label: str = "") -> list[tuple[str, TimeSplit]]:
    """Find where the time went at those levels, as far as that is known."""
    return [
        (f"{label}{crowd(point.users)}", point.time_split)
        for point in points
        if point.time_split is not None
    ]


def _parts(found: Result) -> Iterable[Recording]:
    """A sweep itself, or the parts of a comparison."""
    return getattr(found, "parts", {"": found}).values()


def _at_run_speed(row: Any) -> float | None:
    levels = row.recording.at_run_speed
    return next((each.model_rps for each in levels if each.users == row.point.users), None)


def _part(head: str, field: str, quote: str) -> Column:
    """One part of the mean response time."""
    return Column(
        head=head,
        of=lambda row: row.point.time_split and getattr(row.point.time_split, field),
        quote=quote,
        said=duration,
        cell=lambda value: plain(value * MS),
        there=lambda found: any(each.time_split for of in _parts(found) for each in of.points),
    )


COLUMNS = (
    Column(head="users", main=True, of="point.users"),
    Column(head="req/s", main=True, of="point.throughput_rps", quote="throughput"),
    Column(head="from", of=lambda row: row.point.throughput_ci_rps[0]),
    Column(head="to", of=lambda row: row.point.throughput_ci_rps[1]),
    Column(head="bound req/s", of="forecast.bound_rps", quote="bound"),
    Column(head="forecast req/s", main=True, of="forecast.model_rps", quote="forecast"),
    Column(head="should lie from", of=lambda row: min(row.forecast.band_rps or (math.nan,))),
    Column(head="should lie to", of=lambda row: max(row.forecast.band_rps or (math.nan,))),
    Column(
        head="at the speed of the run",
        of=_at_run_speed,
        cell=plain,
        there=lambda found: any(part.second_forecast for part in _parts(found)),
    ),
    Column(
        head="with CPU as measured",
        of=lambda row: row.explained and row.explained.model_rps,
        cell=plain,
    ),
    Column(head="limit", of="forecast.limit"),
    Column(head="mean ms", main=True, of="point.mean_response_time_s", quote="response_time"),
    _percentile(0.5),
    _percentile(0.9),
    _percentile(0.99),
    Column(head="never served", of="point.never_served", quote="never_served", said=crowd),
    Column(head="in service ms", of="point.service_time_s", quote="service_time"),
    Column(head="queued ms", of="point.queued_s", quote="queued"),
    _part("on a core ms", "on_core_s", "on_core"),
    _part("ready ms", "ready_s", "ready"),
    _part("waiting as asked ms", "asked_s", "as_asked"),
    _part("waiting for its turn ms", "turn_s", "turn"),
    _part("queued before service ms", "queued_s", "in_queue"),
    _part("outside ms", "outside_s", "outside"),
    _part("unexplained ms", "unexplained_s", "unexplained"),
    Column(head="CPU ms", of="point.demand_s"),
    Column(head="cores busy", of="point.server_cpu", quote="cores_busy", said=three_cores),
    Column(head="voluntary switches", of="point.voluntary_switches", quote="voluntary"),
    Column(head="involuntary switches", of="point.involuntary_switches", quote="involuntary"),
    Column(head="queue overflows", of="point.listen_overflows", quote="overflows", said=digits),
    Column(head="memory MiB", of="point.pss_bytes", quote="pss"),
    Column(
        head="connections",
        of=lambda row: split(row.recording.experiment, row.point).replace(" connections", ""),
    ),
    Column(head="X (R+Z) / N", of="point.littles_law", cell=two_places),
    Column(head="to know", reason=True, of=lambda row: to_know(row.point.checks)),
    Column(of="point.generator_cpu", quote="generator_busy"),
    Column(of="point.workers", quote="workers", said="{:,.0f}".format),
    # c / D, as that level cost them.
    Column(of=lambda row: row.cores / row.point.demand_s, quote="cpu_ceiling", said=rate),
    Column(of=lambda row: row.point.server_cpu / row.cores, quote="utilisation", said=percent),
    Column(  # X R: without think time Little's law says it is the users
        of=lambda row: row.point.throughput_rps * row.point.mean_response_time_s,
        quote="in_flight",
        said=digits,
    ),
    Column(
        of=lambda row: quotient(row.point.throughput_rps, row.recording.points[0].throughput_rps),
        quote="relative",
        said=two_places,
    ),
)


def drawing(recording: Recording) -> Drawing:
    """Draw the run in the middle over its forecast."""
    return Drawing(
        users=[point.users for point in recording.points],
        prediction=recording.run.forecast,
        again=recording.second_forecast,
        think_time_s=recording.experiment.load.think_time_s,
        recorded=recording,
    )


def note(recording: Recording) -> str:
    """Say what the service time is, where it was told, and which database it had, if any."""
    told = any(point.service_time_s is not None for point in recording.points)
    said = [verdict.service(recording.experiment.server)] if told else []
    if used := recording.machine.versions.get("database"):
        said.append(verdict.database(used))
    return " ".join(said)


def _spread(recording: Recording, users: int) -> Quantity:
    """Lowest to highest throughput over the runs; as a number, half of it over the middle."""
    recording.at(users)
    low, high = extent([point.throughput_rps for point in recording.at_each(users)])
    said = f"{digits(low)} to {digits(high)}{NARROW}req/s"
    return Quantity((high - low) / (high + low), said)


def _below(recording: Recording, users: int, below: float) -> Quantity:
    """Response time that so many percent of the requests stayed below. No number, where it is only
    known to be more than something."""
    value = recording.at(users).percentile_s(below / 100)
    if value is None:
        raise NoSuchNumber(f"percentile={below:g} at users={users}: too few requests to quote one.")
    number = math.nan if isinstance(value, MoreThan) else value
    return Quantity(number, or_more(duration)(value))


def _demand(recording: Recording, users: int | None = None) -> float:
    """CPU time per request: in the load at that level, or as calibrated before it."""
    return recording.run.forecast.demand_s if users is None else recording.at(users).demand_s


def _difference(recording: Recording, before: int, after: int) -> Difference | None:
    """Compare two levels, over all runs that have both."""
    recording.at(before), recording.at(after)
    runs = [{point.users: point for point in run.points} for run in recording.runs]
    both = [run for run in runs if before in run and after in run]
    return difference([(run[after], run[before], spread(run.values())) for run in both])


def _change(recording: Recording, before: int, after: int) -> Quantity:
    """Quote how throughput changed from one level to another, the mean over the runs, and whether
    that is more than noise."""
    first, last = recording.at(before), recording.at(after)
    drawn = quotient(last.throughput_rps, first.throughput_rps)
    return changed(_difference(recording, before, after), drawn)


def changed(found: Difference | None, drawn: float) -> Quantity:
    """Put a difference in words; where nothing else is known, the ratio that is drawn."""
    if found is None:
        value = drawn - 1
        return Quantity(value, f"{_signed(value)} (how sure that is cannot be said)")
    value, said = found.ratio - 1, f"no change that can be seen: smaller than {percent(found.most)}"
    if found.seen:
        low, high = (_signed(each - 1) for each in found.interval)
        said = f"more than noise: {low} to {high}"
    return Quantity(value, f"{_signed(value)} ({said})")


def least(found: Difference | None) -> Quantity:
    """Quote the lower end of a change's interval: above zero, more than noise has been gained."""
    value = known(found, "how sure that is cannot be said.").interval[0] - 1
    return Quantity(value, _signed(value))


def _signed(fraction: float) -> str:
    sign = "\u2212" if fraction < 0 else "+"
    return f"{sign}{percent(abs(fraction))}"


def _fit(recording: Recording) -> Quantity:
    """Quote how many points passed the lab's own checks: `6 of 6`."""
    fit = sum(point.fit for point in recording.points)
    return Quantity(fit / len(recording.points), f"{fit} of {len(recording.points)}")


show = Show(
    result=Recording,
    middle_by="throughput at the last level",
    draw=lambda found: sweep_figure(drawing(found)),
    measured=lambda found: bool(found.points),
    alt=lambda found: sweep_alt(drawing(found)),
    split=lambda found: split_figure(splits(found.points)),
    columns=COLUMNS,
    rows=levels,
    row=level,
    quotes={
        "change": _change,
        "demand": quoted(_demand, duration),
        "fit": _fit,
        "least_change": lambda found, *levels: least(_difference(found, *levels)),
        "percentile": _below,
        # N / X: the mean response time of so many users at the last level's throughput.
        "response_time_for": quoted(
            lambda found, users: users / found.points[-1].throughput_rps, duration
        ),
        "spread": _spread,
    },
    about=lambda found: verdict.about(found.experiment),
    verdict=lambda found: [
        Said(powered(found.run.power)),
        *verdict.assumptions(found.run.forecast.notes),
    ],
    levels=sweep_levels,
    concluded=lambda found: verdict.verdict(found.model, found.run),
    note=note,
    data=report.joined,
)
