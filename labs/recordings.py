"""The book's recordings: `book/recordings/<lab>/<cores>-cores.json`, one for each size of machine.

A page shows the one with the most cores: contribute yours with `make record`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from labs import records
from labs.comparison import Comparison
from labs.counts import Race
from labs.findings import Checkup, Clocks
from labs.footprint import Memory
from labs.gauges import Gauges
from labs.kept import Result
from labs.records import BadRecording, Machine, Recording
from labs.retrials import Retrial
from labs.riddle import Mystery
from labs.timelines import Timeline

BOOK = Path(__file__).resolve().parent.parent / "book"
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
    return records.read(file, kind)
