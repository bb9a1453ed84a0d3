"""The book's recordings: `book/recordings/<lab>/<cores>-cores.json`, one for each size of machine.

A page shows the one with the most cores: contribute yours with `make record`.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TypeVar

import msgspec

from labs.host.project import ROOT
from labs.kinds.checkup.record import Checkup
from labs.kinds.classics.record import Retrial
from labs.kinds.clocks.record import Clocks
from labs.kinds.comparison.record import Comparison
from labs.kinds.generators.record import Gauges
from labs.kinds.memory.record import Memory
from labs.kinds.mystery.record import Mystery
from labs.kinds.race.record import Race
from labs.kinds.result import Result
from labs.kinds.sweep.record import Recording
from labs.kinds.timeline.record import Timeline
from labs.records.errors import BadRecording
from labs.records.results import SCHEMA, Machine

BOOK = ROOT / "book"
KINDS = {  # by a field of each
    "experiment": Recording,
    "parts": Comparison,
    "steps": Timeline,
    "connections": Gauges,
    "classic": Retrial,
    "server": Clocks,
    "calibrations": Checkup,
    "waiters": Memory,
    "racers": Race,
    "variants": Mystery,
}


def folder() -> Path:
    """Where they are kept. LABS_RECORDINGS names another place."""
    return Path(os.environ.get("LABS_RECORDINGS") or BOOK / "recordings")


def path(lab: str, machine: Machine) -> Path:
    """Where that machine's recording of a lab belongs."""
    return folder() / lab / f"{machine.cores}-cores.json"


def paths(lab: str) -> list[Path]:
    """The recordings of a lab, from few cores to many."""
    found = [
        (int(match[1]), file)
        for file in (folder() / lab).glob("*-cores.json")
        if (match := re.fullmatch(r"(\d+)-cores\.json", file.name))
    ]
    return [file for _, file in sorted(found)]


def recording(lab: str) -> Result:
    """The recording that the pages show and quote. BadRecording says what is wrong with it."""
    files = paths(lab)
    if not files:
        how = "make classics" if lab.startswith("classics-") else "make record"
        raise BadRecording(f"{lab}: not recorded yet. Record it with `{how}`.")
    return read(files[-1])


def read(file: Path) -> Result:
    """A recording of any kind of lab."""
    try:
        fields = msgspec.json.decode(file.read_bytes(), type=dict[str, msgspec.Raw]).keys()
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        fields = {}.keys()  # `records.read` says what is wrong with it
    kind: type[Result] = next((KINDS[name] for name in KINDS if name in fields), Recording)
    return read_as(file, kind)


Kept = TypeVar("Kept")  # a kind of record that is kept in a file


def save(recording: object, path: Path) -> None:
    """Write it whole or not at all: a recording that was there stays until the new one is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(recording), indent=1)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text + b"\n")
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def load(path: Path) -> Recording:
    """Read a recording. BadRecording says what is wrong with the file and what to do."""
    return read_as(path, Recording)


def read_as(path: Path, kind: type[Kept]) -> Kept:
    """Read what `save` wrote of that kind; see `load`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadRecording(f"{path}: cannot be read ({error.strerror}). Check the name.") from None
    remedy = "Get it again, or record it anew with `make record`."
    try:
        head = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        schema = msgspec.json.decode(head["schema"], type=int)
    except (msgspec.DecodeError, KeyError, UnicodeDecodeError, RecursionError):
        raise BadRecording(f"{path}: not a recording, or cut short. {remedy}") from None
    if schema != SCHEMA:
        raise BadRecording(
            f"{path}: recorded in version {schema}, and this is version {SCHEMA}. {remedy}"
        )
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise BadRecording(f"{path}: {error}. {remedy}") from None
