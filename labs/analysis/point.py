"""One level of a sweep, from raw request records and two snapshots to a Point. No processes."""

import errno
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from labs.analysis import window
from labs.analysis.time_split import spans
from labs.records.requests import Report
from labs.records.results import Point, Visit
from labs.records.snapshot import Snapshot
from workloads.protocol import FAILED, OK


def count_level(
    report: Report,
    before: Snapshot,
    after: Snapshot,
    *,
    users: int,
    think_time_s: float,
    workers: int | None = None,
    pss: int | None = None,
    server_cores: int | None = None,
) -> Point:
    """The point of one level, without checks, from raw records and two snapshots.

    report: of a moment after the window, with at least all records of requests that touch it.
    """
    begin, end, records = before.at, after.at, report.records
    used = before.until(after)
    good = records[records["kind"] == OK]
    bad = records[records["kind"] == FAILED]
    bad = bad[(bad["end"] > begin) & (bad["end"] <= end)]
    started = np.array([start for start in report.flying.values() if start < end], dtype=float)
    counted = window.count(good["start"], good["end"], started, begin=begin, end=end, now=report.at)
    served = set(good["user"][(good["end"] > begin)].tolist())
    asked = set(range(users))
    if think_time_s:  # who thinks for all of the window wants nothing
        long_ago = {user for user, start in report.flying.items() if start < (begin + end) / 2}
        asked &= long_ago | set(bad["user"].tolist())
    each = 1 / counted.completed if counted.completed else 0.0
    inside = good[(good["end"] > begin) & (good["start"] < end)]
    stamped = spans(inside, begin, end)
    return Point(
        users=users,
        seconds=used.seconds,
        completed=counted.completed,
        failed=len(bad),
        no_port=int((bad["process"] == errno.EADDRNOTAVAIL).sum()),
        never_served=len(asked - served),
        throughput_rps=counted.throughput_rps,
        throughput_ci_rps=counted.interval_rps,
        halves_rps=counted.halves_rps,
        mean_response_time_s=_finite(counted.mean_response_time_s),
        histogram=counted.histogram,
        longer=counted.longer,
        demand_s=used.server_cpu * used.seconds * each,
        server_cpu=used.server_cpu,
        generator_cpu=used.generator_cpu,
        others_cpu=used.others_cpu,
        littles_law=counted.throughput_rps
        * (_finite(counted.mean_response_time_s) + think_time_s)
        / users,
        workers=workers,
        pss_bytes=pss,
        voluntary_switches=used.voluntary * each,
        involuntary_switches=used.involuntary * each,
        connections=connections(inside),
        throttled_s=used.throttled_s,
        listen_overflows=used.listen_overflows,
        service_time_s=stamped.service_s if stamped else None,
        backend_cpu=used.backend_cpu,
        page_cpu=used.page_cpu,
        browser_cpu=used.browser_cpu,
        steal_cpu=used.steal_cpu,
        server_cores=server_cores,
    )


def connections(records: NDArray[np.void]) -> dict[str, int]:
    """Map process ids to the users whose last request in the window it answered."""
    last = dict(zip(records["user"].tolist(), records["process"].tolist(), strict=True))
    # 0 where the answer does not tell, as Apache with a file
    return dict(Counter(str(process) for process in last.values() if process))


def _finite(value: float) -> float:
    return value if np.isfinite(value) else 0.0


def half_width(point: Point | Visit) -> float:
    """Half of the throughput's interval, relative to the throughput."""
    if not point.throughput_rps:
        return 0.0
    low, high = point.throughput_ci_rps
    return max(high - point.throughput_rps, point.throughput_rps - low) / point.throughput_rps
