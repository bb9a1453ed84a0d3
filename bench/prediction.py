"""How far is the forecast from the measurement?

    python -m bench.prediction [--json FILE] [ARCHITECTURE ...]

Three architectures x (CPU only, wait only, mixed) x seven levels. The forecast is stored
before the load starts. The explanation uses the demand measured in the level itself: that is
consistency, not prediction. About five minutes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from labs.measure import measure
from labs.records import Experiment, Load, Point, Recording, Server, Workload
from labs.report import columns, explained, joined

CPU, WAIT, MIXED = (
    Workload(cpu_s=0.03),
    Workload(wait_s=0.2),
    Workload(cpu_s=0.01, wait_s=0.09),
)


def experiment(server: Server, workload: Workload, users: Sequence[int]) -> Experiment:
    return Experiment(server, workload, Load(tuple(users), seconds=2.0))


EXPERIMENTS = {
    "prefork, CPU": experiment(Server("prefork", processes=8), CPU, [1, 2, 3, 4, 8, 12, 16]),
    "prefork, wait": experiment(Server("prefork", processes=32), WAIT, [1, 4, 8, 16, 32, 48, 64]),
    "prefork, mixed": experiment(Server("prefork", processes=20), MIXED, [1, 4, 8, 12, 16, 20, 32]),
    "threaded, CPU": experiment(Server("threaded", threads=16), CPU, [1, 2, 3, 4, 8, 12, 16]),
    "threaded, wait": experiment(Server("threaded", threads=32), WAIT, [1, 4, 8, 16, 32, 48, 64]),
    "threaded, mixed": experiment(Server("threaded", threads=12), MIXED, [1, 2, 4, 6, 8, 12, 16]),
    "event-loop, CPU": experiment(Server("event-loop"), CPU, [1, 2, 3, 4, 8, 12, 16]),
    "event-loop, wait": experiment(Server("event-loop"), WAIT, [1, 4, 16, 32, 64, 128, 256]),
    "event-loop, mixed": experiment(Server("event-loop"), MIXED, [1, 2, 4, 6, 8, 12, 16]),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One level: throughput over what was said of it, minus one."""

    name: str
    point: Point
    forecast: float
    bound: float
    consistency: float


def rows(name: str, recording: Recording) -> list[Row]:
    explanation = explained(recording)
    return [
        Row(
            name=name,
            point=point,
            forecast=point.throughput_rps / recording.run.forecast.at(point.users).model_rps - 1,
            bound=point.throughput_rps / recording.run.forecast.at(point.users).bound_rps - 1,
            consistency=point.throughput_rps / explanation.at(point.users).model_rps - 1,
        )
        for point in recording.points
    ]


def summary(title: str, errors: Sequence[float]) -> str:
    if not errors:
        return f"{title:<34} no point"
    sizes = [abs(error) for error in errors]
    return f"{title:<34} median {statistics.median(sizes):6.1%}   worst {max(sizes):6.1%}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json")
    parser.add_argument("only", nargs="*", help="parts of the names of experiments")
    asked = parser.parse_args()
    found: list[Row] = []
    recordings = {}
    for name, wanted in EXPERIMENTS.items():
        if asked.only and not any(part in name for part in asked.only):
            continue
        recording = measure(wanted)
        recordings[name] = joined(recording)
        found += (fresh := rows(name, recording))
        table = [["users", "req/s", "forecast", "bound", "consistent", "checks"]]
        table += [
            [
                str(row.point.users),
                f"{row.point.throughput_rps:.1f}",
                f"{row.forecast:+.1%}",
                f"{row.bound:+.1%}",
                f"{row.consistency:+.1%}",
                " ".join(c.name + "!" * c.unfit for c in row.point.checks),
            ]
            for row in fresh
        ]
        print(f"\n{name}\n{columns(table)}", flush=True)
    fit = [row for row in found if row.point.fit]
    print()
    share = len(fit) / len(found)
    print(f"{'fit points':<34} {len(fit)} of {len(found)}, {share:.0%}")
    print(summary("forecast, model, fit points", [row.forecast for row in fit]))
    print(summary("forecast, model, all points", [row.forecast for row in found]))
    print(summary("forecast, bound, fit points", [row.bound for row in fit]))
    print(summary("forecast, bound, all points", [row.bound for row in found]))
    print(summary("consistency, fit points", [row.consistency for row in fit]))
    print(summary("consistency, all points", [row.consistency for row in found]))
    if asked.json:
        with open(asked.json, "w") as file:
            json.dump(recordings, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
