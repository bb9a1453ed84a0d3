"""The labs a chapter calls. LABS_MODE says what they do: `live` shows a panel, `replay` the
recorded run (a book is built so, and a build never runs load), `record` measures it anew.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

from labs import quote, recordings
from labs.findings import Checkup, Clocks
from labs.kept import Result
from labs.records import BadRecording, Experiment, Recording, Unusable, Workload

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
        from labs.recorder import record_sweep

        return record_sweep(name, experiment)
    if mode() == "replay":
        return replay(name, experiment=experiment)
    from labs import machine as this_machine
    from labs.offers import modest
    from labs.panel import SweepPanel

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


def clocks(name: str, pages: Mapping[str, Workload] | None = None) -> object:
    """One request, three clocks: pages that burn, sleep, or do both."""
    if mode() == "record":
        from labs.recorder import record_clocks

        return record_clocks(name, dict(pages) if pages else None)
    if mode() == "replay":
        return replay(name)
    from labs.still_panel import clocks_panel

    _shut(name)
    _open[name] = clocks_panel(name, dict(pages) if pages else None, _recorded(name, Clocks))
    return _open[name]


def calibration(name: str) -> object:
    """What this machine can do."""
    if mode() == "record":
        from labs.recorder import record_checkup

        return record_checkup(name)
    if mode() == "replay":
        return replay(name)
    from labs.still_panel import checkup_panel

    _shut(name)
    _open[name] = checkup_panel(name, _recorded(name, Checkup))
    return _open[name]


def recorded(name: str) -> quote.Numbers:
    """The numbers of a lab's recording, to quote."""
    return quote.numbers(recordings.recording(name))


def record_book(names: list[str], say: Any) -> None:
    """Record these labs of the book anew, or all of them. See `labs.recorder`."""
    from labs.recorder import record_book as record

    record(names, say)


class Replayed:
    """A recorded run as it stands in a page: figure, caption, folded table."""

    def __init__(self, lab: str, result: Result) -> None:
        from labs.replay import page

        self.result = result
        self.alt, self.html = page(lab, result)

    def __repr__(self) -> str:
        return self.alt

    def _repr_html_(self) -> str:
        return self.html


def replay(name: str, *, experiment: Experiment | None = None) -> Replayed:
    """The lab's recording. BadRecording if there is none, or it is of another experiment."""
    result = recordings.recording(name)
    if experiment and isinstance(result, Recording) and result.experiment != experiment:
        raise BadRecording(
            f"{name}: the page asks for another experiment than was recorded. Record it again "
            "with `make record`."
        )
    return Replayed(name, result)


def _recorded(name: str, kind: type[Any]) -> Any:
    """What the book recorded, to stand beside; a lab of the reader's own has none."""
    try:
        result = recordings.recording(name)
    except BadRecording:
        return None
    return result if isinstance(result, kind) else None


def _shut(name: str) -> None:
    before = _open.pop(name, None)
    if before is not None:
        before.shut()
