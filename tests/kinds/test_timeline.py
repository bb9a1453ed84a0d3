"""The lab over time: what is expected, counted, drawn and said; and real servers in steps."""

import errno
import random
import re
import threading
from dataclasses import replace
from typing import Any, NoReturn

import examples
import numpy as np
import pytest
from examples import record
from markup import plain
from msgspec import structs
from waiting import eventually

from labs.host.waiting import Stopped
from labs.kinds.timeline import verdict as story
from labs.kinds.timeline.forecast import course
from labs.kinds.timeline.record import Event, StepResult, Timeline
from labs.kinds.timeline.run import TimelineLab
from labs.kinds.timeline.segments import (
    Border,
    Requests,
    lost,
    ramp,
    requests_of,
    step_result,
    time_bins,
)
from labs.kinds.timeline.show import show
from labs.kinds.timeline.walk import killed
from labs.load.locust import drive
from labs.measure.progress import Progress
from labs.measure.rig import Rig
from labs.present.bet import Answer, on_answer
from labs.records.errors import Unusable
from labs.records.experiment import Load, Page, Server, Workload
from labs.records.requests import RECORD, Report
from labs.records.results import Calibration, Check, Sample, unfit
from labs.records.steps import KILL, MOST_STEPS, Step
from labs.servers.control import Killed, ServerControl, check_steps_for
from labs.servers.serve import serve
from workloads.protocol import FAILED, LATE, MISSED, OK

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")

live = pytest.mark.performance
SOON_S = 15.0
KILLS = 3  # as quickly as a reader presses
THREE_PM = (
    Step(seconds=5, rate=10.0),
    Step(seconds=10, rate=24.0),
    Step(seconds=10, rate=24.0, do="raise the pool to 32"),
)
POOL = Server("prefork", processes=8)
HALF = Workload(wait_s=0.5)
SPARE = Server("prefork", by="spare", processes=10)


def timeline(**run: object) -> Timeline:
    """With these fields of its run."""
    found = examples.timeline()
    return structs.replace(found, runs=(replace(examples.timeline_run(), **run),))


NO_STEP = timeline(step_results=(), time_bins=(), ramp=(), events=(), processes=())
UNFIT_STEP = timeline(step_results=examples.timeline_run(unfit=3).step_results)


# what may be asked


def test_timeline_lab_refuses_steps_that_its_server_cannot_do() -> None:
    kill, more = Step(seconds=1, users=1, do=KILL), replace(THREE_PM[2], do="raise the pool to 9")
    check_steps_for(POOL, (kill, more))
    with pytest.raises(Unusable, match="it is 9 already"):
        check_steps_for(POOL, (more, more))
    with pytest.raises(Unusable, match="our own code cannot while it runs"):
        check_steps_for(Server("prefork", by="scratch"), (more,))
    with pytest.raises(Unusable, match="nobody would replace it"):
        check_steps_for(Server("event-loop"), (kill,))
    with pytest.raises(Unusable, match="180 s in all: give at most 120 s"):
        TimelineLab(POOL, HALF, [Step(seconds=60, users=1)] * 3)


def test_timeline_lab_has_users_for_arrivals_beside_those_of_a_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whose requests may all be under way still."""
    asked: list[int] = []

    def testbed(self: Rig, experiment: object, *, at_hand: int, **_: object) -> NoReturn:
        asked.append(at_hand)
        raise Unusable("That is all.")

    monkeypatch.setattr(Rig, "testbed", testbed)
    crowd, arrivals = Step(seconds=5, users=200), Step(seconds=5, rate=10.0)
    for steps in ([crowd], [crowd, arrivals]):
        with pytest.raises(Unusable, match="That is all"):
            TimelineLab(POOL, HALF, steps).run(Rig())
    assert asked[0] <= 200 and asked[1] >= 250


# what is expected


IDEAL = Calibration(loops_per_s=(1e7, 2e7), noise_fraction=0.0)
WHOLE = replace(examples.MACHINE, quota_cores=None, logical_cores=2)


def test_course_leaves_behind_what_comes_too_fast_and_serves_it_later() -> None:
    """8 workers at 0.5 s do 16 a second; (24 - 16) 10 s = 80; 32 workers do 64."""
    parts = course(POOL, HALF, THREE_PM, IDEAL, WHOLE)
    assert [part.from_s for part in parts[1:]] == [part.to_s for part in parts[:-1]]
    assert (parts[0].from_s, parts[-1].to_s, len(parts)) == (0, 25, 25)
    before, launch, first, after = parts[4], parts[14], parts[15], parts[24]
    assert before.throughput_rps == pytest.approx(10, rel=0.06)
    assert before.in_flight == pytest.approx((5, 5), rel=0.1)
    assert launch.throughput_rps == pytest.approx(16, rel=0.02)
    assert launch.in_flight[1] == pytest.approx(88, rel=0.04)
    assert launch.in_flight_band is not None and launch.response_time_s is not None
    low, high = launch.in_flight_band[1]  # 240 come, give or take 1.28 times the root of that
    assert 60 < low < 72 and 103 < high < 116
    assert launch.response_time_s == pytest.approx(0.5 + (88 - 8) / 24, rel=0.15)
    assert first.throughput_rps > 1.5 * 24
    assert after.throughput_rps == pytest.approx(24, rel=0.04)
    assert after.in_flight[1] == pytest.approx(12, rel=0.06)
    assert after.response_time_s == pytest.approx(0.5, rel=0.02)


@pytest.mark.parametrize(
    ("server", "work", "rate", "under_way"),
    [
        (POOL, Workload(cpu_s=0.05), 36.0, 7.4),
        (Server("event-loop"), Workload(cpu_s=0.05), 18.0, 0.9 + 0.9**2 / 0.2),
        (Server("event-loop"), Workload(cpu_s=0.05, cpu_cv=1.0), 18.0, 9.0),
        (Server("threaded", threads=8), Workload(cpu_s=0.2), 4.5, 8.1),  # slices: nearly sharing
    ],
)
def test_course_has_the_queue_of_queueing_theory_close_to_the_limit(
    server: Server, work: Workload, rate: float, under_way: float
) -> None:
    """At nine tenths of what it can do, in the second half of a minute."""
    steps = [Step(seconds=30, rate=rate)] * 2
    parts = course(server, work, steps, IDEAL, WHOLE)
    late = [part.in_flight[1] for part in parts if part.to_s > 30]
    assert np.mean(late) == pytest.approx(under_way, rel=0.2)


def test_course_queues_arrivals_for_a_lock_and_under_a_quota() -> None:
    steps = [Step(seconds=20, rate=8.0)]
    for work, machine in (
        (Workload(wait_s=0.1, wait_by="lock"), WHOLE),
        (Workload(cpu_s=0.05), examples.MACHINE),  # under a quota
    ):
        last = course(POOL, work, steps, IDEAL, machine)[-1]
        assert last.in_flight_band is not None
        assert last.throughput_rps == pytest.approx(8, rel=0.02)
    many = course(POOL, Workload(cpu_s=0.0005), [Step(seconds=60, rate=2000.0)], IDEAL, WHOLE)[-1]
    assert many.in_flight[1] == pytest.approx(1 / (1 - 0.5**2), rel=0.1)  # M/M/2 at a half


def test_course_gives_a_group_what_a_sweep_would() -> None:
    steps = [Step(seconds=4, users=users) for users in (1, 2, 8)]
    work = Workload(cpu_s=0.05)
    parts = course(POOL, work, steps, examples.CALIBRATION, examples.MACHINE)
    assert [part.throughput_rps for part in parts] == pytest.approx([20, 40, 40], rel=0.05)
    assert [part.in_flight for part in parts] == [(1, 1), (2, 2), (8, 8)]
    assert parts[2].response_time_s == pytest.approx(8 / parts[2].throughput_rps)
    assert parts[2].in_flight_band is None


# what is counted


def requests(*rows: tuple[Any, ...], flying: dict[int, float] | None = None) -> Requests:
    report = Report(records=np.array(list(rows), dtype=RECORD), flying=flying or {}, at=102.0)
    return requests_of(report, began=100.0)


def border(at_s: float) -> Border:
    used = {"server_s": 1.0, "generator_s": 0.1, "busy_s": 1.5, "own_s": 0.1}
    counted = {name: each * at_s for name, each in used.items()}
    snapshot = examples.snapshot(100 + at_s, **counted)
    times = {"user": 0.6 * at_s, "system": 0.2 * at_s, "idle": 0.2 * at_s}
    return Border(at_s=at_s, snapshot=snapshot, cores=[type("Times", (), times)()])


def test_step_result_counts_a_group_by_shares_and_without_who_left() -> None:
    rows = [record(OK, 0, 100 + at / 10, 100 + (at + 1) / 10) for at in range(20)]
    rows.append(record(OK, 1, 100.95, 101.95))  # sent away at 101
    found = requests(*rows, flying={0: 102.0})
    alone = step_result(Step(seconds=1, users=1), found, border(1.0), border(2.0), 4)
    assert alone.throughput_rps == pytest.approx(10)
    assert alone.mean_response_time_s == pytest.approx(0.1)
    assert (alone.in_flight, alone.workers, alone.failed) == (1, 4, 0)
    assert alone.server_cpu == pytest.approx(1.0)
    assert alone.others_cpu == pytest.approx(1.5 - 1.0 - 0.1 - 0.1)
    assert alone.page_cpu == pytest.approx(0.1)
    assert alone.cores == (pytest.approx(0.8),)


def test_step_result_counts_an_arrival_where_it_is_answered() -> None:
    found = requests(
        record(OK, 7, 100.1, 101.5),
        record(OK, 8, 101.2, 101.6),
        record(FAILED, 9, 101.2, 101.3, process=errno.EADDRNOTAVAIL),
        record(MISSED, 0, 101.4, 101.4),
        flying={3: 101.9},
    )
    step = Step(seconds=1, rate=3.0)
    first = step_result(step, found, border(0.0), border(1.0), None)
    second = step_result(step, found, border(1.0), border(2.0), None)
    assert (first.completed, second.completed) == (0, 2)
    assert (first.begun, second.begun) == (1, 3)
    assert (first.no_port, second.no_port) == (0, 1)
    failed, *_ = story.checks(second, step, POOL, examples.MACHINE)
    assert "1 request failed because no port was free" in failed.sentence
    assert (second.failed, second.missed, second.in_flight) == (1, 1, 1)
    assert second.mean_response_time_s == pytest.approx((1.4 + 0.4) / 2)
    checks = story.checks(second, step, POOL, examples.MACHINE)
    assert {check.name for check in checks if check.unfit} == {"errors", "missed", "few"}
    forgiven = story.checks(second, step, POOL, examples.MACHINE, lost=1)
    assert "errors" not in {check.name for check in forgiven if check.unfit}


@pytest.mark.parametrize(
    ("step", "server", "change", "unfit"),
    [
        (Step(seconds=1, users=8), POOL, {"others_cpu": 1.0}, {"others"}),
        (Step(seconds=1, rate=80.0), POOL, {"steal_cpu": 1.0}, {"steal"}),
        (Step(seconds=1, users=8), POOL, {"browser_cpu": 1.0}, {"page"}),
        (Step(seconds=1, users=8), POOL, {"others_cpu": 0.15, "server_cpu": 1.8}, set()),
        (Step(seconds=1, users=8), POOL, {"others_cpu": 1.0, "server_cpu": 0.5}, set()),  # waits
        (Step(seconds=1, users=1), POOL, {"others_cpu": 1.0}, set()),  # who needs no second core
        (Step(seconds=1, users=8), Server("event-loop"), {"others_cpu": 1.0}, set()),
        (Step(seconds=1, users=8), Server("threaded", threads=8), {"others_cpu": 1.0}, set()),
    ],
)
def test_check_calls_a_step_unfit_whose_cores_others_took(
    step: Step, server: Server, change: dict[str, float], unfit: set[str]
) -> None:
    """Two cores, of which a neighbour has one, and server and load generator the other."""
    beside = {"server_cpu": 0.95, "generator_cpu": 0.05, "others_cpu": 0.0, "page_cpu": 0.0}
    result = replace(examples.step_result(3), checks=(), **(beside | change))
    found = tuple(story.checks(result, step, server, examples.MACHINE))
    assert {check.name for check in found if check.unfit} == unfit
    assert {check.name for check in found} & {"others", "steal", "page"}


def test_check_tells_arrivals_that_were_sent_late() -> None:
    rows = [record(OK, user, 100.1, 100.5) for user in range(8)]
    found = requests(*rows, *(record(LATE, user, 100.1, 100.3) for user in range(2)))
    step = Step(seconds=1, rate=8.0)
    result = step_result(step, found, border(0.0), border(1.0), None)
    assert (result.begun, result.late) == (8, 2)
    assert result.late_s == pytest.approx(2 * 0.2 / 8)

    def told(result: StepResult) -> list[Check]:
        checks = story.checks(result, step, POOL, examples.MACHINE)
        return [check for check in checks if check.name == "late"]

    (late,) = told(result)
    assert not late.unfit
    assert "2 arrivals were sent late, 50 ms on average over all" in plain(late.sentence)
    assert not told(replace(result, late_s=0.01))


def test_arrivals_seed_differs_between_runs_and_steps() -> None:
    runs = [replace(examples.timeline_run(), seed=seed) for seed in range(3)]
    seeds = {run.arrivals_seed(number) for run in runs for number in range(MOST_STEPS)}
    assert len(seeds) == 3 * MOST_STEPS
    assert [runs[0].arrivals_seed(number) for number in range(3)] == [0, 1, 2]  # as they were


def test_time_bins_add_up_to_all_requests() -> None:
    rows = [record(OK, 0, 100 + at / 10, 100 + (at + 0.9) / 10) for at in range(20)]
    found = requests(*rows, record(FAILED, 1, 100.3, 100.6), flying={2: 101.0})
    samples = [
        Sample(
            at_s=at / 10,
            users=1,
            cores=((0.5, 0.1, 0.0, 0.4),),
            workers=5 + at // 5,
            server_cpu=0.5,
            generator_cpu=0.1,
        )
        for at in range(21)
    ]
    got = time_bins([Step(seconds=2, users=1)], found, samples, 2.0)
    assert [each.at_s for each in got] == [0.25 * n for n in range(1, 9)]
    assert sum(each.completed for each in got) == 20
    assert sum(each.begun for each in got) == 22
    assert [each.failed for each in got] == [0, 0, 1, 0, 0, 0, 0, 0]
    assert (got[1].in_flight, got[-1].in_flight) == (2, 1)  # one just begins; one flies
    assert all(each.cores == ((0.5, 0.1, 0.0, 0.4),) for each in got)
    assert ramp(samples) == ((0.0, 5), (0.5, 6), (1.0, 7), (1.5, 8), (2.0, 9))
    assert time_bins([Step(seconds=2, users=1)], requests(), [], 0.1) == ()


# what is drawn and said


def test_table_has_a_column_for_each_core_up_to_eight() -> None:
    found = examples.timeline(1.0)
    for cores, shown in ((1, 1), (4, 4), (64, 8)):
        machine = replace(found.machine, logical_cores=cores)
        head = show.table(structs.replace(found, machine=machine)).head
        assert sum(name.startswith("core ") for name in head) == shown


def test_forecast_at_end_of_a_step_is_of_that_step() -> None:
    """1.1 and 2.2 are a little more than 3.3, where the forecast's next part begins."""
    steps = (Step(seconds=1.1, rate=20.0), Step(seconds=2.2, rate=20.0), Step(seconds=3, rate=60.0))
    server, work = examples.timeline().server, Workload(wait_s=0.05)
    expected = course(server, work, steps, examples.CALIBRATION, examples.MACHINE)
    run = replace(examples.timeline_run(), forecast=expected)
    for step in structs.replace(examples.timeline(), steps=steps, runs=(run,)).walked:
        assert step.forecast_at_end.to_s == pytest.approx(step.end_s, abs=0.001)


@pytest.mark.parametrize(("by_reader", "at_s"), [(False, 1.0), (True, 1.0), (True, 3.9)])
def test_verdict_compares_no_step_that_its_reader_changed(by_reader: bool, at_s: float) -> None:
    found = examples.timeline(1.0)
    done = Event(at_s=at_s, words="Process 101 was killed.", by_reader=by_reader)
    found = structs.replace(found, runs=(replace(found.run, events=(done,)),))
    lab = TimelineLab(found.server, found.workload, found.steps)
    steps = [each for each in story.verdict(found) if each.startswith("Step")]
    for said, begin_s, step in zip(steps, found.begins_s, found.steps, strict=True):
        excused = by_reader and at_s < begin_s + step.seconds
        assert (story.INTERVENED in said) == excused
        assert ("forecast" in said.replace(story.INTERVENED, "")) != excused
    said = on_answer(lab.question, 1.0, lab.outcome(found))
    assert (story.INTERVENED in said) == by_reader
    assert bool(lab.unsettled(found)) == by_reader


@pytest.mark.parametrize(
    ("page", "faults", "settled"),
    [
        ("file", ("load generator",), True),
        ("work", ("load generator",), False),
        ("file", ("load generator", "others"), False),
        ("file", ("few",), False),
    ],
)
def test_timeline_lab_settles_a_bet_when_the_generator_is_full_before_a_small_file(
    page: Page, faults: tuple[str, ...], settled: bool
) -> None:
    work = Workload(page=page, cpu_s=0.0 if page == "file" else 0.02)
    result = replace(
        examples.step_result(1), checks=tuple(unfit(name, f"{name}.") for name in faults)
    )
    run = replace(examples.timeline_run(), step_results=(result,))
    steps = (Step(seconds=3, users=8),)
    found = structs.replace(examples.timeline(), workload=work, steps=steps, runs=(run,))
    lab = TimelineLab(POOL, work, steps)
    assert settled == (lab.unsettled(found) == "")
    assert (lab.rejection(found) == "") == settled
    told = " ".join(story.verdict(found))
    assert ("so the step counts" in told) == settled != ("cannot be believed" in told)


def test_lost_counts_failures_that_follow_a_death_once_each() -> None:
    """Three workers are killed, 200 ms after each other."""
    rows = [
        record(FAILED, 1, 100.9, 101.01),
        record(FAILED, 2, 101.3, 101.405),
        record(FAILED, 3, 101.2, 101.41),
        record(FAILED, 4, 101.7, 101.8),  # began when all of them were gone
        record(FAILED, 5, 101.3, 102.6),  # long afterwards
        record(OK, 6, 101.0, 101.2),
    ]
    deaths = [1.0, 1.2, 1.4]
    assert [lost(requests(*rows), deaths, *step) for step in ((0, 1.2), (1.2, 3))] == [1, 2]
    assert lost(requests(*rows), [], 0, 3) == 0


@pytest.mark.parametrize(
    ("clients", "who"), [(0, "an idle worker"), (1, "a worker with a client"), (2, "2 clients")]
)
def test_killed_says_who_died(clients: int, who: str) -> None:
    died = Killed(pid=7, at=1.0, clients=clients, follower=None, after_s=5.0, when_needed=False)
    assert f"{who}, was killed. Nobody had taken its place" in killed(died)


# the panel


def test_a_small_machine_walks_the_same_steps_with_a_wait_and_says_why() -> None:
    lab = TimelineLab(POOL, Workload(cpu_s=0.05), examples.STEPS)
    small = lab.scaled_down(1, shared=False)
    assert small.steps == lab.steps and small.workload == Workload(wait_s=0.05)
    assert "This machine has one core" in small.about()
    assert lab.scaled_down(2, shared=False) is lab


def test_timeline_lab_has_no_controls_where_nobody_replaces_a_worker() -> None:
    assert not TimelineLab(Server("event-loop"), HALF, [Step(seconds=1, users=1)]).controls
    TimelineLab(POOL, HALF, THREE_PM).perform("Kill a worker")  # nothing runs


def test_timeline_lab_asks_what_is_least_obvious() -> None:
    for server, steps, unit, said in (
        (POOL, THREE_PM, "requests", "answered at second 15"),
        (POOL, [Step(seconds=4, users=8)], "req/s", "second 0 to 4"),
        (SPARE, [Step(seconds=4, users=8)], "workers", "at second 4"),
    ):
        lab = TimelineLab(server, HALF, steps)
        assert lab.question.unit == unit and said in lab.question.words
    work, steps = Workload(cpu_s=0.05), [Step(seconds=4, users=8)] * 3
    lab = TimelineLab(POOL, work, steps)
    assert not lab.matches(examples.timeline())  # of other servers
    assert lab.answer(examples.timeline(1.0)) == Answer(30.0, 30.0)
    assert lab.answer(NO_STEP) == Answer()
    workers = TimelineLab(SPARE, work, steps)
    assert workers.answer(examples.timeline(1.0)) == Answer(measured=9)
    assert lab.rejection(examples.timeline()) == ""
    assert lab.rejection(NO_STEP) == "Not all steps were walked."
    assert lab.rejection(UNFIT_STEP) == examples.UNFIT.sentence


# for real


@live
def test_walk_measures_steps_and_a_killed_worker_costs_at_most_one_request() -> None:
    steps = (
        Step(seconds=1, users=1),
        Step(seconds=2, users=10),
        Step(seconds=1.5, users=10, do=KILL),
    )
    told: list[object] = []
    rig = Rig(told.append)
    found = rig.perform(TimelineLab(SPARE, Workload(wait_s=0.1), steps))
    run = found.run
    assert run.seed == rig.seed  # of all that is drawn in it
    one, many, kill = run.step_results
    assert 0 < one.throughput_rps < 11  # N/V, and what a step's edges add
    assert one.throughput_rps < many.throughput_rps < 110
    assert one.throughput_rps < kill.throughput_rps < 110
    failed = kill.failed  # between two requests a worker has none
    assert failed in (0, 1) and [one.failed, many.failed] == [0, 0]
    assert failed == any(check.name == "killed" for check in kill.checks)
    assert run.ramp[0][1] <= 6 < max(workers for _, workers in run.ramp)
    assert 0 < float(show.quote(found, "seconds_to", 10)) < 3
    (event,) = run.events
    assert event.at_s == pytest.approx(3, abs=0.7)
    assert re.search(r"Process \d+, .*, was killed\. Process \d+ took its place", event.words)
    killed, follower = map(int, re.findall(r"Process (\d+)", event.words))
    server = {process.pid: process for process in run.tree("server")}
    assert server[killed].lived_s < 4 < max(each.lived_s for each in server.values())
    assert server[follower].began_s > 2.5
    assert run.children("server") == len(server) - 1 >= 11
    assert 0 < run.on_core("generator") < 1
    assert sum(each.failed for each in run.time_bins) == failed
    assert len(run.time_bins) == 4.5 * 4
    timelines = [each for each in told if isinstance(each, Timeline)]
    assert [len(each.run.step_results) for each in timelines] == [0, 1, 2]  # where a step begins
    walking = told[told.index(timelines[0]) : -1]  # and then it is over
    assert all(each.quiet_s is not None for each in walking if isinstance(each, Progress))
    unfit = {check.name for each in run.step_results for check in each.checks if check.unfit}
    assert unfit <= {"others", "steal", "page"}  # whoever shares this machine may spoil a run


@live
def test_walk_stopped_in_a_step_shows_what_was_found_and_done() -> None:
    stop, told = threading.Event(), list[object]()
    lab = TimelineLab(POOL, Workload(wait_s=0.1), [Step(seconds=10, users=4)])

    def on_event(event: object) -> None:
        told.append(event)
        if isinstance(event, Timeline) and not event.run.time_bins:
            for _ in range(KILLS):
                lab.perform("Kill a worker")
        if isinstance(event, Progress) and event.quiet_s is not None and event.quiet_s < 7:
            stop.set()

    rig = Rig(on_event, stop)
    with pytest.raises(Stopped):
        rig.perform(lab)
    begun, *shown, stopped = (each for each in told if isinstance(each, Timeline))
    assert shown and shown[0].run.events and not shown[0].run.step_results  # before its step ends
    assert all(each.by_reader for each in stopped.run.events)
    assert not begun.run.time_bins and stopped.run.time_bins[-1].at_s > 2.5
    assert sum(each.completed for each in stopped.run.time_bins) > 20
    assert len([each for each in stopped.run.events if "was killed" in each.words]) == KILLS
    assert sum(each.failed for each in stopped.run.time_bins) > 0
    assert rig.found == stopped


@pytest.mark.extended
@live
def test_walk_raises_a_pool_that_serves_out_what_was_left_behind() -> None:
    """2 workers at 0.2 s do 10 a second, and 25 come; then there are 8, who could do 40."""
    steps = (
        Step(seconds=1.5, rate=25.0),
        Step(seconds=3, rate=25.0, do="raise the pool to 8"),
    )
    lab = TimelineLab(Server("prefork", processes=2), Workload(wait_s=0.2), steps)
    found = Rig().perform(lab)
    before, after = found.run.step_results
    assert before.throughput_rps == pytest.approx(10, rel=0.3)
    assert after.throughput_rps > 1.5 * before.throughput_rps
    assert before.in_flight > 2 * 2
    assert before.begun + after.begun == pytest.approx(25 * 4.5, abs=5 * (25 * 4.5) ** 0.5)
    assert (before.workers, after.workers) == (2, 8)
    assert before.missed == after.missed == 0
    (event,) = found.run.events
    assert re.search(r"raised from 2 workers; [\d,.]+\s\w+ later 8 served", event.words)
    assert float(show.quote(found, "seconds_to", 8)) > 0


@live
def test_let_come_records_arrivals_without_a_user_as_missed() -> None:
    with (
        serve(Server("event-loop")) as running,
        drive(Load([1]), url=running.url, users=60) as driver,
    ):
        driver.ask_for(Workload(wait_s=0.05, wait_cv=0.0), 0.0)
        driver.let_come(200.0, seed=1)
        eventually(lambda: (driver.records()["kind"] == OK).sum() >= 200, SOON_S, "answers")
        driver.ask_for(Workload(wait_s=0.7, wait_cv=0.0), 0.0)
        eventually(lambda: (driver.records()["kind"] == MISSED).any(), SOON_S, "nobody left")
        driver.ask_for(Workload(), 0.0)
        driver.open(1, 0.0)  # nobody comes any more
        eventually(lambda: set(driver.report().flying) <= {0}, SOON_S)
        since = len(driver.records())
        eventually(lambda: len(driver.records()) > since + 20, SOON_S)
        assert set(driver.records(since)["user"].tolist()) == {0}


@live
def test_let_come_begins_arrivals_when_due_however_busy_the_generator() -> None:
    """Its script takes 15 ms or so for each answer, in which nobody is sent."""
    with (
        serve(Server("event-loop")) as running,
        drive(Load([1]), url=running.url, users=60) as driver,
    ):
        driver.ask_for(Workload(wait_s=0.01, wait_cv=0.0), 2e7, script=0.015 * 2e7)
        driver.let_come(30.0, seed=3)
        eventually(lambda: (driver.records()["kind"] == OK).sum() >= 60, SOON_S, "answers")
        report = driver.report()
    got = report.records
    came = np.isin(got["kind"], (OK, FAILED, MISSED))  # on a busy machine some find no user
    begun = np.sort([*got[came]["start"], *report.flying.values()])
    dice = random.Random(3)
    dice.expovariate(30.0)
    due = [dice.expovariate(30.0) for _ in begun[1:]]
    assert np.diff(begun) == pytest.approx(due, abs=1e-6)
    late = got[got["kind"] == LATE]
    assert len(late) > 5
    answered = {each["start"]: each["end"] for each in got[got["kind"] == OK]}
    known = [each for each in late if each["start"] in answered]
    assert known and all(each["start"] < each["end"] < answered[each["start"]] for each in known)


@live
def test_open_with_fewer_users_hangs_up_for_those_who_leave() -> None:
    """Else a worker would stay with a user who never asks again."""
    with (
        serve(Server("prefork", by="scratch", processes=3)) as running,
        drive(Load([3]), url=running.url) as driver,
    ):
        control = ServerControl(running, threading.Event())

        def busy() -> int:
            return sum(control._clients(pid) > 0 for pid in running.serving_pids())

        driver.ask_for(Workload(wait_s=0.01), 0.0)
        driver.open(3, 0.0)
        eventually(lambda: busy() == 3, SOON_S, "a worker for each")
        driver.open(1, 0.0)
        eventually(lambda: busy() == 1, SOON_S, "two workers free again")
