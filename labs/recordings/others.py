"""Other recordings that a page may show in its figure's place (book/web/src/switch.ts): of other
machines, of the same lab under other settings that its page speaks of, and of other servers that
answered the same requests. Those are of labs that the reader has met: a later one would tell what
its own page asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labs.kinds.base import LabKind
from labs.kinds.comparison.record import Comparison
from labs.kinds.sweep.record import Recording
from labs.present.verdict import who
from labs.recordings import store
from labs.recordings.pages import chapters
from labs.records.errors import BadRecording
from labs.records.experiment import Experiment
from labs.records.format import listed
from labs.records.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """A recording to choose."""

    lab: str
    label: str
    result: Result


def machines(lab: str) -> list[Other]:
    """Recordings of the lab on other machines than the one that its page shows."""
    shown = store.chosen(lab)
    files = [file for file in store.paths(lab) if file != shown]
    found = [store.read(file) for file in files] if shown else []
    return [Other(lab=lab, label=each.machine.caption, result=each) for each in found]


def settings(name: str, lab: LabKind[Any]) -> list[Other]:
    """The lab under other settings. BadRecording for one that is of another experiment."""
    return [_under(store.under(name, label), label, lab.under(label)) for label in lab.also]


def _under(name: str, label: str, lab: LabKind[Any]) -> Other:
    found = store.recording(name)
    if not isinstance(found, lab.result) or not lab.matches(found):
        raise BadRecording(
            f"{name}: the page asks for another experiment than was recorded. Record it again "
            f"with `make record LABS={name}`."
        )
    return Other(lab=name, label=label, result=found)


def servers(lab: str, result: Result) -> list[Other]:
    """Labs of earlier chapters in which other servers answered requests like this one's."""
    asked = _experiments(result)
    order = [each for chapter in chapters() for each in chapter.labs]
    if not asked or lab not in order:
        return []
    return [
        Other(lab=name, label=called(found), result=store.recording(name))
        for name in order[: order.index(lab)]
        if (found := _recorded(name)) and _alike(_experiments(found), asked[0])
    ]


def called(result: Result) -> str:
    """Name the server that a recording is of; of a comparison, its parts."""
    asked = _experiments(result)
    if not isinstance(result, Comparison):
        return who(asked[0].server) if asked else ""
    kinds = dict.fromkeys(each.server.architecture for each in asked)
    return f"{listed([*kinds])}: {listed([f'“{label}”' for label in result.parts])}"


def _recorded(lab: str) -> Result | None:
    """Read what a lab's page shows, without saying that this page depends on it."""
    file = store.chosen(lab)
    return store.read(file) if file else None


def _experiments(result: Result) -> list[Experiment]:
    """Experiments of the kinds that load one server at a time, user after user."""
    match result:
        case Recording():
            return [result.experiment]
        case Comparison():
            return [part.experiment for part in result.parts.values()]
    return []


def _alike(theirs: Sequence[Experiment], asked: Experiment) -> bool:
    """Whether all of these experiments ask for the same, of another server."""
    same = bool(theirs) and all(each.workload == asked.workload for each in theirs)
    return same and any(each.server != asked.server for each in theirs)
