"""Parts of a mean response time: on simulated servers, whose parts are known."""

from dataclasses import replace
from math import nan

import examples
import numpy as np
import pytest
from examples import record

from labs.analysis.time_split import Spans, spans, time_split
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.requests import RECORD
from labs.records.results import Calibration, Machine
from labs.records.time_split import PARTS, TimeSplit
from workloads.protocol import OK

WORK = Workload(cpu_s=0.02, wait_s=0.05)
ALONE = Calibration(loops_per_s=(1e8,), noise_fraction=0.0, timer_s=0.0001)
SERVICE = Spans(before_s=0.01, service_s=0.16, after_s=0.002, cpu_s=0.02, asked_s=0.05, full=0.6)


def split(
    found: Spans | None,
    *,
    server: Server | None = None,
    workload: Workload = WORK,
    demand_s: float = 0.0205,
    delay_s: float | None = 0.09,
    users: int = 16,
    machine: Machine = examples.MACHINE,
) -> TimeSplit:
    """Of a window of 2 s with 100 requests; demand and delay are seconds per request."""
    response_s = found.before_s + found.service_s + found.after_s if found else 0.2
    point = replace(
        examples.point(users),
        completed=100.0,
        mean_response_time_s=response_s,
        demand_s=demand_s,
    )
    run_delay = None if delay_s is None else delay_s * 50
    experiment = Experiment(server or Server("prefork", processes=16), workload, Load([users]))
    made = time_split(point, found, run_delay, experiment, ALONE, machine, 0.001)
    assert made is not None
    assert made.total_s == pytest.approx(response_s)
    assert all(getattr(made, name) >= 0 for name in PARTS)
    return made


def test_a_process_is_on_a_core_or_ready_or_waits_as_asked() -> None:
    """And what a pool that is full keeps waiting is queued, less the way that a lone user has."""
    made = split(SERVICE)
    assert made.on_core_s == pytest.approx(0.0205)
    assert made.asked_s == pytest.approx(0.0501)  # as late as the timer was
    assert made.ready_s == pytest.approx(0.09)
    assert made.queued_s == pytest.approx(0.009 - (0.09 - (0.16 - 0.02 - 0.0501)))
    assert made.outside_s == pytest.approx(0.001 + 0.002 - 0.0005)
    assert (made.turn_s, made.turn_at, made.missing) == (0, "", "")
    assert made.explained and made.unexplained_s == pytest.approx(0)


def test_what_is_left_of_rounding_is_nothing() -> None:
    befores_s = [0.01 + tenth / 10_000 for tenth in range(40)]
    found = [split(replace(SERVICE, before_s=before_s)) for before_s in befores_s]
    assert {(made.unexplained_s, made.excess_s) for made in found} == {(0, 0)}


def test_more_than_there_is_room_for_is_told() -> None:
    """With as many users as workers nobody is idle to whom a delay could belong."""
    made = split(SERVICE, delay_s=0.13)
    assert made.excess_s == pytest.approx(0.13 - (0.16 - 0.02 - 0.0501) - 0.009 - 0.0025)
    assert made.outside_s == 0
    assert not made.explained
    idle = split(SERVICE, delay_s=0.13, users=4)
    assert (idle.excess_s, idle.explained) == (0, True)
    short = split(replace(SERVICE, service_s=0.06), delay_s=0.0)
    assert short.excess_s == pytest.approx(0.02 - (0.06 - 0.0501)) and not short.explained


def test_the_herd_of_idle_workers_belongs_to_no_request() -> None:
    lone = Spans(before_s=0.001, service_s=0.0702, after_s=0.001, cpu_s=0.02, asked_s=0.05, full=0)
    made = split(lone, users=1, demand_s=0.03, delay_s=0.5)
    assert made.ready_s < 0.001 and made.on_core_s == pytest.approx(0.022)
    assert made.explained


THREADS = Server("threaded", threads=16)


@pytest.mark.parametrize(("full", "queued_s"), [(0.0, 0.0), (0.6, 0.6 * 0.149), (1.0, 0.149)])
def test_threads_wait_for_the_interpreter_in_service_and_before_it(
    full: float, queued_s: float
) -> None:
    """Whoever accepts a request needs the lock too; only the surplus waits for a thread."""
    found = Spans(before_s=0.15, service_s=0.22, after_s=0.002, cpu_s=0.02, asked_s=0.05, full=full)
    made = split(found, server=THREADS, delay_s=0.01)
    assert made.turn_at == "interpreter" and made.explained
    assert made.ready_s == pytest.approx(0.01)
    assert made.queued_s == pytest.approx(queued_s)
    assert made.turn_s == pytest.approx(0.22 - 0.02 - 0.0501 - 0.01 + 0.149 - queued_s)
    free = split(found, server=THREADS, delay_s=0.01, machine=replace(examples.MACHINE, gil=False))
    assert (free.turn_at, free.turn_s) == ("", 0) and not free.explained


def test_a_loop_keeps_everybody_waiting_and_so_does_its_delay() -> None:
    """The one thread has a core for two thirds of its time: of all waiting for it a third is
    ready, before service as well."""
    found = Spans(before_s=0.1, service_s=0.2, after_s=0.002, cpu_s=0.02, asked_s=0.05, full=0)
    made = split(found, server=Server("event-loop"), demand_s=0.02, delay_s=0.01)
    assert made.turn_at == "event loop" and made.queued_s == 0
    assert made.ready_s == pytest.approx((0.2 - 0.0501 + 0.099) / 3, rel=1e-6)
    assert made.turn_s == pytest.approx(0.2 - 0.0501 + 0.099 - made.ready_s - 0.02)
    blocked, loop = replace(WORK, wait_by="blocking"), Server("event-loop")
    stands = split(found, server=loop, workload=blocked, demand_s=0.02, delay_s=0.01)
    assert stands.ready_s < made.ready_s / 2  # while it waits it needs no core
    assert split(found, server=loop, demand_s=0.02, delay_s=0.0).ready_s == 0


@pytest.mark.parametrize("wait_by", ["disk", "database", "lock"])
def test_what_one_request_at_a_time_can_have_is_named(wait_by: str) -> None:
    made = split(SERVICE, workload=replace(WORK, wait_by=wait_by), delay_s=0.01)  # type: ignore[arg-type]
    assert made.turn_at == wait_by
    assert made.turn_s == pytest.approx(0.16 - 0.02 - 0.0501 - 0.01)


def test_gaps_are_named() -> None:
    silent = split(None, server=Server("event-loop", by="nginx"), workload=Workload(page="file"))
    assert "does not say when it serves" in silent.missing and not silent.explained
    other = split(replace(SERVICE, before_s=-7.0, after_s=7.012))
    assert "clock" in other.missing and other.queued_s == other.outside_s == 0
    assert other.ready_s == pytest.approx(0.16 - 0.02 - 0.0501)
    mac = split(SERVICE, delay_s=None)
    assert "does not count" in mac.missing and mac.ready_s == 0 and not mac.explained


# spans


def rows(*given: tuple[float, ...]) -> np.ndarray:
    return np.array(list(given), dtype=RECORD)


def test_spans_count_by_the_share_of_each_life_in_the_window() -> None:
    found = spans(
        rows(
            record(OK, 0, 0.0, 0.2, service=(0.1, 0.2, 0.01, 0.0)),  # half in the window
            record(OK, 0, 0.2, 0.7, service=(0.2, 0.6, 0.03, 0.4)),
            record(OK, 1, 0.3, 0.9),  # not told
            record(OK, 0, 1.1, 1.2, service=(1.1, 1.2, 9.0, 9.0)),  # outside
        ),
        0.1,
        1.0,
    )
    assert found is not None
    assert found.before_s == pytest.approx(0.5 * 0.1 / 1.5)
    assert found.service_s == pytest.approx((0.5 * 0.1 + 0.4) / 1.5)
    assert found.after_s == pytest.approx(0.1 / 1.5)
    assert found.cpu_s == pytest.approx((0.5 * 0.01 + 0.03) / 1.5)
    assert found.asked_s == pytest.approx(0.4 / 1.5)
    assert spans(rows(record(OK, 1, 0.3, 0.9, service=(nan, nan, nan, nan))), 0.1, 1.0) is None


@pytest.mark.parametrize(("threads", "users", "full"), [(2, 2, 0.0), (2, 4, 1.0), (3, 4, 0.5)])
def test_only_the_surplus_waits_for_a_place(threads: int, users: int, full: float) -> None:
    """Two at a time are served, whatever the number of threads: who finds a free one and is not
    served either waits for something else."""
    served = []
    for turn in range(40):
        for each in range(2):
            begun = turn * 0.1
            start = begun - 0.1 * (users / 2 - 1)
            service = (begun, begun + 0.1, 0.1, 0.0)
            served.append(record(OK, each, start, begun + 0.1, process=7, service=service))
    found = spans(rows(*served), 1.0, 3.0, threads)
    assert found is not None and found.full == pytest.approx(full, abs=0.02)


def test_where_nothing_ended_or_nothing_lasted_there_are_no_parts() -> None:
    whose = examples.EXPERIMENT, ALONE, examples.MACHINE
    for change in ({"completed": 0.0}, {"mean_response_time_s": 0.0}):
        point = replace(examples.point(4), **change)
        assert time_split(point, SERVICE, 0.0, *whose, 0.001) is None


def test_where_nobody_waits_no_place_is_wanting() -> None:
    alone = record(OK, 0, 0.2, 0.6, process=7, service=(0.2, 0.6, 0.01, 0.0))
    assert spans(rows(alone), 0.0, 1.0, threads=1).full == 0
    for begin in (0.2, 0.0):  # one of two is served, the other waits
        both = [alone, record(OK, 1, 0.2, 1.0, process=7, service=(0.6, 1.0, 0.01, 0.0))]
        assert spans(rows(*both), begin, 1.0, threads=1).full == 1
        assert spans(rows(*both), begin, 1.0, threads=2).full == 0
        assert spans(rows(*both), begin, 1.0).full == 0  # there is always one
