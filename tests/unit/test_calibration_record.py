"""From burns to a calibration, without burning; and what is kept of it between versions."""

import math
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import examples
import pytest

from labs.measure import burners, calibration
from labs.measure.burners import Burn, burned
from labs.measure.calibration import ATTEMPTS, calmest, noise, speeds
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration
from labs.theory.forecast import forecast


def burn(loops_per_s: float) -> Burn:
    return Burn(loops_per_s=loops_per_s, cores=1.0)


def test_a_quota_makes_no_core_slower() -> None:
    """Half a core: the burn did half the loops in the time, with half the CPU seconds."""
    whole, half = burned(1, 12_000_000, 0.12, 0.12), burned(1, 6_000_000, 0.06, 0.12)
    assert half.loops_per_s == pytest.approx(whole.loops_per_s) == pytest.approx(1e8)
    assert (whole.cores, half.cores) == (pytest.approx(1), pytest.approx(0.5))
    # Two that had one core between them work as fast as two on two.
    assert burned(2, 12_000_000, 0.12, 0.12).loops_per_s == pytest.approx(2e8)
    # A clock too coarse to tell: then the time is all there is.
    assert burned(1, 12_000_000, 0.0, 0.12) == burned(1, 12_000_000, 0.12, 0.12)


def test_numbers_of_cores_between_the_burned_ones_are_interpolated() -> None:
    assert calibration._steps(2) == [1, 2]
    assert calibration._steps(8) == list(range(1, 9))
    assert calibration._steps(64) == [*range(1, 9), 32, 64]
    burns = {1: [burn(10.0)], 2: [burn(20.0)], 4: [burn(30.0)]}
    assert speeds(burns, 4) == (10.0, 20.0, 25.0, 30.0)


def test_of_equal_burns_the_middle_one_counts() -> None:
    """Neither the first one's turbo nor the one that somebody disturbed."""
    burns = {1: [burn(13.0), burn(10.0), burn(9.9)], 2: [burn(26.0), burn(16.0), burn(15.9)]}
    assert speeds(burns, 2) == (10.0, 16.0)
    assert noise(burns[1]) == pytest.approx(0.31)


def test_a_speed_is_that_of_all_cores_until_nothing_can_be_burned(monkeypatch) -> None:
    now = iter([burn(19.0), burn(22.0), burn(0.0)])  # and then its burners are gone

    def burned_now(*_: object, **__: object) -> Burn:
        try:
            return next(now)
        except StopIteration:
            raise OSError("a burning process ended with exit code -9") from None

    monkeypatch.setattr(burners, "hot_burners", lambda *_: nullcontext(["one", "two"]))
    monkeypatch.setattr(burners, "burn_once", burned_now)
    with burners.speedometer(2, "counting", "Python") as speed:
        assert [speed() for _ in range(5)] == [19.0, 22.0, None, None, None]


def test_what_cannot_be_burned_again_takes_nothing_from_what_was_measured(monkeypatch) -> None:
    def gone(*_: object) -> object:
        raise Unusable("PHP cannot be calibrated.")

    monkeypatch.setattr(burners, "hot_burners", gone)
    with burners.speedometer(2, "counting", "PHP") as speed:
        assert speed() is None


def test_noisy_burns_are_burned_again_and_no_more_than_so_often() -> None:
    def attempts(*fastest: float) -> Iterator[calibration.Burns]:
        for speed in fastest:
            yield {1: [burn(1.0), burn(1.0), burn(speed)]}

    for fastest, calm, left in (
        ((1.05, 1.0, 1.0), 0.05, 2),
        ((1.2, 1.08, 1.0), 0.08, 1),
        ((1.3, 1.2, 1.4, 1.0), 0.2, 1),  # the calmest of three
    ):
        tries = attempts(*fastest)
        assert noise(calmest(lambda tries=tries: next(tries))[1]) == pytest.approx(calm)
        assert len(list(tries)) == left


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calibration:
    """What a burn finds, and an empty folder to keep it in."""
    found = replace(examples.CALIBRATION, overhead_s=0.0, generator_s=0.0)
    monkeypatch.setattr(calibration, "_folder", lambda: tmp_path)
    monkeypatch.setattr(calibration, "calibrate", lambda machine, **how: found)
    return found


def test_burns_and_what_a_server_costs_are_kept_apart(fresh: Calibration, tmp_path: Path) -> None:
    """A trial counts until the next one, with the last burn of all cores."""
    machine = examples.MACHINE
    asked = Experiment(Server("prefork", processes=4), Workload(cpu_s=0.05), Load([1]))
    burns = replace(fresh, timer_s=0.0008)
    calibration.keep(machine, burns)
    assert calibration.last(machine, asked) == burns
    tried = replace(burns, crowd_ratio=1.3, overhead_s=0.001, timer_s=0.0007)
    calibration.keep(machine, replace(tried, loops_per_s=(5e7,)), asked)
    calibration.keep(machine, replace(burns, loops_per_s=(5e7,)))  # of fewer cores, not for all
    assert calibration.last(machine, asked) == tried
    assert calibration.last(machine) == burns
    (tmp_path / calibration.KEPT).write_text("{}")
    assert calibration.last(machine, asked) == fresh


@pytest.mark.parametrize(
    "other",
    [
        {"workload": Workload(cpu_s=0.05, cpu_by="hashing")},
        {"workload": Workload(wait_s=0.05)},
        {"workload": Workload(cpu_s=0.05, wait_s=0.05)},
        {"load": Load([1], think_time_s=0.1)},
        {"workload": Workload(cpu_s=0.05, wait_s=0.05, wait_by="lock")},
        {"workload": Workload(page="file")},
        {"load": Load([1], keep_alive=False)},
        {"server": Server("prefork")},
    ],
)
def test_what_other_requests_cost_is_kept_apart(fresh: Calibration, other) -> None:
    """A hashing forecast by what counting cost the interpreter was off by a third."""
    asked = Experiment(Server("prefork", by="scratch"), Workload(cpu_s=0.05), Load([1, 8]))
    known = replace(fresh, work_ratio=1.2, crowd_ratio=1.3, overhead_s=0.001)
    calibration.keep(examples.MACHINE, known, asked)
    longer = replace(asked, workload=Workload(cpu_s=0.2), load=Load([2], seconds=9))
    assert calibration.last(examples.MACHINE, longer).work_ratio == 1.2
    found = calibration.last(examples.MACHINE, replace(asked, **other))
    assert (found.work_ratio, found.crowd_ratio, found.overhead_s) == (1.0, None, 0.0)


def test_after_a_run_with_waiting_alone_an_empty_request_has_a_forecast(fresh) -> None:
    """As the refusal of one says. A panel has no other way to measure what it costs."""
    empty = Experiment(Server("prefork", processes=8), Workload(), Load([1, 8]))

    def expected() -> float:
        known = calibration.last(examples.MACHINE, empty)
        return forecast(empty, known, examples.MACHINE).at(8).model_rps

    with pytest.raises(Unusable, match="A run with waiting alone measures it"):
        expected()
    waiting = replace(empty, workload=Workload(wait_s=0.05))
    calibration.keep(examples.MACHINE, replace(fresh, generator_s=0.0005), waiting)
    assert 0 < expected() <= 1 / 0.0005


def test_forecast_of_a_file_that_was_never_asked_for_sends_to_a_run(fresh) -> None:
    file = Experiment(Server("prefork"), Workload(page="file"), Load([1]))
    with pytest.raises(Unusable, match="`labs run` does it"):
        forecast(file, fresh, examples.MACHINE)


def test_work_is_as_many_loops_wherever_it_is_done() -> None:
    """A core half as fast takes twice as long over what was ordered by the other's speed."""
    slow = replace(examples.CALIBRATION, loops_per_s=(5e7, 8e7), overhead_s=0.0)
    found = slow.ordered_by(1e8)
    assert found.loops_per_s == (1e8, 1.6e8)
    assert found.demand_s(0.05) == pytest.approx(0.1)
    assert found.demand_s(0.05, 2) == pytest.approx(0.1 * 2 / 1.6)
    assert slow.ordered_by(5e7) == slow


def test_burns_that_never_got_a_core_are_made_again_or_refused() -> None:
    nothing, something = Burn(loops_per_s=0.0, cores=0.0), burn(1e7)
    good = {1: [something] * 3}
    assert noise([nothing, nothing, something]) == math.inf
    with pytest.raises(Unusable, match=f"so busy that in {4 * ATTEMPTS} attempts"):
        calmest(lambda: {1: [nothing] * 3})
    # One alone was calm, and two together had no core for the most part: their speed is unknown.
    alone = {1: [something] * 3, 2: [nothing, nothing, something]}
    with pytest.raises(Unusable, match=f"so busy that in {4 * ATTEMPTS} attempts"):
        calmest(lambda: alone)
    tries = iter([alone, alone, good])
    assert calmest(lambda: next(tries)) is good
