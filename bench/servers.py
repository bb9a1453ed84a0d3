"""How well are the servers that are installed here predicted, and how quickly do they come and go?

    python -m bench.servers [--json FILE] [BY ...]

Every server of the table x (CPU only, wait only, mixed) x four levels; a file, at three, for who
serves only files. Measured beside forecast and bound, both made before the load, and beside the
explanation from the demand measured in the level itself, which is consistency and no prediction.
Also the failed requests and the memory (PSS, shared pages counted once) of each level, and the
seconds to start and to end. About eight minutes; run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import sys
import time

from bench.levels import CPU, MIXED, WAIT, Column, Row, by_work, rows, save, shown, sizes
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.report import columns
from labs.kinds.sweep.run import measure
from labs.records.experiment import Experiment, Load, Page, Server, Workload
from labs.servers.catalogue import CATALOGUE, ServerRow, missing
from labs.servers.serve import serve

WORKERS = 16
WORK = {
    "CPU": (CPU, (1, 2, 4, 8)),
    "wait": (WAIT, (1, 4, 16, 32)),
    "mixed": (MIXED, (1, 4, 8, 16)),
}
FILES = {"file": (Workload(page="file"), (1, 2, 5))}  # more, and Locust is full
STARTS_WITHIN_S = GONE_WITHIN_S = 2.0
MORE: list[Column] = [
    ("failed", lambda point: str(point.failed)),
    ("MiB", lambda point: f"{(point.pss_bytes or 0) / 2**20:.0f}"),
]
SPAWN_S = 0.1  # for each process, where a server takes its time


def server_of(kind: ServerRow, workers: int = WORKERS) -> Server:
    """A pool of so many; one process where one holds any number of requests. Apache's worker keeps
    a connection to itself, so each request has one of its own."""
    kept = kind.by not in ("apache", "apache-worker")
    if kind.architecture == "prefork":
        return Server("prefork", by=kind.by, processes=workers, keep_alive=kept)
    if kind.architecture == "threaded":
        return Server("threaded", by=kind.by, processes=1, threads=workers, keep_alive=kept)
    return Server("event-loop", by=kind.by)


def comes_and_goes(server: Server, page: Page) -> tuple[float, float]:
    """Seconds to start until it answers and all workers are there, and to end without a rest."""
    began = time.perf_counter()
    with serve(server, page=page):
        ready = time.perf_counter()
        started_s, ending = ready - began, time.perf_counter()
    return started_s, time.perf_counter() - ending


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json")
    parser.add_argument("only", nargs="*", help="who runs it: apache, node, gunicorn, ...")
    asked = parser.parse_args()
    found: list[Row] = []
    recordings: dict[str, Recording] = {}
    slow = []
    times = [["architecture", "by", "starts in s", "gone in s"]]
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
            recording = measure(Experiment(server, workload, load))
            name = f"{kind.architecture} by {kind.by}, {name}"
            recordings[name] = recording
            found += (fresh := rows(recording))
            print(shown(name, fresh, MORE), flush=True)
        started_s, gone_s = comes_and_goes(server, page)
        times.append([kind.architecture, kind.by, f"{started_s:.2f}", f"{gone_s:.2f}"])
        ramp_s = SPAWN_S * server.processes
        if started_s > STARTS_WITHIN_S + ramp_s or gone_s > GONE_WITHIN_S:
            slow.append(f"{kind.architecture} by {kind.by}")
    if not found:
        return 0
    print(f"\n{columns(times)}\n")
    print(by_work(found))
    print(sizes("consistency", [row.consistency for row in found if not row.disturbed]))
    print(f"{'starts or ends too slowly':<34} {', '.join(slow) or 'none'}")
    save(asked.json, recordings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
