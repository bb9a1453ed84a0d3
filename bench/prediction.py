"""How far is the forecast from the measurement?

    python -m bench.prediction [--settings N] [--seed N] [--json FILE] [--recorded]

Settings are drawn at random, so that nobody tuned anything to them: who serves, out of what is
installed here, a pool of 1 to 64, 1 to 60 ms of CPU time, 0 to 300 ms of waiting, both varying by 0
to 1, and three levels between one user and four times the knee. Each is measured as a reader would
measure it, and its forecast is stored before the load starts. The same seed draws the same
settings where the same programs are installed. Sixty of them take about forty minutes.

The explanation uses the demand measured in the level itself: that is consistency, not prediction.
*At speed* is the forecast for the speed that burns around the level found the cores to have: what
is left there is the laws' and the kernel's, and not the machine's. Told by kind of work and with
one user apart, since there a forecast is easy, beside the goals: a mark ! stands where one is
missed.

--recorded measures nothing: it says the same of the levels of the book's recordings, each against
the forecast that was stored with it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from bench.levels import Row, by_work, rows, shown
from bench.servers import server_of
from labs.kinds.comparison.record import Comparison
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.report import joined
from labs.kinds.sweep.run import SweepLab
from labs.measure.rig import Rig
from labs.recordings import store
from labs.records.errors import Unusable
from labs.records.experiment import CPU_BY, Experiment, Load, Server, Workload
from labs.servers.catalogue import CATALOGUE, ServerRow, missing, refuse
from labs.theory.laws import knee

MOST_POOL, MOST_USERS, LEVELS = 64, 256, 3
CPU_S, MOST_WAIT_S, LEVEL_S = (0.001, 0.06), 0.3, 6.0
KINDS_OF_WORK = ("CPU", "waits", "mixed", "mixed")  # half of all servers do both


def evenly(dice: random.Random, low: float, high: float) -> float:
    """A number between two, each doubling as likely as the next."""
    return math.exp(dice.uniform(math.log(low), math.log(high)))


def workload(dice: random.Random) -> Workload:
    """CPU time, waits, or both, each with a variation."""
    kind = dice.choice(KINDS_OF_WORK)
    return Workload(
        cpu_s=round(evenly(dice, *CPU_S), 4) if kind != "waits" else 0.0,
        wait_s=round(dice.uniform(0.01, MOST_WAIT_S), 3) if kind != "CPU" else 0.0,
        cpu_cv=round(dice.random(), 2),
        wait_cv=round(dice.random(), 2),
        cpu_by=dice.choice(CPU_BY),
    )


def drawn(seed: int) -> Iterator[Experiment]:
    """One setting after the other, for as long as any are asked for."""
    dice = random.Random(seed)
    by_architecture: dict[str, list[ServerRow]] = {}
    for kind in CATALOGUE:
        only_files = kind.product is not None and kind.product.for_work is None
        if not only_files and not missing(kind):
            by_architecture.setdefault(kind.architecture, []).append(kind)
    while True:
        kind = dice.choice(by_architecture[dice.choice(list(by_architecture))])
        server, work = server_of(kind, round(evenly(dice, 1, MOST_POOL))), workload(dice)
        with contextlib.suppress(Unusable):
            refuse(kind, server, work)
            yield Experiment(server, work, load(dice, server, work))


def load(dice: random.Random, server: Server, work: Workload) -> Load:
    """Three levels, up to four times the knee."""
    locked = server.architecture == "event-loop" or server.threads > 1
    c = 1 if locked else os.cpu_count() or 1
    at = knee(work.cpu_s, work.wait_s, c=c, W=server.pool or math.inf)
    most = min(MOST_USERS, max(4, round(4 * at))) if math.isfinite(at) else MOST_USERS
    users: set[int] = set()
    while len(users) < LEVELS:
        users.add(round(evenly(dice, 1, most)))
    return Load(sorted(users), seconds=LEVEL_S, keep_alive=bool(server.keep_alive))


def name_of(experiment: Experiment) -> str:
    """The setting in a line."""
    server, work = experiment.server, experiment.workload
    return (
        f"{server.architecture} by {server.by}, pool {server.pool or 'none'}, "
        f"CPU {1000 * work.cpu_s:g} ms ({work.cpu_cv:g}, {work.cpu_by}), "
        f"wait {1000 * work.wait_s:g} ms ({work.wait_cv:g})"
    )


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
    parser.add_argument("--settings", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was found there")
    parser.add_argument("--recorded", action="store_true")
    asked = parser.parse_args()
    if asked.recorded:
        print(by_work([row for each in recorded() for row in rows(each)]))
        return 0
    found: list[Row] = []
    recordings: dict[str, object] = {}
    for number, setting in zip(range(1, asked.settings + 1), drawn(asked.seed), strict=False):
        title = f"{number}. {name_of(setting)}"
        recording = Rig().perform(SweepLab(setting))
        found += (fresh := rows(recording))
        print(shown(title, fresh), flush=True)
        recordings[title] = joined(recording)
        if asked.json:
            asked.json.write_text(json.dumps(recordings))
    print(f"\n{by_work(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
