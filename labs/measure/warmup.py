"""warm_up(): what a request costs this server beside the work that was burned, found in a second.

First with a crowd of empty requests: their CPU seconds, where the cores are full. Then with one
user alone: how fast the server itself does a piece of work, and what the way there and back takes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from labs.analysis.schedule import ALONE_S, EMPTY_S
from labs.host.monitor import Sampler
from labs.load.locust import Driver
from labs.records.experiment import Experiment, Workload
from labs.records.results import Calibration
from workloads.protocol import OK

LEAST_USERS, MOST_USERS = 8, 256  # of the crowd
ROUNDS = 2  # until then every worker has had its first request, which costs it a lot more
MOST_ROUNDS_S = 3.0  # for them, beside the usual time
LOOK_S = 0.05
EACH_S = 0.001  # between two requests of the crowd, where they wait: hot, and not all at once
PIECE_S = 0.01  # of work, burned; long beside the rest of a request and short beside ALONE_S


def warm_up(
    driver: Driver,
    sampler: Sampler,
    workload: Workload,
    burned: Calibration,
    *,
    users: int,
    pause: Callable[[float], None],
) -> Calibration:
    """What was burned, with what a request costs beside it: the CPU seconds that server, load
    generator and a backend spend on an empty one, hot, and what one user finds alone.

    Takes `plan.WARM_UP_S` seconds, some more with hundreds of users, by way of `pause`. Leaves the
    gate closed. Where no request ends, what was burned is all there is, and the levels will say
    what is wrong.
    """
    wait_s = min(workload.wait_s, users * EACH_S)
    driver.ask_for(replace(workload, cpu_s=0.0, wait_s=wait_s, wait_cv=0.0), 0.0)
    driver.open(users, wait_s)
    pause(0.3 * EMPTY_S)
    until = time.perf_counter() + MOST_ROUNDS_S
    while len(driver.records()) < ROUNDS * users and time.perf_counter() < until:
        pause(LOOK_S)
    since, before = len(driver.records()), sampler.snapshot()
    pause(0.7 * EMPTY_S)
    after = sampler.snapshot()
    driver.open(0, 0.0)
    pause(wait_s)  # until the last of the crowd is gone,
    done = driver.report(since).records  # and has heard that it shall: a busy one obeys late
    done = done[(done["end"] > before.at) & (done["end"] <= after.at)]
    completed = int((done["kind"] == OK).sum())
    if not completed:
        return burned
    used = before.until(after)
    each_s = used.seconds / completed
    overhead_s, generator_s = used.server_cpu * each_s, used.generator_cpu * each_s
    ratio, rest_s, way_there_s = _alone(driver, workload, burned, pause)
    return replace(
        burned,
        work_ratio=ratio,
        delay_s=max(0.0, rest_s - overhead_s - generator_s),
        way_there_s=way_there_s,
        overhead_s=overhead_s,
        generator_s=generator_s,
        backend_s=used.backend_cpu * each_s,
    )


def _alone(
    driver: Driver, workload: Workload, burned: Calibration, pause: Callable[[float], None]
) -> tuple[float, float, float]:
    """What one user finds, with nothing in the way: how long a piece of work takes inside the
    server, by its own clock, over as long as it took burning; the seconds of its round beside the
    piece; and of these, until the server began. Each process runs an interpreter's loop at a speed
    of its own, 10 % and more apart, and keeps it. Medians: what disturbs a round or two only makes
    them longer."""
    piece_s = PIECE_S if workload.cpu_s else 0.0
    piece = replace(workload, cpu_s=piece_s, cpu_cv=0.0, wait_s=0.0)
    driver.ask_for(piece, burned.loops_per_s[0])
    since, begin = len(driver.records()), time.perf_counter()
    driver.open(1, 0.0)
    pause(ALONE_S)
    driver.open(0, 0.0)
    done = driver.report(since).records
    done = done[(done["kind"] == OK) & (done["start"] >= begin)]
    if len(done) < 2:
        return 1.0, 0.0, 0.0
    round_s = float(np.median(np.diff(done["start"])))
    told = done[np.isfinite(done["service_end"])]
    work_s, way_there_s = piece_s, 0.0
    if len(told):
        way_there_s = float(np.median(told["service_start"] - told["start"]))
        if piece_s:
            work_s = float(np.median(told["service_end"] - told["service_start"]))
    return (work_s / piece_s if piece_s else 1.0), round_s - work_s, max(0.0, way_there_s)


def warm_up_users(experiment: Experiment) -> int:
    """How many users the warm-up has: as many as the busiest level puts to work.

    What a request costs beside its work counts where the cores are full, and there it is
    cheaper: with few users, every connection wakes the whole herd of idle gunicorn workers.
    """
    working = min(max(experiment.load.users), experiment.server.pool or MOST_USERS)
    return max(LEAST_USERS, min(working, MOST_USERS))
