"""A comparison: one figure for several experiments, what it says of them, and its lab."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import examples
import pytest
from markup import plain
from msgspec import structs
from panel_driver import SOON_S, PanelDriver, Script
from waiting import eventually

from labs.analysis.checks import BOUND
from labs.kinds.comparison import verdict
from labs.kinds.comparison.contrast import decided
from labs.kinds.comparison.figure import comparison_figure
from labs.kinds.comparison.record import Comparison
from labs.kinds.comparison.run import ComparisonLab
from labs.kinds.sweep.record import Recording
from labs.measure.progress import Progress
from labs.measure.rig import Rig
from labs.panel.lab import LabPanel
from labs.present.plot import Figure
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Check, Run

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")

USERS = (10, 25, 50)
FEW, MANY = "25 threads", "50 × 1"
WAIT, WAITED = Workload(wait_s=0.5), {"service_time_s": 0.5, "pss_bytes": 64 * 2**20}
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
ABOVE = Check(name=BOUND, unfit=False, sentence="That cannot be.")
STARVED = Check(name="starved", unfit=True, sentence="11 of 50 users were never served.")


def part(experiment: Experiment, *factors: float) -> Recording:
    """As the forecast says, times a factor; half a second of each answer is service."""
    return examples.by_law(experiment, *factors, **(WAITED if experiment.workload == WAIT else {}))


def comparison(
    parts: dict[str, Experiment] = PARTS, *factors: float, over: Any = "users"
) -> Comparison:
    made = {label: part(experiment, *factors) for label, experiment in parts.items()}
    return Comparison(machine=examples.MACHINE, over=over, parts=made)


def with_point(found: Comparison, label: str, users: int, **changes: Any) -> Comparison:
    """The same comparison with one point of one part changed, in each of its runs."""

    def changed(run: Run) -> Run:
        each = (replace(one, **changes) if one.users == users else one for one in run.points)
        return replace(run, points=tuple(each))

    part = found.part(label)
    part = structs.replace(part, runs=tuple(changed(run) for run in part.runs))
    return structs.replace(found, parts={**found.parts, label: part})


# -- records ---------------------------------------------------------------------------------


def test_a_comparison_has_whole_rounds_and_a_middle_run_of_each_part() -> None:
    made = comparison(PARTS, 0.98, 1.0, 1.01)
    assert made == ComparisonLab(PARTS).merge([comparison(PARTS, each) for each in (0.98, 1, 1.01)])
    assert [list(each) for each in made.runs] == [[FEW, MANY]] * 3
    last = made.part(MANY).runs[-1].points[-1]
    assert last.throughput_rps > made.part(MANY).at(50).throughput_rps
    with pytest.raises(KeyError, match="There are 25 threads, 50 × 1"):
        made.part("75 threads")


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


def test_unfit_points_are_hollow() -> None:
    unfit = with_point(comparison(), MANY, 25, checks=(examples.UNFIT,))
    marks = trace(comparison_figure(unfit), f"{MANY}: measured")
    assert marks["marker"]["symbol"] == ["square", "square-open", "square"]
    assert "hollow: unfit" in comparison_figure(unfit)["layout"]["legend"]["title"]["text"]


def test_no_two_lines_look_alike_without_colour() -> None:
    five = {
        f"{n} processes": replace(PARTS[FEW], server=Server("prefork", processes=n))
        for n in range(1, 6)
    }
    traces = comparison_figure(comparison(five))["data"]
    keys = [each for each in traces if each["showlegend"] and each["mode"] != "lines"]
    assert len({each["marker"]["symbol"] for each in keys}) == 5
    dashes = {each["line"]["dash"] for each in keys}
    assert len(dashes - {"dot"}) == 5  # that is for the time in service


def test_axes_stand_still_from_the_first_forecast_on() -> None:
    before, after = (
        comparison_figure(made)["layout"] for made in (planned(POOLS), comparison(POOLS))
    )
    assert before["xaxis"]["range"] == after["xaxis"]["range"]


# -- words -----------------------------------------------------------------------------------


def said(made: Comparison) -> dict[str, str]:
    return {label: plain(" ".join(found)) for label, found in verdict.findings(made)}


def test_what_is_decided_is_fixed_before_the_run() -> None:
    """The first and the last part, at the most users at which both can be believed."""
    made = comparison(POOLS, over="pool")
    found = decided(made.parts)
    assert (found.over, found.under, found.users) == ("16 workers", "1 workers", 4)
    low, high = found.interval
    assert low < found.ratio < high
    wider = decided(made.parts, confidence=0.99)
    assert wider.interval[0] < low and wider.ratio == found.ratio
    unfit = with_point(made, "16 workers", 4, checks=(examples.UNFIT,))
    assert decided(unfit.parts).users == 2
    assert decided(with_point(made, "2 workers", 4, checks=(examples.UNFIT,)).parts).users == 4
    assert decided(planned(POOLS).parts) is None


def test_a_promise_of_what_was_never_measured_here_is_as_good(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of requests without work there is no forecast before the first run."""

    def promised_s(**known: float) -> float:
        calibration = replace(examples.CALIBRATION, **known)
        monkeypatch.setattr("labs.kinds.comparison.run.last", lambda *_: calibration)
        experiment = Experiment(Server("threaded", threads=25), Workload(page="file"), Load((1, 8)))
        return ComparisonLab({"one": experiment, "another": experiment}).seconds()

    never_s = promised_s(overhead_s=0.0, generator_s=0.0)
    assert never_s == pytest.approx(promised_s(overhead_s=1e-4, generator_s=1e-4), rel=0.05)


def test_no_difference_says_why_the_drawn_run_shows_one() -> None:
    """The drawn run has twice the throughput with the one."""
    seen = decided(comparison().parts)
    assert seen is not None
    for interval, apart in (((0.95, 1.05), True), ((0.4, 2.5), False)):
        (told,) = verdict.deciding(comparison(), replace(seen, interval=interval))
        assert "no difference in throughput" in told
        assert ("In the drawn run they are 100" in told) is apart


def test_another_fault_is_not_the_result_though_the_listen_queue_overflowed_too() -> None:
    crowded = Check(name="others", unfit=True, sentence="Other programs used 1.20 cores.")
    full = with_point(comparison(), FEW, 50, checks=(crowded,), listen_overflows=3)
    assert decided(full.parts).users == 25
    assert "users who starve at a full listen queue" not in said(full)[""]
    lab = ComparisonLab(PARTS)
    assert lab.unsettled(with_point(comparison(), MANY, 50, checks=(crowded,), listen_overflows=3))


def test_starved_users_are_the_result_where_the_listen_queue_overflowed() -> None:
    starved = with_point(comparison(), FEW, 50, checks=(STARVED,), never_served=11)
    full = with_point(starved, FEW, 50, listen_overflows=40)
    words = said(full)[FEW]
    assert "40 knocks found the listen queue full" in words
    assert "11 of 50 users were never served" in words
    assert (decided(full.parts).users, decided(starved.parts).users) == (50, 25)
    lab = ComparisonLab(PARTS)
    unserved = with_point(comparison(), MANY, 50, checks=(STARVED,), never_served=11)
    assert lab.unsettled(unserved)  # where the bet is about
    assert not lab.unsettled(with_point(unserved, MANY, 50, listen_overflows=40))
    assert lab.rejection(comparison()) == lab.rejection(full) == ""
    one = with_point(comparison(), MANY, 25, checks=(examples.UNFIT,))
    assert lab.rejection(one) == ""  # five of six points are enough
    noisy = with_point(one, MANY, 50, checks=(examples.UNFIT,))
    assert lab.rejection(noisy) == "50 × 1: Too noisy: the interval is ± 14 %."
    also = with_point(one, FEW, 50, checks=(STARVED,), never_served=11)
    assert "25 threads: 11 of 50 users" in lab.rejection(also)
    above = with_point(comparison(), MANY, 50, checks=(ABOVE,))
    assert lab.rejection(above) == ABOVE.sentence


def test_parts_that_fill_the_load_generator_measure_it_and_not_the_servers() -> None:
    filled = Check(name="load generator", unfit=True, sentence="It used 99 % of its core.")
    made, whose = comparison(), f"full with “{FEW}” and with “{MANY}”: that measures Locust"
    for label, users in itertools.product((FEW, MANY), (25, 50)):
        made = with_point(made, label, users, checks=(filled,))
    assert decided(made.parts).users == 10 and whose not in said(made)[""]
    both = with_point(made, FEW, 10, checks=(examples.UNFIT,))
    assert f"At 50 users the load generator was {whose}" in said(both)[""]


def test_a_recording_of_other_parts_is_not_what_was_asked() -> None:
    asked, pools = ComparisonLab(PARTS), ComparisonLab(POOLS, over="pool")
    assert asked.matches(comparison())
    assert not asked.matches(comparison(dict(reversed(PARTS.items()))))
    assert not asked.matches(comparison({**PARTS, MANY: PARTS[FEW]}))
    assert not pools.matches(comparison(POOLS))
    assert pools.matches(comparison(POOLS, over="pool"))


# -- the panel, with sweeps that are told what to find ---------------------------------------


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    return Script(monkeypatch, **WAITED)


@pytest.fixture
def panel(script: Script) -> Iterator[PanelDriver]:
    recorded = comparison(PARTS, 0.98, 1.0, 1.01)
    made = PanelDriver(LabPanel("the-launch", ComparisonLab(PARTS), recorded=recorded))
    yield made
    made.shut()


def landed(panel: PanelDriver, label: str) -> list[int]:
    found = [each for each in panel.figure["data"] if each["name"] == f"{label}: measured"]
    return list(found[0]["x"]) if found else []


def test_parts_land_one_after_the_other_and_the_answer_is_set_beside_them(
    panel: PanelDriver, script: Script
) -> None:
    asked = panel.said("question")
    assert "how many requests a second will it answer with “50 × 1” at 50 users?" in asked
    assert re.search(r"takes about \d+ s", panel.said("progress"))
    assert landed(panel, FEW) == landed(panel, MANY) == []  # what was recorded tells the answer
    with panel.panel._drawing:  # nothing of a run comes between
        panel.commit("200")
        assert landed(panel, FEW) == landed(panel, MANY) == list(USERS)
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
    assert panel.said("caption").startswith("Run 1. Measured here: ")
    said = panel.said("question")
    judged = said.split(": yours was ")[1]
    assert judged.startswith("2 times as much. Your bet lay above the forecast")
    assert re.search(r"You said 200 req/s with .* the model 9\d\.\d req/s, and it was 9\d\.", said)
    assert "“50 × 1” answered 2" in panel.said("verdict")
    assert script.begun == list(PARTS.values())
    lab = ComparisonLab(PARTS)
    assert panel.said("strip of") == f"The cores, with {lab.ran_last}:"
    assert lab.ran_last == f"“{FEW}”"


def test_a_server_that_this_machine_cannot_run_is_refused_before_anything_starts(
    script: Script,
) -> None:
    huge = replace(PARTS[FEW], server=Server("threaded", processes=1024, threads=4))
    rig = Rig()
    rig.machine = replace(examples.MACHINE, memory_bytes=64 * 2**20)
    with pytest.raises(Unusable, match="would fit"):
        rig.perform(ComparisonLab({**PARTS, "too many": huge}))
    assert script.begun == []


def test_a_small_machine_begins_modestly_and_keeps_the_pools_apart() -> None:
    lab = ComparisonLab(POOLS, over="pool")
    small = lab.scaled_down(1, shared=False)
    assert list(small.parts) == list(POOLS) and small.over == "pool"
    assert {part.workload.cpu_s for part in small.parts.values()} == {0.0}
    assert "This machine has one core" in small.about()
    assert lab.scaled_down(4, shared=False).parts == POOLS


# -- for real --------------------------------------------------------------------------------


def believing(found: Comparison) -> Comparison:
    """The same, as if nothing were known against any point: other programs may be busy."""
    for label, part in found.parts.items():
        for point in part.points:
            found = with_point(found, label, point.users, checks=())
    return found


@pytest.mark.extended
@pytest.mark.performance
def test_two_servers_are_measured_in_one_turn() -> None:
    """Four users get four workers' worth from the one, and one worker's from the other."""
    wait, load = Workload(wait_s=0.05), Load([4], seconds=0.5)
    parts = {f"{n} workers": Experiment(Server("prefork", processes=n), wait, load) for n in (1, 4)}
    told: list[Any] = []
    found = Rig(told.append).perform(ComparisonLab(parts, over="pool"))
    assert list(found.parts) == list(parts) and len(found.runs) == 1
    ratio = verdict.ratio(found, "4 workers", "1 workers", 4)
    assert 2 < ratio < 5  # 4 by the law; a busy machine delays four more than one
    one, four = (part.run.calibration for part in found.parts.values())
    assert one.loops_per_s == four.loops_per_s  # burned once
    partial = [len(each.part("1 workers").points) for each in told if isinstance(each, Comparison)]
    assert partial == sorted(partial) and partial[0] == 0 and partial[-1] == 1
    progress = [each for each in told if isinstance(each, Progress)]
    stages = [each.stage for each in progress]
    walks = [label for label, _ in itertools.groupby(stage.split(": ")[0] for stage in stages)]
    assert [each for each in walks if each in parts] == ["1 workers", "4 workers", "1 workers"]
    assert progress[-1].fraction > 0.8
    visits = {label: part.at(4).visits for label, part in found.parts.items()}
    (a, d), (b, c) = ([visit.at_s for visit in visits[label]] for label in parts)
    assert a < b < c < d  # A B B A
    assert len({part.run.seed for part in found.parts.values()}) == 1
    # From the same visits, but that the one takes a machine's drift within them out.
    decision = decided(believing(found).parts)
    assert decision is not None and decision.ratio == pytest.approx(ratio, rel=0.15)
