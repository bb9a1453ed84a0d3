import pytest

from labs.analysis.scaling import scaled_down, scaled_down_timeline
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.steps import KILL, Step


def heavy(cpu_s: float, users: tuple[int, ...] = (1, 2, 4, 8, 16)) -> Experiment:
    return Experiment(Server("prefork", processes=16), Workload(cpu_s=cpu_s), Load(users))


def test_one_core_begins_with_a_wait_and_says_why() -> None:
    asked = heavy(0.05)
    assert scaled_down(asked, cores=2) == (asked, "")
    smaller, why = scaled_down(asked, cores=1)
    assert smaller.workload.cpu_s == 0 and smaller.workload.wait_s == 0.05
    assert why.startswith("This machine has one core")
    _, shared = scaled_down(asked, cores=8, shared=True)
    assert shared.startswith("This is a free service that others share")


STEPS = (Step(seconds=4, users=1), Step(seconds=20, users=8, do=KILL), Step(seconds=1, rate=30.0))


def test_a_heavy_timeline_waits_in_shorter_steps_on_one_core_and_says_why() -> None:
    heavy = Workload(cpu_s=0.05, wait_s=0.1)
    assert scaled_down_timeline(heavy, STEPS, cores=2) == (heavy, STEPS, "")
    for shared, cores in ((False, 1), (True, 8)):
        work, steps, why = scaled_down_timeline(heavy, STEPS, cores, shared=shared)
        assert work.cpu_s == 0 and work.wait_s == pytest.approx(0.15)
        assert [step.load for step in steps] == [step.load for step in STEPS]
        assert [step.do for step in steps] == [step.do for step in STEPS]
        assert all(new.seconds <= old.seconds for new, old in zip(steps, STEPS, strict=True))
        short_s = sum(step.seconds for step in steps)
        assert short_s < 25 / 2
        said = why.replace("\u00a0", " ")
        assert said.startswith("This is a free service" if shared else "This machine has one core")
        assert "50 ms of CPU a request would leave nothing for the load generator" in said
        assert "the requests wait for as long instead" in said
        assert f"the steps last {round(short_s)} s together instead of 25 s" in said
        assert "whole=True" in said


def test_what_one_core_can_do_is_walked_as_it_is() -> None:
    waits = Workload(cpu_s=0.002, wait_s=0.2)
    assert scaled_down_timeline(waits, STEPS, cores=1, shared=True) == (waits, STEPS, "")
    at_once = Workload(page="file")
    assert scaled_down_timeline(at_once, STEPS, cores=2) == (at_once, STEPS, "")
    work, steps, why = scaled_down_timeline(at_once, STEPS, cores=1)
    assert work == at_once and sum(step.seconds for step in steps) < 25 / 2
    assert "over at once" in why and "wait for as long" not in why
    brief = (Step(seconds=1, users=8),)
    assert scaled_down_timeline(at_once, brief, cores=1) == (at_once, brief, "")
    work, steps, why = scaled_down_timeline(Workload(cpu_s=0.05), brief, cores=1)
    assert work.cpu_s == 0 and steps == brief and "the steps last" not in why


def test_a_short_step_stays_long_enough_for_its_requests() -> None:
    slow = Workload(cpu_s=0.5)
    (step,) = scaled_down_timeline(slow, [Step(seconds=30, users=1)], cores=1)[1]
    assert step.seconds == pytest.approx(10 * 0.5)
    (step,) = scaled_down_timeline(slow, [Step(seconds=30, rate=0.5)], cores=1)[1]
    assert step.seconds == pytest.approx(10 / 0.5)


def test_the_levels_that_one_core_keeps_are_spread_and_end_with_the_last() -> None:
    for users, kept in (
        ((1, 2, 4, 8), (1, 2, 4, 8)),
        ((1, 2, 3, 4, 5), (1, 3, 5)),
        ((1, 2, 4, 8, 16, 32), (1, 4, 16, 32)),
        ((1, 2, 3, 4, 5, 6, 7), (1, 3, 5, 7)),
        ((1, 2, 3, 4, 5, 6, 7, 8), (3, 5, 7, 8)),
    ):
        assert scaled_down(heavy(0.05, users), cores=1)[0].load.users == kept
    both = Experiment(Server("event-loop"), Workload(cpu_s=0.02, wait_s=0.2), Load((1, 2)))
    smaller, why = scaled_down(both, cores=1)
    assert smaller.workload == Workload(wait_s=0.22) and "20\xa0ms of CPU" in why
    assert scaled_down(both, cores=2, shared=True)[0] == smaller
    edge = Experiment(Server("event-loop"), Workload(cpu_s=0.005), Load((1, 2)))
    assert scaled_down(edge, cores=1) == (edge, "")
