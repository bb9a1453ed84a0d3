"""The labs a chapter calls. LABS_MODE says what they do: `live` shows a panel, `replay` the
recorded run (a book is built so, and a build never runs load), `record` measures it anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from labs import progress_log
from labs.exercises import check as exercises
from labs.exercises.check import Reply
from labs.kinds import quotes
from labs.kinds.result import Result
from labs.kinds.sweep.record import Recording
from labs.recordings import store
from labs.records.errors import BadRecording, Unusable
from labs.records.experiment import Experiment, Server, Workload

if TYPE_CHECKING:
    from labs.kinds.base import Still
    from labs.records.steps import Step

MODES = ("live", "replay", "record")
QUANTITIES = ("throughput", "response time")

_open: dict[str, Any] = {}  # lab -> its panel; a new one ends the old one


def mode() -> str:
    """What LABS_MODE asks for; live if it does not say."""
    asked = os.environ.get("LABS_MODE") or "live"
    if asked not in MODES:
        raise Unusable(f"LABS_MODE={asked!r}: choose one of {', '.join(MODES)}.")
    return asked


def sweep(
    name: str,
    experiment: Experiment,
    *,
    ask: Literal["throughput", "response time"] = "throughput",
) -> object:
    """A lab over levels of users. `ask` is what the reader predicts, at the last level."""
    if ask not in QUANTITIES:
        raise Unusable(f"ask={ask!r}: choose one of {', '.join(QUANTITIES)}.")
    if mode() == "record":
        from labs.recordings.recorder import record_sweep

        return record_sweep(name, experiment)
    if mode() == "replay":
        return replay(name, lambda found: found.experiment == experiment)
    from labs.analysis.scaling import modest
    from labs.host import hardware as this_machine
    from labs.panel.sweep import SweepPanel

    here = this_machine.fingerprint()
    smaller, why = modest(experiment, here.cores, shared=this_machine.on_binder())
    _shut(name)
    panel = SweepPanel(
        name,
        smaller,
        machine=here,
        recorded=_recorded(name, Recording),
        quantity=ask,
        why=why,
    )
    _open[name] = panel
    return panel


def compare(
    name: str,
    parts: Mapping[str, Experiment],
    *,
    over: Literal["users", "pool"] = "users",
) -> object:
    """Several experiments one after the other, in one figure: a line for each `over` the users,
    or over the size of the pool a line for each number of users."""
    from labs.kinds.comparison.run import Comparing

    if mode() != "live":
        return _still(name, Comparing(parts, over))
    from labs.analysis.scaling import modest
    from labs.host import hardware as this_machine

    cores, shared = this_machine.fingerprint().cores, this_machine.on_binder()
    smaller = {label: modest(part, cores, shared=shared) for label, part in parts.items()}
    why = next((why for _, why in smaller.values() if why), "")
    return _still(
        name, Comparing({label: part for label, (part, _) in smaller.items()}, over, why=why)
    )


def clocks(name: str, pages: Mapping[str, Workload] | None = None) -> object:
    """One request, three clocks: pages that burn, sleep, or do both."""
    from labs.kinds.clocks.run import OneRequest

    return _still(name, OneRequest(pages))


def calibration(name: str) -> object:
    """What this machine can do."""
    from labs.kinds.checkup.run import ThisMachine

    return _still(name, ThisMachine())


def timeline(
    name: str,
    server: Server,
    workload: Workload,
    steps: Sequence[Step],
    *,
    ask: Literal["throughput", "workers", "under way"] | None = None,
    whole: bool = False,
) -> object:
    """One load after the other, and what is done to the server meanwhile. `ask` is what the
    reader predicts: the throughput of the last step, the workers at the end, or the requests
    under way when the most have arrived; without it, what is least obvious. On one core and on
    a shared service heavy work is made light, and the lab says so; `whole` keeps it as it is."""
    from labs.kinds.timeline.run import Walking

    if whole or mode() != "live":
        return _still(name, Walking(server, workload, steps, ask=ask))
    from labs.analysis.scaling import modest_timeline
    from labs.host import hardware as this_machine

    cores, shared = this_machine.fingerprint().cores, this_machine.on_binder()
    smaller, shorter, why = modest_timeline(workload, steps, cores, shared=shared)
    return _still(name, Walking(server, smaller, shorter, ask=ask, why=why))


def memory(name: str) -> object:
    """What one more process, thread or coroutine takes of the memory, and how many fit."""
    from labs.kinds.memory.run import Weighing

    return _still(name, Weighing())


def race(name: str) -> object:
    """A counter that threads share, with and without a lock: how many additions arrive?"""
    from labs.kinds.race.run import Racing

    return _still(name, Racing())


def mystery(name: str, seed: int = 1) -> object:
    """A server with a hidden limit, drawn by the seed: to measure, to diagnose, and to repair,
    once wrongly and once rightly. Seeds 1 to 7 have seven limits, and so on."""
    from labs.kinds.mystery.run import Solving

    if mode() != "live":
        return _still(name, Solving(seed))
    from labs.panel.mystery import MysteryPanel

    _shut(name)
    _open[name] = MysteryPanel(name, seed)
    return _open[name]


def generators(
    name: str,
    server: Server | None = None,
    workload: Workload | None = None,
    *,
    users: int | None = None,
) -> object:
    """Load generators one after the other on the same server: what each says of it, and what it
    and the server use. Without a server, of a small file; tools that are missing say so."""
    from labs.kinds.generators.run import FILE, USERS, Gauging

    return _still(name, Gauging(server, workload or FILE, users=users or USERS))


def classic(source: str) -> object:
    """The experiment of one of the five sources, s1 to s5, made again on the servers it used.
    `make classics` records them; see `labs.kinds.classics.run`."""
    from labs.kinds.classics.run import Classics

    return _still(f"classics-{source}", Classics(source))


def _still(name: str, still: Still[Any]) -> object:
    """A lab that is no sweep: its panel, its recorded run, or recorded anew."""
    if mode() == "record":
        from labs.recordings.recorder import record_still

        return record_still(name, still)
    if mode() == "replay":
        return replay(name, still.asked_of)
    from labs.panel.lab import StillPanel

    _shut(name)
    _open[name] = StillPanel(name, still, recorded=_recorded(name, still.result))
    return _open[name]


def recorded(name: str) -> quotes.Numbers:
    """The numbers of a lab's recording, to quote."""
    return quotes.numbers(store.recording(name))


def record_book(names: list[str], say: Any) -> None:
    """Record these labs of the book anew, or all of them. See `labs.recordings.recorder`."""
    from labs.recordings.recorder import record_book as record

    record(names, say)


def record_classics(names: list[str], say: Any) -> None:
    """Make the sources' experiments again, or all of them. See `labs.recordings.recorder`."""
    from labs.recordings.recorder import record_classics as record

    record(names, say)


class Replayed:
    """A recorded run as it stands in a page: figure, caption, folded table."""

    def __init__(self, lab: str, result: Result) -> None:
        from labs.recordings.replay import page

        self.result = result
        self.alt, self.html = page(lab, result)

    def __repr__(self) -> str:
        return self.alt

    def _repr_html_(self) -> str:
        return self.html


def replay(name: str, asked_of: Callable[[Any], bool] | None = None) -> Replayed:
    """The lab's recording. BadRecording if there is none, or it is of another experiment."""
    result = store.recording(name)
    if asked_of is not None and not asked_of(result):
        raise BadRecording(
            f"{name}: the page asks for another experiment than was recorded. Record it again "
            "with `make record`."
        )
    return Replayed(name, result)


def _recorded(name: str, kind: type[Any]) -> Any:
    """What the book recorded, to stand beside; a lab of the reader's own has none."""
    try:
        result = store.recording(name)
    except BadRecording:
        return None
    return result if isinstance(result, kind) else None


def _shut(name: str) -> None:
    before = _open.pop(name, None)
    if before is not None:
        before.shut()


def check(id: str, value: object = ..., *, seed: str | None = None) -> Reply:
    """Judge `value` as the answer to exercise `id`; without a value, ask for one.

    `seed`, any text, gives the exercise other numbers and prints the question with them. The
    answer is kept in the reader's own record (see `progress`). NoSuchExercise names the ids
    there are.
    """
    reply = exercises.check(id, value, seed=seed)
    found = exercises.number(value)
    if reply.kind in ("right", "wrong") and found is not None:
        progress_log.answered(id, seed or "", found, reply.right)
    return reply


def progress() -> object:
    """The reader's predictions, answers and diagnoses, by chapter: to read, to save for a teacher,
    and to delete. Where the book is built, an empty example."""
    from labs.panel.progress import Example, ProgressPanel
    from labs.recordings.pages import chapters

    if mode() == "live":
        return ProgressPanel(chapters())
    return Example()
