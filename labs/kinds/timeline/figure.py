"""A timeline over its seconds: what was answered and how fast, what was under way, the workers, and
what each core did. Records in, plotly out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from labs.kinds.timeline.record import TIME_BIN_S, TimeBin, Timeline, TimelineRun
from labs.present.core_strip import ROW, core_areas, core_name, core_rows
from labs.present.palette import BLUE, GREEN, GREY, ORANGE, THIN
from labs.present.plot import Figure, Trace, finite, note, plot_title
from labs.records.format import digits, duration, percent, rate
from labs.records.steps import Step

OVER_S = (
    1.0  # rates are counted over so long: with 20 requests a second a shorter time is all noise
)
PLOT = 128  # pixels of each of the three upper plots
GAP = 40  # above each, with its title
ABOVE, BELOW = 62, 96
TITLES = ("Answered, requests per second", "Response time, ms", "Requests under way, and workers")
CORES = "What each core did"


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
    cores = core_rows(len(run.moments[0].cores) if run.moments else timeline.machine.logical_cores)
    traces = [*_rates(timeline), *_times(run), *_counts(run)]
    times = [moment.at_s for moment in run.moments]
    traces += core_areas(times, [moment.cores for moment in run.moments], cores, len(TITLES) + 1)
    return {"data": traces, "layout": _layout(timeline, cores)}


def timeline_alt(timeline: Timeline) -> str:
    """The figure in sentences."""
    run = timeline.run
    whole_s = sum(step.seconds for step in timeline.steps)
    sentences = [f"Throughput, response time, workers and cores over {digits(whole_s)} seconds."]
    if not run.stretches:
        sentences.append("No step has ended yet.")
    for number, (step, each) in enumerate(zip(timeline.steps, run.stretches, strict=False)):
        workers = f" with {each.workers} workers" if each.workers is not None else ""
        busy = " and ".join(percent(core) for core in each.cores[:2])
        busy = f"; cores busy: {busy}" + (" and so on" if len(each.cores) > 2 else "")
        sentences.append(
            f"Step {number + 1}, {step.load}: {rate(each.throughput_rps)} answered in "
            f"{duration(each.mean_response_time_s)} on average, at its end {each.in_flight} under "
            f"way{workers}{busy}."
        )
    sentences += [f"At {digits(each.at_s)} s: {each.words}" for each in run.happenings]
    return " ".join(sentences)


def _rates(timeline: Timeline) -> Iterator[Trace]:
    others = [run for run in timeline.runs if run is not timeline.run]
    for number, other in enumerate(others):
        rates = _rates_of(other)
        line = {"color": THIN, "width": 1}
        yield _steps("other runs", rates.edges, rates.completed, line) | {"showlegend": not number}
    rates = _rates_of(timeline.run)
    if any(value is not None for value in rates.begun):
        yield _steps("came", rates.edges, rates.begun, {"color": GREY, "dash": "dot", "width": 2})
    yield _expected(timeline.run)
    answered = _steps("answered", rates.edges, rates.completed, {"color": BLUE, "width": 2})
    yield answered | {"showlegend": False}  # as the title says


def _expected(run: TimelineRun) -> Trace:
    x = [at for part in run.forecast for at in (part.from_s, part.to_s)]
    y = [part.throughput_rps for part in run.forecast for _ in range(2)]
    return {
        **_line("forecast", x, y, {"color": ORANGE, "dash": "dash", "width": 2}, "y"),
        "hovertemplate": "forecast: %{y:.3~g} req/s<extra></extra>",
    }


def _times(run: TimelineRun) -> Iterator[Trace]:
    rates = _rates_of(run)
    middles = [(one + other) / 2 for one, other in zip(rates.edges, rates.edges[1:], strict=False)]
    yield {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "response time",
        "x": middles,
        "y": [None if each is None else round(each * 1000, 2) for each in rates.response_s],
        "line": {"color": BLUE, "width": 2},
        "marker": {"color": BLUE, "size": 5},
        "showlegend": False,
        "xaxis": "x",
        "yaxis": "y2",
        "hovertemplate": "%{y:.4~g} ms on average, answered around %{x} s<extra></extra>",
    }


def _counts(run: TimelineRun) -> Iterator[Trace]:
    moments = run.moments
    yield {
        **_line(
            "forecast",
            [at for part in run.forecast for at in (part.from_s, part.to_s)],
            [round(count, 2) for part in run.forecast for count in part.in_flight],
            {"color": ORANGE, "dash": "dash", "width": 2},
            "y3",
        ),
        "showlegend": False,
        "hovertemplate": "forecast: %{y:.3~g} under way<extra></extra>",
    }
    yield {
        **_line(
            "under way",
            [moment.at_s for moment in moments],
            [float(moment.in_flight) for moment in moments],
            {"color": BLUE, "width": 2},
            "y3",
        ),
        "hovertemplate": "%{y} under way at %{x} s<extra></extra>",
    }
    ends = [moment.at_s for moment in moments[-1:]]
    ramp = [*run.ramp, *((end, run.ramp[-1][1]) for end in ends if run.ramp)]
    yield {
        **_line(
            "workers",
            [at for at, _ in ramp],
            [float(count) for _, count in ramp],
            {"color": GREEN, "width": 2, "shape": "hv"},
            "y3",
        ),
        "mode": "lines+markers",
        "marker": {"color": GREEN, "size": 5, "symbol": "square"},
        "hovertemplate": "%{y} workers at %{x} s<extra></extra>",
    }
    if run.happenings:
        yield {
            "type": "scatter",
            "mode": "markers",
            "name": "done to the server",
            "x": [each.at_s for each in run.happenings],
            "y": [_workers_at(run, each.at_s) for each in run.happenings],
            "marker": {"color": ORANGE, "size": 11, "symbol": "x"},
            "customdata": [_wrapped(each.words) for each in run.happenings],
            "xaxis": "x",
            "yaxis": "y3",
            "hovertemplate": "%{customdata}<extra></extra>",
        }


def _steps(
    name: str, edges: Sequence[float], values: Sequence[float | None], line: dict[str, Any]
) -> Trace:
    """A level for each time between two edges."""
    return {
        **_line(name, edges, [*values, *values[-1:]], {**line, "shape": "hv"}, "y"),
        "hovertemplate": f"%{{y:.3~g}} req/s {name} from %{{x}} s on<extra></extra>",
    }


def _line(
    name: str,
    x: Sequence[float],
    y: Sequence[float | None],
    line: dict[str, Any],
    axis: str,
) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "legendgroup": name,
        "x": list(x),
        "y": [None if value is None else finite([value])[0] for value in y],
        "line": line,
        "xaxis": "x",
        "yaxis": axis,
    }


def _rates_of(run: TimelineRun) -> Rates:
    each = round(OVER_S / TIME_BIN_S)
    groups = [run.moments[at : at + each] for at in range(0, len(run.moments), each)]
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


def _wrapped(text: str) -> str:
    return text.replace(". ", ".<br>")


def _layout(timeline: Timeline, cores: Sequence[tuple[int, int]]) -> dict[str, Any]:
    whole_s = sum(step.seconds for step in timeline.steps)
    plots = len(TITLES) * PLOT + (len(TITLES) - 1) * GAP
    inner = plots + GAP + ROW * len(cores)  # pixels between the margins
    layout: dict[str, Any] = {
        "height": ABOVE + inner + BELOW,
        "margin": {"l": 48, "r": 12, "t": ABOVE, "b": BELOW},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": -44 / inner, "yanchor": "top"},
        "xaxis": {
            "title": {"text": "seconds since the load began", "standoff": 4},
            "range": [0, whole_s],
            "anchor": f"y{len(TITLES) + len(cores)}",
        },
        "annotations": [],
        "shapes": [],
    }
    for number, title in enumerate(TITLES):
        top = 1 - number * (PLOT + GAP) / inner
        layout[f"yaxis{number + 1}" if number else "yaxis"] = {
            "domain": [max(0.0, top - PLOT / inner), top],
            "rangemode": "tozero",
            "nticks": 5,
        }
        layout["annotations"].append(plot_title(title, 0, top, shift=24 if not number else 4))
    top = ROW * len(cores) / inner
    layout["annotations"].append(plot_title(CORES, 0, top, shift=4))
    for row, (first, last) in enumerate(cores):
        layout[f"yaxis{len(TITLES) + 1 + row}"] = {
            "domain": [top - (row + 0.82) * ROW / inner, top - row * ROW / inner],
            "range": [0, 100],
            "tickvals": [50],
            "ticktext": [core_name(first, last)],
            "ticks": "",
        }
    for step, begin_s in zip(timeline.steps, timeline.begins_s, strict=True):
        layout["annotations"].append(note(_short(step), begin_s / whole_s, 1, shift=4))
        if begin_s:
            layout["shapes"].append(_divider(begin_s))
    return layout


def _short(step: Step) -> str:
    """Few letters, as a telephone has no room for more."""
    return step.load.replace("arrivals/s", "/s").replace(" /s", "/s")


def _divider(at_s: float) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": at_s,
        "x1": at_s,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"color": GREY, "width": 1, "dash": "dot"},
    }
