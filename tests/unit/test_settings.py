"""What can be set in the book's labs: what a chapter names is there, and what is set holds."""

from collections.abc import Iterator
from typing import Any

import pytest
from chapters import labs
from panel_driver import SOON_S, PanelDriver, Script
from waiting import eventually

from labs.kinds.base import LabKind
from labs.kinds.comparison.run import ComparisonLab
from labs.kinds.generators.run import GeneratorsLab
from labs.kinds.mystery.run import MysteryLab
from labs.kinds.race.run import RaceLab
from labs.kinds.sweep.run import SweepLab
from labs.kinds.timeline.run import TimelineLab
from labs.panel.lab import LabPanel
from labs.panel.settings import settable
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.steps import Step

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")

WAIT, POOL = Workload(wait_s=0.2), Server("prefork", processes=4)
POOLS = {str(n): Experiment(Server("prefork", processes=n), WAIT, Load((2, 4))) for n in (1, 4)}
STEPS = [Step(seconds=30, users=2), Step(seconds=30, users=4, do="raise the pool to 8")]


def test_every_chapter_s_lab_with_settings_names_two_or_three() -> None:
    there = {name: lab for name, lab in labs().items() if lab.experiments()}
    assert {type(lab) for lab in there.values()} == {SweepLab, ComparisonLab, TimelineLab}
    for name, lab in there.items():
        common = [each for each in settable(lab.experiments()) if each not in lab.fixed]
        assert set(lab.settings) <= set(common), name
        assert len(lab.settings) in (2, 3), name


@pytest.mark.parametrize(
    "lab",
    [
        SweepLab(Experiment(POOL, WAIT, Load((8, 16)))),
        ComparisonLab(
            {str(s): Experiment(POOL, WAIT, Load((2, 4), seconds=s)) for s in (2.0, 8.0)}
        ),
        TimelineLab(POOL, WAIT, [Step(seconds=3, users=1), Step(seconds=6, users=4)]),
        RaceLab(),
        GeneratorsLab(),
        MysteryLab(3),
    ],
    ids=lambda lab: type(lab).__name__,
)
def test_a_lab_can_measure_for_longer_and_says_what_it_costs(lab: LabKind[Any]) -> None:
    assert lab.each_s
    longer = lab.lasting(2 * lab.each_s)
    assert longer.each_s == 2 * lab.each_s and longer.seconds() > lab.seconds()
    assert longer.lasting(lab.each_s).experiments() == lab.experiments()


def test_a_comparison_is_set_as_one_and_its_bet_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = Script(monkeypatch)
    panel = PanelDriver(LabPanel("pools", ComparisonLab(POOLS, about=["wait_s"])))
    assert panel.shown() == ["wait_s"]
    panel.commit("20")
    seconds = panel.said("progress")
    panel.measure_for(4.0)
    assert panel.guess == 20 and panel.said("progress") != seconds
    panel.set(wait=100)
    assert panel.guess is None and "wait for 100 ms" in panel.said("about")
    panel.commit("40")
    script.go.release(4)
    assert panel.run().join(SOON_S)
    assert {each.workload.wait_s for each in script.begun} == {0.1}
    assert {each.load.seconds for each in script.begun} == {4.0}
    eventually(lambda: "Measured here" in panel.said("caption"), SOON_S)
    panel.set(wait=200)  # nothing stale stands under new settings
    assert not panel.figure["data"] and not panel.html("data") and not panel.html("caption")
    panel.shut()


def test_earlier_runs_of_a_comparison_are_told_apart_by_what_its_parts_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = Script(monkeypatch)
    panel = PanelDriver(LabPanel("pools", ComparisonLab(POOLS, about=["wait_s", "users"])))
    panel.skip()
    script.go.release(8)
    assert panel.run().join(SOON_S)
    assert panel.earlier == [] and not panel.marked

    panel.set(users="4, 2")
    assert "comes after a larger level" in panel.said("problem") and not panel.can_run
    assert panel.said("caption").startswith("Run 1. Measured here") and panel.html("verdict")
    panel.set(users="2, 4")
    assert panel.said("problem") == ""

    panel.set(wait=100)
    job = panel.job
    panel.press_run()
    eventually(lambda: panel.job is not job and panel.earlier, SOON_S)
    assert panel.earlier == ["run 1: 200 ms of waiting"]
    assert panel.job and panel.job.join(SOON_S)
    panel.press_run()
    eventually(lambda: len(panel.earlier) == 2, SOON_S)
    assert panel.earlier == ["run 1: 200 ms of waiting", "run 2: 100 ms of waiting"]
    panel.press_stop()
    panel.shut()


@pytest.fixture
def steps() -> Iterator[PanelDriver]:
    driver = PanelDriver(LabPanel("steps", TimelineLab(POOL, WAIT, STEPS, about=["processes"])))
    yield driver
    driver.shut()


def test_a_pool_that_is_as_large_already_is_said_of_its_control_and_cannot_be_run(
    steps: PanelDriver,
) -> None:
    """After a bet, or Skip, Run was to be pressed, and said the same once more."""
    steps.set(processes=8)
    refused = "Processes 8: must be fewer than the 8 to which the pool is raised. Begin with fewer."
    assert refused in steps.said("problem")
    assert steps.panel._prompt._skip.disabled and steps.panel._prompt._commit.disabled
    steps.skip()  # it was on its way
    assert not steps.can_run
    steps.set(processes=2)
    assert steps.can_run and not steps.said("problem") and "2 processes" in steps.said("about")


def test_what_a_timeline_cannot_be_is_not_offered(steps: PanelDriver) -> None:
    assert steps.shown() == ["processes"] and "users" not in steps.panel._settings.controls
    lengths = [value for _, value in steps.panel._duration.options]
    assert lengths == [15, 30, 60]  # no step is longer than a minute
    with pytest.raises(Unusable, match="must be between"):
        TimelineLab(POOL, WAIT, STEPS).lasting(120)
