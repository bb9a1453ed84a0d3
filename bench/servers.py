"""How well are the servers that are installed here predicted, and what memory do they take?

    python -m bench.servers [BY ...]

Every server of the table x (CPU only, wait only, mixed) x four levels; a file, at three, for who
serves only files. Measured beside forecast and bound, both made before the load, and beside the
explanation from the demand measured in the level itself, which is consistency and no prediction.
Also the failed requests and the memory (PSS, shared pages counted once) of each level. About eight
minutes; run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import sys

from bench.levels import CPU, MIXED, WAIT, Column, Row, by_work, rows, shown, sizes
from labs.kinds.sweep.run import SweepLab
from labs.measure.rig import Rig
from labs.records.experiment import Experiment, Load, Page, Server, Workload
from labs.servers.catalogue import CATALOGUE, ServerRow, missing

WORKERS = 16
WORK = {
    "CPU": (CPU, (1, 2, 4, 8)),
    "wait": (WAIT, (1, 4, 16, 32)),
    "mixed": (MIXED, (1, 4, 8, 16)),
}
FILES = {"file": (Workload(page="file"), (1, 2, 5))}  # more, and Locust is full
MORE: list[Column] = [
    ("failed", lambda point: str(point.failed)),
    ("MiB", lambda point: f"{(point.pss_bytes or 0) / 2**20:.0f}"),
]


def server_of(kind: ServerRow, workers: int = WORKERS) -> Server:
    """A pool of so many; one process where one holds any number of requests. Apache's worker keeps
    a connection to itself, so each request has one of its own."""
    kept = kind.by not in ("apache", "apache-worker")
    if kind.architecture == "prefork":
        return Server("prefork", by=kind.by, processes=workers, keep_alive=kept)
    if kind.architecture == "threaded":
        return Server("threaded", by=kind.by, processes=1, threads=workers, keep_alive=kept)
    return Server("event-loop", by=kind.by)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help="who runs it: apache, node, gunicorn, ...")
    asked = parser.parse_args()
    found: list[Row] = []
    for kind in CATALOGUE:
        if asked.only and kind.by not in asked.only:
            continue
        files = kind.product is not None and kind.product.for_work is None
        page: Page = "file" if files else "work"
        if remedy := missing(kind, page):
            print(f"\n{kind.architecture} by {kind.by}: not measured. {remedy}", flush=True)
            continue
        server = server_of(kind)
        for name, (workload, users) in (FILES if files else WORK).items():
            load = Load(users, seconds=2.0, keep_alive=bool(server.keep_alive))
            found += (fresh := rows(Rig().perform(SweepLab(Experiment(server, workload, load)))))
            print(shown(f"{kind.architecture} by {kind.by}, {name}", fresh, MORE), flush=True)
    if found:
        print(f"\n{by_work(found)}")
        print(sizes("consistency", [row.consistency for row in found if not row.disturbed]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
