"""Does our way of driving Locust cost requests, and do others see the same throughput?

    python -m bench.load

First our users against plain Locust on a server that does nothing, in rounds of ours, theirs,
theirs, ours, so that a machine that drifts favours neither; what is told is the mean of the rounds'
ratios, with its 95 % interval. Exits with 1 if that is below the goal. Then one lab's server,
which has 20 ms of work to do, as our Locust, plain Locust, ApacheBench and wrk see it, where those
are installed. Both are measured as in the lab of chapter 16.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Sequence

from labs.analysis.contrast import student_t
from labs.kinds.generators.instruments import Bench, ways
from labs.kinds.generators.record import OURS, GeneratorResult
from labs.kinds.generators.run import FILE, USERS
from labs.measure.rig import Rig
from labs.records.experiment import Server, Workload

SECONDS = 3
LONG_SECONDS = 15  # where a request takes 80 ms, so that the ends weigh little
ROUNDS = 8  # a virtual machine's speed drifts by some percent from one second to the next
GOAL = 0.97  # of plain Locust's throughput


def measured(
    server: Server, workload: Workload, names: list[str], users: int, seconds: float
) -> list[GeneratorResult]:
    """Each of these generators in turn on one server."""
    rig, known = Rig(), {way.name: way for way in ways((1,))}
    if workload.cpu_s:
        rig.calibrate()
    with rig.serve(server, page=workload.page) as running:
        bench = Bench(rig, running, workload, users, seconds)
        with bench.watching():
            return [bench.measure(known[name]) for name in names]


def compared(rates: Sequence[float]) -> tuple[float, float, float]:
    """The first over the second, from rounds of first, second, second, first: the geometric mean
    of the rounds' ratios, and the ends of its 95 % interval, after Student."""
    rounds = list(zip(*[map(math.log, rates)] * 4, strict=True))
    logs = [(first + last - second - third) / 2 for first, second, third, last in rounds]
    half = student_t(len(logs) - 1, 0.95) * statistics.stdev(logs) / math.sqrt(len(logs))
    middle = statistics.fmean(logs)
    return math.exp(middle), math.exp(middle - half), math.exp(middle + half)


def main() -> int:
    names = [OURS, "1 locust", "1 locust", OURS]
    found = measured(Server("event-loop", by="scratch"), FILE, names * ROUNDS, USERS, SECONDS)
    rates = [gauge.throughput_rps for gauge in found]
    for name in names[:2]:
        seen = [gauge.throughput_rps for gauge in found if gauge.name == name]
        print(
            f"{name:<10} {statistics.median(seen):8.0f} req/s, {min(seen):.0f} to {max(seen):.0f}"
        )
    ratio, low, high = compared(rates)
    print(f"ours over plain Locust: {ratio:.3f}, {low:.3f} to {high:.3f} (goal {GOAL:g})\n")

    workload = Workload(cpu_s=0.02, wait_cv=0.0)
    names = [OURS, "1 locust", "ab", "wrk", OURS]
    others = measured(Server("prefork", processes=8), workload, names, 8, LONG_SECONDS)
    base = statistics.mean(gauge.throughput_rps for gauge in others if gauge.name == OURS)
    for gauge in others:
        text = f"{gauge.throughput_rps:8.1f} req/s   {gauge.throughput_rps / base - 1:+.1%}"
        print(f"{gauge.name:<14} {gauge.missing or text}")
    return 0 if ratio >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
