"""A comparison: one figure for several experiments, what it says of them, and its lab."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import examples
import plotly.graph_objects as go
import pytest
from msgspec import structs
from panel_driver import PanelDriver
from waiting import eventually

from labs.exercises import latest
from labs.host.supervisor import Stopped
from labs.kinds.comparison import verdict
from labs.kinds.comparison.figure import comparison_alt, comparison_figure
from labs.kinds.comparison.record import Comparison
from labs.kinds.comparison.run import ComparisonLab
from labs.kinds.comparison.show import show
from labs.kinds.registry import showing
from labs.kinds.sweep.record import Recording
from labs.measure.rig import Progress, Rig
from labs.panel.lab import LabPanel
from labs.present.plot import Figure
from labs.present.quantities import NoSuchNumber
from labs.records.errors import BadRecording, Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration, Check, Point, Run
from labs.theory.forecast import forecast

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")

SOON_S = 10.0
USERS = (10, 25, 50)
FEW, MANY = "25 threads", "50 × 1"
WAIT = Workload(wait_s=0.5)
PARTS = {
    FEW: Experiment(Server("threaded", threads=25), WAIT, Load(USERS)),
    MANY: Experiment(Server("threaded", threads=50), WAIT, Load(USERS)),
}
POOLS = {
    f"{size} workers": Experiment(
        Server("prefork", processes=size), Workload(cpu_s=0.05), Load((1, 2, 4))
    )
    for size in (1, 2, 16)
}
STARVED = Check(name="starved", unfit=True, sentence="11 of 50 users were never served.")


def points(experiment: Experiment, factor: float = 1.0) -> tuple[Point, ...]:
    """As the forecast says, times a factor; half a second of each answer is service."""
    expected = forecast(experiment, examples.CALIBRATION, examples.MACHINE)
    return tuple(
        replace(
            examples.point(1),
            users=level.users,
            throughput_rps=level.model_rps * factor,
            throughput_ci_rps=(level.model_rps * factor * 0.98, level.model_rps * factor * 1.02),
            mean_response_time_s=level.users / level.model_rps / factor,
            service_time_s=0.5 if experiment.workload == WAIT else None,
            pss_bytes=64 * 2**20,
            demand_s=expected.demand_s,
            connections={},
        )
        for level in expected.levels
    )


def part(experiment: Experiment, *factors: float) -> Recording:
    """A run for each factor."""
    runs = tuple(
        Run(
            recorded_at=examples.WHEN,
            calibration=examples.CALIBRATION,
            forecast=forecast(experiment, examples.CALIBRATION, examples.MACHINE),
            points=points(experiment, factor),
            samples=(examples.sample(0.1),),
        )
        for factor in factors or (1.0,)
    )
    return Recording(experiment=experiment, machine=examples.MACHINE, runs=runs)


def comparison(
    parts: dict[str, Experiment] = PARTS, *factors: float, over: Any = "users"
) -> Comparison:
    return Comparison(
        machine=examples.MACHINE,
        over=over,
        parts={label: part(experiment, *factors) for label, experiment in parts.items()},
    )


def with_point(found: Comparison, label: str, users: int, **changes: Any) -> Comparison:
    """The same comparison with one point of one part changed, in each of its runs."""
    changed = found.part(label)
    runs = tuple(
        replace(
            run,
            points=tuple(
                replace(point, **changes) if point.users == users else point for point in run.points
            ),
        )
        for run in changed.runs
    )
    parts = {**found.parts, label: structs.replace(changed, runs=runs)}
    return structs.replace(found, parts=parts)


def plain(text: str) -> str:
    return re.sub(r"<[^>]+>", "", text).replace("\u00a0", " ")


# -- records ---------------------------------------------------------------------------------


def test_a_comparison_has_whole_rounds_and_a_middle_run_of_each_part() -> None:
    made = comparison(PARTS, 0.98, 1.0, 1.01)
    assert [list(each) for each in made.runs] == [[FEW, MANY]] * 3
    last = made.part(MANY).runs[-1].points[-1]
    assert last.throughput_rps > made.part(MANY).at(50).throughput_rps
    with pytest.raises(KeyError, match="There are 25 threads, 50 × 1"):
        made.part("75 threads")
    with pytest.raises(BadRecording, match="holds no part"):
        structs.replace(made, parts={})


def test_rounds_are_merged_part_by_part() -> None:
    rounds = [comparison(PARTS, factor) for factor in (0.97, 1.0, 1.02)]
    assert ComparisonLab(PARTS).merge(rounds) == comparison(PARTS, 0.97, 1.0, 1.02)


@pytest.mark.parametrize(
    ("parts", "over", "words"),
    [
        ({FEW: PARTS[FEW]}, "users", "1 parts: a comparison has 2 to 5"),
        ({str(n): PARTS[FEW] for n in range(6)}, "users", "6 parts: a comparison has 2 to 5"),
        ({str(n): PARTS[FEW] for n in range(9)}, "pool", "9 parts: a comparison has 2 to 8"),
        (PARTS, "time", "over='time': choose one of users, pool"),
        ({"a: b": PARTS[FEW], "c": PARTS[MANY]}, "users", "'a: b': a label is a few words"),
        ({"a": PARTS[FEW], "b": PARTS[FEW]}, "pool", "'b': the same pool of 25 as 'a'"),
        (
            {"a": PARTS[FEW], "b": Experiment(Server("event-loop"), WAIT, Load(USERS))},
            "pool",
            "'b': an event loop has no pool to put on the axis",
        ),
    ],
)
def test_parts_that_do_not_fit_in_a_figure_are_refused(
    parts: dict[str, Experiment], over: Any, words: str
) -> None:
    with pytest.raises(Unusable, match=words):
        ComparisonLab(parts, over=over)


# -- figures ---------------------------------------------------------------------------------


def trace(figure: Figure, name: str, plot: str = "x") -> dict[str, Any]:
    (found,) = [each for each in figure["data"] if each["name"] == name and each["xaxis"] == plot]
    return dict(found)


def planned(parts: dict[str, Experiment]) -> Comparison:
    """Before the first point."""
    whole = comparison(parts)
    empty = {
        label: structs.replace(part, runs=(replace(part.run, points=()),))
        for label, part in whole.parts.items()
    }
    return structs.replace(whole, parts=empty)


@pytest.mark.parametrize(
    "made",
    [
        planned(PARTS),
        with_point(comparison(), FEW, 50, checks=(examples.UNFIT,), throughput_rps=0.0),
    ],
)
def test_plotly_takes_also_what_has_no_point_or_no_throughput(made: Comparison) -> None:
    figure = comparison_figure(made)
    go.Figure(figure)
    go.Figure(layout={**figure["layout"], **figure["layout"]["meta"]["narrow"]})
    assert comparison_alt(made)


def test_each_part_has_its_forecast_its_points_and_their_intervals() -> None:
    figure = comparison_figure(comparison())
    line, marks = trace(figure, f"{FEW}: forecast"), trace(figure, f"{FEW}: measured")
    assert line["x"] == marks["x"] == list(USERS)
    assert line["y"] == pytest.approx(marks["y"])
    assert marks["y"] == pytest.approx([20, 50, 50], rel=0.01)
    assert marks["error_y"]["array"] == pytest.approx([each * 0.02 for each in marks["y"]])
    slow = trace(figure, f"{FEW}: measured", "x2")
    assert slow["y"] == pytest.approx([500, 500, 1000], rel=0.01)


def test_of_several_runs_the_middle_one_is_drawn_with_their_spread() -> None:
    marks = trace(comparison_figure(comparison(PARTS, 0.9, 1.0, 1.1)), f"{MANY}: measured")
    middle = trace(comparison_figure(comparison()), f"{MANY}: measured")["y"]
    assert marks["y"] == pytest.approx(middle)
    assert marks["error_y"]["arrayminus"] == pytest.approx([each * 0.1 for each in middle])
    assert "in 3 runs" in marks["customdata"][0]


def test_time_in_service_is_dotted_below_the_response_time_where_it_is_known() -> None:
    figure = comparison_figure(comparison())
    served = trace(figure, f"{FEW}: in service", "x2")
    assert served["line"]["dash"] == "dot"
    assert served["y"] == pytest.approx([500, 500, 500])
    assert "500 ms in service" in plain(served["customdata"][-1])
    names = [each["name"] for each in comparison_figure(comparison(POOLS, over="pool"))["data"]]
    assert not [name for name in names if "in service" in name]


def test_unfit_points_are_hollow() -> None:
    unfit = with_point(comparison(), MANY, 25, checks=(examples.UNFIT,))
    marks = trace(comparison_figure(unfit), f"{MANY}: measured")
    assert marks["marker"]["symbol"] == ["square", "square-open", "square"]
    assert "hollow: unfit" in comparison_figure(unfit)["layout"]["legend"]["title"]["text"]
    assert "Unfit and drawn hollow: at 25." in comparison_alt(unfit)


def test_no_two_lines_look_alike_without_colour() -> None:
    five = {
        f"{n} processes": replace(PARTS[FEW], server=Server("prefork", processes=n))
        for n in range(1, 6)
    }
    figure = comparison_figure(comparison(five))
    keys = [each for each in figure["data"] if each["showlegend"] and each["mode"] != "lines"]
    assert len(keys) == 5
    looks = [(each["line"]["dash"], each["marker"]["symbol"]) for each in keys]
    for one, other in itertools.combinations(looks, 2):
        assert one[0] != other[0] and one[1] != other[1]
    assert "dot" not in [dash for dash, _ in looks]  # that is for the time in service


def test_over_the_pool_there_is_a_line_for_each_number_of_users() -> None:
    figure = comparison_figure(comparison(POOLS, over="pool"))
    four = trace(figure, "4 users: measured")
    assert four["x"] == [1, 2, 16]
    assert four["y"][0] == pytest.approx(20, rel=0.02) and four["y"][2] > 1.8 * four["y"][0]
    assert trace(figure, "1 user: measured")["y"] == pytest.approx([20, 20, 20], rel=0.02)
    assert figure["layout"]["xaxis"]["title"]["text"] == "workers in the pool"
    assert figure["layout"]["xaxis"]["type"] == "log"
    assert figure["layout"]["yaxis"]["type"] == "linear"
    alt = plain(comparison_alt(comparison(POOLS, over="pool")))
    assert "over 1 to 16 workers in the pool, a line for each number of users." in alt
    assert re.search(r"4 users: 19\.\d req/s and 20\d ms at 1, .* at 16 workers\.", alt)


def test_axes_stand_still_from_the_first_forecast_on() -> None:
    before, after = (
        comparison_figure(made)["layout"] for made in (planned(POOLS), comparison(POOLS))
    )
    assert before["xaxis"]["range"] == after["xaxis"]["range"]
    assert "not measured yet" in comparison_alt(planned(PARTS))


# -- words -----------------------------------------------------------------------------------


def test_what_is_about_to_be_compared_says_what_the_parts_share_once() -> None:
    said = plain(verdict.about(PARTS))
    assert said == (
        "One after the other: “25 threads” and “50 × 1”. Each server answers requests that wait "
        "for 500 ms, while 10, 25 and 50 users ask, one request at a time each."
    )
    loop = Server("event-loop")
    kinds = {
        name: Experiment(loop, Workload(cpu_s=cpu, wait_s=0.05 - cpu), Load((1, 4)))
        for name, cpu in (("waits", 0.0), ("computes", 0.05))
    }
    assert "run by uvicorn, on all cores) answers 2 kinds of request, while 1 and 4 users ask" in (
        plain(verdict.about(kinds))
    )


def said(made: Comparison) -> dict[str, str]:
    return {label: plain(sentences) for label, sentences in verdict.said(made, {})}


def test_the_verdict_names_the_limits_the_ratio_and_that_it_is_more_than_noise() -> None:
    words = said(comparison())
    first = r"At 50 users “50 × 1” answered the most, 99\.\d req/s: (1\.99|2\.00?) times what “25"
    assert re.match(first, words[""])
    assert "more than noise: the intervals lie apart" in words[""]
    assert "A user waited 50" in words[""] and "forecast, made before its load" in words[""]
    assert words[FEW].startswith("At 50 users the pool is the limit: 25 threads at 500 ms")
    assert words[MANY].startswith("At 50 users the users themselves are the limit")


def test_a_difference_within_the_intervals_is_called_noise() -> None:
    same = {"a": PARTS[FEW], "b": PARTS[FEW]}
    assert "the difference is no more than noise" in said(comparison(same))[""]
    apart = verdict.ratio(comparison(), MANY, FEW, 50)
    assert not apart.noise and apart.value == pytest.approx(2, rel=0.02)
    assert verdict.ratio(comparison(), MANY, FEW, 10).noise
    wide = comparison(PARTS, 0.4, 1.0, 1.6)  # what runs do not agree on is not known
    assert verdict.ratio(wide, MANY, FEW, 50).noise


def test_who_is_near_the_best_is_said_too() -> None:
    words = said(comparison(POOLS, over="pool"))[""]
    assert "“2 workers” within noise of it" in words or "“16 workers” within noise" in words
    assert "what “1 workers” did" in words


def test_starved_users_are_the_result_where_the_listen_queue_overflowed() -> None:
    full = with_point(
        comparison(), FEW, 50, checks=(STARVED,), never_served=11, listen_overflows=40
    )
    words = said(full)
    assert "40 connections found the listen queue full" in words[FEW]
    assert "11 of 50 users were never served" in words[FEW]
    assert verdict.comparable(full) == 50
    unfit = with_point(comparison(), FEW, 50, checks=(STARVED,), never_served=11)
    assert verdict.comparable(unfit) == 25
    hopeless = planned(PARTS)
    assert "nothing is said of their ratio" in said(hopeless)[""]
    assert "Nothing was measured" in said(hopeless)[FEW]


def test_a_run_is_recorded_when_five_of_six_points_are_fit_but_for_full_queues() -> None:
    lab = ComparisonLab(PARTS)
    assert lab.rejection(comparison()) == ""
    one = with_point(comparison(), MANY, 25, checks=(examples.UNFIT,))
    assert lab.rejection(one) == ""
    noisy = with_point(one, MANY, 50, checks=(examples.UNFIT,))
    assert lab.rejection(noisy) == "50 × 1: Too noisy: the interval is ± 14 %."
    starved = with_point(one, FEW, 50, checks=(STARVED,), never_served=11)
    assert "25 threads: 11 of 50 users" in lab.rejection(starved)
    alone = with_point(comparison(), FEW, 50, checks=(STARVED,), never_served=11)
    assert lab.rejection(with_point(alone, FEW, 50, listen_overflows=40)) == ""


def test_a_recording_of_other_parts_is_not_what_was_asked() -> None:
    asked, pools = ComparisonLab(PARTS), ComparisonLab(POOLS, over="pool")
    assert asked.matches(comparison())
    assert not asked.matches(comparison(dict(reversed(PARTS.items()))))
    assert not asked.matches(comparison({**PARTS, MANY: PARTS[FEW]}))
    assert not pools.matches(comparison(POOLS))
    assert pools.matches(comparison(POOLS, over="pool"))


# -- table and page --------------------------------------------------------------------------


def test_the_table_has_a_row_for_each_part_and_level() -> None:
    table = show.table(comparison())
    assert table.head[:2] == ("part", "users")
    assert [row[:2] for row in table.rows] == [
        (label, str(users)) for label in (FEW, MANY) for users in USERS
    ]
    row = dict(zip(table.head, table.rows[2], strict=True))
    assert row["in service ms"] == "500" and float(row["queued ms"]) == pytest.approx(500, rel=0.02)
    assert row["memory MiB"] == "64" and row["never served"] == row["queue overflows"] == "0"


def test_the_verdict_of_each_part_stands_in_the_page() -> None:
    words = show.verdict(comparison())
    assert f"<p><b>{FEW}.</b> At 50 users the pool is the limit" in words.replace("\u00a0", " ")
    assert "more than noise" in words


def quote(label: str, name: str, *given: object) -> str:
    """Of a comparison, or with a label of one part."""
    changed = {"listen_overflows": 7, "never_served": 1, "service_time_s": None}
    made = with_point(comparison(PARTS, 0.99, 1.0, 1.01), MANY, 50, **changed)
    result = show.part(made, label) if label else made
    return plain(str(showing(result).quote(result, name, *given)))


@pytest.mark.parametrize(
    ("label", "name", "given", "words"),
    [
        ("", "ratio", (MANY, FEW, 50), r"2\.0|1\.99|2\.00"),
        ("", "ratio", (FEW, MANY, 10), r"1\.00"),
        ("", "cores", (), "2 cores"),
        (FEW, "throughput", (50,), r"49\.\d req/s|50 req/s"),
        (FEW, "service_time", (50,), "500 ms"),
        (MANY, "never_served", (50,), "1 user"),
        (MANY, "overflows", (50,), "7"),
        (FEW, "cores", (), "2 cores"),
    ],
)
def test_numbers_of_a_comparison_and_of_its_parts(
    label: str, name: str, given: tuple[object, ...], words: str
) -> None:
    assert re.fullmatch(words, quote(label, name, *given))


@pytest.mark.parametrize(
    ("label", "name", "given", "words"),
    [
        ("75 threads", "throughput", (50,), "no such part. There are 25 threads, 50 × 1"),
        ("", "ratio", (MANY, "75", 50), "'75': no such part"),
        ("", "ratio", (MANY, FEW, 3), "users=3: not recorded"),
        ("", "throughput", (50,), "no such number. There are cores, machine, ratio"),
        (MANY, "queued", (50,), "was not counted"),
    ],
)
def test_a_number_that_a_comparison_has_not(
    label: str, name: str, given: tuple[object, ...], words: str
) -> None:
    with pytest.raises(NoSuchNumber, match=words):
        quote(label, name, *given)


# -- the panel, with sweeps that are told what to find ---------------------------------------


class Script:
    """In the place of each part's sweep: one release, one level."""

    def __init__(self) -> None:
        self.go = threading.Semaphore(0)
        self.begun: list[Experiment] = []

    def sweep(self, rig: Rig, experiment: Experiment) -> Recording:
        self.begun.append(experiment)
        rig.progress("starting")
        whole = part(experiment)
        for number in range(len(whole.points) + 1):
            run = replace(whole.run, points=whole.points[:number])
            rig.partial(structs.replace(whole, runs=(run,)))
            if number == len(whole.points):
                break
            rig.progress(f"{whole.points[number].users} users")
            rig.on_event(examples.sample(number / 10))
            assert rig.until(lambda: self.go.acquire(blocking=False), SOON_S)
        return whole


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Nothing is burned, and nobody else's turn is waited for."""

    def burned(*_: object, **__: object) -> Calibration:
        return examples.CALIBRATION

    made = Script()
    monkeypatch.setattr(latest, "_latest", {})
    monkeypatch.setattr("labs.host.lock.LOCK", tmp_path / "turn.lock")
    monkeypatch.setattr("labs.measure.rig.calibrate", burned)
    monkeypatch.setattr("labs.kinds.comparison.run.last", burned)
    monkeypatch.setattr("labs.kinds.comparison.run.sweep", made.sweep)
    monkeypatch.setattr("labs.host.hardware.fingerprint", lambda: examples.MACHINE)
    return made


@pytest.fixture
def panel(script: Script) -> Iterator[PanelDriver]:
    recorded = comparison(PARTS, 0.98, 1.0, 1.01)
    made = PanelDriver(LabPanel("the-launch", ComparisonLab(PARTS), recorded=recorded))
    yield made
    made.shut()


def landed(panel: PanelDriver, label: str) -> list[int]:
    found = [
        each
        for each in panel.figure["data"]
        if each["name"] == f"{label}: measured" and each["xaxis"] == "x"
    ]
    return list(found[0]["x"]) if found else []


def test_the_question_is_of_the_last_part_at_its_last_level(panel: PanelDriver) -> None:
    asked = panel.said("question")
    assert "how many requests a second will it answer with “50 × 1” at 50 users, in req/s?" in asked
    assert re.search(r"takes about \d+ s", panel.said("progress"))
    assert landed(panel, FEW) == landed(panel, MANY) == list(USERS)  # as recorded
    assert panel.panel._lab.answer(comparison()) == pytest.approx((99.9, 99.9), rel=0.01)


def test_parts_land_one_after_the_other_and_the_answer_is_set_beside_them(
    panel: PanelDriver, script: Script
) -> None:
    panel.commit("200")
    job = panel.run()
    eventually(lambda: landed(panel, FEW) == [], SOON_S, "the recorded run to make room")
    assert trace(panel.figure, f"{MANY}: forecast")["x"] == list(USERS)
    script.go.release(2)
    eventually(lambda: landed(panel, FEW) == [10, 25], SOON_S, "two points of the first part")
    assert panel.said("verdict") == panel.said("answer") == ""
    script.go.release(3)
    eventually(lambda: landed(panel, MANY) == [10, 25], SOON_S, "two points of the second part")
    assert landed(panel, FEW) == list(USERS)
    eventually(lambda: f"{MANY}: 50 users" in panel.said("progress"), SOON_S)
    script.go.release()
    assert job.join(SOON_S)
    said = panel.said("answer")
    assert said.split(": yours was ")[1].strip() == "2 times as much."
    assert re.search(
        r"You said 200 req/s with .* the model 9\d\.\d req/s, and it was 9\d\.\d", said
    )
    assert "more than noise" in panel.said("verdict")
    assert isinstance(latest.latest("the-launch"), Comparison)
    assert script.begun == list(PARTS.values())


def test_stop_keeps_what_was_measured_and_guesses_at_nothing(
    panel: PanelDriver, script: Script
) -> None:
    panel.commit("200")
    job = panel.run()
    script.go.release(4)
    eventually(lambda: landed(panel, MANY) == [10], SOON_S)
    panel.press_stop()
    assert job.join(SOON_S)
    assert landed(panel, FEW) == list(USERS) and landed(panel, MANY) == [10]
    assert "Measured here before the end" in panel.said("caption")
    assert "the-launch-2-cores.csv" in panel.html("data")
    assert "that was not measured" in panel.said("answer")


def test_a_server_that_this_machine_cannot_run_is_refused_before_anything_starts(
    script: Script,
) -> None:
    huge = replace(PARTS[FEW], server=Server("threaded", processes=1024, threads=4))
    rig = Rig()
    rig.machine = replace(examples.MACHINE, memory_bytes=64 * 2**20)
    with pytest.raises(Unusable, match="would fit"):
        rig.perform(ComparisonLab({**PARTS, "too many": huge}))
    assert script.begun == []


def test_on_a_small_machine_each_part_begins_modestly() -> None:
    lab = ComparisonLab(POOLS, over="pool")
    small = lab.scaled_down(1, shared=False)
    assert list(small.parts) == list(POOLS) and small.over == "pool"
    assert {part.workload.cpu_s for part in small.parts.values()} == {0.0}
    assert "This machine has one core" in small.about()
    assert lab.scaled_down(4, shared=False).parts == POOLS


def test_a_smoke_test_of_the_pools_keeps_them_apart() -> None:
    trial = ComparisonLab(POOLS, over="pool").smoke_test()
    assert [part.server.pool for part in trial.parts.values()] == [1, 16]
    assert len({part.load.users for part in trial.parts.values()}) == 1
    assert all(len(part.load.users) == 1 for part in trial.parts.values())


# -- for real --------------------------------------------------------------------------------


def of_sizes(sizes: tuple[int, ...], users: list[int]) -> dict[str, Experiment]:
    wait, load = Workload(wait_s=0.05), Load(users, seconds=0.5)
    return {
        f"{size} workers": Experiment(Server("prefork", processes=size), wait, load)
        for size in sizes
    }


@pytest.mark.measures
def test_two_servers_are_measured_in_one_turn() -> None:
    """Four users get four workers' worth from the one, and one worker's from the other."""
    parts = of_sizes((1, 4), [4])
    told: list[Any] = []
    found = Rig(told.append).perform(ComparisonLab(parts, over="pool"))
    assert list(found.parts) == list(parts) and len(found.runs) == 1
    ratio = verdict.ratio(found, "4 workers", "1 workers", 4).value
    assert 2 < ratio < 5  # 4 by the law; a busy machine delays four more than one
    one, four = (part.run.calibration for part in found.parts.values())
    assert one.loops_per_s == four.loops_per_s  # burned once
    partial = [len(each.part("1 workers").points) for each in told if isinstance(each, Comparison)]
    assert partial == sorted(partial) and partial[0] == 0 and partial[-1] == 1
    progress = [each for each in told if isinstance(each, Progress)]
    halves = [each.fraction for each in progress if each.stage.startswith("4 workers")]
    assert halves and 0.3 < halves[0] < halves[-1] and halves[-1] > 0.8
    assert comparison_alt(found) and go.Figure(comparison_figure(found))


@pytest.mark.measures
def test_stopping_ends_a_comparison_at_once() -> None:
    stop = threading.Event()

    def on_event(event: Any) -> None:
        if isinstance(event, Comparison) and event.part("1 workers").points:
            stop.set()

    rig = Rig(on_event, stop)
    with pytest.raises(Stopped):
        rig.perform(ComparisonLab(of_sizes((1, 2), [1, 2, 4])))
    assert [len(part.points) for part in rig.found.parts.values()] == [1, 0]
