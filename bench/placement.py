"""What is lost between requests and cores, and does the forecast know it?

    python -m bench.placement [SERVER ...]

Servers whose requests share the cores, with hashed work of several lengths: first with as many
users as cores and one more, who only compute, then with users who wait nine times as long as they
compute. For each level: the forecast's error, how much of the cores server and load generator used,
for how long a core idled for each request, how long a request stood ready without a core, how often
it had the server wait and be woken, and what it cost the generator, beside what the warm-up said of
that for an empty one and for such work.
Above each: how much of the cores the warm-up's crowd used. Six minutes.
"""

from __future__ import annotations

import argparse
import sys

from labs.host.hardware import fingerprint
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.report import columns
from labs.kinds.sweep.run import measure
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Point

SERVERS = {
    "gunicorn": Server("prefork", processes=20),  # its idle workers all wake for a request
    "scratch": Server("prefork", by="scratch", processes=20),  # one of them does
    "threads": Server("threaded", threads=20),
}
WORKS_S = (0.003, 0.01, 0.03)
LONG_S = 0.1  # where nobody waits: with ten times as much waiting, a level would take too long
WAITS = 9  # times the work
VARIED = 0.5  # coefficient of variation, so that users don't fall in step


def experiments(server: Server, cores: int) -> list[Experiment]:
    """Of this server: those who compute, and those who wait."""
    busy = Load((cores, cores + 1, 4 * cores), seconds=2.0)
    some = Load((2 * cores, 4 * cores, 8 * cores), seconds=4.0)
    computing = [(Workload(cpu_s=s, cpu_by="hashing"), busy) for s in (*WORKS_S, LONG_S)]
    waiting = [
        (Workload(cpu_s=s, wait_s=WAITS * s, wait_cv=VARIED, cpu_by="hashing"), some)
        for s in WORKS_S
    ]
    return [Experiment(server, work, load) for work, load in (*computing, *waiting)]


def row(recording: Recording, point: Point) -> list[str]:
    """What became of the cores at that level."""
    calibration, cores = recording.run.calibration, recording.machine.cores
    rps, split = point.throughput_rps, point.time_split
    busy = point.server_cpu + point.generator_cpu + point.others_cpu
    work_s = recording.experiment.workload.cpu_s
    return [
        str(point.users),
        f"{rps:.1f}",
        f"{rps / recording.run.forecast.at(point.users).model_rps - 1:+.1%}",
        f"{busy:.2f}",
        f"{1000 * (cores - busy) / rps:.2f}",
        f"{1000 * split.ready_s:.2f}" if split else "",
        "" if point.voluntary_switches is None else f"{point.voluntary_switches:.1f}",
        f"{1000 * point.generator_cpu / rps:.2f}",
        f"{1000 * calibration.generator_s:.2f}",
        f"{1000 * calibration.generator_for(work_s):.2f}",
        " ".join(check.name + "!" * check.unfit for check in point.checks),
    ]


HEADS = (
    *("users", "req/s", "forecast", "cores busy", "idle ms", "ready ms", "woken"),
    *("generator ms", "empty", "for such", "checks"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", choices=[[], *SERVERS], help="servers")
    asked = parser.parse_args()
    cores = fingerprint().cores
    for name in asked.only or SERVERS:
        for experiment in experiments(SERVERS[name], cores):
            found, work = measure(experiment), experiment.workload
            calibration = found.run.calibration
            print(
                f"\n{name}, {1000 * work.cpu_s:g} ms of work, {1000 * work.wait_s:g} of waiting. "
                f"In the warm-up {calibration.use:.1%} of the cores were used"
            )
            print(columns([HEADS, *(row(found, point) for point in found.points)]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
