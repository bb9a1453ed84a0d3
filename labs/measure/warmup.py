"""warm_up(): what a request costs this server beside the work that was burned, and what that work
costs it, found in a second and a half, or longer where the levels are.

First with a crowd of empty requests: their CPU seconds. Then with a crowd that fills the cores
with pieces of work: CPU seconds again, and how much of the cores they get. Then with one user
alone: how fast the server itself does a piece of work, after a nap where users of the levels wait,
and what the way there and back takes. No level is measured. Shorter work than a piece costs the
generator something between the empty request and the piece (`kept_hot`).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labs.analysis.crowd import crowded
from labs.analysis.schedule import ALONE_S, CROWD_S, EMPTY_S, longer
from labs.host.monitor import Sampler
from labs.load.locust import Driver
from labs.records.experiment import Experiment
from labs.records.results import Calibration
from labs.records.server_facts import asks_database
from labs.theory.server_model import ServerModel
from workloads.protocol import OK

LEAST_USERS, MOST_USERS = 8, 256  # of the crowd
ROUNDS = 2  # until then every worker has had its first request, which costs it a lot more
MOST_ROUNDS_S = 3.0  # for them, beside the usual time
LOOK_S = 0.05
EACH_S = 0.001  # between two requests of the crowd, where they wait: hot, and not all at once
PIECE_S = 0.01  # of work, burned; long beside the rest of a request and short beside ALONE_S
NAP_S = 0.02  # or the levels' own waits, where these are shorter
BRIEFLY_S = 1e-6  # waited after a piece, where what counts is what it costs to ask for the wait
BESIDE = 4.0  # a piece takes so many times what the generator spends on all that are under way
WAITING = 8  # of the crowd: with two that wait, cores stood idle for 4 % of the time (seen on two)
EACH_QUEUE = 4  # of the crowd, where every process has a queue of its own: few of them stay empty
SETTLE = 0.2  # of the crowd's time, before it is looked at
UNSTEADY = 0.1  # between the halves of a look. So far apart, a core or an interpreter's loop had
AGAIN = 2  # moods that last as long as the look: another one follows, so many times as long


class Tried(NamedTuple):
    """The findings of a warm-up."""

    calibration: Calibration
    way_there_s: float = 0.0  # of a lone user's request, until the application begins it


def warm_up(
    driver: Driver,
    sampler: Sampler,
    model: ServerModel,
    *,
    users: int,
    crowd: int,
    pause: Callable[[float], None],
) -> Tried:
    """Find what was burned (the model's calibration), with what a request costs in this server: the
    CPU seconds that server and load generator spend beside its work, and those of a piece of work,
    with `crowd` users and with one.

    Takes `schedule.WARM_UP_S` seconds times `schedule.longer`, less without work and some more with
    hundreds of users or where work took now more and now less, by way of `pause`. Leaves the gate
    closed. Where no request ends, what was burned is all there is, and the levels will say what is
    wrong.
    """
    workload, burned = model.workload, model.calibration
    wait_s = min(workload.wait_s, users * EACH_S)
    # Without work the empty request is all that the levels will have: then it gets the time.
    empty_s = (EMPTY_S if workload.cpu_s else CROWD_S) * longer(model.load)
    driver.ask_for(replace(workload, cpu_s=0.0, wait_s=wait_s, wait_cv=0.0), 0.0)
    driver.open(users, wait_s)
    pause(0.3 * empty_s)
    _wait(lambda: len(driver.records()) >= ROUNDS * users, pause)
    since, before = len(driver.records()), sampler.snapshot()
    pause(0.7 * empty_s)
    after = sampler.snapshot()
    driver.open(0, 0.0)
    pause(wait_s)  # until the last of the crowd is gone,
    done = driver.report(since).records  # and has heard that it shall: a busy one obeys late
    done = _good(done[(done["end"] > before.at) & (done["end"] <= after.at)])
    if not (completed := len(done)):
        return Tried(burned)
    used = before.until(after)
    each_s = used.seconds / completed
    found = replace(
        burned, overhead_s=used.server_cpu * each_s, generator_s=used.generator_cpu * each_s
    )
    call_s = 0.0
    if asks_database(workload):
        # One that has its turn may have asked many times whether it is its own, as of SQLite.
        told = done["service_cpu"][done["service_cpu"] > 0]
        typical = np.min if model.exclusive_wait else np.median
        call_s = float(typical(told)) if len(told) else 0.0
        found = replace(found, handover_s=_handover_s(done, model, wait_s))
    trial = Trial(driver, sampler, model, pause, call_s)
    tried = trial.alone(trial.crowd(found, crowd) if workload.cpu_s and crowd else found)
    return tried._replace(calibration=kept_hot(tried.calibration, found.generator_s, model))


def kept_hot(found: Calibration, empty_s: float, model: ServerModel) -> Calibration:
    """The calibration for work that is shorter than a piece, where users ask again at once.

    empty_s: CPU seconds of the load generator for an empty request. Beside pieces it spent four
    times as much, 0.4 ms for 0.1, and the way there took longer, too. Between the two it goes by
    the work's part of a piece.
    """
    part = min(1.0, model.workload.cpu_s / PIECE_S)
    if model.experiment.naps or not part:
        return found
    generator_s = empty_s + part * (found.generator_s - empty_s)
    return replace(found, generator_s=generator_s, delay_s=part * found.delay_s)


def _handover_s(done: NDArray[np.void], model: ServerModel, wait_s: float) -> float:
    """Seconds, beside so many of waiting, until the next request has what one at a time can have.
    0 where that is nothing, or where nobody else stands in line for it."""
    ends = np.sort(done["service_end"][np.isfinite(done["service_end"])])
    if not model.exclusive_wait or model.blocks_loop or model.W < 2 or len(ends) < 2:
        return 0.0
    return max(0.0, float(np.median(np.diff(ends))) - wait_s - model.calibration.timer_s)


def _wait(done: Callable[[], bool], pause: Callable[[float], None]) -> None:
    """Wait until something is done, but no longer than MOST_ROUNDS_S."""
    until = time.perf_counter() + MOST_ROUNDS_S
    while not done() and time.perf_counter() < until:
        pause(LOOK_S)


class Trial(NamedTuple):
    """Pieces of work, in this server: asked for by a crowd that fills the cores, and by one user.
    Of a database a piece asks what the levels will; call_s is what that costs the application."""

    driver: Driver
    sampler: Sampler
    model: ServerModel
    pause: Callable[[float], None]
    call_s: float

    def crowd(self, found: Calibration, users: int) -> Calibration:
        """Find what users find who fill all the cores that this server can fill, in two halves; for
        longer where these differ."""
        driver, crowd_s = self.driver, CROWD_S * longer(self.model.load)
        piece_s = max(PIECE_S, BESIDE * users * found.generator_s)
        since = self._ask_for(piece_s, found)
        driver.open(users, piece_s)
        self.pause(SETTLE * crowd_s)
        looks = [self.sampler.snapshot()]

        def look_on(halves: int) -> None:
            for _ in range(halves):
                self.pause((1 - SETTLE) / 2 * crowd_s)
                looks.append(self.sampler.snapshot())

        look_on(2)
        ended, _ = np.histogram(_good(driver.records(since))["end"], [look.at for look in looks])
        if _apart(ended.tolist()) > UNSTEADY:
            look_on(2 * AGAIN)
            looks = looks[:: 1 + AGAIN]
        driver.open(0, 0.0)
        _wait(lambda: not driver.report(since).flying, self.pause)
        done = _good(driver.report(since).records)
        return crowded(
            found, self.model, looks, done, users=users, piece_s=piece_s, call_s=self.call_s
        )

    def alone(self, found: Calibration) -> Tried:
        """Find what one user finds, with nothing in the way: the CPU seconds of a piece of work by
        the server's own clock, over those of the burn; the seconds of its round that are nobody's
        CPU time; and of these, until the server began. Of CPU seconds the mean, as D is one; of the
        rest medians, since what disturbs a round only makes it longer. For longer where the pieces
        of both halves differ: a process keeps a speed of its own, and a core may have slowed
        down."""
        driver, model, alone_s = self.driver, self.model, ALONE_S * longer(self.model.load)
        piece_s = PIECE_S if model.workload.cpu_s else 0.0
        nap_s = min(model.V + model.Z, NAP_S) if model.experiment.naps else 0.0
        since, begin = self._ask_for(piece_s, found, nap_s), time.perf_counter()
        driver.open(1, 0.0)
        self.pause(alone_s)
        halves = np.array_split(self._works(_good(driver.records(since)), piece_s), 2)
        if _apart([float(np.mean(half)) for half in halves if len(half)]) > UNSTEADY:
            self.pause(AGAIN * alone_s)
        driver.open(0, 0.0)
        done = _good(driver.report(since).records)
        done = done[done["start"] >= begin]
        if len(done) < 2:
            return Tried(found)
        works, told = self._works(done, piece_s), done[np.isfinite(done["service_end"])]
        # The load generator's turn between two requests is not seen beside a nap.
        rounds = done["end"] - done["start"] if nap_s else np.diff(done["start"])
        waited_s = BRIEFLY_S + found.timer_s if asks_database(model.workload) else 0.0
        delay_s = float(np.median(rounds - works[: len(rounds)])) - waited_s
        delay_s -= found.overhead_s + found.generator_s
        way_there_s = float(np.median(told["service_start"] - told["start"])) if len(told) else 0.0
        ratio = float(np.mean(works)) / piece_s if piece_s else 1.0
        found = replace(found, work_ratio=ratio, delay_s=max(0.0, delay_s))
        return Tried(found, max(0.0, way_there_s))

    def _ask_for(self, piece_s: float, found: Calibration, nap_s: float = 0.0) -> int:
        """Ask for pieces from now on, with so long a nap after each; count the requests before."""
        wait_s = BRIEFLY_S if asks_database(self.model.workload) else 0.0
        piece = replace(self.model.workload, cpu_s=piece_s, cpu_cv=0.0, wait_s=wait_s)
        self.driver.ask_for(piece, found.loops_per_s[0], nap_s)
        return len(self.driver.records())

    def _works(self, done: NDArray[np.void], piece_s: float) -> NDArray[np.float64]:
        """CPU seconds of each piece; as burned where the server tells none."""
        told = (done["service_cpu"] > self.call_s) & (piece_s > 0)
        return np.where(told, done["service_cpu"] - self.call_s, piece_s)


def _good(records: NDArray[np.void]) -> NDArray[np.void]:
    return np.asarray(records[records["kind"] == OK])


def _apart(halves: Sequence[float]) -> float:
    """Tell how far halves lie apart, over their mean."""
    mean = sum(halves) / max(1, len(halves))
    return (max(halves) - min(halves)) / mean if mean else 0.0


def crowd_users(model: ServerModel) -> int:
    """Count the users who fill all the cores that this server can fill, no more than the busiest
    level would: one for each core and `WAITING`. None waits for a worker that stays with another's
    connection, and where each process has a queue of its own, more users come."""
    busy = min(max(model.load.users), model.cores_filled)
    if model.keeps_worker or model.idle_s:
        return int(min(busy + WAITING, model.W))
    if model.queued_for_core and model.server.processes > 1:
        return EACH_QUEUE * min(model.server.processes, busy)
    return busy + WAITING


def warm_up_users(experiment: Experiment) -> int:
    """Choose the users of the warm-up: as many as the busiest level puts to work. With few, every
    connection wakes the whole herd of idle gunicorn workers, and a request costs more."""
    working = min(max(experiment.load.users), experiment.server.pool or MOST_USERS)
    return max(LEAST_USERS, min(working, MOST_USERS))
