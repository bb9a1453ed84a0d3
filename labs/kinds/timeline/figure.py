"""Figure of a timeline over its seconds: what was answered and how fast, what was under way, the
workers, and what each core did. Records in, plotly out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack

from labs.kinds.timeline.record import (
    TIME_BIN_S,
    Event,
    Expected,
    TimeBin,
    Timeline,
    TimelineRun,
    WalkedStep,
)
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


def timeline_figure(timeline: Timeline) -> Figure:
    """Draw four kinds of plots over the seconds of the middle run, one below the other. Steps are
    divided by dotted lines, and what was done to the server is marked in the third plot."""
    run = timeline.run
    cores = core_rows(
        len(run.time_bins[0].cores) if run.time_bins else timeline.machine.logical_cores
    )
    traces = [*_throughputs(timeline), *_response_times(run), *_under_way(run)]
    times = [moment.at_s for moment in run.time_bins]
    traces += core_areas(times, [moment.cores for moment in run.time_bins], cores, len(TITLES) + 1)
    return {"data": traces, "layout": _layout(timeline, cores)}


def timeline_curves(timeline: Timeline) -> list[Curve]:
    """Keep of the figure what stays beside a later run: what was answered, and how fast."""
    seconds = _seconds(timeline.run)
    middles, answered = _middles(seconds), _answered(seconds)
    took = [each.mean_response_time_s for each in seconds]
    slow = ["nothing answered" if each is None else duration(each) for each in took]
    begun = [sum(begin <= at for begin in timeline.begins_s) - 1 for at in middles]
    steps = unfit_places(timeline.run.step_results)
    unfit = [place for place, step in enumerate(begun) if step in steps]
    return [
        Curve(x=middles, y=answered, said=[*map(rate, answered)], plot="xy", unfit=unfit),
        Curve(x=middles, y=[*map(_ms, took)], said=slow, plot="xy2", unfit=unfit),
    ]


def timeline_opening(timeline: Timeline) -> str:
    """Say what the figure shows, before its steps."""
    whole_s = sum(step.seconds for step in timeline.steps)
    none = "" if timeline.run.step_results else " No step has ended yet."
    return f"Throughput, response time, workers and cores over {digits(whole_s)} seconds.{none}"


def timeline_levels(timeline: Timeline) -> list[Level]:
    """Say the figure step by step, with what was done in each. What was done as the next one began
    lies on the border, so a step is shown up to the middle of its last time bin."""
    levels = []
    for step in timeline.walked:
        events = [e for e in timeline.run.events if step.begin_s <= e.at_s < step.end_s]
        words = " ".join([_of_step(step), *happenings(events)])
        levels.append(Level(at=step.end_s - TIME_BIN_S / 2, words=words))
    return levels


def _of_step(step: WalkedStep) -> str:
    found = step.found
    many = "worker" if found.workers == 1 else "workers"
    workers = f" with {found.workers} {many}" if found.workers is not None else ""
    busy = " and ".join(percent(core) for core in found.cores[:2])
    busy = f"; cores busy: {busy}" + (" and so on" if len(found.cores) > 2 else "")
    return (
        f"Step {step.number}, {step.asked.load}: {rate(found.throughput_rps)} answered "
        f"(forecast: {rate(step.forecast_rps)}) in {duration(found.mean_response_time_s)} on "
        f"average, at its end {found.in_flight} under way{workers}{busy}."
    )


def happenings(events: Sequence[Event]) -> list[str]:
    """Say what was done to the server, a sentence each."""
    return [f"At {digits(each.at_s)} s: {each.words}" for each in events]


def _throughputs(timeline: Timeline) -> Iterator[Trace]:
    run, seconds = timeline.run, _seconds(timeline.run)
    others = [other for other in timeline.runs if other is not run]
    for number, other in enumerate(map(_seconds, others)):
        yield _steps("other runs", other, _answered(other), THIN, width=1, legend=not number)
    came = [each.begun / OVER_S if each.users is None else None for each in seconds]
    if any(value is not None for value in came):
        yield _steps("came", seconds, came, GREY, dash="dot")
    yield from _forecast(
        *(run, "xy", "req/s"),
        lambda part: (part.throughput_rps,) * 2,
        lambda part: part.throughput_band_rps and (part.throughput_band_rps,) * 2,
    )
    # The title says what this is.
    yield _steps("answered", seconds, _answered(seconds), BLUE, legend=False)


def _answered(seconds: Sequence[TimeBin]) -> list[float]:
    return [each.completed / OVER_S for each in seconds]


def _steps(
    name: str, seconds: Sequence[TimeBin], values: Values, colour: str, **how: Unpack[Shown]
) -> Trace:
    """Draw a level for each second."""
    edges = [*(each.at_s - OVER_S for each in seconds), *(each.at_s for each in seconds[-1:])]
    hover = f"{{y:.3~g}} req/s {name} from {{x}} s on"
    how |= {"shape": "hv", "group": name, "plot": "xy", "hover": hover}
    return line(name, edges, [*values, *values[-1:]], colour, **how)


def _forecast(
    run: TimelineRun,
    plot: str,
    unit: str,
    means: Callable[[Expected], tuple[float | None, float | None]],
    bands: Callable[[Expected], tuple[Ends, Ends] | None] = lambda part: None,
) -> Iterator[Trace]:
    """Draw what was expected, and what eight of ten runs should show. means, bands: where a part of
    the forecast begins and where it ends; None where there is none."""
    how: Shown = {"plot": plot, "legend": plot == "xy"}
    parts = [(part, bands(part)) for part in run.forecast]
    for there, group in itertools.groupby(parts, key=lambda each: each[1] is not None):
        if there:
            sides = [
                (at, ends)
                for part, both in group
                for at, ends in zip((part.from_s, part.to_s), both or (), strict=True)
            ]
            band: Shown = {**how, "group": BAND, "ends": [ends for _, ends in sides]}
            yield between(BAND, [at for at, _ in sides], ORANGE, **band)
            how["legend"] = False
    values = [value for part in run.forecast for value in means(part)]
    if any(value is not None for value in values):
        x = [at for part in run.forecast for at in (part.from_s, part.to_s)]
        how |= {"dash": "dash", "group": "forecast", "hover": f"forecast: {{y:.3~g}} {unit}"}
        how["legend"] = plot == "xy"
        yield line("forecast", x, values, ORANGE, **how)


def _response_times(run: TimelineRun) -> Iterator[Trace]:
    yield from _forecast(run, "xy2", "ms", lambda part: (_ms(part.response_time_s),) * 2)
    seconds = _seconds(run)
    times = [_ms(each.mean_response_time_s) for each in seconds]
    how: Shown = {"size": 5, "legend": False, "plot": "xy2"}
    how["hover"] = "{y:.4~g} ms on average, answered around {x} s"
    yield line("response time", _middles(seconds), times, BLUE, **how)


def _middles(seconds: Sequence[TimeBin]) -> list[float]:
    return [each.at_s - OVER_S / 2 for each in seconds]


def _ms(value_s: float | None) -> float | None:
    return None if value_s is None else round(value_s * 1000, 2)


def _under_way(run: TimelineRun) -> Iterator[Trace]:
    yield from _forecast(
        *(run, "xy3", "under way"),
        lambda part: (round(part.in_flight[0], 2), round(part.in_flight[1], 2)),
        lambda part: part.in_flight_band,
    )
    times = [each.at_s for each in run.time_bins]
    counts = [each.in_flight for each in run.time_bins]
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


def _seconds(run: TimelineRun) -> list[TimeBin]:
    """Add up the time bins of each whole second; the last may be cut short, and is left out."""
    each, found = round(OVER_S / TIME_BIN_S), []
    for end in range(each, len(run.time_bins) + 1, each):
        group = run.time_bins[end - each : end]
        begun, completed = sum(one.begun for one in group), sum(one.completed for one in group)
        lives_s = sum((one.mean_response_time_s or 0.0) * one.completed for one in group)
        whole = replace(group[-1], begun=begun, completed=completed)
        mean_s = lives_s / completed if completed else None
        found.append(replace(whole, mean_response_time_s=mean_s))
    return found


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
    """Name a step in few letters, as a telephone has no room for more."""
    return step.load.replace("arrivals/s", "/s").replace(" /s", "/s")
