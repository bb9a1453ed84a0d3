"""The book's recordings: `book/recordings/<lab>/<cores>-cores.json`, one for each size of machine.

A page shows the one of two cores, for which its text is written; beside a reader's own run stands
the one of the machine most like theirs. Contribute yours with `make record`. A file says of which
kind it is (`kind`, the folder's name in `labs/kinds`) and of which version (`schema`).
"""

import contextlib
import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from labs.analysis.scale import BOOK_CORES
from labs.host import project
from labs.host.files import read_whole, write_whole
from labs.kinds.registry import show_of
from labs.present.quantities import NoSuchNumber
from labs.records.amounts import unbounded
from labs.records.errors import BadRecording
from labs.records.results import SCHEMA, Machine, Result

BOOK = project.BOOK
REMEDY = "Get it again, or record it anew with `make record`."


def folder() -> Path:
    """Find the folder of the recordings. LABS_RECORDINGS names another."""
    return Path(os.environ.get("LABS_RECORDINGS") or BOOK / "recordings")


def under(lab: str, label: str) -> str:
    """Name the recording of a lab under other settings.

    >>> under("the-pool", "32 workers")
    'the-pool-32-workers'
    """
    return f"{lab}-{re.sub(r'[^a-z0-9]+', '-', label.lower()).strip('-')}"


def path(lab: str, machine: Machine) -> Path:
    """Find where a machine's recording of a lab belongs."""
    return folder() / lab / f"{machine.cores}-cores.json"


def paths(lab: str) -> list[Path]:
    """The recordings of a lab, from few cores to many."""
    found = [
        (int(match[1]), file)
        for file in (folder() / lab).glob("*-cores.json")
        if (match := re.fullmatch(r"(\d+)-cores\.json", file.name))
    ]
    return [file for _, file in sorted(found)]


def chosen(lab: str, cores: int = BOOK_CORES) -> Path | None:
    """Find the recording of the machine nearest to one of so many cores, if there is any."""

    def apart(file: Path) -> tuple[float, bool]:
        there = int(file.stem.partition("-")[0])
        return max(there, cores) / min(there, cores), there < cores

    return min(paths(lab), key=apart, default=None)


def recording(lab: str, cores: int = BOOK_CORES) -> Result:
    """The recording that the pages show and quote, or the one nearest to a machine of so many
    cores. BadRecording says what is wrong with it."""
    file = chosen(lab, cores)
    if file is None:
        how = "make classics" if lab.startswith("classics-") else "make record"
        raise BadRecording(f"{lab}: not recorded yet. Record it with `{how}`.")
    return read(file)


def save(result: Result, path: Path) -> None:
    """Write a recording whole or not at all: one that was there stays until the new one is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(result), indent=1)
    write_whole(path, text + b"\n", mode=0o644)


@contextlib.contextmanager
def blamed(lab: str) -> Iterator[None]:
    """Work out what a lab's recording gives: whatever its numbers make impossible meanwhile becomes
    a BadRecording that says so."""
    try:
        yield
    except (BadRecording, NoSuchNumber):
        raise
    except (ArithmeticError, LookupError, ValueError) as error:
        raise BadRecording(
            f"{lab}: its numbers cannot be of one run ({str(error) or type(error).__name__}). "
            f"{REMEDY}"
        ) from error


def read(path: Path) -> Result:
    """A recording of any kind. BadRecording says what is wrong with the file and what to do."""
    try:
        data = read_whole(path)
    except OSError as error:
        raise BadRecording(f"{path}: cannot be read ({error.strerror}). Check the name.") from None
    return decoded(data, path)


@functools.lru_cache(maxsize=8)  # a page quotes dozens of numbers of the same few
def decoded(data: bytes, path: Path) -> Result:
    """Decode a recording of any kind that stood in a file. BadRecording says what is wrong."""
    try:
        fields = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        schema = msgspec.json.decode(fields["schema"], type=int)
        tag = msgspec.json.decode(fields["kind"], type=str)
    except (msgspec.DecodeError, KeyError, UnicodeDecodeError, RecursionError):
        raise BadRecording(f"{path}: not a recording, or cut short. {REMEDY}") from None
    if schema != SCHEMA:
        raise BadRecording(
            f"{path}: recorded in version {schema}, and this is version {SCHEMA}. {REMEDY}"
        )
    try:
        for number in unbounded(msgspec.json.decode(data)):
            raise BadRecording(f"{path}: {number:g}: no measurement gives that. {REMEDY}")
        result: type[Result] = show_of(tag).result
        return msgspec.json.decode(data, type=result)
    except KeyError:
        raise BadRecording(f"{path}: of a kind {tag!r} that is not here. {REMEDY}") from None
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        why = str(error).removesuffix(".")
        raise BadRecording(f"{path}: {why}. {REMEDY}") from None
    except (UnicodeDecodeError, RecursionError):
        raise BadRecording(f"{path}: not a recording, or cut short. {REMEDY}") from None
