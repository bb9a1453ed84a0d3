"""Record the labs of the book anew: three runs each, kept with their spread.

A lab is a cell of a chapter, so there is no second list. What is said on the way goes to the
log; the command line shows it.
"""

from __future__ import annotations

import ast
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext  # type: ignore[import-untyped]

from labs.analysis.checks import enough_fit
from labs.analysis.scaling import reduced
from labs.kinds.base import Still
from labs.kinds.classics.published import NAMES
from labs.kinds.classics.record import Retrial
from labs.kinds.classics.run import Classics, in_a_line
from labs.kinds.result import Result
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import measure
from labs.recordings import store
from labs.records.errors import Unusable
from labs.records.experiment import Experiment
from labs.records.results import Run

KINDS = (
    "sweep",
    "clocks",
    "calibration",
    "compare",
    "memory",
    "race",
    "generators",
    "timeline",
    "mystery",
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How often each lab is run, and what is kept."""

    runs: int = 3
    tries: int = 6  # for that many runs
    fit: bool = True  # whether a run that is unfit is left out, and made again
    reduced: bool = False  # whether each lab is cut down to a few seconds


BOOK = Rule()
ONCE = Rule(runs=1, tries=1, fit=False)  # to look at, not to put into the book
TRIAL = Rule(runs=1, tries=1, fit=False, reduced=True)  # to see that every lab runs
_rule = BOOK  # a lab is called by a chapter's cell, which knows of no rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A lab in a chapter."""

    lab: str
    kind: str
    page: Path
    source: str


def cells(book: Path = store.BOOK) -> list[Cell]:
    """Every lab of the book, page by page."""
    pages = sorted([*book.glob("*.md"), *book.glob("[0-9]-*/*.md"), *book.glob("appendix/*.md")])
    return [cell for page in pages for cell in _cells(page)]


def record_book(names: Sequence[str], say: Callable[[str], None], rule: Rule = BOOK) -> None:
    """Record these labs, or all of them, one after the other. Unusable for an unknown name, or
    at the end if a lab was not fit on this machine; ServerFailed and LoadFailed as they come."""
    global _rule
    found = cells()
    known = [cell.lab for cell in found]
    for name in names:
        if name not in known:
            raise Unusable(f"{name}: no such lab. Choose from {', '.join(known)}.")
    handler = _Saying(say)
    before = log.level, os.environ.get("LABS_MODE")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    os.environ["LABS_MODE"], _rule = "record", rule
    missed = []
    try:
        for cell in found:
            if not names or cell.lab in names:
                say(f"{cell.lab} ({cell.page.name})")
                try:
                    exec(compile(cell.source, str(cell.page), "exec"), {})
                except Unusable as error:  # the other labs may still be
                    missed.append(str(error))
    finally:
        log.removeHandler(handler)
        log.setLevel(before[0])
        _rule = BOOK
        os.environ.pop("LABS_MODE")
        if before[1] is not None:
            os.environ["LABS_MODE"] = before[1]
    if missed:
        raise Unusable("\n".join(missed))


def record_sweep(name: str, experiment: Experiment) -> Recording:
    """Three runs whose points are fit, saved. Unusable, with the last run's reasons, if six
    tries do not give them; the recording that was there then stays."""
    recording: Recording | None = None
    if _rule.reduced:
        experiment = reduced(experiment)
    for _ in range(_rule.tries):
        found = measure(experiment)
        unfit = [point for point in found.points if not point.fit]
        if _rule.fit and not enough_fit(found.points):
            why = " ".join(c.sentence for point in unfit for c in point.checks if c.unfit)
            log.info("  not fit, once more: %s", why)
            continue
        run: Run = found.run
        recording = recording.with_run(run) if recording else found
        last = run.points[-1]
        log.info("  %.1f req/s at %d users", last.throughput_rps, last.users)
        if len(recording.runs) == _rule.runs:
            _save(name, recording)
            return recording
    raise _missed(name, len(recording.runs) if recording else 0)


def record_still(name: str, still: Still[Any]) -> Any:
    """Three runs of a lab that is no sweep, each of them fit, saved as one result; Unusable, as
    `record_sweep`, if six tries do not give them."""
    rounds: list[Any] = []
    if _rule.reduced:
        still = still.reduced()
    for _ in range(_rule.tries):
        found = still.measure(lambda told: None, threading.Event())
        if _rule.fit and (why := still.unfit(found)):
            log.info("  not fit, once more: %s", why)
            continue
        rounds.append(found)
        log.info("  run %d of %d", len(rounds), _rule.runs)
        if len(rounds) == _rule.runs:
            whole = still.joined(rounds)
            _save(name, whole)
            return whole
    raise _missed(name, len(rounds))


def record_classics(classics: Sequence[str], say: Callable[[str], None]) -> None:
    """Make these sources' experiments again, or all of them, once each, and save them where the
    book shows them. Unusable for a name there is not; ServerFailed, LoadFailed as they come."""
    for lab in [Classics(each) for each in classics or NAMES]:
        say(f"classics-{lab.classic}: about {lab.seconds:.0f} s")
        found = lab.measure(_rows_told(say), threading.Event())
        _save(f"classics-{lab.classic}", found)
        say(f"  saved for {found.machine.cores} cores")


def _rows_told(say: Callable[[str], None]) -> Callable[[object], None]:
    """Says each row as it comes."""
    shown = 0

    def tell(told: object) -> None:
        nonlocal shown
        if isinstance(told, Retrial):
            for each in told.run.tries[shown:]:
                say(f"  {in_a_line(each)}")
            shown = len(told.run.tries)

    return tell


def _missed(name: str, got: int) -> Unusable:
    return Unusable(
        f"{name}: {got} of {_rule.runs} runs were fit after {_rule.tries} tries. Close what else "
        "is running and record again."
    )


def _save(name: str, result: Result) -> None:
    path = store.path(name, result.machine)
    store.save(result, path)
    log.info("  saved %s", os.path.relpath(path))


def _cells(page: Path) -> Iterator[Cell]:
    for cell in jupytext.reads(page.read_text("utf-8"), fmt="md:myst").cells:
        if cell.cell_type != "code":
            continue
        for node in ast.walk(ast.parse(cell.source)):
            match node:
                case ast.Call(func=ast.Name(id=kind), args=[ast.Constant(value=str(lab)), *_]) if (
                    kind in KINDS
                ):
                    yield Cell(lab=lab, kind=kind, page=page, source=cell.source)


class _Saying(logging.Handler):
    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__()
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say(record.getMessage())
