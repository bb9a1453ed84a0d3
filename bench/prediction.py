"""How far is the forecast from the measurement?

    python -m bench.prediction [--rounds N] [--json FILE] [--recorded] [ARCHITECTURE ...]

Three architectures x (CPU only, wait only, mixed) x seven levels. CPU only and mixed twice: with
work as the book's labs have it, counted by an interpreter's loop, and *steady*, hashed, with waits
that vary, for which a level takes six seconds instead of two. An interpreter's loop has another
speed in each process, and where cores are shared with strangers it moves under way (`bench.cores`);
users whose waits do not vary fall in step, or do not. Nothing that was known before the load can
tell either. The steady rows show what the instrument does without them.

The forecast is stored before the load starts. The explanation uses the demand measured in the level
itself: that is consistency, not prediction. Told by kind of work and with one user apart, since
there a forecast is easy, beside the goals: a mark ! stands where one is missed. About ten minutes a
round; what is named after the command are parts of the experiments' names, as `steady` or
`"event-loop, CPU"`. On a machine that changes its speed by some percent every minute, the bias of a
round is that of fifteen calibrations: more rounds tell the instrument's from the machine's.

--recorded measures nothing: it says the same of the levels of the book's recordings, each against
the forecast that was stored with it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from msgspec import structs

from bench.levels import (
    CPU,
    MIXED,
    STEADY_CPU,
    STEADY_MIXED,
    WAIT,
    Row,
    by_work,
    rows,
    save,
    shown,
)
from labs.kinds.comparison.record import Comparison
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import measure
from labs.recordings import store
from labs.records.experiment import Experiment, Load, Server, Workload


def experiment(server: Server, workload: Workload, users: Sequence[int]) -> Experiment:
    return Experiment(server, workload, Load(tuple(users), seconds=2.0))


KNEE = (1, 2, 3, 4, 8, 12, 16)
EXPERIMENTS = {
    "prefork, CPU": experiment(Server("prefork", processes=8), CPU, KNEE),
    "prefork, wait": experiment(Server("prefork", processes=32), WAIT, [1, 4, 8, 16, 32, 48, 64]),
    "prefork, mixed": experiment(Server("prefork", processes=20), MIXED, [1, 4, 8, 12, 16, 20, 32]),
    "threaded, CPU": experiment(Server("threaded", threads=16), CPU, KNEE),
    "threaded, wait": experiment(Server("threaded", threads=32), WAIT, [1, 4, 8, 16, 32, 48, 64]),
    "threaded, mixed": experiment(Server("threaded", threads=12), MIXED, [1, 2, 4, 6, 8, 12, 16]),
    "event-loop, CPU": experiment(Server("event-loop"), CPU, KNEE),
    "event-loop, wait": experiment(Server("event-loop"), WAIT, [1, 4, 16, 32, 64, 128, 256]),
    "event-loop, mixed": experiment(Server("event-loop"), MIXED, [1, 2, 4, 6, 8, 12, 16]),
}
STEADIER = {CPU: (STEADY_CPU, 2.0), MIXED: (STEADY_MIXED, 6.0)}  # with seconds for each level
EXPERIMENTS |= {
    f"{name}, steady": replace(each, workload=work).lasting(seconds)
    for name, each in EXPERIMENTS.items()
    if each.workload in STEADIER
    for work, seconds in [STEADIER[each.workload]]
}


def recorded() -> Iterator[Recording]:
    """The runs of the book's sweeps and comparisons, each as a recording of its own."""
    for lab in sorted(each.name for each in store.folder().iterdir() if each.is_dir()):
        result = store.recording(lab)
        parts = result.parts.values() if isinstance(result, Comparison) else [result]
        for part in parts:
            if isinstance(part, Recording):
                yield from (structs.replace(part, runs=(run,)) for run in part.runs if run.points)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json")
    parser.add_argument("--recorded", action="store_true")
    parser.add_argument("only", nargs="*", help="parts of the names of experiments")
    asked = parser.parse_args()
    if asked.recorded:
        print(by_work([row for each in recorded() for row in rows(each)]))
        return 0
    found: list[Row] = []
    recordings: dict[str, Recording] = {}
    wanted = [
        name for name in EXPERIMENTS if not asked.only or any(part in name for part in asked.only)
    ]
    for number in range(1, asked.rounds + 1):
        for name in wanted:
            title = name if asked.rounds == 1 else f"{name}, round {number}"
            recordings[title] = measure(EXPERIMENTS[name])
            found += (fresh := rows(recordings[title]))
            print(shown(title, fresh), flush=True)
    print(f"\n{by_work(found)}")
    save(asked.json, recordings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
