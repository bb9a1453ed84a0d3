"""Real burns: proportions only, and what is kept of them."""

import os
import shutil
import signal
import threading
from dataclasses import replace

import psutil
import pytest
from measuring import measure
from waiting import eventually

from labs.host import hardware
from labs.host.waiting import Stopped
from labs.measure import calibration
from labs.measure.burners import (
    BURN_S,
    HOT_S,
    WARM_S,
    Burn,
    burn_once,
    explained,
    hot_burners,
    speedometer,
)
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.servers import products

HERE = hardware.fingerprint()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache folder of the test's own."""
    monkeypatch.setattr(calibration, "_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.mark.performance
def test_calibrate_tells_the_worth_of_every_number_of_busy_cores():
    found = calibration.calibrate(HERE)
    assert len(found.loops_per_s) == HERE.cores
    assert found.loops_per_s[0] > 1e5
    assert found.slowdowns[0] == 1 and 1 <= found.slowdowns[-1] < 3
    assert 0 < found.use <= 1
    assert 0 < found.capacity[-1] / HERE.cores < 1.6  # less where somebody has the cores
    assert 0 <= found.noise_fraction < 2
    assert 0 <= found.timer_s < 0.1


@pytest.mark.performance
def test_last_burns_the_unit_that_is_asked_for_and_keeps_it():
    work = Workload(cpu_s=0.01, cpu_by="hashing")
    asked = Experiment(Server("prefork"), work, Load([1]))
    one = replace(HERE, cores=1)
    found = calibration.last(one, asked)
    assert found.unit == "hashing" and calibration.last(one, asked) == found


@pytest.mark.performance
def test_calibrate_tells_how_far_the_speed_moved_since_a_burn_of_the_last_minutes(monkeypatch):
    before = calibration.calibrate(HERE)
    assert before.spread == 0  # there was none
    calibration.keep(HERE, before.ordered_by(3 * before.loops_per_s[0]))
    now = calibration.calibrate(HERE)
    assert now.spread == pytest.approx(3 * before.loops_per_s[0] / now.loops_per_s[0] - 1)
    monkeypatch.setattr(calibration, "LATELY_S", 0.0)
    assert calibration.calibrate(HERE).spread == 0


def test_calibrate_stops_when_told_to():
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        calibration.calibrate(HERE, stop=stop)


def test_explained_blames_no_language_for_a_busy_machine():
    said = "^The machine is so busy$"
    with pytest.raises(Unusable, match=said), explained("counting", "Python"):
        raise Unusable("The machine is so busy")


def test_speedometer_is_not_blamed_for_what_goes_wrong_beside_it():
    """A lab asks it for its whole load."""
    asked = speedometer(1, "counting", "Python")
    with pytest.raises(OSError, match="the server is gone"), asked:
        raise OSError("the server is gone")


def test_speedometer_has_new_processes_work_before_a_burn_counts(monkeypatch):
    """A new interpreter's loop is slower for a tenth of a second of work."""
    burns = []

    def burn(burners, seconds=BURN_S, stop=None):
        burns.append((len(burners), WARM_S + seconds))
        return Burn(loops_per_s=1.0, cores=2.0)

    monkeypatch.setattr("labs.measure.burners.burn_once", burn)
    with speedometer(2, "counting", "Python") as speed:
        assert burns == [(2, pytest.approx(HOT_S))]
        assert HOT_S >= 0.1
        assert speed() == 1.0
    assert len(burns) == 2


@pytest.mark.measures
def test_speedometer_goes_by_the_cpu_seconds_that_it_got():
    """By how long it took, two others on each core would make it three times as slow."""
    with (
        speedometer(HERE.cores, "counting", "Python") as speed,
        hot_burners(2 * HERE.cores, "counting", "Python", None) as others,
    ):

        def beside_others():
            for each in others:
                each.stdin.write("0 0.6\n")
                each.stdin.flush()
            return speed()  # None where it got no core at all

        alone = speed()
        beside = next(filter(None, (beside_others() for _ in range(5))))
    assert beside > alone / 2


def test_burn_once_says_in_a_sentence_that_a_burner_was_killed():
    said = "it ended with exit code -9. Try it by hand"
    with hot_burners(2, "counting", "Python", None) as burners:
        burners[1].kill()
        burners[1].wait()
        with pytest.raises(Unusable, match=said), explained("counting", "Python"):
            burn_once(burners)


@pytest.mark.parametrize("language", ["Python", "PHP", "JavaScript"])
def test_hot_burners_take_durations_so_that_no_two_clocks_are_compared(language):
    """While a Mac slept, Python's clock stood still and node's went on."""
    if language != "Python" and not shutil.which(products.burner(language)[0]):
        pytest.skip(f"no {language} here")
    with hot_burners(1, "counting", language, None) as (burner,):

        def burned():
            burner.stdin.write("0.01 0.05\n")
            burner.stdin.flush()
            loops, used_s = burner.stdout.readline().split()
            return int(loops) > 0 and float(used_s) > 0  # 0 where others have the core meanwhile

        eventually(burned, 10.0)


def test_burn_once_stops_though_a_burner_stands_still():
    stop = threading.Event()
    with hot_burners(2, "counting", "Python", None) as burners:
        os.kill(burners[1].pid, signal.SIGSTOP)
        threading.Timer(0.3, stop.set).start()
        with pytest.raises(Stopped):
            burn_once(burners, stop=stop)


def test_speedometer_waits_only_so_long_for_a_burner_that_stands_still(monkeypatch):
    with speedometer(1, "counting", "Python") as speed:
        monkeypatch.setattr("labs.measure.burners.ANSWER_S", 0.3)
        burner = psutil.Process().children()[-1]
        burner.suspend()
        assert speed() is None
        eventually(lambda: burner.status() == psutil.STATUS_ZOMBIE, 5.0)
        assert speed() is None  # the late answer is nobody's


@pytest.mark.extended
@pytest.mark.performance
@pytest.mark.parametrize("server", [Server("prefork", processes=8), Server("event-loop")])
def test_measure_finds_no_more_than_the_bound_where_cores_are_full(server):
    """A saturated sweep of CPU work stays below the bound that the warm-up's crowd made, as far
    as both are known. A machine whose cores became faster since then is excused by as much; how
    D comes from the crowd is a matter of `tests/unit/test_warmup.py`."""
    experiment = Experiment(server, Workload(cpu_s=0.03), Load([HERE.cores * 2, HERE.cores * 4]))
    run = measure(experiment).run
    assert run.calibration.crowd_ratio is not None and 0 < run.calibration.use <= 1
    for point in run.points:
        level = run.forecast.at(point.users)
        low, high = level.bound_ci_rps
        assert 0 < low < level.bound_rps < high
        faster = max(1.0, level.demand_s / point.demand_s)
        assert point.throughput_ci_rps[0] <= high * faster
