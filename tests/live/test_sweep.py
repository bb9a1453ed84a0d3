"""Real servers, real Locust: laws and ratios, never milliseconds."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
from examples import modelled
from measuring import measure
from waiting import eventually

from labs.analysis.causes import effects
from labs.host.waiting import Stopped
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import SweepLab
from labs.load import tools
from labs.load.locust import Driver, LoadFailed, drive
from labs.measure.progress import Progress
from labs.measure.rig import Rig
from labs.records.errors import ServerFailed
from labs.records.experiment import Experiment, Load, Page, Server, Workload
from labs.records.results import Sample
from labs.servers.serve import serve
from workloads.protocol import FAILED, OK

END = Progress(stage="done", fraction=1.0, seconds_left=0.0)

pytestmark = [pytest.mark.measures, pytest.mark.usefixtures("calibrated_in_passing")]


def test_measure_notices_a_server_killed_in_the_warm_up_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before any level waits for its workers."""
    monkeypatch.setattr("labs.kinds.sweep.walk.MOST_GROWTH_S", 300.0)
    server = Server("prefork", by="scratch", processes=2)
    killed: list[int] = []

    def on_event(event: object) -> None:
        if isinstance(event, Progress) and "warming up" in event.stage and not killed:
            for each in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):  # another has ended meanwhile
                    words, above = (" ".join(of.cmdline()) for of in (each, each.parents()[0]))
                    if "servers.prefork" in words and "reaper" in above:
                        killed.append(each.pid)
                        each.kill()
                        break  # its children have no other parent now

    with pytest.raises(ServerFailed, match="ended with exit code -9"):
        measure(Experiment(server, Workload(cpu_s=0.004), Load([1, 2])), on_event=on_event)
    assert len(killed) == 1


@pytest.mark.performance
@pytest.mark.extended
def test_measure_finds_waits_to_double_with_the_users_up_to_the_pool():
    """N/V below the pool, W/V past it; everything told."""
    told: list[object] = []
    experiment = Experiment(
        Server("prefork", processes=4), Workload(wait_s=0.1, wait_cv=0.0), Load([2, 4, 8])
    )
    recording = measure(experiment, on_event=told.append)
    two, four, eight = (point.throughput_rps for point in recording.points)
    for rate, bound in ((two, 20), (four, 40), (eight, 40)):
        assert 0.6 < rate / bound < 1.05  # a busy machine lets a request wait for a core as well
    assert four == pytest.approx(2 * two, rel=0.3)
    assert recording.at(8).mean_response_time_s == pytest.approx(8 / eight, rel=0.1)
    for point in recording.points:
        assert point.littles_law == pytest.approx(1, abs=0.05)
        assert 0 < point.page_cpu < 1  # this process asks, looks and counts
        assert point.failed == 0
        assert point.never_served == 0
        assert point.workers == 4
        up, down = point.visits
        assert up.throughput_rps == pytest.approx(down.throughput_rps, rel=0.5)
        assert point.seconds == pytest.approx(up.seconds + down.seconds)
    ups, downs = zip(*([each.at_s for each in p.visits] for p in recording.points), strict=True)
    assert sorted(ups + downs) == [*ups, *reversed(downs)]
    assert recording.run.seed is not None
    speeds = [point.core_speed for point in recording.points]  # burned around each window
    assert all(each == pytest.approx(1, rel=0.3) for each in speeds)
    partial = [thing for thing in told if isinstance(thing, Recording)]
    assert [len(each.points) for each in partial] == [0, 1, 2, 3, 3, 3, 3]  # up, down
    assert all(each.run.forecast == recording.run.forecast for each in partial)
    assert len([thing for thing in told if isinstance(thing, Sample)]) > 20
    for number, thing in enumerate(told[:-1]):  # a page is left alone from the first level on
        if isinstance(thing, Progress):
            assert (thing.quiet_s is not None) == (number > told.index(partial[0]))
    visits = {each.stage: each for each in told if isinstance(each, Progress) and each.quiet_s}
    walk = ("2 users", "4 users", "8 users", "8 users again", "4 users again", "2 users again")
    assert (*visits,) == walk
    for each in walk[:3]:  # on the way up, the way down is still to come
        assert visits[each].seconds_left - visits[each].quiet_s > 1
    progress = [thing.fraction for thing in told if isinstance(thing, Progress)]
    assert progress == sorted(progress)
    assert progress[-2] > 0.8 and progress.count(1.0) == 1 and told[-1] == END


class Cooling(Rig):
    """Whose cores, as burns tell, are a fifth slower from the first window on."""

    def speedometer(self, experiment: Experiment) -> Callable[[], float | None]:
        said = iter([100.0, 100.0])  # before the warm-up, and after it
        return lambda: next(said, 80.0)


@pytest.mark.extended
def test_measure_tells_of_each_level_that_cores_became_slower() -> None:
    experiment = Experiment(Server("event-loop"), Workload(cpu_s=0.01), Load([1, 2], seconds=0.5))
    found = Cooling().perform(SweepLab(experiment))
    one, two = found.points
    up, down = (visit.seconds / one.seconds for visit in one.visits)  # a window may be extended
    assert one.core_speed == pytest.approx(0.9 * up + 0.8 * down)  # its first began at full speed
    assert two.core_speed == pytest.approx(0.8)
    visits = [visit.core_speed for point in (one, two) for visit in point.visits]
    assert visits == pytest.approx([0.9, 0.8, 0.8, 0.8])
    for point in (one, two):  # by how much depends on what else a request needs here
        found_effects = effects(*modelled(experiment, found.machine, found.run), point)
        assert found_effects.surroundings["core speed"] < 0
    waits = replace(experiment, workload=Workload(cpu_s=0.01, wait_s=0.01))
    for point in Cooling().perform(SweepLab(waits)).points:  # burned again when the load is over
        assert point.core_speed == pytest.approx((1 + 0.8) / 2)


@pytest.mark.performance
def test_measure_finds_one_worker_on_one_core_at_most():
    """Demand is near what was asked for, X·D never exceeds a core, and R is N/X."""
    experiment = Experiment(Server("prefork", processes=1), Workload(cpu_s=0.02), Load([1, 4]))
    recording = measure(experiment)
    for point in recording.points:
        assert 0.3 < point.demand_s / 0.02 < 3  # who shares this machine changes its speed
        told = {check.name for check in point.checks}
        if told.isdisjoint({"repeated", "unsteady cores"}):  # of two visits, their middle
            used = point.throughput_rps * point.demand_s
            assert point.server_cpu == pytest.approx(used, rel=0.01)
        assert point.server_cpu < 1.1
        if point.fit:  # else its window was no steady state, and the point says so
            cycle_s = point.users / point.throughput_rps
            assert point.mean_response_time_s == pytest.approx(cycle_s, rel=0.15)
        assert (point.pss_bytes or 2**20) > 2**20
        assert point.voluntary_switches + point.involuntary_switches > 0
    one, four = recording.points
    assert four.mean_response_time_s > 1.5 * one.mean_response_time_s


@pytest.mark.performance
def test_stop_ends_a_sweep_at_once_and_keeps_what_was_measured():
    stop = threading.Event()
    ended: list[float] = []

    def stop_after_the_first(event):
        if isinstance(event, Recording) and event.points:
            ended.append(time.monotonic())
            stop.set()

    experiment = Experiment(
        Server("prefork", processes=2), Workload(wait_s=0.05), Load([1, 2, 4], seconds=1.0)
    )
    rig = Rig(stop_after_the_first, stop)
    with pytest.raises(Stopped):
        rig.perform(SweepLab(experiment))
    assert time.monotonic() - ended[0] < 1.5
    assert [point.users for point in rig.found.points] == [1]


@contextlib.contextmanager
def driven(load: Load) -> Iterator[Driver]:
    """Users who can ask an event loop."""
    with serve(Server("event-loop")) as running, drive(load, url=running.url) as driver:
        yield driver


def test_report_gives_the_last_lines_of_a_load_generator_that_died():
    with driven(Load([1])) as driver:
        driver.end()
        with pytest.raises(LoadFailed, match="exit code"):
            driver.report()


def test_drive_reads_no_settings_in_the_reader_s_home(tmp_path, monkeypatch):
    (tmp_path / ".locust.conf").write_text("worker = true\nmaster-host = 192.0.2.1\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    with serve(Server("event-loop")) as running, drive(Load([1]), url=running.url) as driver:
        driver.report()
    argv = tools.locust(running.url, 1, seconds=1.0)
    with tools.run([*argv, "--show-task-ratio"], running.url) as tool:
        assert "Worker" not in tool.wait(30.0)


def test_drive_loads_this_machine_only():
    with (
        pytest.raises(ValueError, match=r"127\.0\.0\.1 only"),
        drive(Load([1]), url="http://192.168.0.1:80"),
    ):
        pass


def test_open_lets_users_beyond_the_level_finish_and_wait():
    """Going from many users to few cuts nobody off: no request is lost, and only few ask."""
    with driven(Load([8])) as driver:
        driver.ask_for(Workload(wait_s=0.05), 0.0)
        driver.open(8, 0.0)
        eventually(lambda: len(driver.records()) > 40, 10)
        lowered = time.perf_counter()
        driver.open(1, 0.0)
        eventually(lambda: set(driver.report().flying) == {0}, 10)
        since = len(driver.records())
        eventually(lambda: len(driver.records()) > since + 10, 10)
        late = driver.records(since)
        assert set(late["user"][late["kind"] == 1].tolist()) == {0}
        found = driver.records()
        assert ((found["start"] < lowered) & (found["end"] > lowered)).sum() > 1
        assert not (found["kind"] == 2).any()


@pytest.mark.extended
@pytest.mark.parametrize("think_time_s", [0.0, 0.5])
def test_more_users_than_a_select_can_watch_keep_their_connections(think_time_s: float) -> None:
    users = 1100

    def theirs() -> set[int]:
        there = psutil.Process(running.serving_pids()[0]).net_connections("tcp")
        return {each.raddr.port for each in there if each.raddr}

    with (
        serve(Server("event-loop", by="scratch")) as running,
        drive(Load([users]), url=running.url) as driver,
    ):
        driver.ask_for(Workload(wait_s=0.5), 0.0, think_time_s)
        driver.open(users, 1.0)
        eventually(lambda: len(theirs()) >= users, 30)
        before, since = theirs(), len(driver.records())
        eventually(lambda: len(driver.records()) > since + 2 * users, 60)
        assert theirs() == before
        assert not (driver.records()["kind"] == FAILED).any()


@pytest.mark.parametrize("generators", [1, 2])
def test_a_report_has_each_request_of_all_generators_once(generators):
    """In the end all is known: what had ended at each mark, and what was in flight. Requests are
    short and many here, so that any moment between reading the one and the other would show. Each
    generator has connections of its own, which the system knows of."""
    reports = []
    with driven(Load([8], generators=generators)) as driver:
        driver.ask_for(Workload(), 0.0)
        driver.open(8, 0.0)

        def is_enough():
            reports.append(driver.report())
            return len(reports) >= 20 and len(reports[-1].records) > 400

        eventually(is_enough, 30)
        theirs = [psutil.Process(pid).net_connections("tcp") for pid in driver.pids()]
        asking = [any(each.status == psutil.CONN_ESTABLISHED for each in its) for its in theirs]
        assert sum(asking) == generators
        driver.open(0, 0.0)
        eventually(lambda: not driver.report().flying, 10)
        got = driver.records()
    done = np.sort(got[got["kind"] == OK], order=["user", "start"])
    assert set(done["user"].tolist()) == set(range(8))
    same_user = done["user"][1:] == done["user"][:-1]
    assert (done["start"][1:] > done["end"][:-1])[same_user].all()
    for report in reports:
        ended, begun = done["end"] <= report.at, done["start"] < report.at
        assert np.sort(report.records, order=["user", "start"]).tolist() == done[ended].tolist()
        flying = done[begun & ~ended]
        assert report.flying == dict(
            zip(flying["user"].tolist(), flying["start"].tolist(), strict=True)
        )


@pytest.mark.performance
def test_measure_forecasts_by_how_fast_the_server_itself_works():
    """A burn in a process of its own is off by as much as interpreters differ; a piece of work
    inside the server tells, and the forecast goes by that. How near it then comes is for
    `bench.prediction`: a machine that others share changes its speed between two phases of a run.
    """
    workload = Workload(cpu_s=0.02)
    recording = measure(Experiment(Server("event-loop"), workload, Load([2], seconds=1.0)))
    run = recording.run
    assert 0.3 < run.calibration.work_ratio < 3
    alone, crowd = (run.calibration.demand_s(workload.cpu_s, crowded=c) for c in (0.0, 1.0))
    assert 0.3 < run.calibration.crowd_ratio / run.calibration.work_ratio < 3
    assert min(alone, crowd) <= run.forecast.demand_s * (1 + 1e-9) <= max(alone, crowd) * (1 + 2e-9)
    assert 0.3 < run.points[-1].demand_s / run.forecast.demand_s < 3


@pytest.mark.performance
def test_measure_finds_the_generator_cheaper_beside_short_requests_in_the_trial_and_in_the_level():
    """Seen: 0.1 and 0.5 ms; with the latter a lone user of 1 ms had a third more than forecast."""
    short, long = (
        measure(Experiment(Server("prefork"), Workload(cpu_s=cpu_s), Load([1], seconds=1.0))).run
        for cpu_s in (0.001, 0.02)
    )
    assert short.calibration.generator_s < 0.7 * long.calibration.generator_s
    spent = [run.points[0].generator_cpu / run.points[0].throughput_rps for run in (short, long)]
    assert spent[0] < 0.7 * spent[1]


@pytest.mark.performance
@pytest.mark.parametrize("page", ["work", "file"])
def test_seconds_of_a_first_run_are_told_where_a_request_costs_nothing(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is known yet of what such a request costs; nobody could find out otherwise."""
    monkeypatch.setattr("labs.measure.calibration._folder", lambda: tmp_path)
    server = Server("event-loop", by="nginx" if page == "file" else "uvicorn")
    lab = SweepLab(Experiment(server, Workload(page=page), Load((1, 2), seconds=0.5)))
    assert 2.0 < lab.seconds() < 30.0
