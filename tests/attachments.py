"""Attachments made by hand, whose levels lie on a given curve: no load, no processes."""

from collections.abc import Callable
from dataclasses import replace

from examples import MACHINE, point
from msgspec import structs

from labs.kinds.attach.forecast import forecast, rates
from labs.kinds.attach.record import Attached, Attachment, Found, Known

USERS = (1, 2, 4, 8, 16, 32, 64, 128)
SEEN = Found(program="gunicorn", processes=5, threads=5, cores=2, workers=4)
UNSEEN = Found()


def attached(
    rps: Callable[[int], float],
    *,
    alone_s: float,
    cpu_s: float = 0.0005,
    found: Found = SEEN,
    users: tuple[int, ...] = USERS,
    think_s: float = 0.0,
    **more: object,
) -> Attached:
    """A run whose levels lie on that curve; `more` is of each point."""
    demand = Known(value=cpu_s, low=0.9 * cpu_s, high=1.1 * cpu_s) if found.visible else None
    wait_s = alone_s - cpu_s if found.visible else alone_s
    wait = Known(value=wait_s, low=0.95 * wait_s, high=1.05 * wait_s)
    at, dear, cheap = (
        rates(found, demand, wait, lone_s=alone_s, Z=think_s, g=0.0001, cores=2.0, edge=edge)
        for edge in ("value", "high", "low")
    )
    made = []
    for level in users:
        X = rps(level)
        fields = {
            "throughput_rps": X,
            "throughput_ci_rps": (0.98 * X, 1.02 * X),
            "mean_response_time_s": level / X - think_s,
            "completed": max(40.0, X),
            "failed": 0,
            "server_cpu": X * cpu_s if found.visible else 0.0,
            "generator_cpu": X * 0.0001,
            "others_cpu": 0.0,
            "throttled_s": 0.0,
            "checks": (),
        }
        made.append(replace(point(level), **fields | more))
    run = Attachment(
        recorded_at="2026-01-01T00:00:00+00:00",
        found=found,
        alone_s=alone_s,
        demand=demand,
        wait=wait,
        think_time_s=think_s,
        generator_s=0.0001,
        forecast=forecast(users, at, dear, cheap, visible=found.visible),
        looks=(made[0],),
        points=tuple(made),
    )
    return Attached(
        machine=replace(MACHINE, cores=2, quota_cores=None),
        url="http://127.0.0.1:8000/",
        runs=(run,),
    )


def with_run(found: Attached, **changes: object) -> Attached:
    """The same attachment with a changed run."""
    return structs.replace(found, runs=(replace(found.run, **changes),))
