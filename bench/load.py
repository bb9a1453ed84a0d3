"""Does our way of driving Locust cost requests, and do others see the same throughput?

    python -m bench.load

First our users against plain Locust on a server that does nothing, in turn. Then one lab's server,
which has 20 ms of work to do, as our Locust, plain Locust, ApacheBench and wrk see it, where those
are installed. Both are measured as in the lab of chapter 16.
"""

from __future__ import annotations

import statistics
import sys

from labs.kinds.generators.instruments import Bench, ways
from labs.kinds.generators.record import OURS, GeneratorResult
from labs.kinds.generators.run import FILE, USERS
from labs.measure.rig import Rig
from labs.records.experiment import Server, Workload

SECONDS = 3
LONG_SECONDS = 15  # where a request takes 80 ms, so that the ends weigh little
ROUNDS = 12  # a virtual machine's speed drifts by some percent from one second to the next


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


def main() -> int:
    names = [OURS, "1 locust", "1 locust", OURS] * (ROUNDS // 2)
    found = measured(Server("event-loop", by="scratch"), FILE, names, USERS, SECONDS)
    middle = {}
    for name in (OURS, "1 locust"):
        rates = [gauge.throughput_rps for gauge in found if gauge.name == name]
        middle[name] = statistics.median(rates)
        print(f"{name:<10} {middle[name]:8.0f} req/s, {min(rates):.0f} to {max(rates):.0f}")
    print(f"ours over plain Locust: {middle[OURS] / middle['1 locust']:.3f}\n")

    workload = Workload(cpu_s=0.02, wait_cv=0.0)
    names = [OURS, "1 locust", "ab", "wrk", OURS]
    seen = measured(Server("prefork", processes=8), workload, names, 8, LONG_SECONDS)
    base = statistics.mean(gauge.throughput_rps for gauge in seen if gauge.name == OURS)
    for gauge in seen:
        text = f"{gauge.throughput_rps:8.1f} req/s   {gauge.throughput_rps / base - 1:+.1%}"
        print(f"{gauge.name:<14} {gauge.missing or text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
