"""A sweep's figure: throughput and response time over users, with bound, model and recorded run."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Unpack

from labs.kinds.sweep.record import Recording
from labs.present.bet import Guess
from labs.present.palette import BLUE, FAINTER, GREEN, GREY, ORANGE, PURPLE, glass
from labs.present.plot import (
    FROM_ZERO,
    Figure,
    Shown,
    Trace,
    between,
    dots,
    extent,
    far_across,
    hover_checks,
    line,
    log_axis,
    nested,
    twin_layout,
    wide,
)
from labs.records.format import crowd, duration, rate
from labs.records.results import Point, PredictedLevel, Prediction

GUESSED, RECORDED, MEASURED = nested(3)  # in this order they are drawn
BAND = "where it should lie"
AT_RUN_SPEED = "at the speed of the run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What a sweep's figure draws, and its alternative text says."""

    users: Sequence[int]  # levels asked for, so that the axes stand still while points land
    prediction: Prediction | None = None  # None while the reader has not committed to a guess
    again: Sequence[PredictedLevel] = ()  # the prediction at the speed of the run
    points: Sequence[Point] = ()
    here: str = "measured here"  # the name of these points
    think_time_s: float = 0.0
    recorded: Recording | None = None  # another machine's run
    as_if: str = ""  # words on how it was brought to this one's scale
    guess: Guess | None = None


def sweep_figure(drawing: Drawing) -> Figure:
    """Draw throughput and response time over the users, side by side. No axis turns logarithmic by
    the points that land, where a prediction or a recording is there."""
    users, guess, think_s = drawing.users, drawing.guess, drawing.think_time_s
    far = far_across(users)
    traces, upwards = [], []
    for axis, plot in (("", Throughput(think_s)), ("2", ResponseTime(think_s))):
        known = [*_recorded(drawing, plot), *_predicted(drawing, plot)]
        landed = [*_measured(drawing, plot)]
        values = _values(known or landed)
        log = far and wide(values)
        upwards.append(log_axis(values) if log else FROM_ZERO)
        made = known + landed
        if guess:  # its large mark below all others
            made.insert(0, _guessed(guess, plot, _values(made), log=log))
        for trace in made:
            trace |= {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "showlegend": not axis}
            trace["legendgroup"] = trace["name"]
            traces.append(trace)
    left, right = upwards
    return {"data": traces, "layout": twin_layout(users, "users", far=far, upwards=(left, right))}


def _values(traces: Iterable[Trace]) -> list[float]:
    return [y for trace in traces for y in trace["y"] if y is not None]


class Mark(NamedTuple):
    """A level that was measured, in one of the plots."""

    value: float
    ends: tuple[float, float]  # of its error bar
    said: str


def marked(marks: Sequence[Mark], name: str, hover: str = "{x} users: {said}") -> Shown:
    """Give a trace its marks, name and hover."""
    ends, said = [mark.ends for mark in marks], [mark.said for mark in marks]
    return {"ends": ends, "said": said, "hover": hover, "tag": name}


class Throughput:
    """The left plot: how a level shows there."""

    def __init__(self, think_time_s: float) -> None:
        self.think_time_s = think_time_s

    def of(self, users: float, rps: float) -> float:
        return rps

    def measured(self, point: Point) -> float:
        return point.throughput_rps

    def say(self, value: float) -> str:
        return rate(value)

    def mark(self, point: Point, over: Sequence[Point] = ()) -> Mark:
        """Mark a level with its 95 % interval, or from lowest to highest of several runs."""
        several = len(over) > 1
        if several:
            low, high = extent([self.measured(each) for each in over])
        else:
            low, high = sorted(self.of(point.users, rps) for rps in point.throughput_ci_rps)
        value = self.measured(point)
        span = f"{self.say(low)} to {self.say(high)}"
        said = f"; {span} in {len(over)} runs" if several else f", {span}"
        return Mark(value, (low, high), f"{self.say(value)}{said}{hover_checks(point)}")


class ResponseTime(Throughput):
    """The right plot, with how a level shows there: R = N / X - Z, in ms."""

    def of(self, users: float, rps: float) -> float:
        return (users / rps - self.think_time_s) * 1000 if rps else math.nan

    def measured(self, point: Point) -> float:
        return point.mean_response_time_s * 1000

    def say(self, value: float) -> str:
        return duration(value / 1000)


def _predicted(drawing: Drawing, plot: Throughput) -> Iterable[Trace]:
    def course(
        name: str, levels: Sequence[tuple[float, float]], colour: str, **shown: Unpack[Shown]
    ) -> Trace:
        users, values = [at for at, _ in levels], [plot.of(*level) for level in levels]
        said, hover = [plot.say(value) for value in values], "{x} users: {said}"
        shown |= {"said": said, "hover": hover, "tag": name}
        return line(name, users, values, colour, **shown)

    if drawing.prediction is None:
        return
    levels = drawing.prediction.levels
    yield course("bound", _with_corner(levels), PURPLE, dash="dash")
    if all(level.band_rps for level in levels):
        yield _band(levels, plot)
    yield course("forecast", [(level.users, level.model_rps) for level in levels], ORANGE)
    if drawing.again:
        moved = [(level.users, level.model_rps) for level in drawing.again]
        # With marks, which a replay hides until they land.
        look: Shown = {"dash": "dot", "width": 1.5, "size": 4}
        yield course(AT_RUN_SPEED, moved, glass(ORANGE, FAINTER), **look)


def _band(levels: Sequence[PredictedLevel], plot: Throughput) -> Trace:
    """Fill between what a level should give at least and at most, nine times in ten."""
    ends, users = [], [float(level.users) for level in levels]
    for level in levels:
        low, high = sorted(plot.of(level.users, rps) for rps in level.band_rps or ())
        ends.append((low, high))
    return between(BAND, users, ORANGE, ends=ends)


def _with_corner(levels: Sequence[PredictedLevel]) -> list[tuple[float, float]]:
    """Add the bound's one corner, which may lie between two levels: min(N / all, most)."""
    corners = [(float(level.users), level.bound_rps) for level in levels]
    slope, most = corners[0][1] / corners[0][0], corners[-1][1]
    corner = most / slope if slope else 0.0
    if corners[0][0] < corner < corners[-1][0] and corner not in (users for users, _ in corners):
        corners.append((corner, most))
    return sorted(corners)


def _recorded(drawing: Drawing, plot: Throughput) -> Iterable[Trace]:
    recording = drawing.recorded
    if recording is None:
        return
    cores = recording.machine.cores
    name = f"recorded on {cores} core{'s' if cores > 1 else ''}{drawing.as_if}"
    points = recording.points
    marks = [plot.mark(point, recording.at_each(point.users)) for point in points]
    users, values = [point.users for point in points], [mark.value for mark in marks]
    symbols = ["square" if point.fit else "square-open" for point in points]
    look = marked(marks, name) | {"width": 1, "size": RECORDED, "symbol": symbols}
    look["kept"] = [f"{crowd(point.users)}: {plot.say(plot.measured(point))}" for point in points]
    yield line(name, users, values, GREY, **look)


def _measured(drawing: Drawing, plot: Throughput) -> Iterable[Trace]:
    points = drawing.points
    for name, symbol, chosen in (
        (drawing.here, "circle", [point for point in points if point.fit]),
        ("measured, unfit", "circle-open", [point for point in points if not point.fit]),
    ):
        if chosen:
            users, marks = [point.users for point in chosen], [plot.mark(point) for point in chosen]
            values = [mark.value for mark in marks]
            look = marked(marks, name) | {"size": MEASURED, "symbol": symbol}
            yield dots(name, users, values, BLUE, **look)


def _guessed(guess: Guess, plot: Throughput, drawn: Sequence[float], *, log: bool) -> Trace:
    """Mark a guess in the plot of the throughput; the other one follows from Little's law. One far
    from all that is drawn lies at the edge, with an arrow: it must not press the rest flat."""
    most = max(drawn, default=math.inf) * (10 if log else 3)
    least = min(drawn, default=0.0) / 10 if log else 0.0
    value = plot.of(guess.users, guess.rps)
    symbol, far = "star-diamond", ""
    if not least <= value <= most:
        symbol, far = ("arrow-up", "above") if value > most else ("arrow-down", "below")
    said = f"You said {guess}" + (f", far {far} this" if far else "")
    look: Shown = {"size": GUESSED, "symbol": symbol, "hover": said}
    value = min(max(value, least), most)
    mark = dots("your prediction", [guess.users], [value], GREEN, **look)
    if not far:
        return mark
    # Towards the figure's middle: a bet stands at the last level, where a word would be cut.
    return mark | {"mode": "markers+text", "text": [f"far {far} "], "textposition": "middle left"}
