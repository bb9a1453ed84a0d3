"""The last run of each lab, kept beside the reader's progress, so that it comes back with its page.

A file a lab in the folder `runs` beside the record of progress (`labs.progress_log`), for its owner
only. It comes back where a page asks for the same lab on the same machine, in the same version of
the records; else it is as if there were none. *Delete all* on the page *My progress* takes it away.
Nothing here raises: a lab never fails because of what it kept.
"""

import contextlib
import hashlib
import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from labs import progress_log
from labs.host.files import read_whole, write_whole
from labs.kinds.base import LabKind
from labs.recordings import store
from labs.records.errors import BadRecording, Unusable
from labs.records.experiment import Experiment
from labs.records.results import Machine, Result


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A run as its file holds it."""

    asked: str  # by the page, as a digest
    at: str  # ISO 8601, in the reader's own time
    experiments: tuple[Experiment, ...]  # as they were set; none where nothing can be
    each_s: float | None
    found: msgspec.Raw


@dataclass(frozen=True, slots=True)
class LastRun:
    """A run that has come back: the lab as it was set, what it found, and when."""

    lab: LabKind[Any]
    found: Result
    at: datetime


def folder() -> Path:
    """Find the folder in which last runs are kept."""
    return progress_log.path().parent / "runs"


def keep(name: str, asked: LabKind[Any], lab: LabKind[Any], found: Result) -> None:
    """Keep what `lab`, which the page asked for as `asked`, has found; only where a reader is at
    work. A disk that takes nothing keeps nothing."""
    if (os.environ.get("LABS_MODE") or "live") != "live":
        return
    kept = Kept(
        asked=_digest(asked),
        at=datetime.now().astimezone().isoformat(timespec="minutes"),
        experiments=tuple(lab.experiments()),
        each_s=lab.each_s,
        found=msgspec.Raw(msgspec.json.encode(found)),
    )
    with contextlib.suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True)
        write_whole(_file(name), msgspec.json.encode(kept))


def last(name: str, asked: LabKind[Any], machine: Machine) -> LastRun | None:
    """The last run of the lab that a page asks for by that name; None where there is none of it,
    of that machine, or of this version."""
    try:
        kept = msgspec.json.decode(read_whole(_file(name)), type=Kept)
        found = store.decoded(bytes(kept.found), _file(name))
        at = datetime.fromisoformat(kept.at)
        lab = asked.with_experiments(kept.experiments) if kept.experiments else asked
        if kept.each_s is not None and kept.each_s != lab.each_s:
            lab = lab.lasting(kept.each_s)
    except (OSError, ValueError, LookupError, msgspec.MsgspecError, BadRecording, Unusable):
        return None
    same = kept.asked == _digest(asked) and isinstance(found, asked.result)
    if not same or found.machine.caption != machine.caption or not lab.matches(found):
        return None
    return LastRun(lab, found, at)


def forget() -> None:
    """Delete all last runs that are kept."""
    shutil.rmtree(folder(), ignore_errors=True)


def _file(name: str) -> Path:
    return folder() / f"{name}.json"


def _digest(asked: LabKind[Any]) -> str:
    """Tell a lab as a page asks for it from any other, by a digest, as a reader's cell may hold
    what nobody else is to read."""
    said = f"{type(asked).__name__} {dict(asked.given)}"
    return hashlib.sha256(said.encode()).hexdigest()
