"""Time split: one level's mean response time, in parts that add up to it.

Pure arithmetic on request records and two snapshots. Stamps of client and server, on one clock,
cut each request's life into three spans; the kernel's counters of the server's threads, divided by
the completions, say how much of them was CPU time and how much was waiting for a core. What the
parts are is said in `labs.records.time_split`.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labs.records.experiment import Experiment
from labs.records.results import Calibration, Machine, Point
from labs.records.server_facts import WAITS, locked
from labs.records.time_split import PARTS, TimeSplit

ROUNDING = 1e-9  # of the whole: sums of seconds are not exact
ONE_CLOCK_S = 0.0001  # stamps of one clock are in order, but for their rounding
UNSTAMPED = "The server does not say when it serves: time queued or outside is unexplained."
TWO_CLOCKS = "Server and users have two clocks: time queued or outside is unexplained."
NO_DELAY = "This system does not count how long threads wait for a core: ready is not known."


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """Means over the requests of a window, each counted by the share of its life in it. Seconds."""

    before_s: float  # the client's start until the server's
    service_s: float
    after_s: float  # the server's end until the client's
    cpu_s: float  # of the request's own thread, in service
    asked_s: float  # to wait
    full: float  # of the time before service, the fraction in which the pool had no place


def spans(
    records: NDArray[np.void], begin: float, end: float, threads: int | None = None
) -> Spans | None:
    """Spans of good requests that overlap the window [begin, end]; None where no answer was
    stamped.

    threads: of each process that serves, for `full`: while more requests than that are with a
    process, or on the way to it, the surplus waits for a place. None: there is always one.
    """
    told = records[np.isfinite(records["service_end"])]
    inside = np.minimum(told["end"], end) - np.maximum(told["start"], begin)
    told, inside = told[inside > 0], inside[inside > 0]
    if not len(told):
        return None
    shares = inside / np.maximum(told["end"] - told["start"], 1e-9)

    def mean(values: NDArray[np.float64]) -> float:
        return float((shares * values).sum() / shares.sum())

    return Spans(
        before_s=mean(told["service_start"] - told["start"]),
        service_s=mean(told["service_end"] - told["service_start"]),
        after_s=mean(told["end"] - told["service_end"]),
        cpu_s=mean(told["service_cpu"]),
        asked_s=mean(told["asked_wait"]),
        full=_full(told, begin, end, threads) if threads else 0.0,
    )


def time_split(
    point: Point,
    found: Spans | None,
    run_delay: float | None,
    experiment: Experiment,
    calibration: Calibration,
    machine: Machine,
    way_there_s: float,
) -> TimeSplit | None:
    """The parts of a point's mean response time; None where nothing was answered.

    run_delay: threads of the server that were ready and had no core, a mean over the window; None
    where that is not counted. way_there_s: until the application begins a lone user's request.
    Threads under Python's lock, and event loops: what is left of the time in service belongs to the
    lock or the loop. An event loop is either running or ready while
    somebody waits for it; so of all that waiting, the loop's own share of delay is `ready`, for a
    delay of its one thread delays every request there is.
    """
    whole_s = point.mean_response_time_s
    if whole_s <= 0 or point.completed <= 0:
        return None
    server, workload = experiment.server, experiment.workload
    wait = WAITS[workload.wait_by]
    loop = server.architecture == "event-loop"
    needs = "connections" if wait.pooled else wait.needs
    turn_at = "event loop" if loop else needs if workload.wait_s else ""
    turn_at = turn_at or ("interpreter" if locked(server, machine) else "")
    delay_s = (run_delay or 0.0) * point.seconds / point.completed
    missing = NO_DELAY if run_delay is None else ""
    one_clock = found is not None and min(found.before_s, found.after_s) > -ONE_CLOCK_S
    if found is None:
        on_core_s = min(point.demand_s, whole_s)
        ready_s = min(delay_s, whole_s - on_core_s)
        return _parts(whole_s, "", UNSTAMPED, on_core_s=on_core_s, ready_s=ready_s)

    waited_s = found.asked_s + calibration.timer_s
    asked_s = found.asked_s and min(waited_s, found.service_s)
    own_s = min(found.cpu_s, found.service_s - asked_s)
    excess_s = max(0.0, found.asked_s - asked_s) + found.cpu_s - own_s
    left_s = found.service_s - asked_s - own_s
    blocked_s = asked_s if wait.stops_a_loop else 0.0
    at_loop = delay_s / (delay_s + point.demand_s + blocked_s) if delay_s else 0.0
    ready_s = min(left_s, at_loop * (left_s + own_s) if loop else delay_s)
    left_s -= ready_s
    if not one_clock:
        inside = {"on_core_s": own_s, "ready_s": ready_s, "asked_s": asked_s}
        return _parts(whole_s, turn_at, TWO_CLOCKS, turn_s=left_s if turn_at else 0.0, **inside)

    way_s = min(max(0.0, found.before_s), way_there_s)
    line_s = max(0.0, found.before_s) - way_s
    away_s = max(0.0, found.after_s) + way_s
    around_s = min(max(0.0, point.demand_s - found.cpu_s), away_s)
    outside_s = away_s - around_s
    woken_s = min(line_s, at_loop * line_s if loop else delay_s - ready_s)
    line_s -= woken_s
    queued_s = line_s * (0.0 if loop else found.full if turn_at == "interpreter" else 1.0)
    if server.architecture == "prefork" and point.users >= server.processes:
        # No worker is idle, so all delay is of requests: on their way as well.
        more_s = delay_s - ready_s - woken_s
        woken_s, outside_s = woken_s + min(more_s, outside_s), max(0.0, outside_s - more_s)
        excess_s += max(0.0, delay_s - ready_s - woken_s)
    return _parts(
        whole_s,
        turn_at,
        missing,
        on_core_s=own_s + around_s,
        ready_s=ready_s + woken_s,
        asked_s=asked_s,
        turn_s=(left_s if turn_at else 0.0) + line_s - queued_s,
        queued_s=queued_s,
        outside_s=outside_s,
        excess_s=excess_s,
    )


def _parts(
    whole_s: float, turn_at: str, missing: str, excess_s: float = 0.0, **found_s: float
) -> TimeSplit:
    """Parts with the rest, or with what they are more than the whole."""
    rest_s = whole_s - sum(found_s.values())
    if math.isclose(rest_s, 0, abs_tol=ROUNDING * whole_s):
        rest_s = 0.0
    parts = dict.fromkeys(PARTS, 0.0) | found_s | {"unexplained_s": max(0.0, rest_s)}
    return TimeSplit(
        **parts,
        excess_s=excess_s + max(0.0, -rest_s),
        turn_at=turn_at,
        missing=missing,
    )


def _full(told: NDArray[np.void], begin: float, end: float, threads: int) -> float:
    """Find `Spans.full` over all requests of a process, and all of the window."""
    waited_s = surplus_s = 0.0
    for process in np.unique(told["process"]):
        own = told[told["process"] == process]
        one, none = np.ones(len(own)), np.zeros(len(own))
        times = np.concatenate([own["start"], own["service_start"], own["service_end"]])
        times = np.clip(times, begin, end)
        order = np.argsort(times, kind="stable")
        lasted = np.diff(times[order])
        there = np.cumsum(np.concatenate([one, none, -one])[order])[:-1]
        served = np.cumsum(np.concatenate([none, one, -one])[order])[:-1]
        waited_s += float(((there - served) * lasted).sum())
        surplus_s += float((np.maximum(0.0, there - threads) * lasted).sum())
    return min(1.0, surplus_s / waited_s) if waited_s > 0 else 0.0
