"""Real burns: proportions only, and what is kept of them."""

from __future__ import annotations

import dataclasses
import threading

import pytest

from labs.host import hardware
from labs.host.supervisor import Stopped
from labs.measure import calibration
from labs.records.experiment import Server

HERE = hardware.fingerprint()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache folder of the test's own."""
    monkeypatch.setattr(calibration, "_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.mark.measures
def test_a_burn_tells_the_worth_of_every_number_of_busy_cores():
    found = calibration.calibrate(HERE)
    assert len(found.loops_per_s) == HERE.cores
    assert found.loops_per_s[0] > 1e5
    assert found.capacity[0] == 1
    assert 0.3 < found.capacity[-1] / HERE.cores < 1.6
    assert 0 <= found.noise_fraction < 2
    assert 0 < found.loopback_s < 0.05
    assert 0 <= found.timer_s < 0.1


@pytest.mark.measures
def test_the_last_calibration_is_kept_with_each_servers_overhead(cache):
    fresh = calibration.last(HERE)
    assert calibration.last(HERE) == fresh
    prefork, loop = Server("prefork", processes=4), Server("event-loop")
    assert calibration.last(HERE, prefork).overhead_s == 0
    known = dataclasses.replace(fresh, overhead_s=0.0003, generator_s=0.0002)
    calibration.keep(HERE, known, prefork)
    assert calibration.last(HERE, prefork).overhead_s == 0.0003
    assert calibration.last(HERE, loop).overhead_s == 0
    other = dataclasses.replace(HERE, cores=HERE.cores, processor="another one")
    (cache / calibration.KEPT).write_bytes((cache / calibration.KEPT).read_bytes()[:-20])
    assert calibration.last(other).overhead_s == 0


def test_it_stops_when_told_to():
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        calibration.calibrate(HERE, stop=stop)
