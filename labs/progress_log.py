"""Record of progress, the reader's own, in their home: read, and changed under a lock.

One small JSON file in the user's data folder (WALL_TIME_PROGRESS names another one), which nobody
else reads. Kernels add to it, and the page *My progress* through the book's server
(labs/site/live/progress_handler.py): each change is made under a lock, to what the file holds by
then, and the file is written whole or not at all. A file that is damaged or not ours is kept aside.
What a lab calls here never raises: it does not fail because of its record.

A book that is built or recorded (LABS_MODE) writes nothing.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import stat
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import platformdirs

from labs.host.files import read_whole, taken, write_whole
from labs.host.waiting import wait_until
from labs.records.progress import (
    MOST_BYTES,
    Diagnosed,
    Foretold,
    Progress,
    parsed,
    written,
)

LOCKED_S = 5.0  # that we wait while another kernel writes
LOOK_S = 0.01
ASIDE = "aside"  # in the name of a file that was moved aside

Change = Callable[[Progress], Progress]


def path() -> Path:
    """Name the file in which progress is kept."""
    named = os.environ.get("WALL_TIME_PROGRESS")
    return Path(named) if named else Path(platformdirs.user_data_dir("wall-time")) / "progress.json"


def read() -> tuple[Progress, list[str]]:
    """Read what is kept, and what the reader should know of the file, a sentence each."""
    try:
        with _alone(path()):
            return _read(path()), _aside(path())
    except OSError as error:
        said = f"{path()}: cannot be used ({error.strerror or error}). Until it can be, nothing is "
        return Progress(), [f"{said}kept of what you do.", *_aside(path())]


def change(how: Change) -> None:
    """Change what is kept. OSError where the file cannot be used."""
    with _alone(path()):
        before = _read(path())
        after = how(before)
        if after != before and not after.empty:
            write_whole(path(), written(after))  # for its owner only
        elif after != before:
            path().unlink(missing_ok=True)  # a record without entries leaves no file


def foretell(lab: str, question: str, unit: str, value: float) -> str:
    """Keep a prediction; return its key, for `came`. Value in that unit."""
    entry = Foretold(
        key=uuid.uuid4().hex[:12], lab=lab, question=question, unit=unit, value=value, at=_now()
    )
    _keep(lambda kept: replace(kept, predictions=(*kept.predictions, entry)))
    return entry.key


def foretold(lab: str, question: str, value: float | None = None) -> Foretold | None:
    """Find the last prediction that is kept, of that value if one is given; None for none."""
    kept, _ = read()
    same = (e for e in kept.predictions[::-1] if (e.lab, e.question) == (lab, question))
    return next((e for e in same if value in (None, e.value)), None)


def came(
    key: str,
    measured: float | None,
    model: float | None,
    band: tuple[float, float] | None = None,
    *,
    fit: bool = True,
) -> None:
    """Keep what the run, and the model with its band, said to a prediction. The first run that can
    be believed counts: afterwards everybody is wise. An unfit one stands until such a run came."""
    at = _now()

    def settle(each: Foretold) -> Foretold:
        if each.key != key or not (each.measured is None or (fit and not each.fit)):
            return each
        return replace(each, measured=measured, model=model, measured_at=at, fit=fit, band=band)

    if measured is not None:
        _keep(lambda kept: replace(kept, predictions=tuple(map(settle, kept.predictions))))


def diagnosed(lab: str, seed: int, guess: str, right: bool) -> None:
    """Keep a diagnosis. What was solved stays solved, the same diagnosis again is no new try, and
    none counts after the solution was told."""
    at = _now()

    def with_it(kept: Progress) -> Progress:
        before = kept.diagnosis(lab, seed)
        if before and (before.right or before.told or before.guess == guess):
            return kept
        tries = before.tries + 1 if before else 1
        return kept.with_diagnosis(
            Diagnosed(lab=lab, seed=seed, guess=guess, right=right, tries=tries, at=at)
        )

    _keep(with_it)


def told(lab: str, seed: int) -> None:
    """Keep that the solution was asked for, unless the reader had found it."""
    none = Diagnosed(lab=lab, seed=seed, guess="", right=False, tries=0, at=_now())

    def with_it(kept: Progress) -> Progress:
        before = kept.diagnosis(lab, seed) or none
        return kept if before.right else kept.with_diagnosis(replace(before, told=True))

    _keep(with_it)


def _keep(how: Change) -> None:
    if (os.environ.get("LABS_MODE") or "live") == "live":  # only where a reader is at work
        with contextlib.suppress(OSError):  # the page My progress says why
            change(how)


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Hold the lock beside the file. OSError when that, or the file, is not to be had."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists() and not file.is_file():
        raise OSError(errno.EINVAL, "it is no ordinary file")
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK  # whatever somebody put there
    handle = os.open(file.with_name(f"{file.name}.lock"), flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "its lock is no ordinary file")
        try:
            ours = wait_until(lambda: taken(handle), LOCKED_S, every_s=LOOK_S)
        except OSError:
            ours = True  # a file system without locks: few readers have two pages on one
        if not ours:
            raise OSError(errno.EAGAIN, "another page has been writing it")
        yield
    finally:
        os.close(handle)


def _read(file: Path) -> Progress:
    """Read the file. One that is not ours, or is damaged, is moved aside."""
    try:
        data = read_whole(file, MOST_BYTES)
    except FileNotFoundError:
        return Progress()
    if (kept := parsed(data, Progress)) is not None:
        return kept
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    os.replace(file, file.with_name(f"{file.name}.{ASIDE}-{stamp}-{uuid.uuid4().hex[:6]}"))
    return Progress()


def _aside(file: Path) -> list[str]:
    """Say what there is to say of files that were moved aside, here or by another page."""
    try:
        kept = sorted(file.parent.glob(f"{glob.escape(file.name)}.{ASIDE}-*"))
    except OSError:
        return []
    return [
        f"{each}: this was no record of progress, or is damaged, or of another version of the "
        "book. Nothing in it was changed. Remove it if you do not need it."
        for each in kept
    ]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
