"""A timeline over its seconds: what was answered and how fast, what was under way, the workers, and
what each core did. Records in, plotly out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from labs.kinds.timeline.record import TIME_BIN_S, Event, StepResult, TimeBin, Timeline, TimelineRun
from labs.present.core_strip import ROW, core_areas, core_axis, core_rows, nth
from labs.present.levels import Level
from labs.present.palette import BLUE, GREEN, GREY, ORANGE, THIN
from labs.present.plot import (
    FROM_ZERO,
    Ends,
    Figure,
    Shown,
    Trace,
    Values,
    between,
    dots,
    layout,
    line,
    note,
    plot_title,
    rule,
)
from labs.present.trails import Curve, unfit_places
from labs.records.format import digits, duration, percent, rate
from labs.records.steps import Step

# Rates are counted over so long: with 20 requests a second a shorter time is all noise.
OVER_S = 1.0
PLOT = 128  # pixels of each of the three upper plots
GAP = 40  # above each, with its title
ABOVE, BELOW = 62, 96
TITLES = ("Answered, requests per second", "Response time, ms", "Requests under way, and workers")
CORES = "What each core did"
BAND = "forecast, eight of ten runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rates over whole seconds, as steps to draw."""

    edges: list[float]
    completed: list[float]
    begun: list[float | None]  # of arrivals; None while a group asks
    response_s: list[float | None]


def timeline_figure(timeline: Timeline) -> Figure:
    """Four kinds of plots over the seconds of the middle run, one below the other. Steps are
    divided by dotted lines, and what was done to the server is marked in the third plot."""
    run = timeline.run
    cores = core_rows(
        len(run.time_bins[0].cores) if run.time_bins else timeline.machine.logical_cores
    )
    traces = [*_rates(timeline), *_times(run), *_counts(run)]
    times = [moment.at_s for moment in run.time_bins]
    traces += core_areas(times, [moment.cores for moment in run.time_bins], cores, len(TITLES) + 1)
    return {"data": traces, "layout": _layout(timeline, cores)}


def timeline_curves(timeline: Timeline) -> list[Curve]:
    """What stays of it beside a later run: what was answered, and how fast."""
    rates = _rates_of(timeline.run)
    middles = [(one + other) / 2 for one, other in itertools.pairwise(rates.edges)]
    times = [None if each is None else each * 1000 for each in rates.response_s]
    said = [rate(each) for each in rates.completed]
    slow = ["nothing answered" if each is None else duration(each) for each in rates.response_s]
    begun = [sum(begin <= at for begin in timeline.begins_s) - 1 for at in middles]
    steps = unfit_places(timeline.run.step_results)
    unfit = [place for place, step in enumerate(begun) if step in steps]
    return [
        Curve(x=middles, y=rates.completed, said=said, plot="xy", unfit=unfit),
        Curve(x=middles, y=times, said=slow, plot="xy2", unfit=unfit),
    ]


def timeline_alt(timeline: Timeline) -> str:
    """The figure in sentences."""
    run = timeline.run
    whole_s = sum(step.seconds for step in timeline.steps)
    sentences = [f"Throughput, response time, workers and cores over {digits(whole_s)} seconds."]
    if not run.step_results:
        sentences.append("No step has ended yet.")
    for number, (step, each) in enumerate(zip(timeline.steps, run.step_results, strict=False), 1):
        sentences.append(_of_step(number, step, each))
    return " ".join(sentences + happenings(run.events))


def timeline_levels(timeline: Timeline) -> list[Level]:
    """The same step by step, with what was done in each. What was done as the next one began lies
    on the border, so a step is shown up to the middle of its last time bin."""
    run, levels = timeline.run, []
    walked = zip(timeline.steps, timeline.begins_s, run.step_results, strict=False)
    for number, (step, begin_s, found) in enumerate(walked, 1):
        end_s = begin_s + step.seconds
        told = _of_step(
            number, step, found, f" (forecast: {rate(run.expected_rps(begin_s, end_s))})"
        )
        done = happenings([each for each in run.events if begin_s <= each.at_s < end_s])
        levels.append(Level(at=end_s - TIME_BIN_S / 2, words=" ".join([told, *done])))
    return levels


def _of_step(number: int, step: Step, found: StepResult, forecast: str = "") -> str:
    many = "worker" if found.workers == 1 else "workers"
    workers = f" with {found.workers} {many}" if found.workers is not None else ""
    busy = " and ".join(percent(core) for core in found.cores[:2])
    busy = f"; cores busy: {busy}" + (" and so on" if len(found.cores) > 2 else "")
    return (
        f"Step {number}, {step.load}: {rate(found.throughput_rps)} answered{forecast} in "
        f"{duration(found.mean_response_time_s)} on average, at its end {found.in_flight} under "
        f"way{workers}{busy}."
    )


def happenings(events: Sequence[Event]) -> list[str]:
    """What was done to the server, a sentence each."""
    return [f"At {digits(each.at_s)} s: {each.words}" for each in events]


def _rates(timeline: Timeline) -> Iterator[Trace]:
    others = [run for run in timeline.runs if run is not timeline.run]
    for number, other in enumerate(others):
        rates = _rates_of(other)
        name = "other runs"
        yield _steps(name, rates.edges, rates.completed, THIN, width=1, legend=not number)
    run, rates = timeline.run, _rates_of(timeline.run)
    if any(value is not None for value in rates.begun):
        yield _steps("came", rates.edges, rates.begun, GREY, dash="dot")
    bands = [(part.throughput_band_rps,) * 2 for part in run.forecast]
    yield from _bands(run, bands, plot="xy", legend=True)
    expected = [part.throughput_rps for part in run.forecast for _ in range(2)]
    yield _forecast(run, expected, "req/s", plot="xy")
    # The title says what this is.
    yield _steps("answered", rates.edges, rates.completed, BLUE, legend=False)


def _steps(
    name: str, edges: Sequence[float], values: Values, colour: str, **how: Unpack[Shown]
) -> Trace:
    """A level for each time between two edges."""
    hover = f"{{y:.3~g}} req/s {name} from {{x}} s on"
    how |= {"shape": "hv", "group": name, "plot": "xy", "hover": hover}
    return line(name, edges, [*values, *values[-1:]], colour, **how)


def _bands(
    run: TimelineRun, bands: Sequence[tuple[Ends | None, Ends | None]], **how: Unpack[Shown]
) -> Iterator[Trace]:
    """What eight of ten runs should show. bands: where each part of the forecast begins and ends;
    None where there is none, as for a group, and in recordings of before."""
    parts = zip(run.forecast, bands, strict=True)
    for there, group in itertools.groupby(parts, key=lambda each: each[1][0] is not None):
        if there:
            sides = [
                (at, ends)
                for part, band in group
                for at, ends in zip((part.from_s, part.to_s), band, strict=True)
                if ends is not None
            ]
            how |= {"group": BAND, "ends": [each for _, each in sides]}
            yield between(BAND, [at for at, _ in sides], ORANGE, **how)
            how |= {"legend": False}


def _forecast(run: TimelineRun, values: Values, of: str, **how: Unpack[Shown]) -> Trace:
    """values: where each part of the forecast begins and ends."""
    x = [at for part in run.forecast for at in (part.from_s, part.to_s)]
    how |= {"dash": "dash", "group": "forecast", "hover": f"forecast: {{y:.3~g}} {of}"}
    return line("forecast", x, values, ORANGE, **how)


def _times(run: TimelineRun) -> Iterator[Trace]:
    def ms(value: float) -> float:
        return round(value * 1000, 2)

    bands = [
        (band and (ms(band[0]), ms(band[1])),) * 2
        for band in (part.response_band_s for part in run.forecast)
    ]
    yield from _bands(run, bands, plot="xy2", legend=False)
    expected = [part.response_time_s for part in run.forecast for _ in range(2)]
    if any(value is not None for value in expected):
        values = [None if value is None else ms(value) for value in expected]
        yield _forecast(run, values, "ms", plot="xy2", legend=False)
    rates = _rates_of(run)
    middles = [(one + other) / 2 for one, other in itertools.pairwise(rates.edges)]
    values = [None if each is None else ms(each) for each in rates.response_s]
    how: Shown = {"size": 5, "legend": False, "plot": "xy2"}
    how["hover"] = "{y:.4~g} ms on average, answered around {x} s"
    yield line("response time", middles, values, BLUE, **how)


def _counts(run: TimelineRun) -> Iterator[Trace]:
    bands = [part.in_flight_band or (None, None) for part in run.forecast]
    yield from _bands(run, bands, plot="xy3", legend=False)
    in_flight = [round(count, 2) for part in run.forecast for count in part.in_flight]
    yield _forecast(run, in_flight, "under way", plot="xy3", legend=False)
    times, counts = (
        [each.at_s for each in run.time_bins],
        [each.in_flight for each in run.time_bins],
    )
    how: Shown = {"group": "under way", "plot": "xy3", "hover": "{y} under way at {x} s"}
    yield line("under way", times, counts, BLUE, **how)
    ramp = [*run.ramp, *((end, run.ramp[-1][1]) for end in times[-1:] if run.ramp)]
    times, counts = [at for at, _ in ramp], [count for _, count in ramp]
    how = {"group": "workers", "plot": "xy3", "hover": "{y} workers at {x} s"}
    how |= {"shape": "hv", "size": 5, "symbol": "square"}
    yield line("workers", times, counts, GREEN, **how)
    if run.events:
        times = [each.at_s for each in run.events]
        workers = [_workers_at(run, at_s) for at_s in times]
        words = [each.words.replace(". ", ".<br>") for each in run.events]
        how = {"size": 11, "symbol": "x-open", "plot": "xy3", "said": words, "hover": "{said}"}
        yield dots("done to the server", times, workers, ORANGE, **how)


def _rates_of(run: TimelineRun) -> Rates:
    each = round(OVER_S / TIME_BIN_S)
    groups = [run.time_bins[at : at + each] for at in range(0, len(run.time_bins), each)]
    groups = [group for group in groups if len(group) == each]  # the last may be cut short

    def rates(count: Callable[[TimeBin], int]) -> list[float]:
        return [sum(map(count, group)) / OVER_S for group in groups]

    begun = rates(lambda moment: moment.begun)
    return Rates(
        edges=[at * OVER_S for at in range(len(groups) + bool(groups))],
        completed=rates(lambda moment: moment.completed),
        begun=[
            None if group[-1].users is not None else value
            for group, value in zip(groups, begun, strict=True)
        ],
        response_s=[_mean_response_s(group) for group in groups],
    )


def _mean_response_s(group: Sequence[TimeBin]) -> float | None:
    done = [each for each in group if each.mean_response_time_s is not None]
    whole = sum((each.mean_response_time_s or 0.0) * each.completed for each in done)
    return whole / sum(each.completed for each in done) if done else None


def _workers_at(run: TimelineRun, at_s: float) -> int:
    return next((count for at, count in reversed(run.ramp) if at <= at_s), 0)


def _layout(timeline: Timeline, cores: Sequence[tuple[int, int]]) -> dict[str, Any]:
    whole_s = sum(step.seconds for step in timeline.steps)
    plots = len(TITLES) * PLOT + (len(TITLES) - 1) * GAP
    inner = plots + GAP + ROW * len(cores)  # pixels between the margins
    titles, axes = [], {}
    for number, title in enumerate(TITLES):
        top = 1 - number * (PLOT + GAP) / inner
        domain = [max(0.0, top - PLOT / inner), top]
        axes[f"yaxis{nth(number + 1)}"] = {"domain": domain, "nticks": 5, **FROM_ZERO}
        titles.append(plot_title(title, 0, top, shift=4 if number else 24))
    top = ROW * len(cores) / inner
    titles.append(plot_title(CORES, 0, top, shift=4))
    for row, each in enumerate(cores):
        ends = top - (row + 0.82) * ROW / inner, top - row * ROW / inner
        axes[f"yaxis{len(TITLES) + 1 + row}"] = core_axis(each, *ends)
    begins = zip(timeline.steps, timeline.begins_s, strict=True)
    borders = [begin_s for begin_s in timeline.begins_s if begin_s]
    return layout(
        ABOVE + inner + BELOW,
        {"l": 48, "r": 12, "t": ABOVE, "b": BELOW},
        -44 / inner,
        xaxis={
            "title": {"text": "seconds since the load began", "standoff": 4},
            "range": [0, whole_s],
            "anchor": f"y{len(TITLES) + len(cores)}",
        },
        annotations=[
            *titles,
            *(note(_short(step), begin_s / whole_s, 1, shift=4) for step, begin_s in begins),
        ],
        shapes=[rule(GREY, "dot", x=(at, at), width=1, yref="paper") for at in borders],
        **axes,
    )


def _short(step: Step) -> str:
    """Few letters, as a telephone has no room for more."""
    return step.load.replace("arrivals/s", "/s").replace(" /s", "/s")
