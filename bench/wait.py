"""Is waiting cheap? Throughput over what the waits alone allow.

    python -m bench.wait

An event loop at up to 1024 users, and 64 prefork workers up to and past their pool.
"""

from __future__ import annotations

import sys

from labs.kinds.sweep.report import columns
from labs.kinds.sweep.run import measure
from labs.records.experiment import Experiment, Load, Server, Workload

WAIT_S = 0.2
POOL = 64


def main() -> int:
    workload = Workload(wait_s=WAIT_S, wait_cv=0.0)
    for server, users in (
        (Server("event-loop"), (64, 256, 512, 1024)),
        (Server("prefork", processes=POOL), (1, 8, 32, 64, 96, 128)),
    ):
        recording = measure(Experiment(server, workload, Load(users, seconds=3.0)))
        ideal = [min(n, server.pool or n) / WAIT_S for n in users]
        table = [["users", "req/s", "X / (min(N, W) / V)", "generator", "checks"]]
        table += [
            [
                str(point.users),
                f"{point.throughput_rps:.1f}",
                f"{point.throughput_rps / best:.3f}",
                f"{point.generator_cpu:.0%}",
                " ".join(c.name + "!" * c.unfit for c in point.checks),
            ]
            for point, best in zip(recording.points, ideal, strict=True)
        ]
        print(f"{server.architecture} by {server.by}, waits of {WAIT_S:g} s\n{columns(table)}\n")
        if server.pool:
            full = [p.throughput_rps for p in recording.points if p.users >= server.pool]
            print(f"past the pool: flat within {max(full) / min(full) - 1:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
