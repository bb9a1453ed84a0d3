import itertools
import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import examples
import plotly.graph_objects as go
import pytest
from chapters import each_recording
from markup import sheet
from syrupy.assertion import SnapshotAssertion

from labs.kinds.comparison.figure import comparison_figure
from labs.kinds.comparison.record import Comparison
from labs.kinds.registry import showing
from labs.kinds.sweep import show as sweep
from labs.kinds.sweep.alt_text import sweep_alt
from labs.kinds.sweep.figure import AT_RUN_SPEED, BAND, Drawing, sweep_figure
from labs.kinds.timeline.figure import timeline_figure
from labs.present import palette
from labs.present.bet import Guess
from labs.present.core_strip import strip_alt, strip_rows
from labs.present.plot import Figure, log_axis
from labs.recordings import store
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Point

GUESS = Guess(users=8, rps=160.0)
POINTS = examples.run(unfit=4).points


DRAWING = Drawing(
    users=examples.USERS,
    prediction=examples.prediction(),
    points=POINTS,
    recorded=examples.recording(0.9, 1.0, 1.1),
    guess=GUESS,
)


def whole(**changes: Any) -> Figure:
    return sweep_figure(replace(DRAWING, **changes))


def trace(figure: Figure, name: str, plot: str = "x") -> dict[str, Any]:
    (found,) = [each for each in figure["data"] if each["name"] == name and each["xaxis"] == plot]
    return dict(found)


@pytest.mark.parametrize(
    "figure",
    [
        whole(),
        sweep_figure(Drawing(users=(1,))),
        whole(users=(1, 16, 256), think_time_s=0.1),
    ],
)
def test_plotly_takes_every_figure_and_it_is_plain_json(figure: Figure) -> None:
    made = go.Figure(json.loads(json.dumps(figure, allow_nan=False)))
    assert len(made.data) == len(figure["data"])
    narrow = figure["layout"].get("meta", {}).get("narrow", {})
    go.Figure(layout={**figure["layout"], **narrow})


def test_points_land_with_their_interval_and_unfit_ones_hollow() -> None:
    figure = whole()
    fit = trace(figure, "measured here")
    assert fit["x"] == [1, 2, 8]
    assert fit["y"] == pytest.approx([20, 40, 40])
    assert fit["error_y"]["array"] == pytest.approx([0.4, 0.8, 0.8])
    unfit = trace(figure, "measured, unfit")
    assert unfit["x"] == [4]
    assert unfit["marker"]["symbol"] == "circle-open"
    assert "Too noisy: the interval" in unfit["customdata"][0]


def test_response_times_carry_the_interval_of_the_throughput() -> None:
    slow = trace(whole(), "measured here", "x2")
    assert slow["y"] == pytest.approx([50, 50, 200])
    assert slow["error_y"]["array"][2] == pytest.approx(200 / 0.98 - 200)
    assert slow["error_y"]["arrayminus"][2] == pytest.approx(200 - 200 / 1.02)
    thinking = trace(whole(think_time_s=0.01), "bound", "x2")
    assert thinking["y"][-1] == pytest.approx(190)


def test_the_bound_has_its_corner_between_two_levels() -> None:
    levels = tuple(
        replace(level, users=users, bound_rps=bound)
        for level, users, bound in zip(
            examples.prediction().levels, (1, 2, 4, 8), (20.0, 40.0, 60.0, 60.0), strict=True
        )
    )
    figure = whole(prediction=replace(examples.prediction(), levels=levels))
    bound = trace(figure, "bound")
    assert list(zip(bound["x"], bound["y"], strict=True))[2] == (3.0, 60.0)
    assert trace(figure, "forecast")["x"] == [1, 2, 4, 8]


def test_a_guess_lands_in_both_plots() -> None:
    figure = whole(guess=Guess(users=8, rps=80.0))
    assert trace(figure, "your prediction")["y"] == pytest.approx([80])
    assert trace(figure, "your prediction", "x2")["y"] == pytest.approx([100])


def test_sweep_figure_draws_a_band_around_the_line_of_a_forecast_that_has_one() -> None:
    plain = examples.prediction()
    none = tuple(replace(level, band_rps=None) for level in plain.levels)
    wide = tuple(replace(each, band_rps=(each.model_rps / 2, each.bound_rps)) for each in none)
    for levels, drawn in ((none, False), (wide, True)):
        found = whole(prediction=replace(plain, levels=levels))["data"]
        assert {"bound", "forecast"} <= {each["name"] for each in found}
        for plot in ("x", "x2"):
            areas = [each for each in found if each["name"] == BAND and each["xaxis"] == plot]
            assert len(areas) == drawn
            for area in areas:
                line = trace({"data": found}, "forecast", plot)["y"]
                ends = list(zip(area["y"], area["y"][: len(line) - 1 : -1], strict=False))
                assert all(low <= y <= high for y, (low, high) in zip(line, ends, strict=False))


@pytest.mark.parametrize(
    ("work", "speed", "moves"),
    [
        (Workload(cpu_s=0.05), 0.9, True),
        (Workload(cpu_s=0.05), 0.99, False),
        (Workload(wait_s=0.05), 0.9, False),  # waits take as long on slow cores
    ],
)
def test_sweep_draws_the_forecast_at_the_speed_of_the_run_where_that_is_seen(
    work: Workload, speed: float, *, moves: bool
) -> None:
    asked = Experiment(Server("prefork", processes=8), work, Load([4, 8]))
    found = examples.by_law(asked, core_speed=speed)
    figure, table = sweep.show.figure(found), sweep.show.table(found)
    drawn = AT_RUN_SPEED in {each["name"] for each in figure["data"]}
    tabled, told = AT_RUN_SPEED in table.head, f"{AT_RUN_SPEED}: " in sweep.show.alt(found).lower()
    assert (drawn, tabled, told) == (moves,) * 3
    for plot, factor in (("x", speed), ("x2", 1 / speed)) if moves else ():
        first, again = (trace(figure, name, plot)["y"] for name in ("forecast", AT_RUN_SPEED))
        assert again == pytest.approx([factor * each for each in first], rel=0.01)


def far_apart(most: int) -> Experiment:
    """Processes enough for all users, who wait much longer than they compute."""
    work = Workload(cpu_s=0.001, wait_s=0.099)
    return Experiment(Server("prefork", processes=most), work, Load((1, most // 4, most)))


def test_axes_stand_still_and_turn_logarithmic_for_far_apart_levels() -> None:
    empty = sweep_figure(Drawing(users=examples.USERS))["layout"]
    assert empty["xaxis"]["range"] == whole()["layout"]["xaxis"]["range"]
    assert empty["xaxis"]["type"] == "linear"
    far = whole(users=(1, 8, 32))["layout"]
    assert far["xaxis"]["type"] == "log"
    assert far["xaxis"]["title"]["text"] == "users (log scale)"
    near = whole(users=(1, 8))["layout"]
    assert not any("log" in each["text"] for each in near["annotations"])


def test_each_plot_turns_logarithmic_by_its_own_values() -> None:
    """32 users at a third of the ceiling: throughput rises 32 times, and nobody waits longer."""
    found = examples.by_law(far_apart(32))
    forecast = Drawing(users=found.experiment.load.users, prediction=found.run.forecast)
    figure = sweep_figure(replace(forecast, points=found.points))
    assert figure["layout"]["yaxis"]["type"] == "log"
    assert figure["layout"]["yaxis2"]["type"] == "linear"
    titles = [each["text"] for each in figure["layout"].get("annotations", ())]
    assert ["(log scale)" in each for each in titles] == [True, False]
    alone = sweep_figure(replace(forecast, prediction=None, points=found.points))
    assert trace(alone, "measured here")["y"][0] < 12

    # What lands later turns no axis.
    slow = [replace(found.points[-1], mean_response_time_s=9.0)]
    landed = sweep_figure(replace(forecast, points=slow))["layout"]
    assert landed["yaxis2"]["type"] == "linear"

    # A bet lies at the edge of its plot: ten times above on one axis, three times on the other.
    bet = Guess(users=32, rps=1e6)
    high = sweep_figure(replace(forecast, guess=bet))
    known = max(trace(high, "bound")["y"] + trace(high, BAND)["y"])
    assert trace(high, "your prediction")["y"] == [pytest.approx(10 * known)]
    assert trace(high, "your prediction")["text"] == ["far above "]  # it looks like no value there
    small = sweep_figure(replace(forecast, guess=replace(bet, rps=1e-9)))
    lowest = min(trace(small, "bound")["y"] + trace(small, BAND)["y"])
    assert trace(small, "your prediction")["y"] == [pytest.approx(lowest / 10)]
    assert trace(small, "your prediction")["text"] == ["far below "]
    known = max(trace(small, "bound", "x2")["y"] + trace(small, BAND, "x2")["y"])
    assert trace(small, "your prediction", "x2")["y"] == [pytest.approx(3 * known)]


def labels(axis: dict[str, Any], low: float, high: float) -> list[str]:
    """Of the ticks between the two."""
    ticks = zip(axis["tickvals"], axis["ticktext"], strict=True)
    return [text for value, text in ticks if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


def test_a_logarithmic_axis_has_three_labels_whatever_it_spans() -> None:
    draw = random.Random(10)
    spans = [(10 ** draw.uniform(-4, 6), 10 ** draw.uniform(0.001, 3)) for _ in range(2000)]
    for low, times in [(65.0, 95 / 65), (1.0, 8.0), (40.0, 1.0), *spans]:
        axis = log_axis([low, low * times])
        shown = labels(axis, *((low, low * times) if times > 1 else (low / 2, low * 2)))
        assert 3 <= len(shown) <= 7 and len({*shown}) == len(shown), (low, times, shown)
        assert axis["tickvals"] == sorted(axis["tickvals"])
        assert axis["tickvals"] == [float(text.replace(",", "")) for text in axis["ticktext"]]
    assert labels(log_axis([10, 1000]), 10, 1000) == "10 20 50 100 200 500 1,000".split()
    assert labels(log_axis([0, math.nan, None]), 0.5, 2)


def check_that_no_mark_hides_another(figure: Figure) -> None:
    """Where marks coincide, what is drawn later is smaller or hollow."""
    marks = [
        (trace.get("xaxis"), trace.get("yaxis"), trace["name"], place, trace["marker"]["size"], x)
        for trace in figure["data"]
        if "markers" in trace.get("mode", "")
        for place, x in enumerate(trace["x"])
        if trace["y"][place] is not None
    ]
    names = {trace["name"]: trace for trace in figure["data"] if trace.get("marker")}
    for below, above in itertools.combinations(marks, 2):
        if below[:2] != above[:2] or below[-1] != above[-1] or below[2] == above[2]:
            continue
        symbols = names[above[2]]["marker"].get("symbol", "circle")
        symbol = symbols if isinstance(symbols, str) else symbols[above[3]]
        assert symbol.endswith("-open") or above[4] <= below[4] - 3, (below, above)


@each_recording
def test_figure_of_the_book_hides_no_mark_and_names_its_logarithmic_axes(file: Path) -> None:
    found = store.read(file)
    figure = showing(found).figure(found)
    check_that_no_mark_hides_another(figure)
    for each in figure["data"]:  # a mark at the end of an axis is whole
        assert "markers" not in each.get("mode", "") or each["cliponaxis"] is False
    titles = [each["text"] for each in figure["layout"].get("annotations", ())]
    for name, axis in figure["layout"].items():
        if name.startswith(("xaxis", "yaxis")) and axis.get("type") == "log":
            own = titles[int(name[5:] or 1) - 1] if name[0] == "y" else axis["title"]["text"]
            assert "(log scale)" in own


def test_marks_that_coincide_stay_visible_in_a_panel() -> None:
    check_that_no_mark_hides_another(whole(guess=replace(GUESS, rps=40.0)))
    check_that_no_mark_hides_another(timeline_figure(examples.timeline()))
    same = {f"part {number}": examples.recording() for number in range(5)}
    five = Comparison(machine=examples.MACHINE, over="users", parts=same)
    check_that_no_mark_hides_another(comparison_figure(five))


def test_on_a_telephone_one_plot_stands_above_the_other() -> None:
    layout = whole()["layout"]
    assert layout["xaxis"]["domain"][1] < layout["xaxis2"]["domain"][0]
    narrow = layout["meta"]["narrow"]
    assert narrow["xaxis"]["domain"] == narrow["xaxis2"]["domain"] == [0, 1]
    assert narrow["yaxis2"]["domain"][1] < narrow["yaxis"]["domain"][0]


def test_a_long_strip_is_thinned() -> None:
    samples = [examples.sample(index / 10) for index in range(1000)]
    strip = strip_rows(samples)
    assert len(strip["at"]) <= 120 and strip["seconds"] >= 98


@pytest.mark.parametrize(("cores", "rows"), [(1, 1), (2, 2), (8, 8), (20, 7), (64, 8)])
def test_the_strip_shows_each_core_or_group(cores: int, rows: int) -> None:
    several = map(examples.sample, range(4))
    samples = [replace(sample, cores=sample.cores[:1] * cores) for sample in several]
    strip = strip_rows(samples)
    assert len(strip["rows"]) == rows
    assert strip["rows"][0]["parts"][0][0] == 0.7  # of the core, or mean of the group
    values = [*(part for row in strip["rows"] for part in row["parts"])]
    values += [each["values"] for each in strip["counts"]]
    assert all(len(each) == len(strip["at"]) for each in values)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", ["BLUE", "ORANGE", "PURPLE", "GREEN", "GREY"])
@pytest.mark.parametrize("background", ["#ffffff", "#121212"])
def test_colours_read_on_light_and_dark(name: str, background: str) -> None:
    assert contrast(getattr(palette, name), background) >= 3


def test_no_two_series_look_alike_without_colour() -> None:
    figure = whole(guess=GUESS)

    def look(each: dict[str, Any]) -> tuple[str, str, str]:
        symbol = each.get("marker", {}).get("symbol", "")
        return each["mode"], str(symbol), each.get("line", {}).get("dash", "solid")

    looks = [look(each) for each in figure["data"] if each["xaxis"] == "x"]
    assert all(one != other for one, other in itertools.combinations(looks, 2))


def alt(points: Sequence[Point] = POINTS, users: tuple[int, ...] = examples.USERS) -> str:
    recorded = examples.recording() if len(users) > 1 else None
    guess, forecast = replace(GUESS, users=users[-1]), examples.prediction(users)
    asked = replace(DRAWING, users=users, points=points, prediction=forecast)
    return sweep_alt(replace(asked, recorded=recorded, guess=guess))


def test_alt_words(snapshot: SnapshotAssertion) -> None:
    one, two, eight = examples.point(1), examples.point(2, factor=2.0), examples.point(8)
    core = replace(examples.sample(0.0), cores=((0.5, 0.2, 0.0, 0.3),), workers=1)
    said = {
        "sweep": alt(),
        "sweep before the first point": alt(()),
        "sweep with a peak": alt([one, two, eight]),
        "sweep whose most came first": alt([two, eight]),
        "sweep of a lone user": alt([examples.point(1, checks=(examples.UNFIT,))], (1,)),
        "strip": strip_alt([examples.sample(index / 10) for index in range(40)]),
        "strip before the first look": strip_alt(()),
        "strip of one core": strip_alt([core]),
    }
    assert sheet(said) == snapshot


def test_figure_shows_the_spread_of_recorded_runs() -> None:
    recorded = trace(whole(), "recorded on 2 cores")
    assert recorded["y"][0] == pytest.approx(20)
    assert recorded["error_y"]["array"][0] == pytest.approx(2)
    assert recorded["error_y"]["arrayminus"][0] == pytest.approx(2)
    assert recorded["marker"]["color"] == palette.GREY
    alone = trace(whole(recorded=examples.recording(1.0)), "recorded on 2 cores")
    assert alone["error_y"]["array"][0] == pytest.approx(0.4)  # of one run its interval
    assert "runs" not in alone["customdata"][0]
