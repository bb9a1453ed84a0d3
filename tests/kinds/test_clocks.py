"""The labs of one request and of the machine: what is found, and real servers asked."""

from typing import ClassVar

import examples
import pytest
from msgspec import structs

from labs.kinds.checkup.run import CheckupLab
from labs.kinds.clocks.record import ClocksRun
from labs.kinds.clocks.run import FETCHES, ClocksLab
from labs.measure.rig import Rig
from labs.records.experiment import Workload

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")


class ShortClocks(ClocksLab):
    """The lab with shorter pages."""

    pages: ClassVar = {"burn": Workload(cpu_s=0.02), "sleep": Workload(wait_s=0.05)}


def test_the_middle_of_the_rounds_is_drawn() -> None:
    pages = [examples.page("both", cpu_s, 0.1) for cpu_s in (0.05, 0.02, 0.03)]
    runs = tuple(ClocksRun(recorded_at=examples.WHEN, pages=(page,)) for page in pages)
    clocks = structs.replace(examples.clocks(), runs=runs)
    assert clocks.page("both") == pages[2]
    with pytest.raises(KeyError, match=r"'burn': not recorded\. There are both"):
        clocks.page("burn")


def test_checkup_of_several_rounds_keeps_each() -> None:
    merged = CheckupLab().merge([examples.checkup()] * 2)
    assert (len(merged.runs), len(merged.loopbacks_s)) == (2, 2)


@pytest.mark.performance
def test_clocks_lab_times_a_page_that_computes_and_one_that_waits() -> None:
    found = Rig().perform(ShortClocks())
    burn, sleep = found.page("burn"), found.page("sleep")
    assert len(burn.wall_s) == len(burn.cpu_s) == FETCHES
    assert burn.cpu_fraction > 3 * sleep.cpu_fraction  # all of it, but for neighbours
    assert sleep.cpu_fraction < 0.2
    assert sleep.median_wall_s >= 0.05 and sleep.client.real_s >= 0.05
    assert 0.01 < burn.median_cpu_s < 0.1
    assert burn.client.user_s + burn.client.system_s < burn.client.real_s


@pytest.mark.performance
def test_checkup_lab_measures_what_a_request_costs_both_sides() -> None:
    found = Rig().perform(CheckupLab())
    assert found.calibration.generator_s > 0 and found.calibration.overhead_s > 0
