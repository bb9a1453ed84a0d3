"""What exercises on processes and threads read from the reader's own labs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labs.exercises.check import Given
from labs.exercises.readings import busiest
from labs.records.results import pick

if TYPE_CHECKING:
    from labs.kinds.comparison.record import Comparison
    from labs.kinds.memory.record import Memory
    from labs.kinds.race.record import Race
    from labs.kinds.timeline.record import Timeline

CROWD = 1  # the step in which the users come, the second of chapter 9
ONE_POOL, POOLS = "1 × 64", "4 × 16"  # the parts of chapter 10
MIB = 2**20


def of_crowd(timeline: Timeline) -> Given:
    """The step in which the pool had to grow: its throughput and the wait of a request."""
    stretch = timeline.runs[-1].stretches[CROWD]
    low, high = stretch.throughput_ci_rps
    return {
        "users": timeline.steps[CROWD].users or 0,
        "throughput": stretch.throughput_rps,
        "interval": min(0.15, (high - low) / 2 / stretch.throughput_rps),  # of a ramp it is wide
        "wait_s": timeline.workload.wait_s,
    }


def of_scales(memory: Memory) -> Given:
    """What one more process takes, in MiB: by PSS, and by RSS."""
    growth = memory.runs[-1].growth("process")
    return {"pss_mib": growth.each_bytes / MIB, "rss_mib": growth.rss_each_bytes / MIB}


def of_pools(comparison: Comparison) -> Given:
    """The last level of the one pool and of the several, side by side."""
    one, several = (busiest(comparison.part(label)) for label in (ONE_POOL, POOLS))
    wide = sum(
        (point.throughput_ci_rps[1] - point.throughput_ci_rps[0]) / point.throughput_rps
        for point in (one, several)
    )
    return {
        "users": one.users,
        "one": one.throughput_rps,
        "several": several.throughput_rps,
        "interval": wide / 2,
    }


def of_race(race: Race) -> Given:
    """Additions asked for and additions counted, without a lock."""
    count = pick(race.runs[-1].counts, name="without a lock")
    return {"asked": count.asked, "counted": count.counted}
