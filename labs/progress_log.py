"""The reader's own record of progress: predictions, answers to exercises, and diagnoses. Goals and
bets at scenes, which a browser keeps, stay in a file that has them.

One small JSON file in the user's data folder (WALL_TIME_PROGRESS names another one), which
nobody else reads. Several kernels may share it: each change is made under a lock, to what the
file holds by then, and the file is written whole or not at all. A file that is damaged or not
ours is kept aside. A change that cannot be written waits in this kernel, and goes along with the
next one. Nothing here raises: a lab or an answer never fails because of its record.

A book that is built or recorded (LABS_MODE) writes nothing.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import glob
import os
import stat
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import platformdirs

from labs.host.files import read_whole, taken, write_whole
from labs.host.waiting import wait_until
from labs.records.reworded import REWORDED

SCHEMA = 1  # raise it when an old file can no longer be read
BOOK = "Wall Time"  # by which a file is known for ours
LOCKED_S = 5.0  # that we wait while another kernel writes
LOOK_S = 0.01
MOST_BYTES = 16 * 2**20  # of thousands of entries, a few hundred bytes each
ASIDE = "aside"  # in the name of a file that was moved aside


@dataclass(frozen=True, slots=True, kw_only=True)
class Foretold:
    """A prediction that was committed to. Numbers are in its unit."""

    key: str
    lab: str
    question: str
    unit: str
    value: float
    at: str  # ISO 8601, UTC
    measured: float | None = None  # by the first run after it
    model: float | None = None
    measured_at: str = ""
    fit: bool = True  # whether that can be believed; only then it settles the bet


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer to an exercise, with one seed: the right one, or else the last one given."""

    exercise: str  # its id
    seed: str  # "" for the numbers printed in the book
    value: float
    right: bool
    tries: int  # different answers in a row, up to the first right one
    at: str  # ISO 8601, UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosed:
    """What the reader said that limits the server of a mystery: the right one, or the last."""

    lab: str
    seed: int
    guess: str  # the name of a limit; "" where none was given
    right: bool
    tries: int  # different diagnoses in a row, up to the first right one
    at: str  # ISO 8601, UTC
    told: bool = False  # the solution was asked for before a right one was given


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A goal that was reached at a scene, or a bet that was made there: by a browser's record
    (book/web/src/kept.ts), whose file is in this form. The labs add none."""

    page: str  # 1-cpu-time/one-core
    what: str  # the name of the goal, or the question of the bet
    at: str  # ISO 8601, UTC
    words: str | None = None  # of the goal
    value: float | None = None  # that was bet


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressLog:
    """All that is kept."""

    predictions: tuple[Foretold, ...] = ()
    answers: tuple[Answered, ...] = ()
    diagnoses: tuple[Diagnosed, ...] = ()
    scenes: tuple[Played, ...] = ()
    book: str = BOOK
    schema: int = SCHEMA

    @property
    def empty(self) -> bool:
        return not (self.predictions or self.answers or self.diagnoses or self.scenes)

    def answer(self, exercise: str, seed: str) -> Answered | None:
        for each in self.answers:
            if (each.exercise, each.seed) == (exercise, seed):
                return each
        return None

    def diagnosis(self, lab: str, seed: int) -> Diagnosed | None:
        for each in self.diagnoses:
            if (each.lab, each.seed) == (lab, seed):
                return each
        return None

    def with_diagnosis(self, entry: Diagnosed) -> ProgressLog:
        """Instead of what there was of the same server."""
        others = tuple(e for e in self.diagnoses if (e.lab, e.seed) != (entry.lab, entry.seed))
        return replace(self, diagnoses=(*others, entry))


Change = Callable[[ProgressLog], ProgressLog]

_unwritten: list[Change] = []  # of this kernel, in their order
_told = ""  # why the file could not be used the last time
_mine = threading.RLock()  # of this kernel's threads


def path() -> Path:
    """Where it is kept."""
    named = os.environ.get("WALL_TIME_PROGRESS")
    return Path(named) if named else Path(platformdirs.user_data_dir("wall-time")) / "progress.json"


def writes() -> bool:
    """Whether anything is kept: only where a reader is at work."""
    return (os.environ.get("LABS_MODE") or "live") == "live"


def read() -> tuple[ProgressLog, list[str]]:
    """What is kept, and what the reader should know of the file, a sentence each."""
    with _mine:
        kept = _tried(lambda kept: kept, write=False)
        return kept, [*([_told] if _told else []), *_aside(path())]


def parsed(data: bytes) -> ProgressLog | None:
    """What such a file holds, a browser's too; None of one that is not ours, or no more."""
    try:
        kept = msgspec.json.decode(data, type=ProgressLog)
        known = {"book", "schema"} <= msgspec.json.decode(data, type=dict[str, msgspec.Raw]).keys()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not known or (kept.book, kept.schema) != (BOOK, SCHEMA):
        return None
    asked = [replace(e, question=REWORDED.get(e.question, e.question)) for e in kept.predictions]
    return replace(kept, predictions=tuple(asked))


def foretell(lab: str, question: str, unit: str, value: float) -> str:
    """Keep a prediction; its key, for `came`. Value in that unit."""
    entry = Foretold(
        key=uuid.uuid4().hex[:12], lab=lab, question=question, unit=unit, value=value, at=_now()
    )
    _keep(lambda kept: replace(kept, predictions=(*kept.predictions, entry)))
    return entry.key


def foretold(lab: str, question: str, value: float) -> str:
    """The key of the prediction of that value that is kept; "" for none."""
    kept, _ = read()
    asked = (lab, question, value)
    same = (e.key for e in kept.predictions[::-1] if (e.lab, e.question, e.value) == asked)
    return next(same, "")


def came(key: str, measured: float | None, model: float | None, *, fit: bool = True) -> None:
    """What the run said to a prediction. The first run that can be believed counts: afterwards
    everybody is wise. One that is unfit stands there until such a run has come."""
    at = _now()

    def change(kept: ProgressLog) -> ProgressLog:
        return replace(
            kept,
            predictions=tuple(
                replace(each, measured=measured, model=model, measured_at=at, fit=fit)
                if each.key == key and (each.measured is None or (fit and not each.fit))
                else each
                for each in kept.predictions
            ),
        )

    if measured is not None:
        _keep(change)


def answered(exercise: str, seed: str, value: float, right: bool) -> None:
    """Keep an answer. What was solved stays solved, and the same answer again is no new try."""
    at = _now()

    def change(kept: ProgressLog) -> ProgressLog:
        before = kept.answer(exercise, seed)
        if before and (before.right or (before.value == value and not right)):
            return kept
        tries = before.tries + 1 if before else 1
        entry = Answered(exercise=exercise, seed=seed, value=value, right=right, tries=tries, at=at)
        others = tuple(each for each in kept.answers if each is not before)
        return replace(kept, answers=(*others, entry))

    _keep(change)


def diagnosed(lab: str, seed: int, guess: str, right: bool) -> None:
    """Keep a diagnosis. What was solved stays solved, the same diagnosis again is no new try, and
    none counts after the solution was told."""
    at = _now()

    def change(kept: ProgressLog) -> ProgressLog:
        before = kept.diagnosis(lab, seed)
        if before and (before.right or before.told or before.guess == guess):
            return kept
        tries = before.tries + 1 if before else 1
        return kept.with_diagnosis(
            Diagnosed(lab=lab, seed=seed, guess=guess, right=right, tries=tries, at=at)
        )

    _keep(change)


def told(lab: str, seed: int) -> None:
    """Keep that the solution was asked for, unless the reader had found it."""
    none = Diagnosed(lab=lab, seed=seed, guess="", right=False, tries=0, at=_now())

    def change(kept: ProgressLog) -> ProgressLog:
        before = kept.diagnosis(lab, seed) or none
        return kept if before.right else kept.with_diagnosis(replace(before, told=True))

    _keep(change)


def clear() -> ProgressLog:
    """Delete all of it; what it was, so that it can be restored."""
    with _mine:
        before = _tried(lambda kept: kept, write=False)
        _keep(lambda kept: ProgressLog())
        return before


def restore(before: ProgressLog) -> None:
    """Put back what was deleted, beside what has come since."""

    def server(each: Diagnosed) -> tuple[str, int]:
        return each.lab, each.seed

    def change(kept: ProgressLog) -> ProgressLog:
        known = {each.key for each in kept.predictions}
        told = {server(each): each for each in before.diagnoses if each.right or each.told}
        now = {server(each) for each in kept.diagnoses}
        since = {(each.exercise, each.seed) for each in kept.answers if each.right}
        back = [each for each in before.answers if (each.exercise, each.seed) not in since]
        there = {(each.exercise, each.seed) for each in back}
        seen = {(each.page, each.what) for each in kept.scenes}
        return replace(
            kept,
            predictions=(
                *(each for each in before.predictions if each.key not in known),
                *kept.predictions,
            ),
            answers=(
                *back,
                *(each for each in kept.answers if (each.exercise, each.seed) not in there),
            ),
            diagnoses=(
                *(each for each in before.diagnoses if server(each) not in now),
                *(told.get(server(each), each) for each in kept.diagnoses),
            ),
            scenes=(
                *(each for each in before.scenes if (each.page, each.what) not in seen),
                *kept.scenes,
            ),
        )

    _keep(change)


@atexit.register
def last_try() -> None:
    """What still waits when the kernel ends."""
    if _unwritten and writes():
        with _mine:
            _tried(lambda kept: kept, write=True)


def _keep(change: Change) -> None:
    if writes():
        with _mine:
            _tried(change, write=True)


def _tried(change: Change, *, write: bool) -> ProgressLog:
    """Make the change, after those that waited; the kept as it then is."""
    global _told
    before = ProgressLog()
    waiting = [*_unwritten, change]
    try:
        with _alone(path()):
            before = _read(path())
            after = _changed(before, waiting)
            if write or _unwritten:
                _write(after, path())
        _unwritten.clear()
        _told = ""
    except OSError as error:
        _told = (
            f"{path()}: cannot be used ({error.strerror or error}). What you do now is kept until "
            "this page is left, and written if it can be by then."
        )
        after = _changed(before, waiting)
        if write:
            _unwritten.append(change)
    return after


def _changed(kept: ProgressLog, changes: list[Change]) -> ProgressLog:
    for change in changes:
        kept = change(kept)
    return kept


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


def _read(file: Path) -> ProgressLog:
    """What the file holds. One that is not ours, or no more, is moved aside."""
    try:
        data = read_whole(file, MOST_BYTES)
    except FileNotFoundError:
        return ProgressLog()
    if (kept := parsed(data)) is not None:
        return kept
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    os.replace(file, file.with_name(f"{file.name}.{ASIDE}-{stamp}-{uuid.uuid4().hex[:6]}"))
    return ProgressLog()


def _aside(file: Path) -> list[str]:
    """What there is to say of files that were moved aside, here or by another page."""
    try:
        kept = sorted(file.parent.glob(f"{glob.escape(file.name)}.{ASIDE}-*"))
    except OSError:
        return []
    return [
        f"{each}: this was no record of progress, or is damaged, or of another version of the "
        "book. Nothing in it was changed. Remove it if you do not need it."
        for each in kept
    ]


def _write(kept: ProgressLog, file: Path) -> None:
    """Whole or not at all, for its owner only. A kept without entries leaves no file."""
    if kept.empty:
        file.unlink(missing_ok=True)
        return
    write_whole(file, msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
