"""Does anything grow, run after run?

    python -m bench.soak [--cycles 200] [--by gunicorn ...]

One process starts a server and a load generator, has some users ask for a moment, and ends both:
the servers of the table by turns, those that are installed here, or some of them. After each cycle
it counts what there is: processes below it, open files, ports that are listened on, threads,
temporary files, and its own memory. Prints them along the way, and how much more there is at the
end. Exits with 1 if there is more of anything, or its memory grows.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from labs.kinds.sweep.report import columns
from labs.load.locust import drive
from labs.records.experiment import Load, Page, Server, Workload
from labs.servers.catalogue import CATALOGUE, ServerRow, missing
from labs.servers.serve import serve

CYCLES, EVERY = 200, 20
FIRST = 2  # times that each server has been had before it counts: what is imported stays
LOAD_S, USERS = 0.3, 4
SETTLE_S = 2.0  # for what was told to end
MOST_MIB = 4.0  # by which its memory may grow: an allocator keeps what it has
LOOPS_PER_S = 2e7
FILES_ONLY = "nginx"  # which runs no program


@dataclass(frozen=True, slots=True)
class Count:
    """What there is after a cycle."""

    processes: int
    descriptors: int
    ports: int
    threads: int
    files: int
    memory_mib: float


def count() -> Count:
    """All of it, now."""
    gc.collect()
    ours = psutil.Process()
    children = ours.children(recursive=True)
    return Count(
        processes=len(children),
        descriptors=ours.num_fds(),
        ports=sum(_ports(each) for each in (ours, *children)),
        threads=ours.num_threads(),
        files=sum(1 for _ in Path(tempfile.gettempdir()).rglob("*")),
        memory_mib=ours.memory_info().rss / 2**20,
    )


def _ports(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        return sum(each.status == psutil.CONN_LISTEN for each in process.net_connections("tcp"))
    return 0


def server_of(row: ServerRow) -> Server:
    """A small one of that row."""
    if row.architecture == "threaded":
        return Server("threaded", by=row.by, threads=4)
    return Server(row.architecture, by=row.by, processes=1 if row.by == "uvicorn" else 2)


def cycle(server: Server) -> int:
    """Start, ask, end; how many answers there were."""
    page: Page = "file" if server.by == FILES_ONLY else "work"
    load = Load([USERS])
    with serve(server, page=page) as running, drive(load, url=running.url) as driver:
        work = Workload(page="file") if page == "file" else Workload(cpu_s=0.001, wait_s=0.005)
        driver.ask_for(work, LOOPS_PER_S)
        driver.open(USERS, 0.0)
        threading.Event().wait(LOAD_S)
        return len(driver.report().records)


def rested(least: Count | None) -> Count:
    """What there is once all has ended that will."""
    deadline = time.monotonic() + SETTLE_S
    while least and more(least, found := count()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found if least else count()


def more(before: Count, after: Count) -> dict[str, int]:
    """Of what there is more, memory aside, and by how much."""
    was, now = asdict(before), asdict(after)
    return {k: now[k] - was[k] for k in was if k != "memory_mib" and now[k] > was[k]}


def growth_mib(memory: Sequence[float]) -> float:
    """By how much the last tenth's middle lies above the first tenth's."""
    tenth = max(1, len(memory) // 10)
    return statistics.median(memory[-tenth:]) - statistics.median(memory[:tenth])


def verdict(counts: Sequence[Count]) -> tuple[bool, str]:
    """Whether nothing grew, and the figures; the first of the counts is what there was before."""
    grown = more(counts[0], counts[-1])
    mib = growth_mib([each.memory_mib for each in counts])
    words = ", ".join(f"{number} {name} more" for name, number in grown.items()) or "nothing more"
    good = not grown and mib <= MOST_MIB
    return good, f"{words}; memory {mib:+.1f} MiB (goal: nothing, and below {MOST_MIB:g} MiB)"


def servers() -> list[Server]:
    """Those that are installed here."""
    return [
        server_of(row)
        for row in CATALOGUE
        if not missing(row, "file" if row.by == FILES_ONLY else "work")
    ]


@contextlib.contextmanager
def own_temporary() -> Iterator[None]:
    """A folder for temporary files of its own, so that all of them can be counted."""
    with tempfile.TemporaryDirectory(prefix="bench-soak-", dir="/tmp") as folder:
        os.chmod(folder, 0o711)  # workers are somebody else's, when we are root
        before, tempfile.tempdir = tempfile.tempdir, folder
        os.environ.update(TMPDIR=folder, XDG_RUNTIME_DIR="")
        try:
            yield
        finally:
            tempfile.tempdir = before


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cycles", type=int, default=CYCLES)
    parser.add_argument("--by", nargs="+", default=[], help="only the servers run by these")
    asked = parser.parse_args()
    mixed = [each for each in servers() if not asked.by or each.by in asked.by]
    answers = 0
    counts: list[Count] = []
    rows: list[list[str]] = []
    with own_temporary():
        for number in range(FIRST * len(mixed) + asked.cycles):
            answers += cycle(mixed[number % len(mixed)])
            if number + 1 < FIRST * len(mixed):
                continue
            counts.append(rested(counts[0] if counts else None))
            if (len(counts) - 1) % EVERY == 0:
                one = counts[-1]
                shown = [
                    *(str(v) for v in list(asdict(one).values())[:-1]),
                    f"{one.memory_mib:.1f}",
                ]
                rows.append([str(len(counts) - 1), *shown])
                print(rows[-1], file=sys.stderr, flush=True)
    print(columns([["cycles", *asdict(counts[0])], *rows]))
    good, words = verdict(counts)
    print(f"{len(counts) - 1} cycles on {len(mixed)} servers, {answers} answers: {words}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
