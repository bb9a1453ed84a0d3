"""What the benches say of figures; their modules can all be run."""

from __future__ import annotations

import importlib
import itertools
import re
from dataclasses import replace
from pathlib import Path

import examples
import pytest
from msgspec import structs

from bench import book, levels, page, panel, promises, scenes
from labs.analysis import checks
from labs.records.experiment import Workload
from labs.records.results import Check

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path.stem for path in (ROOT / "bench").glob("[a-z]*.py"))
OTHERS = Check(name="others", unfit=False, sentence="Others used 12 % of the machine.")


@pytest.mark.parametrize("name", MODULES)
def test_every_bench_can_be_run(name: str) -> None:
    assert importlib.import_module(f"bench.{name}").__doc__


def row(users: int, off: float, *checks: Check, work: str = "mixed", bound: float = 0.0):
    """A level that lies so far from its forecast, and from its bound, with an interval of 2 %."""
    return levels.Row(
        point=replace(examples.point(users), checks=checks),
        work=work,
        forecast=off,
        bound=bound,
        consistency=0.0,
        covered=abs(off) <= 0.02,
        above=bound > 0.02,
    )


def cells(text: str, title: str) -> list[str]:
    """The figures of that line."""
    lines = (re.split(r" {2,}", line.strip()) for line in text.splitlines())
    (found,) = (line[1:] for line in lines if line[0] == title)
    return found


def test_kinds_of_work_are_told_apart_by_what_a_request_does() -> None:
    works = {
        "CPU only": Workload(cpu_s=0.1),
        "waits only": Workload(wait_s=0.1),
        "mixed": Workload(cpu_s=0.1, wait_s=0.1),
        "file": Workload(page="file"),
    }
    assert {name: levels.work_of(work) for name, work in works.items()} == {n: n for n in works}


def test_a_row_says_whether_the_forecast_lies_in_the_interval_and_the_interval_above_the_bound():
    """The example's forecast is 0.99 of its bound, and its interval ± 2 %."""
    for factor, covered, above in ((1.0, True, False), (1.03, False, True), (0.9, False, False)):
        for each in levels.rows(examples.recording(factor)):
            assert (each.covered, each.above) == (covered, above)
            assert each.forecast == pytest.approx(factor / 0.99 - 1)
            assert each.bound == pytest.approx(factor - 1)
            assert each.work == "CPU only"
    found = examples.recording(1.03)
    (run,) = found.runs
    wider = tuple(
        replace(level, bound_ci_rps=(0.98 * level.bound_rps, 1.02 * level.bound_rps))
        for level in run.forecast.levels
    )
    run = replace(run, forecast=replace(run.forecast, levels=wider))
    assert not any(row.above for row in levels.rows(structs.replace(found, runs=(run,))))


def test_a_summary_has_a_sign_where_that_tells_more_than_a_size() -> None:
    errors = (0.01, -0.06, 0.02, -0.01, 0.015)
    found = [row(8, off, bound=0.03 * (off == 0.02)) for off in errors]
    found[1] = row(8, -0.06, examples.UNFIT)
    summary = levels.Summary.of(found)
    assert summary.bias == pytest.approx(-0.005)
    assert summary.median == pytest.approx(0.015)
    assert summary.worst == -0.06
    assert summary.coverage == pytest.approx(4 / 5)
    assert summary.above == pytest.approx(1 / 5)
    assert summary.fit == pytest.approx(4 / 5)


def test_a_goal_that_is_missed_is_marked_where_it_holds() -> None:
    summary = levels.Summary.of([row(8, 0.03), row(8, -0.11), row(8, 0.03)])
    said = {goal.figure: goal.said(summary, "mixed") for goal in levels.GOALS}
    assert said == {
        "bias": "-1.7 %!",
        "median": "3.0 %!",
        "worst": "-11.0 %!",
        "coverage": "0.0 %!",
        "above": "0.0 % ",
        "fit": "100.0 % ",
    }
    waits = {goal.figure: goal.said(summary, "waits only") for goal in levels.GOALS}
    assert not any(text.endswith("!") for text in waits.values())
    above = levels.Summary.of([row(8, 0.05, examples.UNFIT, bound=0.05)])
    said = {goal.figure: goal.said(above, "waits only") for goal in levels.GOALS}
    assert [name for name, text in said.items() if text.endswith("!")] == ["above", "fit"]


def test_what_the_machine_did_is_not_counted_as_the_instrument_s_failure() -> None:
    few = Check(name="few", unfit=True, sentence="Only 12 requests.")
    full = Check(name="load generator", unfit=True, sentence="Locust was full.")
    found = [
        row(1, 0.001),
        row(8, 0.01),
        row(8, 0.01, few),
        row(8, -0.3, OTHERS),
        row(8, -0.5, full, examples.UNFIT),
        row(8, 0.4, *checks.noise(0.2)),
        row(8, 0.0, work="waits only"),
    ]
    text = levels.by_work(found)
    told = "disturbed by the machine: 3 of 7 levels (others 1, load generator 1, noise 1)"
    assert told in text
    assert "left alone, and the instrument failed: 1 of 4 levels (few 1)" in text
    figures = ["2", "+1.0 %", "1.0 %", "+1.0 %", "100.0 %", "0.0 %", "50.0 %!"]
    assert cells(text, "mixed, left alone") == figures
    assert cells(text, "mixed, all")[3] == "-50.0 %!"
    assert cells(text, "mixed, 1 user, left alone")[1] == "+0.1 %"
    assert cells(text, "any work, left alone")[0] == "4"
    assert levels.by_work([row(8, 0.0, OTHERS)])  # nothing was left alone


def test_the_book_says_how_many_figures_of_which_lab_were_unfit() -> None:
    def figure(*checks: Check) -> book.Figure:
        return book.Figure(name="8 users", measured=39.0, forecast=40.0, checks=checks)

    labs = {
        "one-core": [figure(), figure(OTHERS)],
        "threads": [figure(examples.UNFIT), figure(examples.UNFIT), figure()],
    }
    assert book.unfit(labs).splitlines() == ["unfit: 2 of 5 figures", "  threads: 2 of 3"]
    assert "2.5%" in book.forecasts("all", labs["threads"])
    found = list(book.figures(examples.recording(1.0)))
    assert [each.measured for each in found] == [20.0, 40.0, 40.0, 40.0]


def test_a_promise_is_kept_by_the_middle_of_its_rounds() -> None:
    runs = [
        promises.Kept(lab=lab, promised_s=10.0, took_s=took_s)
        for lab, took_s in (("a", 30.0), ("a", 11.0), ("a", 9.0), ("b", 12.5))
    ]
    assert promises.rows(runs) == [
        ["b", "10.0", "12.5", "1.25", "off"],
        ["a", "10.0 10.0 10.0", "30.0 11.0 9.0", "1.10", ""],
    ]


def test_promises_are_asked_of_every_lab_of_the_book(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABS_MODE", "live")
    for cell in promises.cells():
        assert cell.lab in promises.labs_of(cell)


def test_a_frame_of_a_scene_costs_what_the_page_did_about_the_reader_s_hand_too() -> None:
    def event(name: str, ms: float, tid: int = 1, **more: object) -> dict[str, object]:
        told = {"ph": "X", "pid": 1, "tid": tid, "name": name, "tdur": 1000 * ms, "dur": 9e3}
        return told | {"ts": 1e4 * next(moments)} | more

    moments = itertools.count()
    turned = event("EventDispatch", 4.0, args={"data": {"type": "input"}})
    key = event("EventDispatch", 7.0, args={"data": {"type": "keydown"}})
    drawn = [
        event(name, ms) for _ in range(2) for name, ms in ((scenes.FRAME, 2.0), ("Paint", 1.0))
    ]
    inside = [
        each | {"ts": each["ts"] + 1, "dur": 8e3} for each in drawn if each["name"] == "Paint"
    ]
    frames, spent = scenes.per_frame([*inside, *drawn, turned, key, event("Paint", 9.0, tid=2)])
    assert frames == 2 and spent["FireAnimationFrame"] == 2.0 and spent["Paint"] == 1.0
    assert spent["input"] == 2.0
    assert scenes.per_frame([key]) == (0, {})


def test_only_a_scene_that_plays_misses_the_goal_of_a_frame() -> None:
    frames = [scenes.Frame(plays, ms) for plays in (True, False) for ms in (7.9, 8.1)]
    assert [each.misses for each in frames] == [False, True, False, False]


def test_a_page_is_late_by_the_middle_of_its_rounds() -> None:
    took = {"file": (9.0,), "live, warm": (1.4, 9.0, 1.4), "live, second page": (0.9, 1.1, 1.2)}
    found = [
        page.Opened(how, 0.2, 0.1, None if how == "file" else s, 1, 1)
        for how in took
        for s in took[how]
    ]
    (said,) = page.over(found)
    assert said == "live, second page: its panel can be used after 1100 ms, and the goal is 1000."
    assert found[1].row == ["live, warm", "200", "100", "1400", "1500", "0", "0"]
    late = [page.Opened("file", 0.2, figure_s, None, 1, 1) for figure_s in (0.19, 0.3, 0.4)]
    assert page.over(late) == ["file: its figure is there 100 ms after the first paint."]


def test_what_a_page_costs_is_what_it_takes_beside_the_command() -> None:
    """The kernel of either reads the counters: that is no cost of the page."""
    run = panel.Run(
        lab="many-cores", where="page", misses=(-0.03,), steady=(), unfit=0,
        browser=0.01, kernel=0.02,
    )  # fmt: skip
    here = replace(run, where="here", misses=(-0.01,), browser=0.0, kernel=0.018)
    said = panel.summary([run, here], cores=2)
    assert said[0].startswith("browser, kernel and server in the windows: 0.030 cores")
    assert said[1].startswith("that is +0.012 cores beside what the command takes by itself: 0.6%")
    assert "apart -2.0% (goal: <= 1%)" in said[3]
