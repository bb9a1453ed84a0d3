"""The one format of a reader's progress: predictions, answers, diagnoses and games with scenes.

A file in the reader's home, the browser's storage and what *Save* writes on *My progress* are all
in it (book/web/src/progress_format.ts). Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, TypeVar

import msgspec

SCHEMA = 1  # raise it when an old file can no longer be read
BOOK = "Wall Time"  # by which a file is known for ours
MOST_BYTES = 4 * 2**20  # of a file: as many as a browser keeps; an entry has a few hundred
LEAST, MOST = 1e-6, 1e12  # of a number that is drawn: no rate, time or memory lies outside

Page = Annotated[str, msgspec.Meta(pattern=r"^(?!/)[\w./-]+$")]  # that becomes no other address


@dataclass(frozen=True, slots=True, kw_only=True)
class Foretold:
    """A prediction that was committed to. Numbers are in its unit."""

    key: str
    lab: str
    question: str
    unit: str
    value: float
    at: str  # ISO 8601, UTC
    measured: float | None = None  # by the first run after it, or by the book's recording
    model: float | None = None
    band: tuple[float, float] | None = None  # of that model, where there is one
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
    """A diagnosis of what limits the server of a mystery: the right one, or the last."""

    lab: str
    seed: int
    guess: str  # the name of a limit; "" where none was given
    right: bool
    tries: int  # different diagnoses in a row, up to the first right one
    at: str  # ISO 8601, UTC
    told: bool = False  # the solution was asked for before a right one was given


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A goal that was reached at a scene, or a bet that was made there; a browser adds them."""

    page: Page  # 1-cpu-time/one-core
    what: str  # the name of the goal, or the question of the bet
    at: str  # ISO 8601, UTC
    words: str | None = None  # of the goal
    value: float | None = None  # that was bet


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of one reader, as it is kept."""

    predictions: tuple[Foretold, ...] = ()
    answers: tuple[Answered, ...] = ()
    diagnoses: tuple[Diagnosed, ...] = ()
    scenes: tuple[Played, ...] = ()
    book: str = BOOK
    schema: int = SCHEMA

    @property
    def empty(self) -> bool:
        return not (self.predictions or self.answers or self.diagnoses or self.scenes)

    def diagnosis(self, lab: str, seed: int) -> Diagnosed | None:
        return next((e for e in self.diagnoses if (e.lab, e.seed) == (lab, seed)), None)

    def with_diagnosis(self, entry: Diagnosed) -> Progress:
        """Put a diagnosis in the place of the one of the same server."""
        before = self.diagnosis(entry.lab, entry.seed)
        return replace(self, diagnoses=(*(e for e in self.diagnoses if e is not before), entry))


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved(Progress):
    """The file that *Save* writes: all progress, under the name typed for a teacher, if any."""

    name: str = ""


Kind = TypeVar("Kind", bound=Progress)


def parsed(data: bytes, kind: type[Kind]) -> Kind | None:
    """Read a file of progress, whoever wrote it; None of one that is not ours, or is damaged."""
    try:
        kept = msgspec.json.decode(data, type=kind)
        known = {"book", "schema"} <= msgspec.json.decode(data, type=dict[str, msgspec.Raw]).keys()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return kept if known and (kept.book, kept.schema) == (BOOK, SCHEMA) else None


def written(kept: Progress) -> bytes:
    """Write progress as the JSON that `parsed` reads."""
    return msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"
