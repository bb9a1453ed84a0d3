"""What a chapter's cell calls. LABS_MODE says what a lab does: `live` shows a panel, `replay` the
recorded run (a book is built so, and a build never runs load), `record` measures it anew.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
from collections.abc import Callable
from typing import Any

from labs.kinds.base import LabKind
from labs.kinds.registry import lab_kind
from labs.recordings import last_run, store
from labs.records.errors import BadRecording, Unusable

MODES = ("live", "replay", "record")
NAME = re.compile(r"[^\W_][\w .·×-]{0,79}")

_open: dict[str, Any] = {}  # lab -> its panel; a new one ends the old one
_bets: dict[Any, Any] = {}  # of all panels: a cell that runs again asks nobody twice


def mode() -> str:
    """Read the mode that LABS_MODE asks for; live if it does not say."""
    asked = os.environ.get("LABS_MODE") or "live"
    if asked not in MODES:
        raise Unusable(f"LABS_MODE={asked!r}: choose one of {', '.join(MODES)}.")
    return asked


def opener(call: str) -> Callable[..., object]:
    """Make the function that chapters call for labs of a kind: a name, then what the kind asks for.
    It is documented by the kind's own docstring."""
    kind = lab_kind(call)
    signature = kind.signature()

    def open_lab(*given: Any, **more: Any) -> object:
        try:
            asked = signature.bind(*given, **more).arguments
        except TypeError as error:
            names = ", ".join(signature.parameters)
            raise Unusable(f"{call}: {error}. Write {call}({names}).") from None
        return opened(_named(asked.pop("name")), kind(**asked))

    open_lab.__name__ = open_lab.__qualname__ = call
    open_lab.__doc__ = inspect.getdoc(kind)
    open_lab.__signature__ = signature  # type: ignore[attr-defined]
    return open_lab


def _named(name: object) -> str:
    """Check a lab's name, which becomes a folder's where the lab is recorded. Unusable for none."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise Unusable(f"name={name!r}: not a lab's name. Give a few words, such as 'my-lab'.")
    return name


def opened(name: str, lab: LabKind[Any]) -> object:
    """Open the lab as the mode has it: its panel, its recorded run, or recorded anew."""
    if mode() == "record":
        from labs.recordings.recorder import record

        return record(name, lab)
    if mode() == "replay":
        from labs.recordings.replay import replay

        return replay(name, lab)
    from labs.host import hardware

    before = _open.pop(name, None)
    if before is not None:
        before.shut()
    machine, shared = hardware.fingerprint(), hardware.on_binder()
    cores = machine.cores
    lab = lab.at_scale(cores).scaled_down(cores, shared=shared)
    last = None if before else last_run.last(name, lab, machine)  # a cell that runs again is anew
    recorded = _recorded(name, lab, cores)
    module, _, kind = lab.panel.partition(":")
    made = getattr(importlib.import_module(f"labs.panel.{module}"), kind)
    _open[name] = made(name, lab, recorded=recorded, bets=_bets, last=last)
    return _open[name]


def _recorded(name: str, lab: LabKind[Any], cores: int) -> Any:
    """Find what was recorded on the machine most like that one, to stand beside; a lab of the
    reader's own has none."""
    try:
        result = store.recording(name, cores)
    except BadRecording:
        return None
    return result if isinstance(result, lab.result) else None


def said_before(lab: str, words: str, about: str, number: float | None) -> None:
    """Hand on what the reader has said to the question of the recorded run that stood in a panel's
    place (book/web/src/cells.ts)."""
    _open[lab].said_before(words, about, number)


def load_test(
    *files: str, cores: int | None = None, workers: int | None = None, cpu_ms: float | None = None
) -> Any:
    """Draw load tests by another program, and what the laws say of them.

    files: paths of one program's results, each of one number of users or of several (see
    `python -m labs import --help`); cores, workers: of the server; cpu_ms: CPU milliseconds of a
    request. Returns a `plotly.graph_objects.Figure`: throughput in requests per second and mean
    response time in milliseconds over the users. Its `layout.meta["sentences"]` is a list of what
    the laws say. Unusable names the file that can't be read, and what is wrong with it.
    """
    from plotly.graph_objects import Figure

    from labs.imports import laws
    from labs.imports.figure import figure
    from labs.imports.reading import read

    server, test = laws.given(cores, workers, cpu_ms), read(files)
    drawn = figure(test, server)
    drawn["layout"]["meta"]["sentences"] = laws.sentences(test, server)
    return Figure(drawn)
