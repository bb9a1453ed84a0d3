"""A forecast's band: what widens it, what lowers it, and that it holds what was recorded."""

import statistics
from dataclasses import replace

import examples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.levels import work_of
from bench.prediction import recorded
from labs.host import project
from labs.kinds.sweep import report
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration, PredictedLevel
from labs.theory.band import A_CORE_EACH, AT_THE_KNEE, OF_FILES, OF_WAITS, OF_WORK, band
from labs.theory.forecast import forecast

CALM = Calibration(loops_per_s=(1e8, 2e8), noise_fraction=0.0, generator_s=1e-4)
TWO = replace(examples.MACHINE, cores=2, logical_cores=2)
CPU, MIXED = Workload(cpu_s=0.05), Workload(cpu_s=0.01, wait_s=0.09, wait_cv=0.1)


def level(work: Workload, users: int, calibration: Calibration = CALM) -> PredictedLevel:
    experiment = Experiment(Server("prefork", processes=32), work, Load([users]))
    return forecast(experiment, calibration, TWO).levels[0]


def reach(found: PredictedLevel) -> tuple[float, float]:
    """How far its band goes below its line, and above: relative."""
    assert found.band_rps is not None
    low, high = found.band_rps
    return 1 - low / found.model_rps, high / found.model_rps - 1


@settings(max_examples=25)
@given(
    cpu_s=st.floats(0.0, 0.06),
    wait_s=st.floats(0.001, 0.3),
    users=st.integers(1, 40),
    noise=st.floats(0.0, 2.0),
)
def test_band_has_the_line_in_it_and_nothing_below_zero(
    cpu_s: float, wait_s: float, users: int, noise: float
) -> None:
    work = Workload(cpu_s=cpu_s, wait_s=wait_s)
    found = level(work, users, replace(CALM, noise_fraction=noise))
    assert found.band_rps is not None
    low, high = found.band_rps
    assert 0 <= low < found.model_rps < high


def test_band_widens_with_the_burns_that_lay_apart_where_cores_are_the_limit() -> None:
    restless = replace(CALM, noise_fraction=0.2)
    assert max(reach(level(CPU, 16))) < 0.05
    assert 0.14 < min(reach(level(CPU, 16, restless))) < max(reach(level(CPU, 16, restless))) < 0.3
    waits = Workload(wait_s=0.1)
    assert reach(level(waits, 16, restless)) == pytest.approx(reach(level(waits, 16)), abs=0.01)


def test_band_reaches_down_to_users_in_step_and_at_the_knee_by_so_much_at_most() -> None:
    in_step = level(MIXED, 20)
    assert in_step.lower_by == "users in step" and in_step.lower_rps and in_step.band_rps
    assert in_step.band_rps[0] == pytest.approx((1 - OF_WORK) * in_step.lower_rps)
    varied = level(replace(MIXED, wait_cv=1.0), 20)
    assert varied.lower_by != "users in step" and reach(varied)[0] < 0.09 < reach(in_step)[0]
    for users, lost in ((2, A_CORE_EACH), (3, AT_THE_KNEE)):
        knee = level(CPU, users)
        assert knee.lower_by == "separate run queues" and knee.lower_rps
        assert reach(knee)[0] == pytest.approx(lost)
    assert reach(level(replace(CPU, cpu_s=0.002), 2))[0] == pytest.approx(A_CORE_EACH)


def test_band_of_a_level_without_a_bound_is_the_laws_own() -> None:
    nothing = replace(level(CPU, 4), bound_rps=0.0, lower_rps=None)
    assert band(nothing, (0.0, 0.0), CPU) == pytest.approx(
        ((1 - OF_WORK) * nothing.model_rps, (1 + OF_WORK) * nothing.model_rps)
    )


@pytest.mark.parametrize(
    ("kind", "said"),
    [("CPU only", "only compute"), ("mixed", "compute and wait"), ("waits only", "only wait")],
)
def test_band_holds_nine_in_ten_of_what_the_book_has_recorded(kind: str, said: str) -> None:
    """Of fit levels, by kind of work, and without being so wide that anything would do."""
    found = [
        (point.throughput_rps, each.run.forecast.at(point.users))
        for each in recorded()
        for point in each.points
        if point.fit and work_of(each.experiment.workload) == kind
    ]
    bands = [(rps, level.model_rps, *(level.band_rps or ())) for rps, level in found]
    inside = statistics.fmean(low <= rps <= high for rps, _, low, high in bands)
    half = statistics.median((high - low) / 2 / model for _, model, low, high in bands)
    assert 0.85 <= inside <= 0.98 and half < 0.06
    page = (project.BOOK / "appendix/if-your-numbers-differ.md").read_text("utf-8")
    told = f"| {said} | {len(found)} | {100 * inside:.0f} % | ± {100 * half:.1f} % |"
    assert told in page


def test_page_says_the_tolerances_that_the_band_has() -> None:
    page = (project.BOOK / "appendix/if-your-numbers-differ.md").read_text("utf-8")
    waits, work, files = (f"{100 * each:.0f} %" for each in (OF_WAITS, OF_WORK, OF_FILES))
    assert f"{waits} where requests only wait, {work} where they compute, {files} for a" in page
    each, more = (f"{100 * part:.0f} %" for part in (A_CORE_EACH, AT_THE_KNEE))
    assert f"to {more} or {each} below the line, where the kernel" in page


def test_report_says_what_the_forecast_would_have_been_at_the_speed_of_the_level() -> None:
    experiment = Experiment(Server("prefork", processes=8), CPU, Load([8]))
    for speed in (None, 0.9):
        (said,) = report.joined(examples.by_law(experiment, core_speed=speed))["points"]
        assert said["predicted"]["band_rps"][0] < said["predicted"]["model_rps"]
        assert (said["at_run_speed"] is None) == (speed is None)
    slower = said["at_run_speed"]
    assert slower["model_rps"] == pytest.approx(0.9 * said["predicted"]["model_rps"], rel=0.01)
    assert slower["band_rps"][0] < slower["model_rps"] < slower["band_rps"][1]
