"""The small book of real panels, with recordings that never were, and how it is served."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import examples
from attachments import attached
from msgspec import structs
from serving import PROJECT

from labs.kinds.clocks.record import ClocksRun
from labs.kinds.clocks.run import PAGES
from labs.kinds.sweep import record
from labs.recordings import store
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.steps import Step

SITE = Path(__file__).parent / "panel_site"
EXPERIMENT = Experiment(
    Server("event-loop", by="scratch"), Workload(wait_s=0.05), Load((2, 4), seconds=0.5)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelBook:
    """Where it is: its built site, its pages' sources and its recordings."""

    site: Path
    source: Path
    shelf: Path


def sources(into: Path) -> None:
    """The small book's pages, and the book's own page of progress."""
    shutil.copytree(SITE, into, dirs_exist_ok=True)
    shutil.copy(PROJECT / "book/my-progress.md", into)


def recordings(shelf: Path) -> None:
    """One of each of its labs."""
    points = (examples.point(2), examples.point(4))
    run = replace(examples.run(), forecast=examples.prediction((2, 4)), points=points)
    recording = record.Recording(experiment=EXPERIMENT, machine=examples.MACHINE, runs=(run,) * 3)
    clocked = ClocksRun(
        recorded_at=examples.WHEN,
        pages=tuple(examples.page(name, w.cpu_s, w.wait_s) for name, w in PAGES.items()),
    )
    walked = examples.timeline_run()
    walked = replace(walked, step_results=walked.step_results[:1])
    levers = structs.replace(
        examples.timeline(),
        server=Server("prefork", by="spare", processes=6),
        workload=Workload(wait_s=0.1),
        steps=(Step(seconds=4, users=4),) * 10,  # as the page of levers asks
        runs=(walked,),
    )
    results = {
        "prefork": levers,
        "many-cores": recording,
        "wall-time": structs.replace(examples.clocks(), runs=(clocked,)),
        "your-machine": examples.checkup(),
        "your-own-server": structs.replace(
            attached(lambda users: min(users, 4) / 0.1, alone_s=0.1, users=(1, 2, 4, 8)), url=""
        ),
    }
    for name, result in results.items():
        store.save(result, shelf / name / "2-cores.json")
