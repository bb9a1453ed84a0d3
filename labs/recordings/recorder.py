"""Record the labs of the book anew: three runs each, kept with their spread.

A lab is a cell of a chapter, so there is no second list.
"""

import ast
import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext  # type: ignore[import-untyped]

from labs.host.hardware import fingerprint
from labs.kinds.base import LabKind
from labs.kinds.registry import KINDS, lab_kind
from labs.measure.rig import Rig
from labs.recordings import store
from labs.records.errors import Unusable, whole
from labs.records.results import Result

Say = Callable[[str], None]


def at_scale(lab: LabKind[Any]) -> LabKind[Any]:
    """The lab with as many users and workers as suit the cores that are here."""
    return lab.at_scale(fingerprint().cores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule for recording: how often each lab is run at most, and what is kept."""

    runs: int = 3
    tries: int = 2  # for each run
    each_s: float = 3.0  # of a level at least, so that a moment's mood of the machine is no result
    fit: bool = True  # whether a run that is unfit is left out, and made again
    sized: Callable[[LabKind[Any]], LabKind[Any]] = at_scale  # what is run of a lab

    def __post_init__(self) -> None:
        whole("tries", self.tries, 1, 100, "It says how often each run is tried until it is fit.")


BOOK = Rule()


def _nobody(line: str) -> None:
    """Hear what is done, where nobody asked for it."""


# A lab is called by a chapter's cell, which knows of no rule, of nobody to tell, and not which of
# its recordings are asked for; all of them where none is named.
_rule: Rule = BOOK
_say: Say = _nobody
_names: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A lab in a chapter."""

    lab: str
    kind: str
    page: Path
    source: str
    also: tuple[str, ...] = ()  # labels of the other settings that it is recorded under

    @property
    def recordings(self) -> tuple[str, ...]:
        """Name the cell's recordings, the lab's own first."""
        return (self.lab, *(store.under(self.lab, label) for label in self.also))


def cells(book: Path = store.BOOK) -> list[Cell]:
    """Every lab of the book, page by page."""
    pages = sorted([*book.glob("*.md"), *book.glob("[0-9]-*/*.md"), *book.glob("appendix/*.md")])
    return [cell for page in pages for cell in _cells(page)]


def record_book(
    names: Sequence[str],
    say: Say,
    rule: Rule = BOOK,
    by: str = LabKind.recorded_by,
    book: Path | None = None,
) -> None:
    """Record these labs, or all that are recorded by that command, one after the other. Unusable
    for an unknown name, or at the end if a lab was not fit on this machine; ServerFailed and
    LoadFailed as they come."""
    found = [cell for cell in cells(book or store.BOOK) if lab_kind(cell.kind).recorded_by == by]
    known = [name for cell in found for name in cell.recordings]
    for name in names:
        if name not in known:
            raise Unusable(f"{name}: no such lab. Choose from {', '.join(known)}.")
    missed = []
    with _cells_record(rule, say, names):
        for cell in found:
            if not names or set(cell.recordings) & set(names):
                say(f"{cell.lab} ({cell.page.name})")
                try:
                    exec(compile(cell.source, str(cell.page), "exec"), {})
                except Unusable as error:  # the other labs may still be
                    missed.append(str(error))
    if missed:
        raise Unusable("\n".join(missed))


@contextlib.contextmanager
def _cells_record(rule: Rule, say: Say, names: Sequence[str]) -> Iterator[None]:
    """Let cells that are run in the block record by a rule what is named, and tell what is done."""
    global _rule, _say, _names
    before = _rule, _say, _names, os.environ.get("LABS_MODE")
    os.environ["LABS_MODE"], _rule, _say, _names = "record", rule, say, names
    try:
        yield
    finally:
        _rule, _say, _names, mode = before
        os.environ.pop("LABS_MODE")
        if mode is not None:
            os.environ["LABS_MODE"] = mode


def record(name: str, lab: LabKind[Any]) -> list[Any]:
    """Record a lab, and what it is recorded under as well; of these only what was asked for, if
    anything was. Unusable at the end if one of them was not fit; the others are saved."""
    every = {name: lab} | {store.under(name, label): lab.under(label) for label in lab.also}
    saved, missed = [], []
    for called, each in every.items():
        if not _names or called in _names:
            try:
                saved.append(_recorded(called, each))
            except Unusable as error:
                missed.append(str(error))
    if missed:
        raise Unusable("\n".join(missed))
    return saved


def _recorded(name: str, lab: LabKind[Any]) -> Any:
    """Make as many runs of a lab as its kind asks for, each fit, saved as one result. Unusable,
    with the last run's reasons, if as many tries as the rule allows do not give them; the recording
    that was there then stays."""
    lab = _rule.sized(lab)
    if lab.each == "level" and (usual_s := lab.each_s) and usual_s < _rule.each_s:
        lab = lab.lasting(_rule.each_s)
    runs, rounds, why = min(_rule.runs, lab.rounds), [], ""

    def on_event(event: Any) -> None:
        if isinstance(event, Result) and (line := lab.in_a_line(event)):
            _say(f"  {line}")

    for _ in range(runs * _rule.tries):
        found = Rig(on_event).perform(lab)
        if _rule.fit and (why := lab.rejection(found)):
            _say(f"  not fit, once more: {why}")
            continue
        rounds.append(found)
        _say(f"  run {len(rounds)} of {runs}")
        if len(rounds) == runs:
            whole = lab.merge(rounds)
            path = store.path(name, whole.machine)
            store.save(whole, path)
            _say(f"  saved {os.path.relpath(path)}")
            return whole
    raise Unusable(
        f"{name}: {len(rounds)} of {runs} runs were fit after {runs * _rule.tries} tries. Close "
        f"what else is running and record again. The last one said: {why}"
    )


def _cells(page: Path) -> Iterator[Cell]:
    for cell in jupytext.reads(page.read_text("utf-8"), fmt="md:myst").cells:
        if cell.cell_type != "code":
            continue
        for node in ast.walk(ast.parse(cell.source)):
            match node:
                case ast.Call(
                    func=ast.Name(id=kind), args=[ast.Constant(value=str(lab)), *_], keywords=more
                ) if kind in KINDS:
                    also = tuple(_also(more))
                    yield Cell(lab=lab, kind=kind, page=page, source=cell.source, also=also)


def _also(given: Sequence[ast.keyword]) -> Iterator[str]:
    """The labels that a cell gives with `also`."""
    for keyword in given:
        if keyword.arg == "also" and isinstance(keyword.value, ast.Dict):
            yield from (ast.literal_eval(key) for key in keyword.value.keys if key)
